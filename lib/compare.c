/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "compare.h"

static bool same_name(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool is_moved(const struct moved *m)
{
	return !m->before || !m->after || m->before->bit_offset != m->after->bit_offset ||
	       m->before->member->bit_size != m->after->member->bit_size;
}

bool same_layout(const struct record *a, const struct record *b)
{
	if (a->size != b->size || a->align != b->align || a->nr_members != b->nr_members)
		return false;
	for (size_t i = 0; i < a->nr_members; i++) {
		const struct member *m = &a->members[i], *n = &b->members[i];

		if (!same_name(m->name, n->name) || m->bit_offset != n->bit_offset || m->bit_size != n->bit_size)
			return false;
		if (m->record && n->record && !m->name && !same_layout(m->record, n->record))
			return false;
	}
	return true;
}

bool *dump_embedders(const struct dump *d, const char *inner)
{
	bool *found = arena_alloc(d->nr + 1);

	for (size_t i = 0; i < d->nr; i++) {
		const struct record *r = d->records[i];

		for (size_t k = 0; k < r->nr_members && !found[i]; k++) {
			const struct record *type = r->members[k].record;

			found[i] = type && (same_name(type->name, inner) || found[type->id - 1]);
		}
	}
	return found;
}

struct strmap flat_names(const struct flat *list, size_t nr)
{
	struct strmap names = { 0 };

	for (size_t i = 0; i < nr; i++)
		if (list[i].member->name)
			strmap_add(&names, list[i].member->name, strlen(list[i].member->name), i);
	return names;
}

const struct flat *flat_named(const struct flat *list, const struct strmap *names, const char *name)
{
	const struct strmap_entry *found = strmap_get(names, name, strlen(name));

	return found ? &list[found->values[0]] : NULL;
}

/* a side as its layout has it */
struct view {
	struct flat *flat;
	size_t nr;
	size_t *moved;			/* of each flat one, its place in the comparison's members, from 1; 0: it has no name */
	struct flat_reach reach;
	struct placements places;
};

static struct view view_of(const struct record *r, unsigned int line_size)
{
	struct view v = { .flat = record_flatten(r, &v.nr) };

	v.moved = arena_alloc((v.nr + 1) * sizeof(*v.moved));
	v.reach = flat_reach(v.flat, v.nr);
	placements_of_align(&v.places, r->align, line_size);
	return v;
}

static void match_members(struct comparison *c, struct view *old, struct view *new)
{
	struct strmap then = flat_names(old->flat, old->nr), now = flat_names(new->flat, new->nr);

	for (size_t i = 0; i < new->nr; i++) {
		const char *name = new->flat[i].member->name;
		const struct flat *before = name ? flat_named(old->flat, &then, name) : NULL;

		if (!name)
			continue;
		*ARENA_PUSH(c->members, c->nr_members, c->members_room) = (struct moved) { name, before, &new->flat[i] };
		new->moved[i] = c->nr_members;
		if (before)
			old->moved[before - old->flat] = c->nr_members;
	}
	for (size_t i = 0; i < old->nr; i++) {
		const char *name = old->flat[i].member->name;

		if (name && !flat_named(new->flat, &now, name))
			*ARENA_PUSH(c->members, c->nr_members, c->members_room) =
				(struct moved) { name, &old->flat[i], NULL };
	}
}

static bool stays(const struct moved *m)
{
	return m->before && m->after && m->before->member->bit_size && m->after->member->bit_size;
}

static bool overlap(const struct flat *a, const struct flat *b)
{
	return a->bit_offset < b->bit_offset + b->member->bit_size && b->bit_offset < a->bit_offset + a->member->bit_size;
}

/* pairs of the n-th member with those behind it that are near it on one side; what shares a line after the change is that side's */
static void match_near(struct comparison *c, size_t n, const struct view *old, const struct view *new, bool after)
{
	const struct view *side = after ? new : old;
	struct moved *a = &c->members[n];
	size_t first, end;

	flat_near(&side->reach, flat_span(after ? a->after : a->before), c->line_size, &first, &end);
	for (size_t i = first; i < end; i++) {
		struct moved *b = side->moved[i] > n + 1 ? &c->members[side->moved[i] - 1] : NULL;
		struct pair pair = { .a = a->name };

		if (!b || !stays(b))
			continue;
		if (after && overlap(a->after, b->after) && !overlap(a->before, b->before)) {
			*ARENA_PUSH(c->overlaid, c->nr_overlaid, c->overlaid_room) = a;
			*ARENA_PUSH(c->overlaid, c->nr_overlaid, c->overlaid_room) = b;
		}
		pair.b = b->name;
		span_shares(flat_span(a->before), flat_span(b->before), &old->places, &pair.before);
		span_shares(flat_span(a->after), flat_span(b->after), &new->places, &pair.after);
		if (pair.before.sharing != pair.after.sharing && after == (pair.after.sharing != SHARING_NEVER))
			*ARENA_PUSH(c->pairs, c->nr_pairs, c->pairs_room) = pair;
	}
}

static void match_pairs(struct comparison *c, const struct view *old, const struct view *new)
{
	for (size_t i = 0; i < c->nr_members; i++) {
		if (!stays(&c->members[i]))
			continue;
		match_near(c, i, old, new, true);
		match_near(c, i, old, new, false);
	}
}

static bool is_alone(const struct view *v, const struct flat *one, unsigned int line_size)
{
	size_t first, end;

	flat_near(&v->reach, flat_span(one), line_size, &first, &end);
	for (size_t i = first; i < end; i++) {
		struct verdict verdict;

		if (&v->flat[i] == one || !v->flat[i].member->name)
			continue;
		span_shares(flat_span(one), flat_span(&v->flat[i]), &v->places, &verdict);
		if (verdict.sharing != SHARING_NEVER)
			return false;
	}
	return true;
}

/* whom each new member came to */
static void match_company(struct comparison *c, const struct view *old, const struct view *new)
{
	for (size_t i = 0; i < new->nr; i++) {
		size_t first, end;

		if (!new->moved[i] || c->members[new->moved[i] - 1].before || !new->flat[i].member->bit_size)
			continue;
		flat_near(&new->reach, flat_span(&new->flat[i]), c->line_size, &first, &end);
		for (size_t k = first; k < end; k++) {
			const struct moved *other = new->moved[k] ? &c->members[new->moved[k] - 1] : NULL;
			struct verdict verdict;

			if (!other || !stays(other))
				continue;
			span_shares(flat_span(&new->flat[i]), flat_span(other->after), &new->places, &verdict);
			if (2 * verdict.nr_sharing > verdict.nr)
				*ARENA_PUSH(c->company, c->nr_company, c->company_room) = (struct company) {
					new->flat[i].member->name, other->name, verdict.sharing,
					is_alone(old, other->before, c->line_size),
				};
		}
	}
}

static int by_growth(const void *a, const void *b)
{
	const struct enclosing *x = a, *y = b;
	bool x_same = x->before->size == x->after->size && x->before->align == x->after->align;
	bool y_same = y->before->size == y->after->size && y->before->align == y->after->align;

	if (x_same != y_same)
		return x_same - y_same;
	return x->before->id < y->before->id ? -1 : 1;
}

void compare_enclosing(struct comparison *c, const struct dump *before, const struct dump *after)
{
	const bool *embeds = dump_embedders(before, c->before->name);
	struct strmap listed = { 0 };

	for (size_t i = 0; i < c->nr_enclosing; i++)
		strmap_add(&listed, c->enclosing[i].before->name, strlen(c->enclosing[i].before->name), i);
	for (size_t i = 0; c->before->name && i < before->nr; i++) {
		const struct record *old = before->records[i], *new;

		if (!old->name || !embeds[i] || strmap_get(&listed, old->name, strlen(old->name)))
			continue;
		new = dump_find(after, old->name);
		if (!new)
			continue;
		strmap_add(&listed, old->name, strlen(old->name), c->nr_enclosing);
		*ARENA_PUSH(c->enclosing, c->nr_enclosing, c->enclosing_room) = (struct enclosing) { old, new };
	}
	if (c->nr_enclosing)
		qsort(c->enclosing, c->nr_enclosing, sizeof(*c->enclosing), by_growth);
}

void compare_records(struct comparison *c, const struct dump *before, const struct dump *after,
		     const struct record *old, const struct record *new)
{
	struct view then = view_of(old, before->line_size), now = view_of(new, after->line_size);

	*c = (struct comparison) { .before = old, .after = new, .line_size = after->line_size };
	match_members(c, &then, &now);
	match_pairs(c, &then, &now);
	match_company(c, &then, &now);
	compare_enclosing(c, before, after);
}
