/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "clex.h"
#include "lost_attribute.h"
#include "show.h"

static const struct {
	const char *prefix, *header;
} attributes[] = {
	{ "____cacheline_", "linux/cache.h" },		/* ..aligned, ..aligned_in_smp, ..internodealigned_in_smp */
	{ "__aligned", "linux/compiler_attributes.h" },
	{ "__cacheline_aligned", "linux/cache.h" },
	{ "__randomize_layout", "linux/compiler_types.h" },
};

const char *attribute_header(const char *name)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (!strncmp(name, attributes[i].prefix, strlen(attributes[i].prefix)))
			return attributes[i].header;
	return NULL;
}

static void __attribute__((format(printf, 3, 4))) report(struct rules *rules, struct place place, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*ARENA_PUSH(rules->findings, rules->nr, rules->room) = (struct finding) {
		.id = "align-lost", .place = place, .text = arena_vprintf(fmt, ap),
	};
	va_end(ap);
}

void lost_attribute(struct rules *rules, const char *variable, struct place place)
{
	const char *header = attribute_header(variable);

	if (header && rules_wants(rules, "align-lost"))
		report(rules, place, "'%s' is a variable here, no attribute: include %s", variable, header);
}

/* a name in a #line is the source's, which may be hostile: a device has no end */
static bool line_has_alignment(const char *path, unsigned int number)
{
	struct stat st;
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (f && number && getline(&line, &room, f) > 0)
		number--;
	if (f && !number)
		found = line && strstr(line, "align");
	if (f)
		fclose(f);
	free(line);
	return found;
}

/* the index behind the bracket that closes the one at i; the end's when it is not closed */
static size_t behind_bracket(const struct ctoks *t, size_t i)
{
	unsigned int depth = 0;

	for (; i < t->nr; i++) {
		if (ctok_is(t, i, "(") || ctok_is(t, i, "{"))
			depth++;
		else if ((ctok_is(t, i, ")") || ctok_is(t, i, "}")) && !--depth)
			return i + 1;
	}
	return t->nr;
}

/* behind the closing brace of the body at i, and the attributes there, stands the semicolon */
static bool declares_nothing(const struct ctoks *t, size_t i)
{
	for (i = behind_bracket(t, i); i < t->nr && !ctok_is(t, i, ";"); ) {
		bool word = t->tok[i].kind == CTOK_IDENT && !strncmp(t->text + t->tok[i].start, "__", 2);

		if (ctok_is(t, i, "("))
			i = behind_bracket(t, i);
		else if (word || t->tok[i].kind == CTOK_COMMENT)
			i++;
		else
			return false;
	}
	return i < t->nr;
}

/* bytes, the plain number that is all between the brackets behind i; line_size: something else is */
static unsigned long number_behind(const struct ctoks *t, size_t i, unsigned int line_size)
{
	size_t at = i + 1;

	while (ctok_is(t, at, "(") || ctok_is(t, at, "aligned") || ctok_is(t, at, "__aligned__"))
		at++;
	return at > i + 1 && t->tok[at].kind == CTOK_NUMBER && ctok_is(t, at + 1, ")") ?
	       strtoul(t->text + t->tok[at].start, NULL, 0) : line_size;
}

static bool is_alignment(const struct ctoks *t, size_t i, unsigned int line_size)
{
	const char *header;

	if (t->tok[i].kind != CTOK_IDENT)
		return false;
	if (ctok_is(t, i, "__attribute__")) {
		for (size_t k = i, end = behind_bracket(t, i); k < end; k++)
			if (ctok_is(t, k, "aligned") || ctok_is(t, k, "__aligned__"))
				return number_behind(t, i, line_size) >= line_size;
		return false;
	}
	header = attribute_header(ctok_text(t, i));
	return header && !ctok_is(t, i, "__randomize_layout") && number_behind(t, i, line_size) >= line_size;
}

/* the first alignment of the declaration whose struct or union stands at i; i: there is none */
static size_t alignment_in_front(const struct ctoks *t, size_t i, unsigned int line_size)
{
	size_t first = i;

	for (size_t k = i; k-- > 0; ) {
		if (ctok_is(t, k, ";") || ctok_is(t, k, "{") || ctok_is(t, k, "}") || t->tok[k].kind == CTOK_LINE)
			break;
		if (is_alignment(t, k, line_size))
			first = k;
	}
	return first;
}

void lost_in_front(struct rules *rules, const struct record *r, const char *path)
{
	struct ctoks t;
	size_t len;
	char *text;

	if (r->align >= rules->line_size || !rules_wants(rules, "align-lost") || !line_has_alignment(path, r->place.line))
		return;
	text = arena_read_file(path, &len);
	if (!text || !clex(text, len, &t))
		return;
	for (size_t i = 1; i + 1 < t.nr && t.tok[i].line <= r->place.line; i++) {
		size_t at;

		if (t.tok[i].line < r->place.line || !ctok_is(&t, i, r->name) || !ctok_is(&t, i + 1, "{") ||
		    !(ctok_is(&t, i - 1, "struct") || ctok_is(&t, i - 1, "union")))
			continue;
		at = alignment_in_front(&t, i - 1, rules->line_size);
		if (at < i - 1 && declares_nothing(&t, i + 1))
			report(rules, r->place, "'%s' in front of %s aligns nothing: write it between '%s' and the name",
			       ctok_text(&t, at), record_title(r), r->is_union ? "union" : "struct");
		return;
	}
}
