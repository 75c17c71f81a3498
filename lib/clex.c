/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "clex.h"

struct cursor {
	const char *p, *end;		/* *end is not read */
	uint32_t line;
	bool line_start;		/* only white space and comments so far on this line */
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* the number of bytes of a backslash and its newline at p, or 0 */
static size_t continuation(const char *p, const char *end)
{
	if (p == end || *p != '\\')
		return 0;
	if (end - p > 1 && p[1] == '\n')
		return 2;
	return end - p > 2 && p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

static const char *skip_block_comment(const char *p, const char *end, uint32_t *line)
{
	for (p += 2; p < end; p++) {
		if (*p == '\n')
			++*line;
		if (*p == '*' && end - p > 1 && p[1] == '/')
			return p + 2;
	}
	return end;
}

static const char *skip_line_comment(const char *p, const char *end, uint32_t *line)
{
	while (p < end && *p != '\n') {
		size_t n = continuation(p, end);

		*line += n != 0;
		p += n ? n : 1;
	}
	return p > end ? end : p;
}

static const char *skip_string(const char *p, const char *end, uint32_t *line)
{
	char quote = *p++;

	while (p < end && *p != quote && *p != '\n') {
		size_t n = continuation(p, end);

		*line += n != 0;
		p += n ? n : *p == '\\' && end - p > 1 && p[1] != '\n' ? 2 : 1;
	}
	return p < end && *p == quote ? p + 1 : p;
}

static bool starts_comment(const char *p, const char *end)
{
	return end - p > 1 && p[0] == '/' && (p[1] == '*' || p[1] == '/');
}

static const char *skip_comment(const char *p, const char *end, uint32_t *line)
{
	return p[1] == '*' ? skip_block_comment(p, end, line) : skip_line_comment(p, end, line);
}

static const char *skip_directive(const char *p, const char *end, uint32_t *line)
{
	while (p < end && *p != '\n') {
		size_t n = continuation(p, end);

		if (n) {
			++*line;
			p += n;
		} else if (starts_comment(p, end)) {
			p = skip_comment(p, end, line);
		} else if (*p == '"' || *p == '\'') {
			p = skip_string(p, end, line);
		} else {
			p++;
		}
	}
	/* white space before the newline is not the line's */
	while (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r')
		p--;
	return p;
}

static const char *skip_number(const char *p, const char *end)
{
	for (p++; p < end; p++) {
		bool sign = (*p == '+' || *p == '-') && strchr("eEpP", p[-1]);

		if (!sign && *p != '.' && !is_word(*p))
			break;
	}
	return p;
}

static void skip_space(struct cursor *c)
{
	while (c->p < c->end) {
		size_t n = continuation(c->p, c->end);

		if (n) {
			c->line++;
			c->p += n;
		} else if (*c->p == '\n') {
			c->line++;
			c->line_start = true;
			c->p++;
		} else if (strchr(" \t\r\f\v", *c->p) && *c->p) {
			c->p++;
		} else {
			break;
		}
	}
}

static enum ctok_kind skip_token(struct cursor *c)
{
	char first = *c->p;

	if (starts_comment(c->p, c->end)) {
		uint32_t before = c->line;

		c->p = skip_comment(c->p, c->end, &c->line);
		c->line_start |= c->line != before;
		return CTOK_COMMENT;
	}
	if (first == '#' && c->line_start) {
		c->p = skip_directive(c->p, c->end, &c->line);
		return CTOK_LINE;
	}
	c->line_start = false;
	if (is_digit(first) || (first == '.' && c->end - c->p > 1 && is_digit(c->p[1]))) {
		c->p = skip_number(c->p, c->end);
		return CTOK_NUMBER;
	}
	if (is_word(first)) {
		while (c->p < c->end && is_word(*c->p))
			c->p++;
		return CTOK_IDENT;
	}
	if (first == '"' || first == '\'') {
		c->p = skip_string(c->p, c->end, &c->line);
		return CTOK_STRING;
	}
	c->p++;
	return CTOK_PUNCT;
}

static bool next_token(struct cursor *c, const char *text, struct ctok *out)
{
	skip_space(c);
	out->start = out->end = c->p - text;
	out->line = out->last_line = c->line;
	out->kind = CTOK_END;
	if (c->p == c->end)
		return false;
	out->kind = skip_token(c);
	out->end = c->p - text;
	out->last_line = c->line;
	return true;
}

bool clex(const char *text, size_t len, struct ctoks *out)
{
	struct cursor start = { .p = text, .end = text + len, .line = 1, .line_start = true };
	struct cursor c = start;
	struct ctok tok;

	memset(out, 0, sizeof(*out));
	out->text = text;
	out->len = len;
	if (len > INT32_MAX)
		return false;
	/* counted first: an array that grows would leave its smaller selves behind in the arena */
	while (next_token(&c, text, &tok))
		out->nr++;
	out->tok = arena_alloc((out->nr + 1) * sizeof(*out->tok));
	c = start;
	for (size_t i = 0; i <= out->nr; i++)
		next_token(&c, text, &out->tok[i]);
	return true;
}

bool ctok_is(const struct ctoks *t, size_t i, const char *s)
{
	size_t len = strlen(s);
	const struct ctok *tok = &t->tok[i];

	return tok->end - tok->start == len && !memcmp(t->text + tok->start, s, len);
}

char *ctok_text(const struct ctoks *t, size_t i)
{
	return arena_strndup(t->text + t->tok[i].start, t->tok[i].end - t->tok[i].start);
}

const char *ctok_directive(const struct ctoks *t, size_t i, size_t *len)
{
	const char *p = t->text + t->tok[i].start + 1, *end = t->text + t->tok[i].end;
	uint32_t line = 0;
	const char *word;

	for (;;) {
		size_t n = continuation(p, end);

		if (n)
			p += n;
		else if (starts_comment(p, end))
			p = skip_comment(p, end, &line);
		else if (p < end && (*p == ' ' || *p == '\t'))
			p++;
		else
			break;
	}
	for (word = p; p < end && is_word(*p);)
		p++;
	*len = p - word;
	return word;
}
