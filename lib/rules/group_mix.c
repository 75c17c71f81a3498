/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A member of a group on a line with one that is none of it, one finding an outsider; and two of upstream's groups
 * on one line of which the one is read and the other is written, by what their names say.
 */
#include <string.h>

#include "access.h"
#include "annotation.h"
#include "arena.h"
#include "rules.h"

static const char *group_of(const struct flat *f)
{
	const struct annotation *a = annotation_find(f->member->annotations, ANNOTATION_IN);

	return a ? a->arg : NULL;
}

/* a member of two groups may be with either */
static bool same_group(const struct flat *a, const struct flat *b)
{
	for (const struct annotation *x = a->member->annotations; x; x = x->next)
		for (const struct annotation *y = b->member->annotations; y; y = y->next)
			if (x->kind == ANNOTATION_IN && y->kind == ANNOTATION_IN && !strcmp(x->arg, y->arg))
				return true;
	return false;
}

/* the first member of a group that the outsider shares a line with; of two groups the later member is the outsider */
static void judge_outsider(struct judged *j, size_t at)
{
	const struct flat *f = &j->flat[at];
	size_t first, end;

	flat_near(&j->reach, flat_span(f), j->rules->line_size, &first, &end);
	for (size_t i = first; i < end; i++) {
		const struct flat *in = &j->flat[i];
		struct verdict v;

		if (!group_of(in) || same_group(in, f) || (group_of(f) && i > at) || !rule_separable(in, f) ||
		    !rule_shares(j, in, f, &v))
			continue;
		rule_report(j, f->member, in->member, arena_printf("'%s' is here", in->member->name),
			    "'%s' is not of group '%s', but shares a %u-byte line with its '%s', %s: move it, or start a line behind the group",
			    f->member->name, group_of(in), j->rules->line_size, in->member->name, rule_placements(&v));
		return;
	}
}

static bool are_mixed(const struct group_extent *a, const struct group_extent *b)
{
	return (a->class == CLASS_READ_MOSTLY && b->class == CLASS_WRITTEN) ||
	       (a->class == CLASS_WRITTEN && b->class == CLASS_READ_MOSTLY);
}

static void judge_groups(struct judged *j, const struct group_extent *first, const struct group_extent *second)
{
	struct verdict v;

	span_shares(first->span, second->span, &j->placements, &v);
	if (!are_mixed(first, second) || v.sharing == SHARING_NEVER || !rule_holds_at_start(&v))
		return;
	rule_report(j, second->begin, first->begin, arena_printf("group '%s' begins here", first->name),
		    "group '%s' is %s, but shares a %u-byte line with the %s group '%s', %s: start a line between them",
		    second->name, access_class_name(second->class), j->rules->line_size, access_class_name(first->class),
		    first->name, rule_placements(&v));
}

void rule_group_mix(struct judged *j)
{
	size_t nr;
	struct group_extent *groups = group_extents(j->flat, j->nr, j->rules->line_size, &nr);

	for (size_t i = 0; i < nr; i++)
		for (size_t k = i + 1; k < nr; k++)
			judge_groups(j, &groups[i], &groups[k]);
	for (size_t i = 0; i < j->nr; i++)
		if (j->flat[i].member->name)
			judge_outsider(j, i);
}
