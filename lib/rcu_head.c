/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "rcu_head.h"

/* rcu_head is a macro for callback_head */
bool rcu_head_is_far(const struct flat *f)
{
	const struct record *type = f->member->record;

	return f->bit_offset / 8 >= KFREE_RCU_LIMIT && f->member->name && !f->member->array && type && type->name &&
	       !strcmp(type->name, "callback_head");
}
