/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"

#include "access_walk.h"
#include "expr_shape.h"
#include "expr_type.h"
#include "objects.h"

static void walk_asm(struct walk *w, struct asm_operand_list *operands, bool output)
{
	struct asm_operand *op;

	FOR_EACH_PTR(operands, op) {
		struct expression *c = op->constraint;
		bool both = c && c->type == EXPR_STRING && c->string->data[0] == '+';

		walk(w, op->expr, !output ? read : both ? changed : written);
	} END_FOR_EACH_PTR(op);
}

static void walk_declarations(struct walk *w, struct symbol_list *list)
{
	struct symbol *sym;

	FOR_EACH_PTR(list, sym) {
		walk_declaration(w, sym);
	} END_FOR_EACH_PTR(sym);
}

static void walk_block(struct walk *w, struct statement_list *list, struct usage k)
{
	int left = statement_list_size(list);
	struct statement *s;

	FOR_EACH_PTR(list, s) {
		walk_statement(w, s, --left ? unused : k);
	} END_FOR_EACH_PTR(s);
}

static void walk_if(struct walk *w, struct statement *s)
{
	double often, taken = often_taken(s), end;

	walk(w, s->if_conditional, tested);
	often = w->flow.often;
	w->flow.often = often * taken;
	walk_statement(w, s->if_true, unused);
	end = w->flow.often;
	w->flow.often = often * (1 - taken);
	walk_statement(w, s->if_false, unused);
	w->flow.often += end;
}

static void walk_switch(struct walk *w, struct statement *s)
{
	double around = w->flow.a_case, none;

	walk(w, s->switch_expression, tested);
	none = w->flow.often / (symbol_list_size(s->switch_case->symbol_list) + 1);
	w->flow.a_case = none;
	w->flow.often = 0;
	walk_statement(w, s->switch_statement, unused);
	flow_land(&w->flow, s->switch_break);
	w->flow.often += none;
	w->flow.a_case = around;
}

static void walk_loop(struct walk *w, struct statement *s)
{
	double often, runs = loop_runs(s);

	walk_declarations(w, s->iterator_syms);
	walk_statement(w, s->iterator_pre_statement, unused);
	often = w->flow.often;
	w->flow.often *= runs;
	walk(w, s->iterator_pre_condition, tested);
	walk_statement(w, s->iterator_statement, unused);
	flow_land(&w->flow, s->iterator_continue);
	walk_statement(w, s->iterator_post_statement, unused);
	walk(w, s->iterator_post_condition, tested);
	w->flow.often /= runs;
	flow_land(&w->flow, s->iterator_break);
	if (w->flow.often > often)
		w->flow.often = often;
}

void walk_statement(struct walk *w, struct statement *s, struct usage k)
{
	if (!s)
		return;
	switch (s->type) {
	case STMT_DECLARATION:
		walk_declarations(w, s->declaration);
		return;
	case STMT_EXPRESSION:
		walk(w, s->expression, k);
		return;
	case STMT_COMPOUND:
		walk_block(w, s->stmts, k);
		return;
	case STMT_IF:
		walk_if(w, s);
		return;
	case STMT_RETURN:
		walk(w, s->ret_value, read);
		w->flow.often = 0;
		return;
	case STMT_CASE:
		w->flow.often += w->flow.a_case;
		walk_statement(w, s->case_statement, unused);
		return;
	case STMT_SWITCH:
		walk_switch(w, s);
		return;
	case STMT_ITERATOR:
		walk_loop(w, s);
		return;
	case STMT_LABEL:
		flow_land(&w->flow, s->label_identifier);
		walk_statement(w, s->label_statement, k);
		return;
	case STMT_GOTO:
		walk(w, s->goto_expression, tested);
		if (s->goto_label)
			flow_jump(&w->flow, s->goto_label);
		return;
	case STMT_ASM:
		walk_asm(w, s->asm_outputs, true);
		walk_asm(w, s->asm_inputs, false);
		return;
	default:
		return;
	}
}

/* a variable in which a macro keeps an argument: what it does with it is seen anyway */
static bool is_macros_own(const struct symbol *sym)
{
	return sym->ident && sym->ident->name[0] == '_' && is_local(sym);
}

void walk_declaration(struct walk *w, struct symbol *sym)
{
	if (sym->namespace != NS_SYMBOL || is_function(bare_type(sym)))
		return;
	objects_declared(w->e, w->code, sym);
	if (sym->initializer) {
		objects_positional(w->e, w->code, sym->ident, bare_type(sym), sym->initializer);
		if (!is_macros_own(sym) || !address_in(sym->initializer))
			walk_initializer(w, sym->initializer, bare_type(sym), NULL, NULL);
		set_fresh(sym, sym->initializer);
	}
}
