/* SPDX-License-Identifier: GPL-2.0-only */
/* Two members that are never to share a line. */
#include "annotation.h"
#include "arena.h"
#include "rules.h"

static void judge_pair(struct judged *j, const struct flat *f, const char *path)
{
	struct flat other;
	struct verdict v;

	if (!rule_find(j, f->member, path, &other))
		return;
	if (!rule_shares(j, f, &other, &v))
		return;
	rule_report(j, f->member, other.member, arena_printf("'%s' is here", path),
		    "'%s' is to be apart from '%s', but shares a %u-byte line with it, %s: %u bytes between them, or an aligned line, part them",
		    f->member->name, path, j->rules->line_size, rule_placements(&v),
		    j->rules->line_size - (j->placements.nr > 1 ? j->placements.at[1] : 1));
}

void rule_shared_apart(struct judged *j)
{
	for (size_t i = 0; i < j->nr; i++)
		for (const struct annotation *a = j->flat[i].member->annotations; a; a = a->next)
			if (a->kind == ANNOTATION_APART)
				judge_pair(j, &j->flat[i], a->arg);
}
