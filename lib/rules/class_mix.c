/* SPDX-License-Identifier: GPL-2.0-only */
/* A written member on a line with one that is declared read-mostly. One finding a written member. */
#include "annotation.h"
#include "arena.h"
#include "rules.h"

static void judge_written(struct judged *j, const struct flat *f)
{
	for (size_t i = 0; i < j->nr; i++) {
		const struct flat *other = &j->flat[i];
		struct verdict v;

		if (!annotation_find(other->member->annotations, ANNOTATION_READ_MOSTLY) || !rule_separable(f, other) ||
		    !rule_shares(j, f, other, &v))
			continue;
		rule_report(j, f->member, other->member, arena_printf("'%s' is here", other->member->name),
			    "'%s' is written, but shares a %u-byte line with the read-mostly '%s', %s: move it to the written ones",
			    f->member->name, j->rules->line_size, other->member->name, rule_placements(&v));
		return;
	}
}

void rule_class_mix(struct judged *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		const struct member *m = j->flat[i].member;

		if (!annotation_find(m->annotations, ANNOTATION_WRITTEN))
			continue;
		if (annotation_find(m->annotations, ANNOTATION_READ_MOSTLY)) {
			rule_report(j, m, NULL, NULL, "'%s' is annotated as read-mostly and as written", m->name);
			j->rules->findings[j->rules->nr - 1].error = true;
		} else {
			judge_written(j, &j->flat[i]);
		}
	}
}
