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
#include "arena.h"
#include "expr_type.h"
#include "show.h"
#include "sparse_place.h"

void add_call(struct walk *w, struct symbol *callee, const struct record *r, struct ident *member, bool named)
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

const char *own_file(const struct symbol *sym)
{
	return sym->ctype.modifiers & (MOD_STATIC | MOD_INLINE) ? place_of(sym->pos).file : NULL;
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

void follow_calls(struct walk *w)
{
	mark_handlers(w);
	spread_phases(w, base_filename);
	resolve_given(w);
	add_links(w);
}
