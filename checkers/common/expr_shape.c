/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"

#include "evidence.h"
#include "expr_shape.h"
#include "expr_type.h"

#define MOD_FRESH	0x00200000UL	/* of a local pointer: to what this function has just made; a bit that sparse leaves alone */

/* what the pointer is made of, one step nearer to where it is from; NULL: it is no further known */
static struct expression *origin(struct expression *e)
{
	switch (e->type) {
	case EXPR_CAST:
	case EXPR_FORCE_CAST:
		return e->cast_expression;
	case EXPR_BINOP:
		return e->left;
	case EXPR_GENERIC:
		return chosen_generic(e);
	case EXPR_STATEMENT:
		return last_value(e->statement);
	case EXPR_CALL:
		return first_ptr_list((struct ptr_list *)e->args);
	default:
		return NULL;
	}
}

bool is_fresh(struct expression *e)
{
	for (e = without_parens(e); e; e = without_parens(origin(e))) {
		struct expression *fn = e->type == EXPR_CALL ? callee_of(e->fn) : NULL;

		if (e->type == EXPR_SYMBOL)
			return is_local(e->symbol) && e->symbol->ctype.modifiers & MOD_FRESH;
		if (fn && code_makes_object(fn->symbol_name->name, fn->symbol_name->len))
			return true;
	}
	return false;
}

void set_fresh(struct symbol *sym, struct expression *value)
{
	if (!is_local(sym) || bare_type(sym)->type != SYM_PTR)
		return;
	if (is_fresh(value))
		sym->ctype.modifiers |= MOD_FRESH;
	else
		sym->ctype.modifiers &= ~MOD_FRESH;
}

struct expression *called_member(struct expression *e)
{
	for (int steps = 0; steps < MAX_CHAIN; steps++) {
		e = without_parens(e);
		if (!e || e->type == EXPR_DEREF)
			return e;
		if (e->type == EXPR_STATEMENT)
			e = last_value(e->statement);
		else if (e->type == EXPR_CAST || e->type == EXPR_FORCE_CAST)
			e = e->cast_expression;
		else if (e->type == EXPR_PREOP && (e->op == '*' || e->op == '&'))
			e = e->unop;
		else if (e->type == EXPR_SYMBOL && is_local(e->symbol) && !(e->symbol->ctype.modifiers & MOD_ASSIGNED))
			e = e->symbol->initializer;
		else
			return NULL;
	}
	return NULL;
}

/* what an lvalue is, without *(volatile T *)& around it, as READ_ONCE() and WRITE_ONCE() have it */
static struct expression *bare_object(struct expression *e)
{
	for (int steps = 0; e && steps < MAX_CHAIN; steps++) {
		struct expression *inner = e;

		if (e->type == EXPR_STATEMENT)
			inner = last_value(e->statement);
		else if (e->type == EXPR_PREOP && e->op == '*' && address_in(e->unop))
			inner = address_in(e->unop)->unop;
		else if (e->type == EXPR_CAST || e->type == EXPR_FORCE_CAST)
			inner = e->cast_expression;
		inner = without_parens(inner);
		if (inner == e)
			break;
		e = inner;
	}
	return e;
}

static bool is_same_object(struct expression *a, struct expression *b)
{
	for (int steps = 0; steps < MAX_CHAIN; steps++) {
		a = bare_object(a);
		b = bare_object(b);
		if (!a || !b || a->type != b->type)
			return false;
		if (a->type == EXPR_SYMBOL)
			return a->symbol && a->symbol == b->symbol;
		if (a->type == EXPR_DEREF && a->member == b->member) {
			a = a->deref;
			b = b->deref;
		} else if (a->type == EXPR_PREOP && a->op == '*' && b->op == '*') {
			a = a->unop;
			b = b->unop;
		} else {
			return false;
		}
	}
	return false;
}

bool is_change(struct expression *left, struct expression *right)
{
	for (int steps = 0; steps < MAX_CHAIN; steps++) {
		right = bare_object(right);
		if (!right || right->type != EXPR_BINOP)
			return false;
		if (is_same_object(left, right->left) || is_same_object(left, right->right))
			return true;
		right = right->left;
	}
	return false;
}
