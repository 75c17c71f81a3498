/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The members between a group's markers and those that CACHELINE_ASSERT_GROUP_MEMBER() lists are not the same. A group
 * without any such assert in the unit is not judged.
 */
#include <string.h>

#include "access.h"
#include "arena.h"
#include "rules.h"

/* the assert of a member of that group, whose path is path or leads through it; path NULL: the last one of the group */
static const struct group_assert *find_assert(const struct judged *j, const char *group, const char *path)
{
	const struct group_assert *found = NULL;

	for (size_t i = 0; i < j->rules->nr_asserts; i++) {
		const struct group_assert *a = &j->rules->asserts[i];
		size_t len = path ? strlen(path) : 0;

		if (a->kind != ASSERT_GROUP_MEMBER || strcmp(a->group, group) || !rule_asserted(j, a))
			continue;
		if (!path || (!strncmp(a->member, path, len) && (!a->member[len] || strchr(".[", a->member[len]))))
			found = a;
	}
	return found;
}

static bool lies_in(struct span s, const struct group_extent *g)
{
	return s.offset >= g->span.offset && s.offset + s.size <= g->span.offset + g->span.size;
}

/* does an asserted member have some of its bytes? What stands beside it in a union needs no assert of its own. */
static bool is_covered(const struct judged *j, const struct group_extent *g, const struct flat *f)
{
	struct span s = flat_span(f);

	for (size_t i = 0; i < j->nr; i++) {
		struct span other = flat_span(&j->flat[i]);

		if (other.offset < s.offset + s.size && s.offset < other.offset + other.size && j->flat[i].member->name &&
		    find_assert(j, g->name, j->flat[i].member->name))
			return true;
	}
	return false;
}

static void judge_group(struct judged *j, const struct group_extent *g)
{
	const struct group_assert *last = find_assert(j, g->name, NULL);
	struct member at = { 0 };

	if (!last)
		return;
	at.place = last->place;
	for (size_t i = 0; i < j->nr; i++) {
		const struct member *m = j->flat[i].member;

		if (!m->name || m->bitfield || !m->bit_size || !lies_in(flat_span(&j->flat[i]), g) || is_covered(j, g, &j->flat[i]))
			continue;
		rule_report(j, m, &at, "the group's last one is here",
			    "'%s' stands in group '%s', but no CACHELINE_ASSERT_GROUP_MEMBER() says that it is to: add one", m->name, g->name);
	}
}

/* the build says it too, when it comes to the assert */
static void judge_assert(struct judged *j, const struct group_assert *a, const struct group_extent *groups, size_t nr)
{
	struct member at = { .place = a->place };
	struct flat f;

	if (record_find(j->record, a->member, &f))
		return;
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(groups[i].name, a->group) && !lies_in(flat_span(&f), &groups[i])) {
			rule_report(j, f.member, &at, "the assert is here",
				    "'%s' does not stand in group '%s', where its assert wants it: move it there", a->member, a->group);
			rule_stops(j);
		}
}

void rule_unlisted_member(struct judged *j)
{
	size_t nr;
	const struct group_extent *groups = group_extents(j->flat, j->nr, j->rules->line_size, &nr);

	for (size_t i = 0; i < nr; i++)
		judge_group(j, &groups[i]);
	for (size_t i = 0; nr && i < j->rules->nr_asserts; i++)
		if (j->rules->asserts[i].kind == ASSERT_GROUP_MEMBER && rule_asserted(j, &j->rules->asserts[i]))
			judge_assert(j, &j->rules->asserts[i], groups, nr);
}
