/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which symbols are computed from which. kconfig forgets all values at each change of a symbol; a search makes thousands
 * of changes, and most change little.
 *
 * A symbol that has its value was computed when all that it asked for had theirs, and forget() follows only those that
 * have one: whoever hangs on one that has none, and asked for it, has none either.
 */
#include "solver.h"

/* from a symbol to one that is computed from it */
struct use {
	struct entry *used, *user;
};

struct uses {
	struct use *all;
	size_t nr, room;
};

/* kconfig has this place for programs like this one */
struct entry *entry_of(const struct symbol *sym)
{
	return sym->def[S_DEF_DEF3].val;
}

static void add_use(struct uses *u, const struct symbol *sym, const struct symbol *user)
{
	struct entry *used = entry_of(sym);

	if (!used || used->last_user == entry_of(user))		/* a constant; known */
		return;
	used->last_user = entry_of(user);
	if (u->nr == u->room) {
		u->room = u->room * 2 + (1 << 16);
		u->all = realloc(u->all, u->room * sizeof(*u->all));
		if (!u->all)
			die("no memory", "");
	}
	u->all[u->nr++] = (struct use) { used, entry_of(user) };
}

static void add_uses_of_expr(struct uses *u, const struct expr *e, const struct symbol *user)
{
	if (!e)
		return;
	switch (e->type) {
	case E_NONE:
		break;
	case E_SYMBOL:
		add_use(u, e->left.sym, user);
		break;
	case E_AND:
	case E_OR:
		add_uses_of_expr(u, e->right.expr, user);
		/* fall through */
	case E_NOT:
		add_uses_of_expr(u, e->left.expr, user);
		break;
	default:		/* comparisons and ranges */
		add_use(u, e->left.sym, user);
		add_use(u, e->right.sym, user);
	}
}

static void add_uses_of_symbol(struct uses *u, const struct symbol *sym, const struct symbol *user)
{
	for (const struct property *prop = sym->prop; prop; prop = prop->next) {
		if (prop->text || prop->type == P_DEFAULT || prop->type == P_RANGE)
			add_uses_of_expr(u, prop->visible.expr, user);
		if (prop->type == P_DEFAULT || prop->type == P_RANGE)
			add_uses_of_expr(u, prop->expr, user);
	}
	add_uses_of_expr(u, sym->dir_dep.expr, user);
	add_uses_of_expr(u, sym->rev_dep.expr, user);
	add_uses_of_expr(u, sym->implied.expr, user);
	add_use(u, sym, user);
}

/* a choice and its values are computed together: each from what any of them hangs on */
static void add_uses_of_choice(struct uses *u, const struct menu *choice)
{
	for (const struct menu *a = choice->list; a; a = a->next) {
		if (!a->sym)
			continue;
		add_uses_of_symbol(u, a->sym, choice->sym);
		add_uses_of_symbol(u, choice->sym, a->sym);
		for (const struct menu *b = choice->list; b; b = b->next)
			if (b->sym)
				add_uses_of_symbol(u, a->sym, b->sym);
	}
}

static void add_uses_of_menus(struct uses *u, const struct menu *menu)
{
	for (; menu; menu = menu->next) {
		if (menu->sym)
			add_uses_of_symbol(u, menu->sym, menu->sym);
		if (menu->sym && !menu->sym->name)
			add_uses_of_choice(u, menu);
		add_uses_of_menus(u, menu->list);
	}
}

static int by_places(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->used != y->used)
		return x->used < y->used ? -1 : 1;
	return x->user < y->user ? -1 : x->user > y->user;
}

static void keep_uses(struct solver *s, struct uses *u)
{
	size_t next = 0, kept = 0;

	qsort(u->all, u->nr, sizeof(*u->all), by_places);
	s->users = calloc(u->nr + 1, sizeof(*s->users));
	s->stale = calloc(s->nr + 1, sizeof(*s->stale));
	if (!s->users || !s->stale)
		die("no memory", "");
	for (size_t i = 0; i < s->nr; i++) {
		s->all[i].user = kept;
		for (; next < u->nr && u->all[next].used == &s->all[i]; next++)
			if (kept == s->all[i].user || s->users[kept - 1] != u->all[next].user)
				s->users[kept++] = u->all[next].user;
	}
	s->all[s->nr].user = kept;
}

void list_users(struct solver *s)
{
	struct uses uses = { 0 };

	for (size_t i = 0; i < s->nr; i++)
		s->all[i].sym->def[S_DEF_DEF3].val = &s->all[i];
	add_uses_of_menus(&uses, &rootmenu);
	keep_uses(s, &uses);
	free(uses.all);
	sym_clear_all_valid();
}

void forget(struct solver *s, struct symbol *sym)
{
	size_t nr = 0;

	s->stale[nr++] = entry_of(sym);
	sym->flags &= ~SYMBOL_VALID;
	while (nr) {
		const struct entry *entry = s->stale[--nr];

		for (size_t i = entry->user; i < entry[1].user; i++) {
			if (!(s->users[i]->sym->flags & SYMBOL_VALID))
				continue;
			s->users[i]->sym->flags &= ~SYMBOL_VALID;
			s->stale[nr++] = s->users[i];
		}
	}
	if (!(modules_sym->flags & SYMBOL_VALID))	/* all tristates hang on it */
		sym_clear_all_valid();
}
