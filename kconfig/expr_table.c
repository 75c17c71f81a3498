/* SPDX-License-Identifier: GPL-2.0-only */
#include "solver.h"

#ifdef HAVE_EXPR_TABLE		/* since 6.12 */
#include "internal.h"

static struct expr **exprs;
static size_t nr_exprs;

void __real_expr_invalidate_all(void);
void __wrap_expr_invalidate_all(void);

/* after the parse; none is made later */
void list_exprs(void)
{
	struct expr *e;

	hash_for_each(expr_hashtable, e, node)
		nr_exprs++;
	exprs = calloc(nr_exprs + 1, sizeof(*exprs));
	if (!exprs)
		die("no memory", "");
	nr_exprs = 0;
	hash_for_each(expr_hashtable, e, node)
		exprs[nr_exprs++] = e;
}

/*
 * kconfig calls it at each change of a symbol, and its own follows the chains of 137,000 expressions: nearly all the
 * time that a search would take. A plain list does the same in a tenth of it.
 */
void __wrap_expr_invalidate_all(void)
{
	if (!exprs)
		__real_expr_invalidate_all();
	for (size_t i = 0; i < nr_exprs; i++)
		exprs[i]->val_is_valid = false;
}
#else
void list_exprs(void)
{
}
#endif
