/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An rcu_head so far into its struct that kfree_rcu() cannot be given it, behind what another configuration makes smaller:
 * lines (seed 003), or a mask of all CPUs (case B15). In a struct that is large in itself its author put it there, and
 * frees by call_rcu().
 */
#include <string.h>

#include "rcu_head.h"
#include "rules.h"

static bool holds_cpumask(const struct record *r)
{
	if (r->name && !strcmp(r->name, "cpumask"))
		return true;
	for (size_t i = 0; i < r->nr_members; i++)
		if (r->members[i].record && holds_cpumask(r->members[i].record))
			return true;
	return false;
}

static bool varies(const struct judged *j, const struct member *m)
{
	return m->align >= j->rules->line_size || (m->record && holds_cpumask(m->record));
}

void rule_kfree_rcu_offset(struct judged *j)
{
	bool pushed = false;

	for (size_t i = 0; i < j->nr; i++) {
		pushed |= varies(j, j->flat[i].member);
		if (pushed && rcu_head_is_far(&j->flat[i]))
			rule_report(j, j->flat[i].member, NULL, NULL,
				    "'%s' lies at %llu, where kfree_rcu() cannot free the struct: move it to below %u",
				    j->flat[i].member->name, j->flat[i].bit_offset / 8, KFREE_RCU_LIMIT);
	}
}
