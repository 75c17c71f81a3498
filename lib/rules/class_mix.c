/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A written member on a line with one that is declared read-mostly. One finding a written member.
 *
 * Asked for by name, also of structs that declare nothing: by what is inferred from code. How often a function runs is not
 * known, so that is a candidate for those who look for work, with a rank.
 */
#include "access.h"
#include "annotation.h"
#include "arena.h"
#include "rules.h"
#include "show.h"

/* a member with a class, the struct's own or one of a struct with a name that it holds */
struct classed {
	struct flat flat;
	const struct member *own;	/* of the struct: the member itself, or the one that holds it */
	const char *name;		/* "usage", "stats.usage" */
};

struct classed_list {
	struct classed *members;
	size_t nr, room;
};

static void add_classed(struct classed_list *list, const struct flat *f, const struct flat *holder)
{
	struct classed *c;

	if (!annotation_find(f->member->annotations, ANNOTATION_READ_MOSTLY) && !annotation_find(f->member->annotations, ANNOTATION_WRITTEN))
		return;
	c = ARENA_PUSH(list->members, list->nr, list->room);
	*c = (struct classed) { *f, holder ? holder->member : f->member, f->member->name };
	if (!holder)
		return;
	c->flat.bit_offset += holder->bit_offset;
	c->name = arena_printf("%s.%s", holder->member->name, f->member->name);
}

/* most have none, which is seen sooner than they are flattened */
static bool has_annotations(const struct record *r)
{
	for (size_t i = 0; i < r->nr_members; i++) {
		const struct member *m = &r->members[i];

		if (m->annotations || (!m->name && m->record && has_annotations(m->record)))
			return true;
	}
	return false;
}

/* what stands in a union twice, as struct_group() has it, is its first writing's */
static bool is_opened(const struct flat *f)
{
	return f->member->name && f->member->record && !f->member->array && !f->in_union && has_annotations(f->member->record);
}

static struct classed_list classed_of(const struct judged *j)
{
	struct classed_list list = { 0 };

	for (size_t i = 0; i < j->nr; i++) {
		const struct flat *f = &j->flat[i], *inner = NULL;
		size_t nr = 0;

		add_classed(&list, f, NULL);
		if (is_opened(f))
			inner = record_flatten(f->member->record, &nr);
		for (size_t k = 0; k < nr; k++)
			add_classed(&list, &inner[k], f);
	}
	return list;
}

/* two of a struct that is held are its own affair */
static bool is_pair(const struct classed *a, const struct classed *b)
{
	return rule_separable(&a->flat, &b->flat) && (a->own != b->own || a->own == a->flat.member || b->own == b->flat.member);
}

static void judge_written(struct judged *j, const struct classed *c, const struct classed_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct classed *other = &list->members[i];
		struct verdict v;

		if (!annotation_find(other->flat.member->annotations, ANNOTATION_READ_MOSTLY) || !is_pair(c, other) ||
		    !rule_shares(j, &c->flat, &other->flat, &v))
			continue;
		rule_report(j, c->own, other->own, arena_printf("'%s' is here", other->name),
			    "'%s' is written, but shares a %u-byte line with the read-mostly '%s', %s: move it to the written ones",
			    c->name, j->rules->line_size, other->name, rule_placements(&v));
		return;
	}
}

/* rank: of the functions that write, each with each that reads a member on the line, as often as objects are placed so */
static void judge_candidate(struct judged *j, const struct flat *f, const struct access *access)
{
	unsigned long long sum = 0, most = 0;
	const struct flat *best = NULL;
	struct verdict v, best_v;
	unsigned int nr = 0;

	for (size_t i = 0; i < j->nr; i++) {
		const struct flat *other = &j->flat[i];
		unsigned long long weight;

		if (access[i].class != CLASS_READ_MOSTLY || !rule_separable(f, other) || !rule_shares(j, f, other, &v))
			continue;
		weight = (unsigned long long)other->member->inferred->readers * v.nr_sharing;
		sum += weight;
		if (!nr++ || weight > most) {
			most = weight;
			best = other;
			best_v = v;
		}
	}
	if (!nr)
		return;
	rule_report(j, f->member, best->member, arena_printf("'%s' is here", best->member->name),
		    "'%s' of %s is written (%s), but shares a %u-byte line with the read-mostly '%s' (%s)%s, %s: move one of them",
		    f->member->name, record_title(j->record), f->member->inferred->from, j->rules->line_size, best->member->name,
		    best->member->inferred->from, nr > 1 ? arena_printf(" and %u more", nr - 1) : "", rule_placements(&best_v));
	j->rules->findings[j->rules->nr - 1].rank = f->member->inferred->writers * sum / best_v.nr;
}

static void judge_undeclared(struct judged *j)
{
	const struct access *access = access_of_members(j->flat, j->nr);

	for (size_t i = 0; i < j->nr; i++)
		if (access[i].declared)
			return;
	for (size_t i = 0; i < j->nr; i++)
		if (access[i].class == CLASS_WRITTEN)
			judge_candidate(j, &j->flat[i], access);
}

void rule_class_mix(struct judged *j)
{
	struct classed_list list = classed_of(j);

	if (rules_ask_for(j->rules, "class-mix") && !record_is_annotated(j->record))
		judge_undeclared(j);
	for (size_t i = 0; i < list.nr; i++) {
		const struct classed *c = &list.members[i];
		const struct annotation *said = c->flat.member->annotations;

		if (!annotation_find(said, ANNOTATION_WRITTEN))
			continue;
		if (!annotation_find(said, ANNOTATION_READ_MOSTLY)) {
			judge_written(j, c, &list);
		} else if (c->own == c->flat.member) {
			rule_report(j, c->own, NULL, NULL, "'%s' is annotated as read-mostly and as written", c->name);
			j->rules->findings[j->rules->nr - 1].error = true;
		}
	}
}
