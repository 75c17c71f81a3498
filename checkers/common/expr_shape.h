/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an expression amounts to, whoever walks it: where a pointer is from, what is called, whether an assignment changes what was there.
 * sparse's headers are to be included first.
 */
#ifndef LINEKEEPER_EXPR_SHAPE_H
#define LINEKEEPER_EXPR_SHAPE_H

#include <stdbool.h>

#define MAX_CHAIN	16		/* members of members in one expression */

/* a local pointer is given a value: remembers whether that is to what an allocator has just made, for is_fresh() */
void set_fresh(struct symbol *sym, struct expression *value);

/* does the pointer come from an allocator that this function called, by way of tcp_sk(sk), container_of() and the like? */
bool is_fresh(struct expression *e);

/* the member whose value is called: ops->f(x), (*x->f)(), READ_ONCE(x->f)(x); NULL: another pointer */
struct expression *called_member(struct expression *e);

/* x = x + 1, which is x += 1 */
bool is_change(struct expression *left, struct expression *right);

#endif
