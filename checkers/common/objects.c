/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"
#include "scope.h"

#include "arena.h"
#include "expr_type.h"
#include "objects.h"
#include "sparse_place.h"
#include "sparse_records.h"

/* arguments counted from 1; 0: it has none such. Sorted. */
static const struct allocator {
	const char *name;		/* without __ and _noprof */
	unsigned int size, align, flags;
} allocators[] = {
	{ "alloc_percpu", 1, 2, 0 },
	{ "alloc_percpu_gfp", 1, 2, 0 },
	{ "devm_alloc_percpu", 2, 3, 0 },
	{ "devm_kcalloc", 3, 0, 0 },
	{ "devm_kmalloc", 2, 0, 0 },
	{ "devm_kzalloc", 2, 0, 0 },
	{ "kcalloc", 2, 0, 0 },
	{ "kcalloc_node", 2, 0, 0 },
	{ "kmalloc", 1, 0, 0 },
	{ "kmalloc_array", 2, 0, 0 },
	{ "kmalloc_node", 1, 0, 0 },
	{ "kmem_cache_create", 2, 3, 4 },
	{ "kmem_cache_create_args", 2, 3, 4 },
	{ "kmem_cache_create_usercopy", 2, 3, 4 },
	{ "kmem_cache_default_args", 2, 3, 4 },
	{ "kmemdup", 2, 0, 0 },
	{ "kvcalloc", 2, 0, 0 },
	{ "kvmalloc", 1, 0, 0 },
	{ "kvmalloc_array", 2, 0, 0 },
	{ "kvmalloc_node", 1, 0, 0 },
	{ "kvzalloc", 1, 0, 0 },
	{ "kvzalloc_node", 1, 0, 0 },
	{ "kzalloc", 1, 0, 0 },
	{ "kzalloc_node", 1, 0, 0 },
	{ "vmalloc", 1, 0, 0 },
	{ "vzalloc", 1, 0, 0 },
};

static const struct allocator *find_allocator(const struct ident *callee)
{
	const char *s = callee->name;
	size_t len = callee->len;

	while (len > 2 && *s == '_')
		s++, len--;
	if (len > 7 && !memcmp(s + len - 7, "_noprof", 7))
		len -= 7;
	for (size_t i = 0; i < ARRAY_SIZE(allocators); i++)
		if (strlen(allocators[i].name) == len && !memcmp(allocators[i].name, s, len))
			return &allocators[i];
	return NULL;
}

static struct record *sized_in_list(struct expression_list *list);

/* the struct whose sizeof is in the expression, struct_size() too */
static struct record *sized_in(struct expression *e)
{
	struct record *r;

	if (!e)
		return NULL;
	switch (e->type) {
	case EXPR_SIZEOF:
		return record_of_type(e->cast_type ? bare_type(e->cast_type) : type_of(e->cast_expression));
	case EXPR_PREOP:
		return sized_in(e->unop);
	case EXPR_CAST:
	case EXPR_FORCE_CAST:
		return sized_in(e->cast_expression);
	case EXPR_BINOP:
		r = sized_in(e->left);
		return r ? r : sized_in(e->right);
	case EXPR_CONDITIONAL:
		r = sized_in(e->cond_true);
		return r ? r : sized_in(e->cond_false);
	case EXPR_CALL:
		return sized_in_list(e->args);
	default:
		return NULL;
	}
}

static struct record *sized_in_list(struct expression_list *list)
{
	struct expression *e;

	FOR_EACH_PTR(list, e) {
		struct record *r = sized_in(e);

		if (r)
			return r;
	} END_FOR_EACH_PTR(e);
	return NULL;
}

static struct expression *nth(struct expression_list *list, unsigned int n)
{
	struct expression *e;

	FOR_EACH_PTR(list, e) {
		if (!--n)
			return e;
	} END_FOR_EACH_PTR(e);
	return NULL;
}

/* made of numbers alone, so that sparse can be asked for its value without a word about it */
static bool is_number(struct expression *e)
{
	if (!e)
		return false;
	switch (e->type) {
	case EXPR_VALUE:
	case EXPR_SIZEOF:
	case EXPR_ALIGNOF:
		return true;
	case EXPR_PREOP:
		return (e->op == '(' || e->op == '~' || e->op == '-') && is_number(e->unop);
	case EXPR_CAST:
	case EXPR_FORCE_CAST:
		return is_number(e->cast_expression);
	case EXPR_BINOP:
		return is_number(e->left) && is_number(e->right);
	default:
		return false;
	}
}

static unsigned long long number_of(struct expression *e)
{
	long long value = is_number(e) ? get_expression_value_silent(e) : 0;

	return value > 0 ? value : 0;
}

/* kmem_cache_create() of 6.12 takes a number, or &(struct kmem_cache_args) { .align = n } */
static struct expression *align_argument(struct expression *e)
{
	struct expression *item;

	e = without_parens(e);
	if (!e || e->type != EXPR_PREOP || e->op != '&')
		return e;
	e = without_parens(e->unop);
	if (!e || e->type != EXPR_CAST || !e->cast_expression || e->cast_expression->type != EXPR_INITIALIZER)
		return NULL;
	FOR_EACH_PTR(e->cast_expression->expr_list, item) {
		if (item->type == EXPR_IDENTIFIER && ident_is(item->expr_ident, "align"))
			return item->ident_expression;
	} END_FOR_EACH_PTR(item);
	return NULL;
}

static void add_object(struct evidence *e, struct object o)
{
	*ARENA_PUSH(e->objects, e->nr_objects, e->objects_room) = o;
}

void objects_allocated(struct evidence *e, size_t code, struct ident *callee, struct expression *call)
{
	const struct allocator *a = find_allocator(callee);
	struct expression *size = a ? nth(call->args, a->size) : NULL;
	struct record *r = sized_in(size);

	if (!r)
		return;
	add_object(e, (struct object) {
		.record = r, .kind = a->name, .place = place_of(call->pos), .code = code,
		.align = a->align ? number_of(align_argument(nth(call->args, a->align))) : 0,
		.hwcache = a->flags && number_of(nth(call->args, a->flags)) & unit_macro("SLAB_HWCACHE_ALIGN"),
	});
}

void objects_declared(struct evidence *e, size_t code, struct symbol *sym)
{
	struct symbol *type = bare_type(sym);

	while (is_array(type))
		type = pointed_at(type);
	if (!sym->ident || sym->ctype.modifiers & MOD_EXTERN || !record_of_type(type))
		return;
	add_object(e, (struct object) {
		.record = record_of_type(type), .kind = is_local(sym) ? "stack" : "static", .code = code,
		.variable = arena_strndup(sym->ident->name, sym->ident->len), .place = place_of(sym->pos),
		.align = sym->ctype.alignment,
	});
}

/* { 0 } is meant for the whole struct */
static bool is_zero(struct expression *e)
{
	return e->type == EXPR_VALUE && !e->value;
}

/* the type that the nr-th initialised member has, by name or by position */
static struct symbol *initialised(struct symbol *type, struct expression *item, unsigned int nr)
{
	struct symbol *sym;

	if (is_array(type))
		return pointed_at(type);
	if (item->type == EXPR_IDENTIFIER) {
		sym = member_of(type, item->expr_ident);
		return sym ? bare_type(sym) : &bad_ctype;
	}
	FOR_EACH_PTR(type->symbol_list, sym) {
		if (!nr--)
			return bare_type(sym);
	} END_FOR_EACH_PTR(sym);
	return &bad_ctype;
}

void objects_positional(struct evidence *e, size_t code, struct ident *variable, struct symbol *type, struct expression *init)
{
	struct record *r = record_of_type(type);
	struct expression *item;
	unsigned int nr = 0, place = 0;
	bool zero = false;

	if (!init || init->type != EXPR_INITIALIZER || (!r && !is_array(type)))
		return;
	FOR_EACH_PTR(init->expr_list, item) {
		struct expression *value = item->type == EXPR_IDENTIFIER ? item->ident_expression :
					   item->type == EXPR_INDEX ? item->idx_expression : item;

		objects_positional(e, code, variable, initialised(type, item, place++), value);
		if (r && item->type != EXPR_IDENTIFIER && item->type != EXPR_INDEX && !nr++)
			zero = is_zero(item);
	} END_FOR_EACH_PTR(item);
	if (!nr || (nr == 1 && zero))
		return;
	*ARENA_PUSH(e->positionals, e->nr_positionals, e->positionals_room) = (struct positional) {
		.record = r, .variable = variable ? arena_strndup(variable->name, variable->len) : NULL,
		.place = place_of(init->pos), .nr = nr, .code = code,
	};
}
