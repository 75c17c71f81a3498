/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdint.h>
#include <string.h>

#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"
#include "scope.h"

#include "accesses.h"
#include "arena.h"
#include "expr_type.h"
#include "objects.h"
#include "often.h"
#include "show.h"
#include "sparse_place.h"
#include "strmap.h"

#define MOD_SETUP	0x00200000UL	/* of a function in .init.text or .exit.text; a bit that sparse leaves alone */
#define MOD_FRESH		MOD_SETUP	/* of a local pointer: to what this function has just made */
#define MAX_CHAIN	16		/* members of members in one expression */

/* what is done with an expression's value or object, and, when its value is an address, with what lies there; and by whom */
struct usage {
	unsigned int does, through;
	struct ident *by, *through_by;
	struct symbol *to;		/* the function whose argument nr, from 1, the address is; NULL: none */
	unsigned int nr;
};

static const struct usage unused = { .through = DOES_NOTHING };
static const struct usage read = { .does = DOES_READ, .through = DOES_ADDRESS };
static const struct usage tested = { .does = DOES_READ, .through = DOES_NOTHING };
static const struct usage written = { .does = DOES_WRITE, .through = DOES_NOTHING };
static const struct usage changed = { .does = DOES_READ | DOES_WRITE, .through = DOES_NOTHING };

/* of an expression whose value is read for what is done through it */
static struct usage read_for(unsigned int through, struct ident *by)
{
	return (struct usage) { .does = DOES_READ, .through = through, .through_by = by };
}

/* of what lies where an address points that is used like k */
static struct usage behind(struct usage k)
{
	k.does = k.through;
	k.by = k.through_by;
	return k;
}

/*
 * A function calls another one or, callee NULL, whatever a member points to; or, caller NO_CODE, it is only named: member
 * is then where its address is put, NULL: elsewhere.
 */
struct call {
	size_t caller;
	struct symbol *callee;
	const struct record *record;
	struct ident *member;
	double often;
	const char *file;		/* in which it stands */
};

/* a use whose address a function got */
struct given {
	size_t use;
	struct symbol *to;
	unsigned int nr;
};

struct walk {
	struct evidence *e;
	size_t code;			/* the function */
	const char *file;		/* of what is walked */
	size_t first_use;		/* of it */
	int depth;			/* expressions around the one that is walked */
	struct flow flow;
	const struct record *into;	/* whose member is given what is walked; NULL: none */
	struct ident *into_member;
	struct call *calls;
	size_t nr_calls, room;
	struct given *given;
	size_t nr_given, given_room;
};

static void walk(struct walk *w, struct expression *e, struct usage k);
static void walk_statement(struct walk *w, struct statement *s, struct usage k);
static void walk_declaration(struct walk *w, struct symbol *sym);

static bool is_same(const struct ident *id, const char *s)
{
	return id ? s && strlen(s) == (size_t)id->len && !memcmp(id->name, s, id->len) : !s;
}

static void add_call(struct walk *w, struct symbol *callee, const struct record *r, struct ident *member, bool named)
{
	struct call call = { named ? NO_CODE : w->code, callee, r, member, w->flow.often, w->file };

	for (size_t i = w->nr_calls; i > 0 && w->calls[i - 1].caller == call.caller; i--) {
		struct call *c = &w->calls[i - 1];

		if (c->callee != call.callee || c->record != call.record || c->member != call.member)
			continue;
		c->often += call.often;
		return;
	}
	*ARENA_PUSH(w->calls, w->nr_calls, w->room) = call;
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

/* does the pointer come from an allocator that this function called, by way of tcp_sk(sk), container_of() and the like? */
static bool is_fresh(struct expression *e)
{
	struct expression *fn, *arg;

	e = without_parens(e);
	if (!e)
		return false;
	switch (e->type) {
	case EXPR_SYMBOL:
		return is_local(e->symbol) && e->symbol->ctype.modifiers & MOD_FRESH;
	case EXPR_CAST:
	case EXPR_FORCE_CAST:
		return is_fresh(e->cast_expression);
	case EXPR_BINOP:
		return is_fresh(e->left);
	case EXPR_GENERIC:
		return is_fresh(chosen_generic(e));
	case EXPR_STATEMENT:
		return is_fresh(last_value(e->statement));
	case EXPR_CALL:
		fn = callee_of(e->fn);
		if (fn && code_makes_object(fn->symbol_name->name, fn->symbol_name->len))
			return true;
		FOR_EACH_PTR(e->args, arg) {
			return is_fresh(arg);
		} END_FOR_EACH_PTR(arg);
		return false;
	default:
		return false;
	}
}

static void set_fresh(struct symbol *sym, struct expression *value)
{
	if (!is_local(sym) || bare_type(sym)->type != SYM_PTR)
		return;
	if (is_fresh(value))
		sym->ctype.modifiers |= MOD_FRESH;
	else
		sym->ctype.modifiers &= ~MOD_FRESH;
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

/* the member whose value is called: ops->f(x), (*x->f)(), READ_ONCE(x->f)(x); NULL: another pointer */
static struct expression *called_member(struct expression *e)
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

/* of an object of that type, NULL: not known; member: of the struct around it */
static void walk_initializer(struct walk *w, struct expression *e, struct symbol *type, struct symbol *outer, struct ident *name)
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

/* x = x + 1, which is x += 1 */
static bool is_change(struct expression *left, struct expression *right)
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

static void walk(struct walk *w, struct expression *e, struct usage k)
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

/* k: what is done with the value, of the last statement of a statement expression */
static void walk_statement(struct walk *w, struct statement *s, struct usage k)
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

static void walk_declaration(struct walk *w, struct symbol *sym)
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

static bool takes_control(struct symbol *fn)
{
	struct symbol *param;

	FOR_EACH_PTR(fn->arguments, param) {
		struct symbol *type = bare_type(param);

		if (type->type == SYM_PTR)
			type = pointed_at(type);
		if ((type->type == SYM_STRUCT || type->type == SYM_UNION) && type->ident &&
		    code_is_control_type(show_ident(type->ident)))
			return true;
	} END_FOR_EACH_PTR(param);
	return false;
}

/* what all the world sets a member with: an inline function of a public header */
static bool is_accessor(struct symbol *sym)
{
	return sym->ctype.modifiers & MOD_INLINE && strstr(stream_name(sym->pos.stream), "include/");
}

static enum code_phase phase_of(struct symbol *sym)
{
	const char *name = sym->ident->name;
	size_t len = sym->ident->len;
	enum code_phase phase = phase_of_function(name, len);

	for (struct symbol *s = sym; s; s = s->same_symbol)
		if (s->ctype.modifiers & MOD_SETUP)
			return PHASE_SETUP;
	if (phase == PHASE_RUN && (takes_control(sym->ctype.base_type) || (code_is_setter(name, len) && !is_accessor(sym))))
		return PHASE_CONTROL;
	return phase;
}

/* the file that alone knows the function; NULL: all do */
static const char *own_file(const struct symbol *sym)
{
	return sym->ctype.modifiers & (MOD_STATIC | MOD_INLINE) ? place_of(sym->pos).file : NULL;
}

static void walk_function(struct walk *w, struct symbol *sym, struct statement *body)
{
	w->code = w->e->nr_codes;
	w->first_use = w->e->nr_uses;
	*ARENA_PUSH(w->e->codes, w->e->nr_codes, w->e->codes_room) = (struct code) {
		arena_strndup(sym->ident->name, sym->ident->len), place_of(sym->pos), phase_of(sym), own_file(sym),
	};
	sym->aux = (void *)(uintptr_t)w->e->nr_codes;	/* never 0 */
	w->flow = (struct flow) { .often = 1 };
	walk_statement(w, body, unused);
}

static void walk_scope(struct walk *w, struct scope *scope)
{
	struct symbol *sym;

	FOR_EACH_PTR(scope->symbols, sym) {
		struct symbol *type = sym->ctype.base_type;

		if (sym->namespace != NS_SYMBOL || !sym->ident || !type)
			continue;
		w->code = NO_CODE;
		w->file = place_of(sym->pos).file;
		if (type->type != SYM_FN)
			walk_declaration(w, sym);
		else if (type->stmt || type->inline_stmt)
			walk_function(w, sym, type->stmt ? type->stmt : type->inline_stmt);
	} END_FOR_EACH_PTR(sym);
}

/* index of the function that sym declares, or NO_CODE; sym may be NULL */
static size_t code_of(const struct symbol *sym)
{
	if (!sym)
		return NO_CODE;
	if (sym->definition)
		sym = sym->definition;
	return (uintptr_t)sym->aux - 1;
}

/* static functions that members point to which say when these run */
static void mark_handlers(struct walk *w)
{
	for (size_t i = 0; i < w->nr_calls; i++) {
		const struct call *c = &w->calls[i];
		size_t code = c->caller == NO_CODE && c->record && c->record->name ? code_of(c->callee) : NO_CODE;

		if (code != NO_CODE && c->callee->ctype.modifiers & MOD_STATIC && w->e->codes[code].phase == PHASE_RUN)
			w->e->codes[code].phase = phase_of_handler(c->record->name, show_ident(c->member));
	}
}

/*
 * A static function of the unit's own file that is only called, and only by functions of a phase, is of that phase, too:
 * "callers' names that say so".
 */
static void spread_phases(struct walk *w, const char *file)
{
	enum code_phase *from = arena_alloc((w->e->nr_codes + 1) * sizeof(*from));
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < w->e->nr_codes; i++)
			from[i] = PHASE_SETUP + 1;
		for (size_t i = 0; i < w->nr_calls; i++) {
			size_t callee = code_of(w->calls[i].callee), caller = w->calls[i].caller;
			enum code_phase p = caller == NO_CODE ? PHASE_RUN : w->e->codes[caller].phase;

			if (callee != NO_CODE && callee != caller && p < from[callee])
				from[callee] = p;
		}
		for (size_t i = 0; i < w->nr_calls; i++) {
			size_t callee = code_of(w->calls[i].callee);
			struct code *c = callee == NO_CODE ? NULL : &w->e->codes[callee];

			if (!c || !(w->calls[i].callee->ctype.modifiers & MOD_STATIC) || from[callee] > PHASE_SETUP ||
			    from[callee] <= c->phase || strcmp(c->place.file, file))
				continue;
			c->phase = from[callee];
			again = true;
		}
	}
}

static struct symbol *nth_parameter(struct symbol *fn, unsigned int nr)
{
	struct symbol *param;

	FOR_EACH_PTR(fn->ctype.base_type->arguments, param) {
		if (!--nr)
			return param;
	} END_FOR_EACH_PTR(param);
	return NULL;
}

/*
 * A function that was given an address, and whose body is here, does with it what it does with its parameter. Only an inline
 * one, or one of the same file: what a header's function does must be the same in every unit.
 */
static void resolve_given(struct walk *w)
{
	for (size_t i = 0; i < w->nr_given; i++) {
		struct use *u = &w->e->uses[w->given[i].use];
		struct symbol *to = w->given[i].to->definition ? w->given[i].to->definition : w->given[i].to, *param;
		size_t code = code_of(to);

		if (code == NO_CODE || !is_function(to->ctype.base_type) ||
		    (!(to->ctype.modifiers & MOD_INLINE) && strcmp(w->e->codes[code].place.file, w->e->codes[u->code].place.file)))
			continue;
		param = nth_parameter(to, w->given[i].nr);
		if (param && param->aux)
			u->does = (uintptr_t)param->aux;
	}
}

/* does nothing that would be seen if it were called; of other files' functions it is not known */
static bool is_idle(const bool *busy, const struct symbol *callee)
{
	size_t code = code_of(callee);

	return code != NO_CODE && own_file(callee) && !busy[code];
}

static void add_link(struct walk *w, const struct call *c, const bool *busy)
{
	const struct symbol *fn = c->callee && c->callee->definition ? c->callee->definition : c->callee;
	const char *member = c->member ? arena_printf("%s.%s", record_title(c->record), show_ident(c->member)) : NULL;
	const char *name = fn ? arena_strndup(fn->ident->name, fn->ident->len) : NULL;

	if (name && (!strncmp(name, "__builtin_", 10) || !toplevel(c->callee->scope)))	/* BUILD_BUG_ON() declares what is nowhere */
		return;
	if (c->caller == NO_CODE && (member ? c->record->name != NULL : own_file(fn) && strcmp(own_file(fn), base_filename)))
		*ARENA_PUSH(w->e->handlers, w->e->nr_handlers, w->e->handlers_room) = (struct handler) {
			member, name, own_file(fn), c->file,
		};
	if (c->caller != NO_CODE && (fn ? !is_idle(busy, fn) : !!c->record->name))
		*ARENA_PUSH(w->e->links, w->e->nr_links, w->e->links_room) = (struct link) {
			c->caller, fn ? name : member, fn ? own_file(fn) : NULL, c->often,
		};
}

static void add_links(struct walk *w)
{
	bool *busy = arena_alloc(w->e->nr_codes + 1);

	for (size_t i = 0; i < w->e->nr_uses; i++)
		busy[w->e->uses[i].code] = true;
	for (size_t i = 0; i < w->nr_calls; i++)
		if (w->calls[i].caller != NO_CODE)
			busy[w->calls[i].caller] = true;
	for (size_t i = 0; i < w->nr_calls; i++)
		add_link(w, &w->calls[i], busy);
}

void unit_files(void (*visit)(const char *file, void *arg), void *arg)
{
	struct strmap known = { 0 };

	for (int i = 0; i < input_stream_nr; i++) {
		const char *file = place_of((struct position) { .stream = i }).file;
		size_t len = strlen(file);

		if (input_streams[i].fd < 0 || strmap_get(&known, file, len))
			continue;
		strmap_add(&known, file, len, 0);
		visit(file, arg);
	}
}

void accesses_collect(struct evidence *e)
{
	struct walk w = { .e = e };

	walk_scope(&w, global_scope);
	walk_scope(&w, file_scope);
	mark_handlers(&w);
	spread_phases(&w, base_filename);
	resolve_given(&w);
	add_links(&w);
}

static struct symbol_op section_op;

static struct token *on_section(struct token *token, struct symbol *attr, struct decl_state *ctx)
{
	struct expression *e = NULL;

	(void)attr;
	token = parens_expression(token, &e, "in attribute");
	e = without_parens(e);
	if (e && e->type == EXPR_STRING && (!strcmp(e->string->data, ".init.text") || !strcmp(e->string->data, ".exit.text") ||
					    !strcmp(e->string->data, ".meminit.text")))
		ctx->f_modifiers |= MOD_SETUP;
	return token;
}

void accesses_watch_sections(void)
{
	static const char *const words[] = { "section", "__section__" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct symbol *sym = lookup_symbol(built_in_ident(words[i]), NS_KEYWORD);

		if (!sym || !sym->op)
			continue;
		section_op = *sym->op;
		section_op.attribute = on_section;
		sym->op = &section_op;
	}
}
