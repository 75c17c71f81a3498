/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A member outside every group, on a line that one of upstream's groups uses when the object starts a line, where that
 * hurts: it is written and the group is read, or it is read and the group is written. Of a member of which nothing is
 * known, only one that stands between two groups is told; what lies before the first and behind the last was
 * there before the groups were.
 */
#include "access.h"
#include "arena.h"
#include "rules.h"

static bool hurts(enum access_class member, enum access_class group)
{
	return (member == CLASS_WRITTEN && group == CLASS_READ_MOSTLY) || (member == CLASS_READ_MOSTLY && group == CLASS_WRITTEN);
}

/* does one group end before it, and one begin behind it? */
static bool is_between(struct span s, const struct group_extent *groups, size_t nr)
{
	bool before = false, behind = false;

	for (size_t i = 0; i < nr; i++) {
		before |= groups[i].span.offset + groups[i].span.size <= s.offset;
		behind |= groups[i].span.offset >= s.offset + s.size;
	}
	return before && behind;
}

static void judge_member(struct judged *j, const struct flat *f, const struct access *a, const struct group_extent *groups, size_t nr)
{
	bool by_type = a->class == CLASS_NONE && is_counter(f->member);
	enum access_class class = by_type ? CLASS_WRITTEN : a->class;
	const char *from = by_type ? "type" : a->class_from;
	bool unknown = class == CLASS_NONE && is_between(flat_span(f), groups, nr);

	for (size_t i = 0; i < nr; i++) {
		const struct group_extent *g = &groups[i];
		const char *note;
		struct verdict v;

		span_shares(g->span, flat_span(f), &j->placements, &v);
		if (v.sharing == SHARING_NEVER || !rule_holds_at_start(&v) || !(unknown || hurts(class, g->class)))
			continue;
		note = arena_printf("group '%s' begins here", g->name);
		if (unknown)
			rule_report(j, f->member, g->begin, note, "'%s' stands between groups and in none, but shares a %u-byte line with '%s', "
				    "%s: move it into a group, or away from them", f->member->name, j->rules->line_size, g->name, rule_placements(&v));
		else
			rule_report(j, f->member, g->begin, note, "'%s' is %s (%s) and in no group, but shares a %u-byte line with the %s "
				    "group '%s', %s: move it", f->member->name, access_class_name(class), from, j->rules->line_size,
				    access_class_name(g->class), g->name, rule_placements(&v));
		return;
	}
}

void rule_ungrouped_field(struct judged *j)
{
	size_t nr;
	const struct group_extent *groups = group_extents(j->flat, j->nr, j->rules->line_size, &nr);
	const struct access *access = nr ? access_of_members(j->flat, j->nr) : NULL;

	for (size_t i = 0; nr && i < j->nr; i++)
		if (j->flat[i].member->name && j->flat[i].member->bit_size && !access[i].nr_groups)
			judge_member(j, &j->flat[i], &access[i], groups, nr);
}
