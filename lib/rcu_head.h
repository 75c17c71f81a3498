/* SPDX-License-Identifier: GPL-2.0-only */
/* kfree_rcu(p, rcu) tells the offset of rcu from a function's address by its size, so it has to be small. */
#ifndef LINEKEEPER_RCU_HEAD_H
#define LINEKEEPER_RCU_HEAD_H

#include "record.h"

#define KFREE_RCU_LIMIT	4096	/* bytes; __is_kvfree_rcu_offset(), include/linux/rcupdate.h */

/* is it a named rcu_head that lies where kfree_rcu() cannot free the record that f is counted from? */
bool rcu_head_is_far(const struct flat *f);

#endif
