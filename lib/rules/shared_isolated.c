/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands on the lines of a member that is to have them alone; the end of the struct counts as a neighbour. */
#include "annotation.h"
#include "promise.h"
#include "rules.h"

void rule_shared_isolated(struct judged *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		const struct member *m = j->flat[i].member, *other;
		struct verdict v;

		if (!annotation_find(m->annotations, ANNOTATION_ISOLATED))
			continue;
		isolation_of(j->record, &j->flat[i], &j->placements, &v, &other);
		if (v.sharing == SHARING_NEVER)
			continue;
		rule_report(j, m, other, "this one is on it",
			    "'%s' is to be isolated, but shares a %u-byte line with %s%s%s, %s: align it and what follows to a line",
			    m->name, j->rules->line_size, other ? "'" : "what lies outside the struct", other ? other->name : "",
			    other ? "'" : "", rule_placements(&v));
	}
}
