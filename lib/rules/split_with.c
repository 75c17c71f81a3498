/* SPDX-License-Identifier: GPL-2.0-only */
/* Two members that are always to share a line. */
#include "annotation.h"
#include "arena.h"
#include "rules.h"

static void judge_pair(struct judged *j, const struct flat *f, const char *path)
{
	struct flat other;
	struct verdict v;

	if (!rule_find(j, f->member, path, &other))
		return;
	rule_shares(j, f, &other, &v);
	if (v.sharing == SHARING_ALWAYS)
		return;
	rule_report(j, f->member, other.member, arena_printf("'%s' is here", path),
		    "'%s' is to be on a line with '%s', but %s: move the two together, behind a member that starts a line",
		    f->member->name, path, v.sharing == SHARING_NEVER ? "never is" :
		    arena_printf("is so only %s", rule_placements(&v)));
}

void rule_split_with(struct judged *j)
{
	for (size_t i = 0; i < j->nr; i++)
		for (const struct annotation *a = j->flat[i].member->annotations; a; a = a->next)
			if (a->kind == ANNOTATION_WITH)
				judge_pair(j, &j->flat[i], a->arg);
}
