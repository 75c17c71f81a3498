/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"

#include "arena.h"
#include "expr_type.h"
#include "often.h"

/* GCC's predict.def, and the default of its parameter builtin-expect-probability */
#define EXPECTED		0.90
#define POINTER_SET		0.70
#define NOT_EQUAL		0.66
#define POSITIVE		0.59
#define LEAVES			0.34	/* "early return", "goto": the branch is not taken in 66 of 100 cases */
#define LEAVES_WITH_NULL	0.29
#define LEAVES_WITH_ERROR	0.02
#define STAYS_IN_LOOP		0.89

#define UNKNOWN			0.5

/* flow that is under way to a label */
struct jump {
	struct symbol *label;
	double often;
};

/* *sure: it is said to the compiler, or is a constant; nothing else counts then. depth: of the expressions around it that were looked at */
static double guess(struct expression *e, bool *sure, int depth);

static double both(double p, double q)
{
	return p * q / (p * q + (1 - p) * (1 - q));
}

static struct expression *bare(struct expression *e)
{
	e = without_parens(e);
	while (e && (e->type == EXPR_CAST || e->type == EXPR_FORCE_CAST || e->type == EXPR_IMPLIED_CAST))
		e = without_parens(e->cast_expression);
	return e;
}

static bool is_zero(struct expression *e)
{
	e = bare(e);
	return e && e->type == EXPR_VALUE && !e->value;
}

static bool is_negative(struct expression *e)
{
	e = bare(e);
	return e && e->type == EXPR_PREOP && e->op == '-' && e->unop->type == EXPR_VALUE;
}

static double guess_call(struct expression *e, bool *sure)
{
	struct expression *fn = callee_of(e->fn);
	struct ident *name = fn ? fn->symbol_name : NULL;

	if (name && ident_is(name, "__builtin_expect") && expression_list_size(e->args) > 1) {
		*sure = true;
		return is_zero(ptr_list_nth_entry((struct ptr_list *)e->args, 1)) ? 1 - EXPECTED : EXPECTED;
	}
	if (name && (ident_is(name, "IS_ERR") || ident_is(name, "IS_ERR_OR_NULL"))) {	/* unlikely() is in their bodies */
		*sure = true;
		return 1 - EXPECTED;
	}
	return is_pointer(type_of(e)) ? POINTER_SET : UNKNOWN;
}

static double guess_comparison(const struct expression *e)
{
	double differs = is_pointer(type_of(e->left)) || is_pointer(type_of(e->right)) ? POINTER_SET : NOT_EQUAL;

	switch (e->op) {
	case SPECIAL_EQUAL:
		return 1 - differs;
	case SPECIAL_NOTEQUAL:
		return differs;
	case '<':
	case SPECIAL_LTE:
		return is_zero(e->right) ? 1 - POSITIVE : UNKNOWN;
	case '>':
	case SPECIAL_GTE:
		return is_zero(e->right) ? POSITIVE : UNKNOWN;
	default:
		return UNKNOWN;
	}
}

/* of two tests: sure when one decides, or both are */
static double guess_logical(const struct expression *e, bool *sure, int depth)
{
	bool is_and = e->op == SPECIAL_LOGICAL_AND, sure_left = false, sure_right = false;
	double left = guess(e->left, &sure_left, depth), right = guess(e->right, &sure_right, depth);

	*sure = (sure_left && sure_right) || (sure_left && (left < UNKNOWN) == is_and) || (sure_right && (right < UNKNOWN) == is_and);
	return is_and ? left * right : 1 - (1 - left) * (1 - right);
}

static double guess(struct expression *e, bool *sure, int depth)
{
	e = bare(e);
	if (!e || depth++ == MAX_DEPTH)
		return UNKNOWN;
	switch (e->type) {
	case EXPR_VALUE:
		*sure = true;
		return e->value ? 1 : 0;
	case EXPR_STATEMENT:
		return guess(last_value(e->statement), sure, depth);
	case EXPR_PREOP:
		return e->op == '!' ? 1 - guess(e->unop, sure, depth) : is_pointer(type_of(e)) ? POINTER_SET : UNKNOWN;
	case EXPR_CALL:
		return guess_call(e, sure);
	case EXPR_LOGICAL:
		return guess_logical(e, sure, depth);
	case EXPR_COMPARE:
		return guess_comparison(e);
	default:
		return is_pointer(type_of(e)) ? POINTER_SET : UNKNOWN;
	}
}

double often_true(struct expression *condition)
{
	bool sure = false;

	return guess(condition, &sure, 0);
}

/* a branch that ends so is taken in that part of all cases */
static double guess_ending(const struct statement *s)
{
	if (s && s->type == STMT_COMPOUND)
		s = last_ptr_list((struct ptr_list *)s->stmts);
	if (s && s->type == STMT_GOTO)
		return LEAVES;
	if (!s || s->type != STMT_RETURN)
		return UNKNOWN;
	if (is_negative(s->ret_value))
		return LEAVES_WITH_ERROR;
	return is_zero(s->ret_value) && is_pointer(type_of(without_parens(s->ret_value))) ? LEAVES_WITH_NULL : LEAVES;
}

double often_taken(const struct statement *s)
{
	bool sure = false;
	double p = guess(s->if_conditional, &sure, 0);

	return sure ? p : both(both(p, guess_ending(s->if_true)), 1 - guess_ending(s->if_false));
}

double loop_runs(const struct statement *loop)
{
	bool once = loop->iterator_post_condition && is_zero(loop->iterator_post_condition);	/* do { } while (0) */

	return once ? 1 : 1 / (1 - STAYS_IN_LOOP);
}

static struct jump *jump_to(const struct flow *f, const struct symbol *label)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->jumps[i].label == label)
			return &f->jumps[i];
	return NULL;
}

void flow_jump(struct flow *f, struct symbol *label)
{
	struct jump *j = jump_to(f, label);

	if (!j) {
		j = ARENA_PUSH(f->jumps, f->nr, f->room);
		*j = (struct jump) { .label = label };
	}
	j->often += f->often;
	f->often = 0;
}

void flow_land(struct flow *f, const struct symbol *label)
{
	const struct jump *j = label ? jump_to(f, label) : NULL;

	if (j)
		f->often += j->often;
}
