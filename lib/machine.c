/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "access.h"
#include "arena.h"
#include "machine.h"

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

static struct record *copy(const struct record *r, const struct machine *from, const struct machine *to)
{
	struct record *new = arena_alloc(sizeof(*new));
	unsigned int long_size = from->abi->size[SCALAR_LONG];

	*new = *r;
	new->laid_out = false;
	new->user_align = line_scaled(r->user_align, from, to);
	new->members = arena_alloc((r->nr_members + 1) * sizeof(*new->members));
	for (size_t i = 0; i < r->nr_members; i++) {
		struct member *m = &new->members[i];

		*m = r->members[i];
		m->count = longs_on(m, from, to);
		m->user_align = line_scaled(m->user_align, from, to);
		m->type_align = line_scaled(m->type_align, from, to);
		if (group_ended_by(m) && m->user_align == long_size)
			m->user_align = to->abi->size[SCALAR_LONG];
		if (m->record)
			m->record = copy(m->record, from, to);
	}
	return new;
}

static bool is_same(const struct record *a, const struct record *b)
{
	if (a->size != b->size || a->align != b->align)
		return false;
	for (size_t i = 0; i < a->nr_members; i++) {
		const struct member *m = &a->members[i], *n = &b->members[i];

		if (m->bit_offset != n->bit_offset || m->bit_size != n->bit_size || (m->record && !is_same(m->record, n->record)))
			return false;
	}
	return true;
}

struct record *record_on(const struct record *r, const struct machine *from, const struct machine *to)
{
	struct record *here = copy(r, from, from), *there = copy(r, from, to);

	record_layout(here, from->abi);
	if (!is_same(r, here))
		return NULL;
	record_layout(there, to->abi);
	return there;
}
