/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "access.h"
#include "open_end.h"

static bool ends_open(struct record *r);

/* "key[0]", no marker of a group */
static bool is_zero_array(const struct member *m)
{
	return m->array && !m->flexible && !m->count && !group_begun_by(m) && !group_ended_by(m);
}

static bool has_open_end(const struct record *r)
{
	const struct member *last = r->nr_members ? &r->members[r->nr_members - 1] : NULL;

	for (size_t i = 0; r->is_union && i < r->nr_members; i++)
		if (r->members[i].flexible || (r->members[i].record && ends_open(r->members[i].record)))
			return true;
	if (!last || r->is_union || is_cacheline_padding(last))
		return false;
	if (last->flexible || is_zero_array(last))
		return true;
	return last->record && !last->array && ends_open(last->record);
}

/* is the end of the record an array without a size, however deep? What lies behind it is its elements' room. */
static bool ends_open(struct record *r)
{
	if (r->ends_open == NOT_ASKED)
		r->ends_open = has_open_end(r) ? YES : NO;
	return r->ends_open == YES;
}

/* the name of the first direct member with bytes behind m, or NULL */
static const char *name_behind(const struct record *r, const char *name)
{
	bool behind = false;

	for (size_t i = 0; i < r->nr_members; i++) {
		const struct member *m = &r->members[i];

		if (behind && m->bit_size)
			return m->name ? m->name : "an anonymous member";
		behind |= m->name && !strcmp(m->name, name);
	}
	return NULL;
}

/* a "[0]" with members behind it marks a place */
static bool ended_with(const struct record *r, const struct member *m)
{
	const struct member *last = r->nr_members ? &r->members[r->nr_members - 1] : NULL;

	return last && last->name && !strcmp(last->name, m->name) && is_zero_array(last) && is_zero_array(m);
}

const char *open_end_covers(const struct record *old, const struct record *new, const struct member *m)
{
	const char *now, *then;

	if (!m->name || is_cacheline_padding(m) || !(m->flexible || ended_with(old, m) || (m->record && !m->array && ends_open(m->record))))
		return NULL;
	now = name_behind(new, m->name);
	then = name_behind(old, m->name);
	return now && (!then || strcmp(now, then)) ? now : NULL;
}
