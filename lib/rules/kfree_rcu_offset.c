/* SPDX-License-Identifier: GPL-2.0-only */
/* An rcu_head so far into its struct that kfree_rcu() cannot be given it. */
#include "rcu_head.h"
#include "rules.h"

void rule_kfree_rcu_offset(struct judged *j)
{
	for (size_t i = 0; i < j->nr; i++)
		if (rcu_head_is_far(&j->flat[i]))
			rule_report(j, j->flat[i].member, NULL, NULL,
				    "'%s' lies at %llu, where kfree_rcu() cannot free the struct: move it to below %u",
				    j->flat[i].member->name, j->flat[i].bit_offset / 8, KFREE_RCU_LIMIT);
}
