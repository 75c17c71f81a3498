/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "access.h"
#include "arena.h"
#include "kept_lines.h"

#define MANY	4096	/* members of a struct that nobody wrote by hand, and nobody keeps by hand */

/* direct members between two that start a line: a padding, or one that is aligned to it */
struct section {
	size_t first, end;		/* indexes, end behind the last */
	struct span span;
	size_t nr_fields;		/* with bytes */
	bool behind_padding, before_padding, closed;	/* closed: something behind it starts a line */
};

static bool starts_line(const struct record *r, size_t i, unsigned int line_size)
{
	return i && r->members[i].align >= line_size;
}

/* the one that holds the i-th direct member */
static struct section section_of(const struct record *r, size_t i, unsigned int line_size)
{
	struct section s = { .first = i, .end = i + 1 };

	while (s.first && !starts_line(r, s.first, line_size) && !is_cacheline_padding(&r->members[s.first - 1]))
		s.first--;
	while (s.end < r->nr_members && !starts_line(r, s.end, line_size))
		s.end++;
	s.behind_padding = s.first && is_cacheline_padding(&r->members[s.first - 1]);
	s.closed = s.end < r->nr_members;
	s.before_padding = s.closed && is_cacheline_padding(&r->members[s.end]);
	for (size_t k = s.first; k < s.end; k++) {
		struct span span = flat_span(&(struct flat) { .member = &r->members[k], .bit_offset = r->members[k].bit_offset });

		if (!span.size)
			continue;
		if (!s.nr_fields++)
			s.span.offset = span.offset;
		if (span.offset + span.size > s.span.offset + s.span.size)
			s.span.size = span.offset + span.size - s.span.offset;
	}
	return s;
}

static unsigned long long lines_of(struct span span, unsigned int line_size)
{
	return (span.offset + span.size + line_size - 1) / line_size - span.offset / line_size;
}

/* by name; NULL: there is none */
static const struct member *direct_member(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->nr_members; i++)
		if (name && r->members[i].name && !strcmp(r->members[i].name, name))
			return &r->members[i];
	return NULL;
}

/* the first member of the section that was there before, as it was; NULL: they are all new */
static const struct member *old_mate(const struct fields_since *s, const struct section *section)
{
	const struct member *found = NULL;

	for (size_t i = section->first; i < section->end && !found; i++)
		found = s->after->members[i].bit_size ? direct_member(s->before, s->after->members[i].name) : NULL;
	return found;
}

/* one that went to the section's second line, for the new one is in front of it; else the new one */
static const char *pushed_out(const struct fields_since *s, const struct section *section, const char *fresh)
{
	unsigned int bits = s->now.line_size * 8;

	for (size_t i = section->end; i-- > section->first; ) {
		const struct member *m = &s->after->members[i], *was = direct_member(s->before, m->name);

		if (m->bit_size && was && m->bit_offset / bits != was->bit_offset / bits)
			return m->name;
	}
	return fresh;
}

static void judge_new(struct judged *j, const struct fields_since *s, size_t i)
{
	const struct member *m = &s->after->members[i], *mate;
	struct section now = section_of(s->after, i, s->now.line_size), then;

	mate = old_mate(s, &now);
	if (!mate)
		return;
	then = section_of(s->before, mate - s->before->members, s->then.line_size);
	if (then.nr_fields == 1 && (then.behind_padding || then.before_padding) && now.span.offset / s->now.line_size == m->bit_offset / 8 / s->now.line_size &&
	    rules_wants(j->rules, "shared-isolated")) {
		rule_report(j, m, NULL, NULL, "'%s' is new on the line of '%s', which padding kept alone: move it behind the padding", m->name, mate->name);
		j->rules->findings[j->rules->nr - 1].id = "shared-isolated";
	} else if (then.closed && now.closed && lines_of(then.span, s->then.line_size) == 1 && lines_of(now.span, s->now.line_size) > 1 &&
		   (then.behind_padding || then.before_padding) && rules_wants(j->rules, "group-straddle")) {
		const char *pushed = pushed_out(s, &now, m->name);

		rule_report(j, m, NULL, NULL, "'%s' is new on a line that was full between paddings: '%s' is on one of its own now, the struct has %llu bytes "
			    "instead of %llu", m->name, pushed, s->after->size, s->before->size);
		j->rules->findings[j->rules->nr - 1].id = "group-straddle";
	}
}

void kept_lines_judge(struct judged *j, const struct fields_since *s)
{
	for (size_t i = 0; i < s->after->nr_members && s->after->nr_members < MANY; i++) {
		const struct member *m = &s->after->members[i];

		if (m->name && m->bit_size && !s->after->is_union && !direct_member(s->before, m->name) && s->after->align >= s->now.line_size)
			judge_new(j, s, i);
	}
}

/* the first scalar that an object of the record begins with; NULL: none */
static const struct member *leading_scalar(const struct record *r)
{
	const struct member *first = r->nr_members ? &r->members[0] : NULL;

	return first && first->record && !first->array ? leading_scalar(first->record) : first;
}

static const char *leading_type(const struct record *r)
{
	const struct member *first = leading_scalar(r);

	return first && first->type ? first->type : "";
}

static void judge_overlay(struct judged *j, const struct member *inner, const struct member *was, const struct member *beside)
{
	const struct member *first = leading_scalar(inner->record);

	if (beside->record || !beside->name || !beside->type || !first || strcmp(leading_type(was->record), beside->type) ||
	    !strcmp(leading_type(inner->record), beside->type))
		return;
	rule_report(j, inner, beside, arena_printf("'%s' is here", beside->name),
		    "'%s' no longer begins with a '%s', as '%s' that it overlays: it begins with '%s'", inner->name, beside->type, beside->name,
		    first->name ? first->name : "a nameless member");
	j->rules->findings[j->rules->nr - 1].id = "first-member-cast";
}

static void judge_union(struct judged *j, const struct record *before, const struct record *after)
{
	for (size_t i = 0; i < after->nr_members && after->nr_members < MANY; i++) {
		const struct member *inner = &after->members[i], *was = direct_member(before, inner->name);

		if (!inner->record || inner->array || !was || !was->record)
			continue;
		for (size_t k = 0; k < after->nr_members; k++)
			if (k != i)
				judge_overlay(j, inner, was, &after->members[k]);
	}
}

/* the i-th nameless union of a record, or NULL */
static const struct record *nameless_union(const struct record *r, size_t number)
{
	for (size_t i = 0; i < r->nr_members; i++)
		if (!r->members[i].name && r->members[i].record && r->members[i].record->is_union && !number--)
			return r->members[i].record;
	return NULL;
}

void overlays_judge(struct rules *rules, const struct record *before, const struct record *after)
{
	struct judged j = { .rules = rules, .record = after };

	if (!rules_wants(rules, "first-member-cast"))
		return;
	if (after->is_union)
		judge_union(&j, before, after);
	for (size_t i = 0; nameless_union(before, i) && nameless_union(after, i); i++)
		judge_union(&j, nameless_union(before, i), nameless_union(after, i));
}
