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

bool record_embeds(const struct record *r, const char *inner)
{
	for (size_t i = 0; i < r->nr_members; i++) {
		const struct record *type = r->members[i].record;

		if (type && (same_name(type->name, inner) || record_embeds(type, inner)))
			return true;
	}
	return false;
}

const struct flat *flat_named(const struct flat *list, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i].member->name && !strcmp(list[i].member->name, name))
			return &list[i];
	return NULL;
}

static void match_members(struct comparison *c)
{
	size_t nr_old, nr_new;
	struct flat *old = record_flatten(c->before, &nr_old);
	struct flat *new = record_flatten(c->after, &nr_new);

	for (size_t i = 0; i < nr_new; i++) {
		const char *name = new[i].member->name;

		if (name)
			*ARENA_PUSH(c->members, c->nr_members, c->members_room) =
				(struct moved) { name, flat_named(old, nr_old, name), &new[i] };
	}
	for (size_t i = 0; i < nr_old; i++) {
		const char *name = old[i].member->name;

		if (name && !flat_named(new, nr_new, name))
			*ARENA_PUSH(c->members, c->nr_members, c->members_room) =
				(struct moved) { name, &old[i], NULL };
	}
}

static bool stays(const struct moved *m)
{
	return m->before && m->after && m->before->member->bit_size && m->after->member->bit_size;
}

static void match_pairs(struct comparison *c, const struct placements *then, const struct placements *now)
{
	for (size_t i = 0; i < c->nr_members; i++) {
		for (size_t k = i + 1; k < c->nr_members; k++) {
			const struct moved *a = &c->members[i], *b = &c->members[k];
			struct pair pair = { .a = a->name, .b = b->name };

			if (!stays(a) || !stays(b))
				continue;
			span_shares(flat_span(a->before), flat_span(b->before), then, &pair.before);
			span_shares(flat_span(a->after), flat_span(b->after), now, &pair.after);
			if (pair.before.sharing != pair.after.sharing)
				*ARENA_PUSH(c->pairs, c->nr_pairs, c->pairs_room) = pair;
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

static bool is_listed(const struct comparison *c, const char *name)
{
	for (size_t i = 0; i < c->nr_enclosing; i++)
		if (!strcmp(c->enclosing[i].before->name, name))
			return true;
	return false;
}

void compare_enclosing(struct comparison *c, const struct dump *before, const struct dump *after)
{
	for (size_t i = 0; c->before->name && i < before->nr; i++) {
		const struct record *old = before->records[i], *new;

		if (!old->name || !record_embeds(old, c->before->name) || is_listed(c, old->name))
			continue;
		new = dump_find(after, old->name);
		if (new)
			*ARENA_PUSH(c->enclosing, c->nr_enclosing, c->enclosing_room) = (struct enclosing) { old, new };
	}
	if (c->nr_enclosing)
		qsort(c->enclosing, c->nr_enclosing, sizeof(*c->enclosing), by_growth);
}

void compare_records(struct comparison *c, const struct dump *before, const struct dump *after,
		     const struct record *old, const struct record *new)
{
	struct placements then, now;

	*c = (struct comparison) { .before = old, .after = new, .line_size = after->line_size };
	placements_of_align(&then, old->align, before->line_size);
	placements_of_align(&now, new->align, after->line_size);
	match_members(c);
	match_pairs(c, &then, &now);
	compare_enclosing(c, before, after);
}
