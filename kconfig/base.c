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
			if (s->nr + 1 >= s->room) {
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

struct menu *choice_of(struct symbol *sym)
{
	struct entry *entry = entry_of(sym);

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
	s->choices = calloc(s->nr + 1, sizeof(*s->choices));
	if (!s->choices)
		die("no memory", "");
	for (size_t i = 0; i < s->nr; i++)
		if (!s->all[i].sym->name)
			s->choices[s->nr_choices++] = s->all[i].sym;
}

static struct word word_of(struct symbol *sym)
{
	return (struct word) { sym, sym->def[S_DEF_USER], sym->flags & SYMBOL_DEF_USER };
}

/* before something else is said of it */
static void keep_word(struct solver *s, struct symbol *sym)
{
	if (s->nr_words == s->room_words) {
		s->room_words = s->room_words * 2 + 4096;
		s->words = realloc(s->words, s->room_words * sizeof(*s->words));
		if (!s->words)
			die("no memory", "");
	}
	s->words[s->nr_words++] = word_of(sym);
}

/* those of choices are kept always: up to 6.9 kconfig itself changes them while it computes */
size_t mark(struct solver *s)
{
	size_t nr = s->nr_words;

	for (size_t i = 0; i < s->nr_choices; i++)
		keep_word(s, s->choices[i]);
	return nr;
}

void take_back(struct solver *s, size_t mark)
{
	while (s->nr_words > mark) {
		const struct word *w = &s->words[--s->nr_words];
		struct symbol *sym = w->sym;
		struct symbol_value *user = &sym->def[S_DEF_USER];

		if (user->val == w->user.val && user->tri == w->user.tri && !(sym->flags & SYMBOL_DEF_USER) == !w->is_said)
			continue;
		if (!is_logic(sym) && user->val != w->user.val)
			free(user->val);
		*user = w->user;
		sym->flags = (sym->flags & ~SYMBOL_DEF_USER) | (w->is_said ? SYMBOL_DEF_USER : 0);
		forget(s, sym);
	}
}

static void say(struct symbol *sym, tristate tri)
{
	sym->def[S_DEF_USER].tri = tri;
	sym->flags |= SYMBOL_DEF_USER;
}

void set_user_value(struct solver *s, struct symbol *sym, tristate tri)
{
	if (sym->flags & SYMBOL_DEF_USER && sym->def[S_DEF_USER].tri == tri)
		return;
	keep_word(s, sym);
	say(sym, tri);
	forget(s, sym);
}

void set_user_text(struct solver *s, struct symbol *sym, const char *text)
{
	bool is_bare = sym->type == S_HEX && strncasecmp(text, "0x", 2);
	char *copy;

	if (asprintf(&copy, "%s%s", is_bare ? "0x" : "", text) < 0)
		die("no memory", "");
	keep_word(s, sym);
	sym->def[S_DEF_USER].val = copy;
	sym->flags |= SYMBOL_DEF_USER;
	forget(s, sym);
}

void set_base_value(struct solver *s, struct symbol *sym)
{
	const struct word *w = &entry_of(sym)->base;

	if (is_logic(sym) || !w->user.val) {
		keep_word(s, sym);
		sym->def[S_DEF_USER] = w->user;
	} else {
		set_user_text(s, sym, w->user.val);
	}
	sym->flags = (sym->flags & ~SYMBOL_DEF_USER) | (w->is_said ? SYMBOL_DEF_USER : 0);
	forget(s, sym);
}

bool set_visible_value(struct solver *s, struct symbol *sym, tristate tri)
{
	struct menu *choice = choice_of(sym);

	sym_calc_value(sym);
	if (!choice && sym_get_tristate_value(sym) != tri) {
		if (!sym_tristate_within_range(sym, tri))
			return false;
		set_user_value(s, sym, tri);
		return true;
	}
	keep_word(s, sym);	/* it knows more of choices, and computes all again */
	for (struct menu *menu = choice ? choice->list : NULL; menu; menu = menu->next)
		if (menu->sym)
			keep_word(s, menu->sym);
	if (choice)
		keep_word(s, choice->sym);
	return sym_set_tristate_value(sym, tri);
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

static void say_everything(struct solver *s, tristate tri)
{
	for (size_t i = 0; i < s->nr; i++) {
		struct symbol *sym = s->all[i].sym;

		/* up to 6.9, a choice of tristates may have several m */
		if (sym->type == S_TRISTATE || (is_logic(sym) && !sym_is_choice(sym) && !sym_is_choice_value(sym)))
			say(sym, tri == no && is_always_on(sym) ? yes : tri);
	}
	sym_clear_all_valid();
}

void read_base(struct solver *s, const char *name)
{
	bool is_file = strcmp(name, "allno") && strcmp(name, "allmod") && strcmp(name, "alldef");

	back_to_base(s);	/* the texts are kconfig's again, which frees them */
	s->nr_words = 0;
	/* conf_read() would forget what the file says of invisible symbols; a fragment behind the file would not */
	if (conf_read_simple(is_file ? name : "/dev/null", S_DEF_USER))
		die("cannot be read: ", name);
	sym_calc_value(modules_sym);
	if (!strcmp(name, "allno") || !strcmp(name, "allmod"))
		say_everything(s, name[3] == 'n' ? no : mod);
	for (size_t i = 0; i < s->nr; i++)
		s->all[i].base = word_of(s->all[i].sym);
	mark(s);
}

void back_to_base(struct solver *s)
{
	s->nr_kept = s->nr_open = s->nr_changed = 0;
	s->way[0] = '\0';
	take_back(s, 0);
	mark(s);
}

void note_change(struct solver *s, struct symbol *sym)
{
	if (is_among(s->changed, s->nr_changed, sym))
		return;
	if (s->nr_changed == MANY)
		die("too many symbols in one request", "");
	s->changed[s->nr_changed++] = sym;
}
