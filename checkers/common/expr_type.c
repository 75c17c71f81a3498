/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"
#include "scope.h"

#include "expr_type.h"

#define MAX_STEPS	64	/* along typedefs, or variables that hold each other's address */

bool ident_is(const struct ident *id, const char *s)
{
	return strlen(s) == (size_t)id->len && !memcmp(id->name, s, id->len);
}

bool ident_has(const struct ident *id, const char *part)
{
	return memmem(id->name, id->len, part, strlen(part));
}

bool is_unevaluated(const struct ident *callee)
{
	static const char *const names[] = {
		"__builtin_constant_p", "__builtin_dynamic_object_size", "__builtin_object_size",
		"__builtin_types_compatible_p",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (ident_is(callee, names[i]))
			return true;
	return false;
}

/* remembered where sparse itself would put it; nothing evaluates a typeof of a function body behind us */
static struct symbol *typeof_type(struct symbol *type)
{
	if (!type->ctype.base_type)
		type->ctype.base_type = type_of(type->initializer);
	return type->ctype.base_type;
}

struct symbol *bare_type(struct symbol *type)
{
	for (int steps = 0; type && steps < MAX_STEPS; steps++) {
		switch (type->type) {
		case SYM_NODE:
			type = type->ctype.base_type == &autotype_ctype ? type_of(type->initializer) : type->ctype.base_type;
			break;
		case SYM_RESTRICT:
		case SYM_FOULED:
			type = type->ctype.base_type;
			break;
		case SYM_TYPEOF:
#ifdef HAVE_TYPEOF_UNQUAL
		case SYM_TYPEOF_UNQUAL:
#endif
			type = typeof_type(type);
			break;
		default:
			return type;
		}
	}
	return &bad_ctype;
}

struct symbol *pointed_at(struct symbol *pointer)
{
	return bare_type(pointer->ctype.base_type);
}

bool is_array(const struct symbol *type)
{
	return type->type == SYM_ARRAY;
}

bool is_pointer(const struct symbol *type)
{
	return type->type == SYM_PTR || type->type == SYM_ARRAY;
}

/* sparse keeps the qualifiers of what is pointed to with the pointer */
bool is_pointer_to_const(struct symbol *param)
{
	struct symbol *type = param ? bare_type(param) : NULL;

	return type && type->type == SYM_PTR && type->ctype.modifiers & MOD_CONST;
}

struct record *record_of_type(struct symbol *type)
{
	return type->type == SYM_STRUCT || type->type == SYM_UNION ? type->aux : NULL;
}

bool is_local(const struct symbol *sym)
{
	return sym && !(sym->ctype.modifiers & (MOD_STATIC | MOD_EXTERN)) && !toplevel(sym->scope);
}

struct symbol *member_of(struct symbol *type, struct ident *name)
{
	struct symbol *sym, *inner;

	if (type->type != SYM_STRUCT && type->type != SYM_UNION)
		return NULL;
	FOR_EACH_PTR(type->symbol_list, sym) {
		if (sym->ident == name)
			return sym;
		inner = sym->ident ? NULL : member_of(bare_type(sym), name);
		if (inner)
			return inner;
	} END_FOR_EACH_PTR(sym);
	return NULL;
}

struct expression *without_parens(struct expression *e)
{
	while (e && e->type == EXPR_PREOP && e->op == '(')
		e = e->unop;
	return e;
}

static struct expression *kept_in(struct symbol *sym)
{
	if (!is_local(sym) || sym->ctype.modifiers & MOD_ASSIGNED)
		return NULL;
	return sym->initializer;
}

struct expression *address_in(struct expression *e)
{
	for (int steps = 0; e && steps < MAX_STEPS; steps++) {
		switch (e->type) {
		case EXPR_CAST:
		case EXPR_FORCE_CAST:
		case EXPR_IMPLIED_CAST:
			e = e->cast_expression;
			break;
		case EXPR_PREOP:
			if (e->op != '(')
				return e->op == '&' ? e : NULL;
			e = e->unop;
			break;
		case EXPR_SYMBOL:
			e = kept_in(e->symbol);
			break;
		default:
			return NULL;
		}
	}
	return NULL;
}

struct expression *chosen_generic(struct expression *e)
{
	return e->def ? e->def : e->map ? e->map->expr : NULL;
}

struct expression *callee_of(struct expression *fn)
{
	fn = without_parens(fn);
	if (fn && fn->type == EXPR_GENERIC)
		fn = fn->map ? without_parens(fn->map->expr) : NULL;
	if (!fn || fn->type != EXPR_SYMBOL || (fn->symbol && bare_type(fn->symbol)->type == SYM_PTR))
		return NULL;
	return fn;
}

static struct symbol *pointer_to(struct expression *e)
{
	struct symbol *type = alloc_symbol(e->pos, SYM_PTR);

	type->ctype.base_type = type_of(e);
	return type;
}

/* __builtin_choose_expr() and __builtin_expect() are calls for the parser */
static struct symbol *type_of_call(struct expression *e)
{
	struct expression *fn = callee_of(e->fn), *arg;
	struct symbol *type = type_of(e->fn);

	if (fn && (ident_is(fn->symbol_name, "__builtin_choose_expr") || ident_is(fn->symbol_name, "__builtin_expect"))) {
		FOR_EACH_PTR(e->args, arg) {
			if (is_pointer(type_of(arg)))
				return type_of(arg);
		} END_FOR_EACH_PTR(arg);
	}
	if (type->type == SYM_PTR)
		type = pointed_at(type);
	return type->type == SYM_FN ? pointed_at(type) : &bad_ctype;
}

struct expression *last_value(struct statement *s)
{
	struct statement *last = NULL;

	if (s && s->type == STMT_COMPOUND)
		last = last_ptr_list((struct ptr_list *)s->stmts);
	while (last && last->type == STMT_LABEL)
		last = last->label_statement;
	return last && last->type == STMT_EXPRESSION ? last->expression : NULL;
}

static struct symbol *type_of_prefix(struct expression *e)
{
	struct symbol *type;

	switch (e->op) {
	case '&':
		return pointer_to(e->unop);
	case '*':
		type = type_of(e->unop);
		return is_pointer(type) ? pointed_at(type) : type;
	case '!':
		return &int_ctype;
	default:
		return type_of(e->unop);
	}
}

/* NULL is a void pointer */
static struct symbol *better_of(struct symbol *a, struct symbol *b)
{
	if (!is_pointer(a) || pointed_at(a) == &void_ctype)
		return is_pointer(b) || a == &bad_ctype ? b : a;
	return a;
}

static struct symbol *infer(struct expression *e)
{
	struct symbol *member;

	switch (e->type) {
	case EXPR_STRING:
		return &string_ctype;
	case EXPR_SYMBOL:
		return e->symbol ? bare_type(e->symbol) : &bad_ctype;
	case EXPR_DEREF:
		member = member_of(type_of(e->deref), e->member);
		return member ? bare_type(member) : &bad_ctype;
	case EXPR_PREOP:
		return type_of_prefix(e);
	case EXPR_POSTOP:
		return type_of(e->unop);
	case EXPR_BINOP:
		return better_of(type_of(e->left), type_of(e->right));
	case EXPR_ASSIGNMENT:
		return type_of(e->left);
	case EXPR_COMMA:
		return type_of(e->right);
	case EXPR_CONDITIONAL:
	case EXPR_SELECT:
		return better_of(type_of(e->cond_true ? e->cond_true : e->conditional), type_of(e->cond_false));
	case EXPR_CALL:
		return type_of_call(e);
	case EXPR_CAST:
	case EXPR_FORCE_CAST:
	case EXPR_IMPLIED_CAST:
		return bare_type(e->cast_type);
	case EXPR_STATEMENT:
		return type_of(last_value(e->statement));
	case EXPR_GENERIC:
		return type_of(chosen_generic(e));
	default:
		return &int_ctype;
	}
}

/* kept in the expression itself: nothing evaluates it any more. The first value ends a circle of typeofs. */
struct symbol *type_of(struct expression *e)
{
	static int depth;

	if (!e)
		return &bad_ctype;
	if (!e->ctype) {
		e->ctype = &bad_ctype;
		if (depth < MAX_DEPTH) {
			depth++;
			e->ctype = infer(e);
			depth--;
		}
	}
	return bare_type(e->ctype);
}
