/* SPDX-License-Identifier: GPL-2.0-only */
#include "solver.h"

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = ((const struct entry *)a)->sym, *y = ((const struct entry *)b)->sym;

	return x < y ? -1 : x > y;
}

static void find_symbols(struct solver *s, struct menu *menu)
{
	for (; menu; menu = menu->next) {
		if (menu->sym) {
			if (s->nr == s->room) {
				s->room = s->room * 2 + 4096;
				s->all = realloc(s->all, s->room * sizeof(*s->all));
				if (!s->all)
					die("no memory", "");
			}
			s->all[s->nr++] = (struct entry) { .sym = menu->sym, .menu = menu };
		}
		find_symbols(s, menu->list);
	}
}

/* the choice that a menu entry belongs to, or NULL: a choice is a symbol without a name */
static struct menu *choice_around(const struct menu *menu)
{
	struct menu *parent = menu->parent;

	return parent && parent->sym && !parent->sym->name ? parent : NULL;
}

struct menu *choice_of(const struct solver *s, struct symbol *sym)
{
	struct entry key = { .sym = sym }, *entry = bsearch(&key, s->all, s->nr, sizeof(key), by_address);

	return entry ? choice_around(entry->menu) : NULL;
}

/* a symbol with several entries comes once; that of a choice wins */
static void sort_symbols(struct solver *s)
{
	size_t kept = 0;

	qsort(s->all, s->nr, sizeof(*s->all), by_address);
	for (size_t i = 0; i < s->nr; i++) {
		if (!kept || s->all[kept - 1].sym != s->all[i].sym)
			s->all[kept++] = s->all[i];
		else if (choice_around(s->all[i].menu))
			s->all[kept - 1] = s->all[i];
	}
	s->nr = kept;
}

void list_symbols(struct solver *s)
{
	find_symbols(s, &rootmenu);
	sort_symbols(s);
}

void set_user_value(struct symbol *sym, tristate tri)
{
	sym->def[S_DEF_USER].tri = tri;
	sym->flags |= SYMBOL_DEF_USER;
}

/* 5.10: allnoconfig has these on all the same */
static bool is_always_on(const struct symbol *sym)
{
#ifdef SYMBOL_ALLNOCONFIG_Y
	return sym->flags & SYMBOL_ALLNOCONFIG_Y;
#else
	return false;
#endif
}

static void set_everything(struct solver *s, tristate tri)
{
	for (size_t i = 0; i < s->nr; i++) {
		struct symbol *sym = s->all[i].sym;

		/* up to 6.9, a choice of tristates may have several m */
		if (sym->type == S_TRISTATE || (is_logic(sym) && !sym_is_choice(sym) && !sym_is_choice_value(sym)))
			set_user_value(sym, tri == no && is_always_on(sym) ? yes : tri);
	}
	sym_clear_all_valid();
}

void remember(struct solver *s, enum moment moment)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct symbol *sym = s->all[i].sym;
		const struct symbol_value *user = &sym->def[S_DEF_USER];
		struct word *w = &s->all[i].words[moment];

		free(w->text);
		*w = (struct word) { user->tri, user->val, !is_logic(sym) && user->val ? strdup(user->val) : NULL,
				     sym->flags & SYMBOL_DEF_USER };
	}
}

static void restore(struct solver *s, enum moment moment)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct word *w = &s->all[i].words[moment];
		struct symbol *sym = s->all[i].sym;
		struct symbol_value *user = &sym->def[S_DEF_USER];

		if (is_logic(sym))
			user->val = w->val;
		else if (w->text && (!user->val || strcmp(w->text, user->val)))
			user->val = strdup(w->text);	/* kconfig frees what it replaces */
		user->tri = w->tri;
		sym->flags = (sym->flags & ~SYMBOL_DEF_USER) | (w->is_said ? SYMBOL_DEF_USER : 0);
	}
}

void go_back(struct solver *s, enum moment moment)
{
	restore(s, moment);
	sym_clear_all_valid();
}

void read_base(struct solver *s, const char *name)
{
	bool is_file = strcmp(name, "allno") && strcmp(name, "allmod") && strcmp(name, "alldef");

	/* conf_read() would forget what the file says of invisible symbols; a fragment behind the file would not */
	if (conf_read_simple(is_file ? name : "/dev/null", S_DEF_USER))
		die("cannot be read: ", name);
	sym_calc_value(modules_sym);
	if (!strcmp(name, "allno") || !strcmp(name, "allmod"))
		set_everything(s, name[3] == 'n' ? no : mod);
	remember(s, BASE);
}

void say_base(struct solver *s)
{
	s->nr_kept = s->nr_open = s->nr_changed = 0;
	s->way[0] = '\0';
	restore(s, BASE);
}

void back_to_base(struct solver *s)
{
	bool has_changed = s->nr_changed;

	say_base(s);
	if (has_changed)		/* kconfig forgets all that it has computed, and slowly */
		sym_clear_all_valid();
}

void note_change(struct solver *s, struct symbol *sym)
{
	s->is_dirty = true;
	if (is_among(s->changed, s->nr_changed, sym))
		return;
	if (s->nr_changed == MANY)
		die("too many symbols in one request", "");
	s->changed[s->nr_changed++] = sym;
}
