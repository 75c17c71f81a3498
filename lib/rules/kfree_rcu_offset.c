/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An rcu_head so far into its struct that kfree_rcu() cannot be given it, behind what another configuration makes smaller:
 * lines (seed 003), or a mask of all CPUs (case B15). In a struct that is large without these its author put it there,
 * and frees by call_rcu(). Whether kfree_rcu() is called on it is not known, so by itself the rule speaks of structs whose
 * layout somebody watches: with annotations or groups, their own or an embedded struct's. Asked for, of all.
 */
#include <string.h>

#include "access.h"
#include "rcu_head.h"
#include "rules.h"

static bool holds_cpumask(struct record *r)
{
	if (r->holds_cpumask == NOT_ASKED) {
		r->holds_cpumask = r->name && !strcmp(r->name, "cpumask") ? YES : NO;
		for (size_t i = 0; i < r->nr_members && r->holds_cpumask == NO; i++)
			if (r->members[i].record && holds_cpumask(r->members[i].record))
				r->holds_cpumask = YES;
	}
	return r->holds_cpumask == YES;
}

static bool varies(const struct judged *j, const struct member *m)
{
	return m->align >= j->rules->line_size || (m->record && holds_cpumask(m->record));
}

static bool is_watched(struct record *r)
{
	if (r->watched == NOT_ASKED) {
		r->watched = r->annotations ? YES : NO;
		for (size_t i = 0; i < r->nr_members && r->watched == NO; i++) {
			const struct member *m = &r->members[i];

			if (m->annotations || group_begun_by(m) || (m->record && is_watched(m->record)))
				r->watched = YES;
		}
	}
	return r->watched == YES;
}

void rule_kfree_rcu_offset(struct judged *j)
{
	unsigned long long end = 0, pushed = 0;		/* bytes: of all so far, and those of what varies, with the holes before it */

	if (!rules_ask_for(j->rules, "kfree-rcu-offset") && !is_watched((struct record *)j->record))
		return;
	for (size_t i = 0; i < j->nr; i++) {
		const struct flat *f = &j->flat[i];
		struct span s = flat_span(f);

		if (rcu_head_is_far(f) && s.offset < KFREE_RCU_LIMIT + pushed)
			rule_report(j, f->member, NULL, NULL, "'%s' lies at %llu, where kfree_rcu() cannot free the struct: move it to below %u",
				    f->member->name, s.offset, KFREE_RCU_LIMIT);
		if (f->member->name)			/* what is in an anonymous one comes behind it */
			s.offset += s.size;
		if (s.offset > end && varies(j, f->member))
			pushed += s.offset - end;
		if (s.offset > end)
			end = s.offset;
	}
}
