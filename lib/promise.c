/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "promise.h"
#include "rules.h"

static const struct {
	const char *word;
	enum promise_kind kind;
	int nr_args;
} kinds[] = {
	{ "apart", PROMISE_APART, 2 },
	{ "growth", PROMISE_GROWTH, 1 },
	{ "isolated", PROMISE_ISOLATED, 1 },
	{ "with", PROMISE_WITH, 2 },
};

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* a path; NULL when there is none; *s moves behind it and the blanks that follow */
static const char *take_path(const char **s)
{
	size_t len = 0;
	const char *path;

	while (isalnum((unsigned char)(*s)[len]) || strchr("_.[]", (*s)[len] ? (*s)[len] : '\n'))
		len++;
	path = len ? arena_strndup(*s, len) : NULL;
	*s = skip_blanks(*s + len);
	return path;
}

/* "S.a" becomes S and a; both paths must be of the same S */
static bool split_path(struct promise *p, const char *path, const char **member)
{
	const char *dot = path ? strchr(path, '.') : NULL;
	const char *record;

	if (!dot || dot == path || !dot[1])
		return false;
	record = arena_strndup(path, dot - path);
	if (p->record && strcmp(p->record, record))
		return false;
	p->record = record;
	*member = dot + 1;
	return true;
}

static bool take_bound(struct promise *p, const char *s)
{
	char *end;

	if (!strncmp(s, "<=", 2) || !strncmp(s, "==", 2)) {
		p->op = s[0] == '<' ? 'l' : '=';
		s += 2;
	} else if (*s == '<') {
		p->op = '<';
		s++;
	} else {
		return false;
	}
	s = skip_blanks(s);
	p->bound = strtoll(s, &end, 10);
	return end != s && !*skip_blanks(end);
}

static bool take_args(struct promise *p, const char *s, int nr_args)
{
	const char *first, *second = NULL;

	first = take_path(&s);
	if (nr_args == 2) {
		if (*s++ != ',')
			return false;
		s = skip_blanks(s);
		second = take_path(&s);
	}
	if (!first || *s++ != ')')
		return false;
	s = skip_blanks(s);
	if (p->kind == PROMISE_GROWTH) {
		p->record = first;
		return take_bound(p, s);
	}
	return !*s && split_path(p, first, &p->a) && (nr_args == 1 || split_path(p, second, &p->b));
}

bool promise_parse(const char *text, struct promise *out)
{
	size_t word;

	*out = (struct promise) { .text = text };
	word = strcspn(text, "(");
	for (size_t i = 0; text[word] && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].word) != word || strncmp(text, kinds[i].word, word))
			continue;
		out->kind = kinds[i].kind;
		return take_args(out, skip_blanks(text + word + 1), kinds[i].nr_args);
	}
	return false;
}

static const char *placement_list(const struct verdict *v)
{
	char *text = "";

	for (unsigned int i = 0; i < v->nr_sharing; i++)
		text = arena_printf("%s%s%u", text, i ? ", " : "", v->at[i]);
	return text;
}

static const char *sharing_text(const struct verdict *v, unsigned int line_size)
{
	switch (v->sharing) {
	case SHARING_NEVER:
		return arena_printf("never share a %u-byte line", line_size);
	case SHARING_ALWAYS:
		return arena_printf("always share a %u-byte line", line_size);
	case SHARING_MAY:
		break;
	}
	return arena_printf("may share a %u-byte line, at %u of %u placements (%s)", line_size, v->nr_sharing, v->nr,
			    placement_list(v));
}

static bool find_both(const struct record *r, const struct promise *p, struct flat *a, struct flat *b)
{
	return r && !record_find(r, p->a, a) && (!p->b || !record_find(r, p->b, b));
}

static bool pair_verdict(const struct promise *p, const struct dump *d, unsigned int line_size, struct verdict *out)
{
	const struct record *r = dump_find(d, p->record);
	struct placements places;
	struct flat a, b;

	if (!find_both(r, p, &a, &b))
		return false;
	placements_of_align(&places, r->align, line_size);
	span_shares(flat_span(&a), flat_span(&b), &places, out);
	return true;
}

static enum outcome judge_pair(const struct promise *p, const struct dump *before, const struct dump *after,
			       const char **why)
{
	enum sharing wanted = p->kind == PROMISE_APART ? SHARING_NEVER : SHARING_ALWAYS;
	struct verdict now, then, wide;

	if (!pair_verdict(p, after, after->line_size, &now))
		return PROMISE_UNKNOWN;
	*why = sharing_text(&now, after->line_size);
	if (before && pair_verdict(p, before, before->line_size, &then))
		*why = then.nr_sharing ? arena_printf("%s; before: %u of %u placements", *why, then.nr_sharing, then.nr) :
					 arena_printf("%s; before: never", *why);
	/* adjacent lines are fetched together, and some machines have such lines (DESIGN.md, "Words") */
	if (p->kind == PROMISE_APART && after->line_size == 64 && pair_verdict(p, after, 128, &wide) && wide.nr_sharing)
		*why = arena_printf("%s; on 128-byte lines: %u of %u", *why, wide.nr_sharing, wide.nr);
	return now.sharing == wanted ? PROMISE_KEPT : now.sharing == SHARING_MAY ? PROMISE_MAY_FAIL : PROMISE_BROKEN;
}

static const struct member *neighbour(const struct record *r, const struct flat *f, const struct placements *at)
{
	size_t nr;
	struct flat *flat = record_flatten(r, &nr);

	for (size_t i = 0; i < nr; i++) {
		struct verdict v;

		if (!flat[i].member->name || !rule_separable(f, &flat[i]))
			continue;
		span_shares(flat_span(f), flat_span(&flat[i]), at, &v);
		if (v.nr_sharing)
			return flat[i].member;
	}
	return NULL;
}

void isolation_of(const struct record *r, const struct flat *f, const struct placements *all, struct verdict *out,
		  const struct member **other)
{
	struct span self = flat_span(f);
	unsigned int line_size = all->line_size;

	memset(out, 0, sizeof(*out));
	*other = NULL;
	out->nr = all->nr;
	for (unsigned int i = 0; i < all->nr; i++) {
		unsigned int at = all->at[i];
		struct placements one = { .line_size = line_size, .nr = 1, .at = { at } };
		unsigned long long start = (at + self.offset) / line_size * line_size;
		unsigned long long end = (at + self.offset + self.size + line_size - 1) / line_size * line_size;
		const struct member *m = neighbour(r, f, &one);

		if (!m && start >= at && end <= at + r->size)
			continue;
		if (!*other)
			*other = m;
		out->at[out->nr_sharing++] = at;
	}
	out->sharing = !out->nr_sharing ? SHARING_NEVER : out->nr_sharing == out->nr ? SHARING_ALWAYS : SHARING_MAY;
}

static enum outcome judge_isolated(const struct promise *p, const struct dump *after, const char **why)
{
	const struct record *r = dump_find(after, p->record);
	const struct member *other;
	struct placements places;
	struct verdict v;
	struct flat f;

	if (!find_both(r, p, &f, NULL))
		return PROMISE_UNKNOWN;
	placements_of_align(&places, r->align, after->line_size);
	isolation_of(r, &f, &places, &v, &other);
	if (v.sharing == SHARING_NEVER) {
		*why = arena_printf("has its %u-byte lines to itself", after->line_size);
		return PROMISE_KEPT;
	}
	*why = arena_printf("shares a %u-byte line with %s at %u of %u placements (%s)", after->line_size,
			    other ? other->name : "what lies outside the struct", v.nr_sharing, v.nr, placement_list(&v));
	return v.sharing == SHARING_MAY ? PROMISE_MAY_FAIL : PROMISE_BROKEN;
}

static enum outcome judge_growth(const struct promise *p, const struct dump *before, const struct dump *after,
				 const char **why)
{
	const struct record *then = before ? dump_find(before, p->record) : NULL;
	const struct record *now = dump_find(after, p->record);
	long long growth;
	bool kept;

	if (!then || !now)
		return PROMISE_UNKNOWN;
	growth = (long long)now->size - (long long)then->size;
	kept = p->op == 'l' ? growth <= p->bound : p->op == '<' ? growth < p->bound : growth == p->bound;
	*why = growth ? arena_printf("%llu -> %llu bytes", then->size, now->size) :
			arena_printf("%llu bytes, as before", now->size);
	return kept ? PROMISE_KEPT : PROMISE_BROKEN;
}

enum outcome promise_judge(const struct promise *p, const struct dump *before, const struct dump *after,
			   const char **why)
{
	*why = p->kind == PROMISE_GROWTH ? "there is no such struct or union" : "there is no such struct or member";
	switch (p->kind) {
	case PROMISE_ISOLATED:
		return judge_isolated(p, after, why);
	case PROMISE_GROWTH:
		return judge_growth(p, before, after, why);
	default:
		return judge_pair(p, before, after, why);
	}
}
