/* SPDX-License-Identifier: GPL-2.0-only */
#include "solver.h"

#ifdef HAVE_EXPR_TABLE
/*
 * Since 6.12 kconfig keeps the values of all 137,000 expressions too, and forgets them all at each change of a symbol. With
 * the values of symbols alone, which forget() follows, an expression is soon computed.
 */
tristate __real_expr_calc_value(struct expr *e);
tristate __wrap_expr_calc_value(struct expr *e);
void __wrap_expr_invalidate_all(void);
void __wrap_expr_gstr_print_revdep(struct expr *e, struct gstr *gs, tristate pr_type, const char *title);

tristate __wrap_expr_calc_value(struct expr *e)
{
	tristate left, right;

	if (!e)
		return yes;
	switch (e->type) {
	case E_SYMBOL:
		sym_calc_value(e->left.sym);
		return e->left.sym->curr.tri;
	case E_NOT:
		return EXPR_NOT(__wrap_expr_calc_value(e->left.expr));
	case E_AND:
		left = __wrap_expr_calc_value(e->left.expr);
		right = left == no ? no : __wrap_expr_calc_value(e->right.expr);
		return EXPR_AND(left, right);
	case E_OR:
		left = __wrap_expr_calc_value(e->left.expr);
		right = left == yes ? yes : __wrap_expr_calc_value(e->right.expr);
		return EXPR_OR(left, right);
	default:
		e->val_is_valid = false;
		return __real_expr_calc_value(e);
	}
}

void __wrap_expr_invalidate_all(void)
{
}

/* of a warning that nobody reads; it would keep values */
void __wrap_expr_gstr_print_revdep(struct expr *e, struct gstr *gs, tristate pr_type, const char *title)
{
}
#endif
