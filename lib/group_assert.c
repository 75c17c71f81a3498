/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "clex.h"
#include "group_assert.h"

#define BUILD_BUG	"BUILD_BUG_ON failed: "
#define BEGIN_PREFIX	"__cacheline_group_begin__"
#define END_PREFIX	"__cacheline_group_end__"
#define MAX_DEPTH	100		/* of brackets in a bound: hostile text must not use up the stack */

struct cursor {
	struct ctoks t;
	size_t at;
	int depth;
	bool failed;			/* what was read is no expression of a known value */
	const struct bound_on *on;
};

static bool cursor_init(struct cursor *c, const char *text)
{
	*c = (struct cursor) { 0 };
	return clex(text, strlen(text), &c->t);
}

static bool eat(struct cursor *c, const char *token)
{
	if (!ctok_is(&c->t, c->at, token))
		return false;
	c->at++;
	return true;
}

/* what stands from token first up to here, without blanks before it and behind it */
static const char *text_since(const struct cursor *c, size_t first)
{
	uint32_t start = c->t.tok[first].start;

	return c->at > first ? arena_strndup(c->t.text + start, c->t.tok[c->at - 1].end - start) : "";
}

/* "struct x": the last word, or NULL */
static const char *eat_type(struct cursor *c)
{
	size_t first = c->at;

	while (c->t.tok[c->at].kind == CTOK_IDENT)
		c->at++;
	return c->at > first ? ctok_text(&c->t, c->at - 1) : NULL;
}

/* "word(TYPE, PATH)"; of two mentions of a type both must be the same one */
static const char *eat_offset(struct cursor *c, const char *word, const char **record)
{
	const char *type, *path;
	size_t first;

	if (!eat(c, word) || !eat(c, "("))
		return NULL;
	type = eat_type(c);
	if (!type || (*record && strcmp(*record, type)) || !eat(c, ","))
		return NULL;
	*record = type;
	first = c->at;
	while (c->t.tok[c->at].kind != CTOK_END && !ctok_is(&c->t, c->at, ")"))
		c->at++;
	path = text_since(c, first);
	return eat(c, ")") && *path ? path : NULL;
}

static const char *behind(const char *prefix, const char *text)
{
	return text && !strncmp(text, prefix, strlen(prefix)) ? text + strlen(prefix) : NULL;
}

/* !(offsetof(T, M) >= offsetofend(T, BEGIN) && offsetofend(T, M) <= offsetof(T, END)) */
static bool parse_member(struct cursor *c, struct group_assert *out)
{
	const char *again, *end;

	out->kind = ASSERT_GROUP_MEMBER;
	if (!eat(c, "!") || !eat(c, "("))
		return false;
	out->member = eat_offset(c, "offsetof", &out->record);
	if (!out->member || !eat(c, ">") || !eat(c, "="))
		return false;
	out->group = behind(BEGIN_PREFIX, eat_offset(c, "offsetofend", &out->record));
	if (!out->group || !eat(c, "&") || !eat(c, "&"))
		return false;
	again = eat_offset(c, "offsetofend", &out->record);
	if (!again || strcmp(again, out->member) || !eat(c, "<") || !eat(c, "="))
		return false;
	end = behind(END_PREFIX, eat_offset(c, "offsetof", &out->record));
	return end && !strcmp(end, out->group) && eat(c, ")") && c->t.tok[c->at].kind == CTOK_END;
}

/* offsetof(T, END) - offsetofend(T, BEGIN), or sizeof(T) */
static bool parse_measured(struct cursor *c, struct group_assert *out)
{
	const char *begin;

	if (eat(c, "sizeof")) {
		out->kind = ASSERT_STRUCT_SIZE;
		if (!eat(c, "("))
			return false;
		out->record = eat_type(c);
		return out->record && eat(c, ")");
	}
	out->kind = ASSERT_GROUP_SIZE;
	out->group = behind(END_PREFIX, eat_offset(c, "offsetof", &out->record));
	if (!out->group || !eat(c, "-"))
		return false;
	begin = behind(BEGIN_PREFIX, eat_offset(c, "offsetofend", &out->record));
	return begin && !strcmp(begin, out->group);
}

/* the comparison, and the bound behind it; must_hold: the condition is what has to be, not what must not be */
static bool parse_bound(struct cursor *c, bool must_hold, struct group_assert *out)
{
	const char *other = must_hold ? "<" : ">";
	size_t first;

	out->exact = eat(c, must_hold ? "=" : "!");
	if (!out->exact && !eat(c, other))
		return false;
	if ((out->exact || must_hold) && !eat(c, "="))
		return false;
	first = c->at;
	c->at = c->t.nr;
	out->bound = text_since(c, first);
	return *out->bound && *out->bound != '=';
}

bool group_assert_parse(const char *text, struct group_assert *out)
{
	const char *must_not = behind(BUILD_BUG, text);
	struct cursor c;

	*out = (struct group_assert) { 0 };
	if (!cursor_init(&c, must_not ? must_not : text))
		return false;
	if (must_not && ctok_is(&c.t, 0, "!"))
		return parse_member(&c, out);
	return parse_measured(&c, out) && parse_bound(&c, !must_not, out);
}

static unsigned long long not_known(struct cursor *c)
{
	c->failed = true;
	return 0;
}

static unsigned long long size_of_type(struct cursor *c, const char *type)
{
	static const struct {
		const char *type;
		enum scalar scalar;
	} scalars[] = {
		{ "__u64", SCALAR_LLONG }, { "char", SCALAR_CHAR }, { "int", SCALAR_INT }, { "long", SCALAR_LONG },
		{ "short", SCALAR_SHORT }, { "u16", SCALAR_SHORT }, { "u32", SCALAR_INT }, { "u64", SCALAR_LLONG },
		{ "u8", SCALAR_CHAR }, { "unsigned int", SCALAR_INT }, { "unsigned long", SCALAR_LONG },
		{ "unsigned long long", SCALAR_LLONG }, { "void *", SCALAR_POINTER },
	};
	unsigned long long size;

	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
		if (!strcmp(scalars[i].type, type))
			return c->on->abi->size[scalars[i].scalar];
	size = c->on->size_of ? c->on->size_of(type, c->on->data) : NOT_KNOWN;
	return size == NOT_KNOWN ? not_known(c) : size;
}

static unsigned long long read_binary(struct cursor *c, int min);

/* behind "(": up to the ")" that closes it */
static void skip_brackets(struct cursor *c)
{
	for (int depth = 1; depth && c->t.tok[c->at].kind != CTOK_END; c->at++)
		depth += ctok_is(&c->t, c->at, "(") - ctok_is(&c->t, c->at, ")");
}

static unsigned long long read_sizeof(struct cursor *c)
{
	size_t first = c->at + 1;
	const char *type;

	if (!eat(c, "("))
		return not_known(c);
	skip_brackets(c);
	c->at--;
	type = text_since(c, first);
	return eat(c, ")") ? size_of_type(c, type) : not_known(c);
}

static unsigned long long read_number(struct cursor *c)
{
	const char *text = ctok_text(&c->t, c->at);
	unsigned long long value;
	char *end;

	if (c->t.tok[c->at].kind != CTOK_NUMBER)
		return not_known(c);
	c->at++;
	value = strtoull(text, &end, 0);
	return strspn(end, "uUlL") == strlen(end) ? value : not_known(c);
}

static unsigned long long read_unary(struct cursor *c)
{
	unsigned long long value;

	if (++c->depth > MAX_DEPTH)
		return not_known(c);
	if (eat(c, "~")) {
		value = ~read_unary(c);
	} else if (eat(c, "sizeof")) {
		value = read_sizeof(c);
	} else if (!eat(c, "(")) {
		value = read_number(c);
	} else if (eat(c, "__typeof__")) {	/* a cast, as ALIGN() has it */
		if (eat(c, "("))
			skip_brackets(c);
		value = eat(c, ")") ? read_unary(c) : not_known(c);
	} else {
		value = read_binary(c, 0);
		if (!eat(c, ")"))
			not_known(c);
	}
	c->depth--;
	return value;
}

static unsigned long long shifted(struct cursor *c, unsigned long long a, unsigned long long b)
{
	if (b >= 64)
		return not_known(c);
	return a == 1 && a << b == c->on->line_here ? c->on->line_size : a << b;
}

static unsigned long long apply(struct cursor *c, char op, unsigned long long a, unsigned long long b)
{
	switch (op) {
	case '|': return a | b;
	case '&': return a & b;
	case '<': return shifted(c, a, b);
	case '>': return b < 64 ? a >> b : not_known(c);
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': return b ? a / b : not_known(c);
	}
	return b ? a % b : not_known(c);
}

static unsigned long long read_binary(struct cursor *c, int min)
{
	static const struct {
		const char *token;
		int level;
		bool twice;
	} ops[] = {
		{ "%", 5, false }, { "&", 2, false }, { "*", 5, false }, { "+", 4, false }, { "-", 4, false },
		{ "/", 5, false }, { "<", 3, true }, { ">", 3, true }, { "|", 1, false },
	};
	unsigned long long value = read_unary(c);

	for (size_t i = 0; !c->failed && i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (ops[i].level <= min || !eat(c, ops[i].token))
			continue;
		if (ops[i].twice && !eat(c, ops[i].token))
			return not_known(c);
		value = apply(c, *ops[i].token, value, read_binary(c, ops[i].level));
		i = -1;			/* from the start: any of them may follow */
	}
	return value;
}

unsigned long long group_assert_bytes(const struct group_assert *a, const struct bound_on *on)
{
	unsigned long long value;
	struct cursor c;

	if (!a->bound || !cursor_init(&c, a->bound))
		return NOT_KNOWN;
	c.on = on;
	value = read_binary(&c, 0);
	return c.failed || c.t.tok[c.at].kind != CTOK_END ? NOT_KNOWN : value;
}
