/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdint.h>
#include <string.h>

#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"

#include "access_walk.h"
#include "arena.h"
#include "expr_shape.h"
#include "expr_type.h"
#include "objects.h"
#include "sparse_place.h"

static bool is_same(const struct ident *id, const char *s)
{
	return id ? s && strlen(s) == (size_t)id->len && !memcmp(id->name, s, id->len) : !s;
}

static void report(struct walk *w, const struct record *r, const char *path, struct usage k, struct position pos)
{
	struct use *u;

	if (!r || !r->name || !(k.does & ~DOES_NOTHING) || w->code == NO_CODE)
		return;
	for (size_t i = w->first_use; i < w->e->nr_uses; i++) {
		u = &w->e->uses[i];
		if (u->record != r || u->does != k.does || strcmp(u->path, path) || !is_same(k.by, u->via))
			continue;
		u->often += w->flow.often;
		return;
	}
	u = ARENA_PUSH(w->e->uses, w->e->nr_uses, w->e->uses_room);
	*u = (struct use) {
		.record = r, .path = arena_strdup(path), .does = k.does, .place = place_of(pos), .code = w->code, .often = w->flow.often,
		.via = k.by ? arena_strndup(k.by->name, k.by->len) : NULL,
	};
	if (k.to && k.does == DOES_ADDRESS)
		*ARENA_PUSH(w->given, w->nr_given, w->given_room) = (struct given) { w->e->nr_uses - 1, k.to, k.nr };
}

/* all of a struct is read or written at once, which of the primitives only memset() and its kin do */
static void report_whole(struct walk *w, struct symbol *type, struct usage k, struct position pos)
{
	if (k.does & (DOES_READ | DOES_WRITE) && (!k.by || ident_has(k.by, "mem")))
		report(w, record_of_type(type), "", k, pos);
}

/*
 * The object that e names: a member expression, a pointer's '*', a variable. Elements of an array stand for the array.
 * Indexes on the way are read.
 */
static struct expression *object_of(struct walk *w, struct expression *e)
{
	for (int steps = 0; steps < MAX_CHAIN; steps++) {
		struct expression *address;

		e = without_parens(e);
		if (!e || e->type != EXPR_PREOP || e->op != '*')
			break;
		address = address_in(e->unop);
		if (address) {
			e = address->unop;
			continue;
		}
		if (!is_array(type_of(e->unop)))
			break;
		e = without_parens(e->unop);
		while (e && e->type == EXPR_BINOP) {
			bool left = is_array(type_of(e->left));

			walk(w, left ? e->right : e->left, tested);
			e = without_parens(left ? e->left : e->right);
		}
	}
	return e;
}

/*
 * What an expression that is no member ends in. false: its object lies where nobody else can see it. One that nobody has
 * seen yet adds DOES_INIT to k.
 */
static bool walk_root(struct walk *w, struct expression *e, struct usage *k)
{
	if (e->type == EXPR_PREOP && e->op == '*') {
		walk(w, e->unop, read_for(k->does ? k->does : DOES_NOTHING, k->by));
		if (k->does & ~DOES_NOTHING && is_fresh(e->unop))
			k->does |= DOES_INIT;
		return true;
	}
	if (e->type == EXPR_SYMBOL)
		return !is_local(e->symbol);
	walk(w, e, unused);
	return false;
}

/* x->a.b counts for a.b of x and for b of what a is */
static void walk_member(struct walk *w, struct expression *e, struct usage k, struct position pos)
{
	struct symbol *type = type_of(e);
	struct {
		struct symbol *in;
		struct ident *member;
	} chain[MAX_CHAIN];
	char paths[MAX_CHAIN * 64], *path = paths + sizeof(paths) - 1;
	int nr = 0;

	for (;;) {
		chain[nr].in = type_of(e->deref);
		chain[nr++].member = e->member;
		e = object_of(w, e->deref);
		if (!e || e->type != EXPR_DEREF || nr == MAX_CHAIN)
			break;
	}
	if (!e || !walk_root(w, e, &k))
		return;
	report_whole(w, type, k, pos);
	*path = '\0';
	for (int i = 0; i < nr; i++) {
		struct ident *id = chain[i].member;

		if (path - paths < id->len + 1)
			return;
		if (i)
			*--path = '.';
		path -= id->len;
		memcpy(path, id->name, id->len);
		report(w, record_of_type(chain[i].in), path, k, pos);
	}
}

static void walk_object(struct walk *w, struct expression *e, struct usage k)
{
	struct position pos = e->pos;
	struct symbol *type = type_of(e);

	if (is_array(type) && k.does & DOES_READ)	/* its address, that is */
		k = behind(k);
	e = object_of(w, e);
	if (!e)
		return;
	if (e->type == EXPR_DEREF) {
		walk_member(w, e, k, pos);
		return;
	}
	if (walk_root(w, e, &k))
		report_whole(w, type, k, pos);
}

static void walk_address(struct walk *w, struct expression *e, struct usage k)
{
	struct expression *target = without_parens(e->unop);

	if (!target)
		return;
	if (target->type == EXPR_PREOP && target->op == '*' && !address_in(target->unop) && !is_array(type_of(target->unop)))
		walk(w, target->unop, k);
	else
		walk(w, target, behind(k));
}

static void walk_symbol(struct walk *w, struct expression *e, struct usage k)
{
	struct symbol *sym = e->symbol;
	struct expression *address;

	if (!sym)
		return;
	if (k.does & DOES_WRITE || !sym->initializer)	/* it has a value that is not seen here: its caller's */
		sym->ctype.modifiers |= MOD_ASSIGNED;
	if (is_function(type_of(e)))
		add_call(w, sym, w->into, w->into ? w->into_member : NULL, true);
	address = k.through != DOES_NOTHING ? address_in(e) : NULL;
	if (is_local(sym))		/* a parameter: what the function does with what its caller gave it */
		sym->aux = (void *)((uintptr_t)sym->aux | (k.through & (DOES_READ | DOES_WRITE)));
	if (address)
		walk_address(w, address, k);
	else if (!is_local(sym))
		report_whole(w, type_of(e), k, e->pos);
}

/* what is done through an argument; nr from 1 */
static struct usage usage_of_argument(struct expression *arg, struct expression *fn, unsigned int nr, struct symbol *param,
				      struct usage k)
{
	struct ident *callee = fn ? fn->symbol_name : NULL;
	struct usage u;
	unsigned int does;

	if (!is_pointer(type_of(arg)))
		return tested;
	does = callee ? primitive_does(callee->name, callee->len, nr) : 0;
	if (does == DOES_PASS)
		return read_for(k.through, k.through_by);
	if (!does || (does & DOES_WRITE && is_pointer_to_const(param)))		/* "lockref_*" is __lockref_is_dead() too */
		does = is_pointer_to_const(param) ? DOES_READ : DOES_ADDRESS;
	u = read_for(does, callee);
	u.to = fn ? fn->symbol : NULL;
	u.nr = nr;
	return u;
}

/* memset(p, 0, n) and the like */
static void report_block(struct walk *w, struct expression *arg, struct usage k)
{
	struct symbol *type = type_of(arg);

	if (k.through_by && type->type == SYM_PTR && !address_in(arg))
		report_whole(w, pointed_at(type), behind(k), arg->pos);
}

static void add_indirect_call(struct walk *w, struct expression *fn)
{
	struct expression *member = called_member(fn);
	const struct record *r = member ? record_of_type(type_of(member->deref)) : NULL;

	if (r)
		add_call(w, NULL, r, member->member, false);
}

/* what is named there is given to the member of that type; NULL: to none */
static void walk_into(struct walk *w, struct symbol *type, struct ident *member, struct expression *value)
{
	const struct record *into = w->into;
	struct ident *into_member = w->into_member;

	w->into = type ? record_of_type(type) : NULL;
	w->into_member = member;
	walk(w, value, read);
	w->into = into;
	w->into_member = into_member;
}

static void walk_call(struct walk *w, struct expression *e, struct usage k)
{
	struct expression *fn = callee_of(e->fn), *arg;
	struct ident *name = fn ? fn->symbol_name : NULL;
	struct symbol *type = type_of(e->fn), *param;
	unsigned int nr = 0;

	if (name && is_unevaluated(name))
		return;
	if (!fn) {
		add_indirect_call(w, e->fn);
		walk(w, e->fn, read);
	} else if (fn->symbol) {
		add_call(w, fn->symbol, NULL, NULL, false);
	}
	if (name)
		objects_allocated(w->e, w->code, name, e);
	if (name && w->code != NO_CODE && w->e->codes[w->code].phase == PHASE_RUN && code_is_control_call(name->name, name->len))
		w->e->codes[w->code].phase = PHASE_CONTROL;
	if (type && type->type == SYM_PTR)
		type = pointed_at(type);
	PREPARE_PTR_LIST(type && type->type == SYM_FN ? type->arguments : NULL, param);
	FOR_EACH_PTR(e->args, arg) {
		struct usage u = usage_of_argument(arg, fn, ++nr, param, k);

		report_block(w, arg, u);
		walk(w, arg, u);
		NEXT_PTR_LIST(param);
	} END_FOR_EACH_PTR(arg);
	FINISH_PTR_LIST(param);
}

void walk_initializer(struct walk *w, struct expression *e, struct symbol *type, struct symbol *outer, struct ident *name)
{
	struct symbol *element = type && is_array(type) ? pointed_at(type) : type, *member;
	struct expression *item;

	if (!e)
		return;
	switch (e->type) {
	case EXPR_INITIALIZER:
		FOR_EACH_PTR(e->expr_list, item) {
			walk_initializer(w, item, item->type == EXPR_INDEX ? type : element, outer, name);
		} END_FOR_EACH_PTR(item);
		return;
	case EXPR_IDENTIFIER:
		member = type ? member_of(type, e->expr_ident) : NULL;
		walk_initializer(w, e->ident_expression, member ? bare_type(member) : NULL, type, e->expr_ident);
		return;
	case EXPR_INDEX:
		walk_initializer(w, e->idx_expression, element, outer, name);
		return;
	case EXPR_POS:
		walk_initializer(w, e->init_expr, type, outer, name);
		return;
	default:
		walk_into(w, outer, name, e);
	}
}

static void walk_cast(struct walk *w, struct expression *e, struct usage k)
{
	struct expression *inner = e->cast_expression;

	if (inner && inner->type == EXPR_INITIALIZER) {
		objects_positional(w->e, w->code, NULL, bare_type(e->cast_type), inner);
		walk_initializer(w, inner, bare_type(e->cast_type), NULL, NULL);
	} else {
		walk(w, inner, bare_type(e->cast_type) == &void_ctype ? unused : k);
	}
}

/* the first assignment to a pointer without an initialiser is as good as one, until there is a second */
static void walk_assignment(struct walk *w, struct expression *e)
{
	struct symbol *sym = e->op == '=' && e->left->type == EXPR_SYMBOL ? e->left->symbol : NULL;
	bool first = sym && is_local(sym) && !sym->initializer && !(sym->ctype.modifiers & MOD_ASSIGNED);
	struct expression *member = without_parens(e->left);

	if (!first)
		walk(w, e->left, e->op == '=' && !is_change(e->left, e->right) ? written : changed);
	if (member->type == EXPR_DEREF)
		walk_into(w, type_of(member->deref), member->member, e->right);
	else
		walk(w, e->right, read);
	if (sym)
		set_fresh(sym, e->right);
	if (first && !(sym->ctype.modifiers & MOD_ASSIGNED))	/* "at = &(*at)->next" leads to itself */
		sym->initializer = e->right;
}

static void walk_prefix(struct walk *w, struct expression *e, struct usage k)
{
	switch (e->op) {
	case '(':
		walk(w, e->unop, k);
		return;
	case '&':
		walk_address(w, e, k);
		return;
	case '*':
		walk_object(w, e, k);
		return;
	case SPECIAL_INCREMENT:
	case SPECIAL_DECREMENT:
		walk(w, e->unop, changed);
		return;
	default:
		walk(w, e->unop, tested);
	}
}

/* what runs in that part of the cases only */
static void walk_part(struct walk *w, struct expression *e, struct usage k, double part)
{
	double often = w->flow.often;

	w->flow.often = often * part;
	walk(w, e, k);
	w->flow.often = often;
}

static void walk_expression(struct walk *w, struct expression *e, struct usage k)
{
	double p;

	switch (e->type) {
	case EXPR_ASSIGNMENT:
		walk_assignment(w, e);
		return;
	case EXPR_BINOP:
		k.does = k.does ? DOES_READ : 0;
		walk(w, e->left, k);
		walk(w, e->right, k);
		return;
	case EXPR_CALL:
		walk_call(w, e, k);
		return;
	case EXPR_CAST:
	case EXPR_FORCE_CAST:
	case EXPR_IMPLIED_CAST:
		walk_cast(w, e, k);
		return;
	case EXPR_COMMA:
		walk(w, e->left, unused);
		walk(w, e->right, k);
		return;
	case EXPR_COMPARE:
		walk(w, e->left, k.does ? tested : unused);
		walk(w, e->right, k.does ? tested : unused);
		return;
	case EXPR_LOGICAL:
		p = often_true(e->left);
		walk(w, e->left, tested);
		walk_part(w, e->right, tested, e->op == SPECIAL_LOGICAL_AND ? p : 1 - p);
		return;
	case EXPR_CONDITIONAL:
	case EXPR_SELECT:
		p = often_true(e->conditional);
		walk(w, e->conditional, e->cond_true ? tested : read_for(k.through, k.through_by));
		walk_part(w, e->cond_true, k, p);
		walk_part(w, e->cond_false, k, 1 - p);
		return;
	case EXPR_DEREF:
		walk_object(w, e, k);
		return;
	case EXPR_GENERIC:
		walk(w, chosen_generic(e), k);
		return;
	case EXPR_POSTOP:
		walk(w, e->unop, changed);
		return;
	case EXPR_PREOP:
		walk_prefix(w, e, k);
		return;
	case EXPR_STATEMENT:
		walk_statement(w, e->statement, k);
		return;
	case EXPR_SYMBOL:
		walk_symbol(w, e, k);
		return;
	default:			/* constants, and operands that are not evaluated */
		return;
	}
}

void walk(struct walk *w, struct expression *e, struct usage k)
{
	if (!e)
		return;
	if (w->depth == MAX_DEPTH) {
		sparse_error(e->pos, "nested too deeply: what is done here is not followed");
		return;
	}
	w->depth++;
	walk_expression(w, e, k);
	w->depth--;
}
