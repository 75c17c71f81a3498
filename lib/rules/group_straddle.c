/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A group between upstream's markers that touches a line more than its bytes need. Groups of one class that follow each
 * other directly (..._read_tx, ..._read_txrx, ..._read_rx) are one run, of which each path reads a part: where they
 * meet in a line nothing is lost.
 */
#include "access.h"
#include "rules.h"

static unsigned long long lines_touched(struct span s, unsigned int at, unsigned int line_size)
{
	return (at + s.offset + s.size - 1) / line_size - (at + s.offset) / line_size + 1;
}

static bool has_member_between(const struct judged *j, unsigned long long from, unsigned long long to)
{
	for (size_t i = 0; i < j->nr; i++) {
		unsigned long long at = j->flat[i].bit_offset / 8;

		if (j->flat[i].member->bit_size && at >= from && at < to)
			return true;
	}
	return false;
}

static bool follows(const struct judged *j, const struct group_extent *first, const struct group_extent *second)
{
	unsigned long long end = first->span.offset + first->span.size;

	return second->class == first->class && first->class != CLASS_NONE && !second->aligned &&
	       second->span.offset >= end && !has_member_between(j, end, second->span.offset);
}

static void judge_run(struct judged *j, const struct group_extent *first, const struct group_extent *last)
{
	unsigned int line_size = j->rules->line_size;
	struct span run = { first->span.offset, last->span.offset + last->span.size - first->span.offset };
	unsigned long long needed = (run.size + line_size - 1) / line_size;
	struct verdict v = { .nr = j->placements.nr };

	for (unsigned int i = 0; run.size && i < j->placements.nr; i++)
		if (lines_touched(run, j->placements.at[i], line_size) > needed)
			v.at[v.nr_sharing++] = j->placements.at[i];
	if (!v.nr_sharing || !rule_holds_at_start(&v))
		return;
	v.sharing = v.nr_sharing == v.nr ? SHARING_ALWAYS : SHARING_MAY;
	if (first == last)
		rule_report(j, first->begin, NULL, NULL,
			    "group '%s' has %llu bytes, which need %llu %u-byte lines, but touches one more, %s: start it on a line",
			    first->name, run.size, needed, line_size, rule_placements(&v));
	else
		rule_report(j, first->begin, NULL, NULL,
			    "groups '%s' to '%s' have %llu bytes, which need %llu %u-byte lines, but touch one more, %s: start them on a line",
			    first->name, last->name, run.size, needed, line_size, rule_placements(&v));
}

void rule_group_straddle(struct judged *j)
{
	size_t nr;
	struct group_extent *groups = group_extents(j->flat, j->nr, j->rules->line_size, &nr);

	for (size_t i = 0, last; i < nr; i = last + 1) {
		for (last = i; last + 1 < nr && follows(j, &groups[last], &groups[last + 1]); )
			last++;
		judge_run(j, &groups[i], &groups[last]);
	}
}
