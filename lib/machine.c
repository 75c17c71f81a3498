/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "access.h"
#include "arena.h"
#include "machine.h"
#include "strmap.h"

struct copied {
	const struct record *old;
	struct record *new;
};

/* of a record and all that it embeds: each once, however often it is embedded */
struct copies {
	const struct machine *from, *to;
	struct copied **list;
	size_t nr, room;
	struct strmap by_old;		/* from the address of a record to places in the list */
};

static unsigned int line_scaled(unsigned int align, const struct machine *from, const struct machine *to)
{
	return align == from->line_size ? to->line_size : align;
}

/* a bitmap has fewer longs where they are longer: what may be one is taken for one */
static unsigned long long longs_on(const struct member *m, const struct machine *from, const struct machine *to)
{
	bool longer = to->abi->size[SCALAR_LONG] > from->abi->size[SCALAR_LONG];

	return longer && m->array && !m->record && m->scalar == SCALAR_LONG ? (m->count + 1) / 2 : m->count;
}

static struct record *copy(struct copies *c, const struct record *r)
{
	const struct strmap_entry *met = strmap_get(&c->by_old, (const char *)&r, sizeof(r));
	unsigned int long_size = c->from->abi->size[SCALAR_LONG];
	struct copied *copied;
	struct record *new;

	if (met)
		return c->list[met->values[0]]->new;
	new = arena_alloc(sizeof(*new));
	copied = arena_alloc(sizeof(*copied));
	*copied = (struct copied) { r, new };
	strmap_add(&c->by_old, (const char *)&copied->old, sizeof(copied->old), c->nr);
	*ARENA_PUSH(c->list, c->nr, c->room) = copied;
	*new = *r;
	new->laid_out = false;
	new->user_align = line_scaled(r->user_align, c->from, c->to);
	new->members = arena_alloc((r->nr_members + 1) * sizeof(*new->members));
	for (size_t i = 0; i < r->nr_members; i++) {
		struct member *m = &new->members[i];

		*m = r->members[i];
		m->count = longs_on(m, c->from, c->to);
		m->user_align = line_scaled(m->user_align, c->from, c->to);
		m->type_align = line_scaled(m->type_align, c->from, c->to);
		if (group_ended_by(m) && m->user_align == long_size)
			m->user_align = c->to->abi->size[SCALAR_LONG];
		if (m->record)
			m->record = copy(c, m->record);
	}
	return new;
}

static bool is_same(const struct record *a, const struct record *b)
{
	if (a->size != b->size || a->align != b->align)
		return false;
	for (size_t i = 0; i < a->nr_members; i++) {
		const struct member *m = &a->members[i], *n = &b->members[i];

		if (m->bit_offset != n->bit_offset || m->bit_size != n->bit_size)
			return false;
	}
	return true;
}

struct record *record_on(const struct record *r, const struct machine *from, const struct machine *to)
{
	struct copies here = { .from = from, .to = from }, there = { .from = from, .to = to };
	struct record *new;

	record_layout(copy(&here, r), from->abi);
	for (size_t i = 0; i < here.nr; i++)
		if (!is_same(here.list[i]->old, here.list[i]->new))
			return NULL;
	new = copy(&there, r);
	record_layout(new, to->abi);
	return new;
}
