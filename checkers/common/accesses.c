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

#include "access_walk.h"
#include "accesses.h"
#include "arena.h"
#include "expr_type.h"
#include "show.h"
#include "sparse_place.h"
#include "strmap.h"

#define MOD_SETUP	0x00200000UL	/* of a function in .init.text or .exit.text; a bit that sparse leaves alone */

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

void accesses_collect(struct evidence *e)
{
	struct walk w = { .e = e };

	walk_scope(&w, global_scope);
	walk_scope(&w, file_scope);
	follow_calls(&w);
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
