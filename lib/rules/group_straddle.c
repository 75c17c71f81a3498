/* SPDX-License-Identifier: GPL-2.0-only */
/* A group between upstream's markers that touches a line more than its bytes need, where the struct can start so. */
#include "access.h"
#include "rules.h"

static unsigned long long lines_touched(struct span s, unsigned int at, unsigned int line_size)
{
	return (at + s.offset + s.size - 1) / line_size - (at + s.offset) / line_size + 1;
}

static void judge_group(struct judged *j, const struct group_extent *g)
{
	unsigned int line_size = j->rules->line_size;
	unsigned long long needed = (g->span.size + line_size - 1) / line_size;
	struct verdict v = { .nr = j->placements.nr };

	for (unsigned int i = 0; g->span.size && i < j->placements.nr; i++)
		if (lines_touched(g->span, j->placements.at[i], line_size) > needed)
			v.at[v.nr_sharing++] = j->placements.at[i];
	if (!v.nr_sharing)
		return;
	v.sharing = v.nr_sharing == v.nr ? SHARING_ALWAYS : SHARING_MAY;
	rule_report(j, g->begin, NULL, NULL,
		    "group '%s' has %llu bytes, which need %llu %u-byte lines, but touches one more, %s: start it on a line",
		    g->name, g->span.size, needed, line_size, rule_placements(&v));
}

void rule_group_straddle(struct judged *j)
{
	size_t nr;
	struct group_extent *groups = group_extents(j->flat, j->nr, j->rules->line_size, &nr);

	for (size_t i = 0; i < nr; i++)
		judge_group(j, &groups[i]);
}
