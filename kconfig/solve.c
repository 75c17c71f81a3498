/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configurations that a tree's Kconfig allows, found with the tree's own kconfig.
 *
 * Compiled and linked per tree (scripts/lk/kconfig.py) with the objects of its scripts/kconfig, in the environment that
 * its Makefile gives to them. Only what lkc.h and expr.h have had since 5.10 is used. Kconfig is parsed once; then
 * each line of stdin is a request of words between tabs, and its answer, lines of such words, ends with the line "end".
 *
 *	base FILE|allno|allmod|alldef	what the next requests start from
 *	solve FILE SYMBOL=VALUE...	a near configuration with these values; it is written to FILE
 *	cover FOLDER N SYMBOL...	at most N configurations in which each two of the symbols have every two values that
 *					they can have at once; written to FOLDER/0, FOLDER/1, ...
 *
 * VALUE is y, n, m, a number, a string, or "max": the end of the symbol's range. Symbols are without CONFIG_.
 *
 *	symbol	NAME TYPE VALUE		of cover: bool, tristate, integer, hex, string or unknown; its value in the base
 *	config	FILE			it was written, and what follows belongs to it
 *	have	SYMBOL=VALUE		of each symbol of the request
 *	set	SYMBOL=VALUE		what was changed in the base; the rest follows from Kconfig
 *	missed	SYMBOL=VALUE REASON	not reached: what stands in the way
 *	apart	SYMBOL=VALUE SYMBOL=VALUE REASON	of cover: not reached together
 *	more	NUMBER			of cover: so many pairs of values are left, for which N was too small
 *
 * "Not reached" is the word of a search, and no proof: it takes the way that changes least, then the next one, and does
 * not come back to earlier choices. What is said to be reached, kconfig itself has computed.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lkc.h"

#define MANY		2048		/* words of a request, symbols that are changed for one */
#define DEEP		12		/* symbols that are changed for the sake of each other */
#define LOOK_AHEAD	3		/* the same, when ways are weighed */
#define NEVER		1000		/* changes: more than anybody makes */

/* what a user has said of a symbol */
struct word {
	tristate tri;
	void *val;			/* of a choice */
	char *text;			/* of int, hex and string; NULL: none */
	bool is_said;
};

enum moment { BASE, BEFORE, MOMENTS };

struct entry {
	struct symbol *sym;
	struct menu *menu;
	struct word words[MOMENTS];
};

struct kept {
	struct symbol *sym;
	const char *value;
};

struct solver {
	struct entry *all;		/* each symbol that has a menu entry, choices too; by address */
	size_t nr, room;
	struct kept kept[MANY];		/* not to be changed any more */
	size_t nr_kept;
	struct symbol *changed[MANY];
	size_t nr_changed;
	bool is_dirty;			/* something has changed since the moment BEFORE */
	struct symbol *open[DEEP];	/* being changed */
	size_t nr_open;
	char way[512];			/* what stood in the way first; "": nothing */
};

static int work_expr(struct solver *s, struct expr *e, tristate to, int depth, bool act);

static void __attribute__((noreturn)) die(const char *what, const char *name)
{
	fprintf(stderr, "kconfig: %s%s\n", what, name);
	exit(2);
}

static bool is_logic(const struct symbol *sym)
{
	return sym->type == S_BOOLEAN || sym->type == S_TRISTATE;
}

static const char *value_of(struct symbol *sym)
{
	sym_calc_value(sym);
	return sym_get_string_value(sym);
}

static bool is_among(struct symbol *const *list, size_t nr, const struct symbol *sym)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == sym)
			return true;
	return false;
}

static void note_change(struct solver *s, struct symbol *sym)
{
	s->is_dirty = true;
	if (is_among(s->changed, s->nr_changed, sym))
		return;
	if (s->nr_changed == MANY)
		die("too many symbols in one request", "");
	s->changed[s->nr_changed++] = sym;
}

static bool is_kept(const struct solver *s, const struct symbol *sym)
{
	for (size_t i = 0; i < s->nr_kept; i++)
		if (s->kept[i].sym == sym)
			return true;
	return false;
}

#ifdef HAVE_EXPR_TABLE		/* since 6.12 */
#include "internal.h"

static struct expr **exprs;
static size_t nr_exprs;

void __real_expr_invalidate_all(void);
void __wrap_expr_invalidate_all(void);

/* after the parse; none is made later */
static void list_exprs(void)
{
	struct expr *e;

	hash_for_each(expr_hashtable, e, node)
		nr_exprs++;
	exprs = calloc(nr_exprs + 1, sizeof(*exprs));
	if (!exprs)
		die("no memory", "");
	nr_exprs = 0;
	hash_for_each(expr_hashtable, e, node)
		exprs[nr_exprs++] = e;
}

/*
 * kconfig calls it at each change of a symbol, and its own follows the chains of 137,000 expressions: nearly all the
 * time that a search would take. A plain list does the same in a tenth of it.
 */
void __wrap_expr_invalidate_all(void)
{
	if (!exprs)
		__real_expr_invalidate_all();
	for (size_t i = 0; i < nr_exprs; i++)
		exprs[i]->val_is_valid = false;
}
#else
static void list_exprs(void)
{
}
#endif

/* the base */

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

/* as choice_around(), for a symbol */
static struct menu *choice_of(const struct solver *s, struct symbol *sym)
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

static void set_user_value(struct symbol *sym, tristate tri)
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

static void remember(struct solver *s, enum moment moment)
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

static void go_back(struct solver *s, enum moment moment)
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
	sym_clear_all_valid();
}

static void read_base(struct solver *s, const char *name)
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

static void back_to_base(struct solver *s)
{
	s->nr_kept = s->nr_open = 0;
	s->way[0] = '\0';
	if (s->nr_changed)		/* kconfig forgets all that it has computed, and slowly */
		go_back(s, BASE);
	s->nr_changed = 0;
}

/* ways to a value */

static int __attribute__((format(printf, 3, 4))) no_way(struct solver *s, bool act, const char *format, ...)
{
	va_list ap;

	if (act && !s->way[0]) {
		va_start(ap, format);
		vsnprintf(s->way, sizeof(s->way), format, ap);
		va_end(ap);
	}
	return NEVER;
}

static bool has_value(struct symbol *sym, const char *value)
{
	const char *now = value_of(sym);

	if (is_logic(sym))
		return *value == *now;
	return sym->type == S_HEX ? strtoull(now, NULL, 16) == strtoull(value, NULL, 16) : !strcmp(now, value);
}

/* have the symbols that are kept still their values? */
static bool are_kept(struct solver *s)
{
	for (size_t i = 0; i < s->nr_kept; i++) {
		struct symbol *sym = s->kept[i].sym;

		if (!has_value(sym, s->kept[i].value)) {
			no_way(s, true, "%s would be %s", sym->name, value_of(sym));
			return false;
		}
	}
	return true;
}

static bool is_there(tristate value, tristate to)
{
	return to == no ? value == no : value >= to;
}

static int add(int a, int b)
{
	return a + b < NEVER ? a + b : NEVER;
}

static int work_both(struct solver *s, struct expr *a, struct expr *b, tristate to, int depth, bool act)
{
	int first = work_expr(s, a, to, depth, act);

	return first >= NEVER ? NEVER : add(first, work_expr(s, b, to, depth, act));
}

static int work_either(struct solver *s, struct expr *a, struct expr *b, tristate to, int depth, bool act)
{
	int left = work_expr(s, a, to, depth, false), right = left ? work_expr(s, b, to, depth, false) : NEVER;
	int cheaper = left <= right ? left : right;

	if (!act)
		return cheaper;
	if (work_expr(s, left <= right ? a : b, to, depth, true) < NEVER)
		return 0;
	return work_expr(s, left <= right ? b : a, to, depth, true);
}

/* the user's own word: the prompt must be visible */
static bool set_logic(struct solver *s, struct symbol *sym, tristate to)
{
	struct menu *choice = to == no ? NULL : choice_of(s, sym);
	tristate old;

	sym_calc_value(sym);
	old = sym->curr.tri;
	if (choice)
		for (struct menu *menu = choice->list; menu; menu = menu->next)
			if (menu->sym && menu->sym != sym)
				set_user_value(menu->sym, no);
	note_change(s, sym);
	if (!sym_set_tristate_value(sym, to == no ? no : yes) && (to != mod || !sym_set_tristate_value(sym, mod)))
		return false;
	if (!are_kept(s)) {		/* another way may leave them alone */
		sym_set_tristate_value(sym, old);
		return false;
	}
	sym_calc_value(sym);
	return is_there(sym->curr.tri, to);
}

/* makes a prompt visible and answers it */
static int work_prompt(struct solver *s, struct symbol *sym, struct property *prompt, tristate to, int depth, bool act)
{
	int cost = work_expr(s, prompt->visible.expr, to == no ? mod : to, depth, act);

	if (!act || cost >= NEVER)
		return add(cost, 1);
	return set_logic(s, sym, to) ? 0 : NEVER;
}

static int work_default(struct solver *s, struct symbol *sym, struct property *def, tristate to, int depth, bool act)
{
	int cost = work_both(s, def->visible.expr, def->expr, to, depth, act);

	if (!act || cost >= NEVER)
		return cost;
	sym_calc_value(sym);
	return is_there(sym->curr.tri, to) ? 0 : NEVER;
}

static int raise_symbol(struct solver *s, struct symbol *sym, tristate to, int depth, bool act)
{
	enum { PROMPT, SELECT, DEFAULT } kind = SELECT;
	struct property *prop, *best_prop = NULL;
	int best = sym->rev_dep.expr ? work_expr(s, sym->rev_dep.expr, to, depth, false) : NEVER;
	bool has_prompt = false;

	for_all_prompts(sym, prop) {
		int cost = work_prompt(s, sym, prop, to, depth, false);

		has_prompt = true;
		if (!best_prop || cost < best)
			if (cost <= best)
				best = cost, best_prop = prop, kind = PROMPT;
	}
	if (!has_prompt) {
		for_all_defaults(sym, prop) {
			int cost = work_default(s, sym, prop, to, depth, false);

			if (cost < best)
				best = cost, best_prop = prop, kind = DEFAULT;
		}
	}
	if (!act)
		return best;
	if (best >= NEVER) {		/* a second look, for what stands in the way */
		for_all_prompts(sym, prop)
			work_expr(s, prop->visible.expr, to, depth, true);
		return no_way(s, true, "%s stays %s: nothing here can turn it on", sym->name, value_of(sym));
	}
	switch (kind) {
	case PROMPT:
		best = work_prompt(s, sym, best_prop, to, depth, true);
		break;
	case SELECT:
		best = work_expr(s, sym->rev_dep.expr, to, depth, true);
		break;
	case DEFAULT:
		best = work_default(s, sym, best_prop, to, depth, true);
		break;
	}
	sym_calc_value(sym);
	if (is_there(sym->curr.tri, to))
		return 0;
	return no_way(s, true, "%s stays %s", sym->name, value_of(sym));
}

/* another value of the choice */
static int lower_choice_value(struct solver *s, struct symbol *sym, int depth, bool act)
{
	struct menu *choice = choice_of(s, sym), *best = NULL;
	int least = NEVER;

	for (struct menu *menu = choice ? choice->list : NULL; menu; menu = menu->next) {
		int cost = NEVER;

		if (menu->sym && menu->sym != sym && is_logic(menu->sym) && !is_kept(s, menu->sym))
			cost = raise_symbol(s, menu->sym, yes, depth, false);
		if (cost < least)
			least = cost, best = menu;
	}
	if (!act || !best)
		return act ? no_way(s, true, "%s is the only choice", sym->name) : least;
	return raise_symbol(s, best->sym, yes, depth, true);
}

/* makes what gives an invisible symbol its value n */
static int work_defaults(struct solver *s, struct symbol *sym, int depth, bool act)
{
	int cost = sym->implied.expr ? work_expr(s, sym->implied.expr, no, depth, act) : 0;
	struct property *prop;

	for_all_defaults(sym, prop)
		if (cost < NEVER && expr_calc_value(prop->visible.expr) != no)
			cost = add(cost, work_either(s, prop->visible.expr, prop->expr, no, depth, act));
	return cost;
}

static int lower_symbol(struct solver *s, struct symbol *sym, int depth, bool act)
{
	int cost = sym->rev_dep.expr ? work_expr(s, sym->rev_dep.expr, no, depth, act) : 0;
	struct property *prop, *prompt = NULL;
	int least;

	if (cost >= NEVER)
		return no_way(s, act, "%s is selected", sym->name);
	if (sym->visible != no && sym_is_choice_value(sym))
		return add(cost, lower_choice_value(s, sym, depth, act));
	least = sym->visible != no ? NEVER : work_defaults(s, sym, depth, false);
	for_all_prompts(sym, prop) {
		int more = work_prompt(s, sym, prop, no, depth, false);

		if (more < least)
			least = more, prompt = prop;
	}
	if (!act)
		return add(cost, least);
	if (least < NEVER && prompt)
		work_prompt(s, sym, prompt, no, depth, true);
	else if (least < NEVER)
		work_defaults(s, sym, depth, true);
	sym_calc_value(sym);
	if (sym->curr.tri == no)
		return 0;
	return no_way(s, true, "%s stays %s: nothing here can turn it off", sym->name, value_of(sym));
}

/* how many changes it takes to get the symbol to at least m or y, or to n; act: makes them, and 0 comes back, or NEVER */
static int work_symbol(struct solver *s, struct symbol *sym, tristate to, int depth, bool act)
{
	int cost;

	sym_calc_value(sym);
	if (is_there(sym->curr.tri, to))
		return 0;
	if (is_kept(s, sym))
		return no_way(s, act, "%s is to be %s", sym->name, value_of(sym));
	if (sym->flags & SYMBOL_CONST || is_among(s->open, s->nr_open, sym))
		return NEVER;
	if (!is_logic(sym))
		return no_way(s, act, "%s is unknown here", sym->name ?: "a choice");
	if (s->nr_open == DEEP)
		return no_way(s, act, "%s is too far away", sym->name ?: "a choice");
	if (!depth)
		return LOOK_AHEAD;
	s->open[s->nr_open++] = sym;
	cost = to == no ? lower_symbol(s, sym, depth - 1, act) : raise_symbol(s, sym, to, depth - 1, act);
	s->nr_open--;
	return cost;
}

/* X = y and its kin; numbers are as they are */
static int work_equal(struct solver *s, struct expr *e, bool equal, int depth, bool act)
{
	struct symbol *sym = e->left.sym, *value = e->right.sym;

	if (!(value->flags & SYMBOL_CONST) || !is_logic(sym) || strlen(value->name) != 1 || (equal && *value->name == 'm'))
		return no_way(s, act, "%s stays %s", sym->name, value_of(sym));
	if (*value->name == 'n')
		return work_symbol(s, sym, equal ? no : mod, depth, act);
	return work_symbol(s, sym, equal ? yes : no, depth, act);
}

/* work_symbol() for an expression; NULL is y */
static int work_expr(struct solver *s, struct expr *e, tristate to, int depth, bool act)
{
	if (act)		/* the ways are weighed from here */
		depth = LOOK_AHEAD;
	if (is_there(expr_calc_value(e), to))
		return 0;
	if (!e)
		return NEVER;
	switch (e->type) {
	case E_SYMBOL:
		return work_symbol(s, e->left.sym, to, depth, act);
	case E_NOT:
		return work_expr(s, e->left.expr, to == no ? mod : no, depth, act);
	case E_AND:
		return (to == no ? work_either : work_both)(s, e->left.expr, e->right.expr, to, depth, act);
	case E_OR:
		return (to == no ? work_both : work_either)(s, e->left.expr, e->right.expr, to, depth, act);
	case E_EQUAL:
		return work_equal(s, e, to != no, depth, act);
	case E_UNEQUAL:
		return work_equal(s, e, to == no, depth, act);
	default:
		return no_way(s, act, "%s stays %s", e->left.sym->name, value_of(e->left.sym));
	}
}

static tristate tristate_of(const char *value)
{
	return *value == 'y' ? yes : *value == 'm' ? mod : no;
}

/* the end of an int's or hex's range; NULL: it has none */
static const char *range_end(struct symbol *sym)
{
	struct property *range = sym_get_range_prop(sym);

	return range ? value_of(range->expr->right.sym) : NULL;
}

static void set_text(struct solver *s, struct symbol *sym, const char *value)
{
	struct property *prop;

	for_all_prompts(sym, prop)
		if (work_expr(s, prop->visible.expr, yes, LOOK_AHEAD, true) < NEVER)
			break;
	sym_calc_value(sym);
	note_change(s, sym);
	sym_set_string_value(sym, value);
	sym_clear_all_valid();
}

static void go_to(struct solver *s, struct symbol *sym, const char *value)
{
	if (!is_logic(sym)) {
		set_text(s, sym, value);
	} else {
		work_symbol(s, sym, tristate_of(value), LOOK_AHEAD, true);
		if (*value == 'm') {		/* and not more */
			note_change(s, sym);
			sym_set_tristate_value(sym, mod);
		}
	}
}

/*
 * Gives the symbol that value, and keeps it from changes that others need; false: it cannot, nothing has changed,
 * and what was in the way stands in s->way.
 */
static bool reach(struct solver *s, struct symbol *sym, const char *value)
{
	size_t nr_changed = s->nr_changed;

	s->way[0] = '\0';
	s->nr_open = 0;
	if (!has_value(sym, value)) {
		remember(s, BEFORE);
		s->is_dirty = false;
		go_to(s, sym, value);
		if (!has_value(sym, value) || !are_kept(s)) {
			no_way(s, true, "%s is %s", sym->name, value_of(sym));
			if (s->is_dirty)
				go_back(s, BEFORE);
			s->nr_changed = nr_changed;
			return false;
		}
	}
	if (s->nr_kept == MANY)
		die("too many symbols in one request", "");
	s->kept[s->nr_kept++] = (struct kept) { sym, value };
	return true;
}

static struct symbol *symbol_named(const char *name)
{
	struct symbol *sym = sym_find(name);

	return sym && sym->type != S_UNKNOWN ? sym : NULL;
}

/* answers */

#ifndef HAVE_CONF_SET_CHANGED		/* 5.10 has none */
static void conf_set_changed(bool is_changed)
{
	sym_set_change_count(is_changed);
}
#endif

static void write_config(struct solver *s, const char *path)
{
	conf_set_changed(true);		/* else kconfig computes everything once more */
	if (conf_write(path))
		die("cannot be written: ", path);
	printf("config\t%s\n", path);
	for (size_t i = 0; i < s->nr_changed; i++)
		if (s->changed[i]->name)	/* a choice follows from its values */
			printf("set\t%s=%s\n", s->changed[i]->name, value_of(s->changed[i]));
}

static void solve(struct solver *s, char **words, size_t nr)
{
	bool missed[MANY] = { false };

	back_to_base(s);
	for (size_t i = 1; i < nr; i++) {
		char *value = strchr(words[i], '=');
		struct symbol *sym;

		if (!value)
			die("a word without '=': ", words[i]);
		*value++ = '\0';
		sym = symbol_named(words[i]);
		if (sym && !strcmp(value, "max") && !is_logic(sym))
			value = (char *)(range_end(sym) ?: value_of(sym));
		if (!sym || !reach(s, sym, value))
			printf("missed\t%s=%s\t%s\n", words[i], value, sym ? s->way : "Kconfig has no such symbol");
		missed[i] = !sym;
	}
	write_config(s, words[0]);
	for (size_t i = 1; i < nr; i++)
		if (!missed[i])
			printf("have\t%s=%s\n", words[i], value_of(symbol_named(words[i])));
}

/* pairs */

struct factor {
	struct symbol *sym;
	char *value[2];
	bool can[2];
};

struct cover {
	struct factor *factors;
	size_t nr;
	unsigned char *seen;		/* of factors a and b at values x and y: bit 2x + y of seen[a * nr + b], both ways round */
};

static bool is_seen(const struct cover *c, size_t a, int x, size_t b, int y)
{
	return c->seen[a * c->nr + b] & 1 << (2 * x + y);
}

static void see(struct cover *c, size_t a, int x, size_t b, int y)
{
	c->seen[a * c->nr + b] |= 1 << (2 * x + y);
	c->seen[b * c->nr + a] |= 1 << (2 * y + x);
}

/* which of its two values a symbol has; -1: another one */
static int level_of(const struct factor *f)
{
	for (int x = 0; x < 2; x++)
		if (f->can[x] && has_value(f->sym, f->value[x]))
			return x;
	return -1;
}

static void add_factor(struct cover *c, const char *name);

/* a number without a prompt is chosen by others: those in the conditions of its defaults */
static void add_choosers(struct cover *c, struct expr *e)
{
	if (!e)
		return;
	if (e->type == E_SYMBOL && e->left.sym->name && is_logic(e->left.sym)) {
		add_factor(c, e->left.sym->name);
	} else if (e->type == E_AND || e->type == E_OR) {
		add_choosers(c, e->left.expr);
		add_choosers(c, e->right.expr);
	} else if (e->type == E_NOT) {
		add_choosers(c, e->left.expr);
	}
}

static void add_number(struct cover *c, struct symbol *sym)
{
	struct property *prop;
	const char *end = range_end(sym);
	bool has_prompt = false;

	for_all_prompts(sym, prop)
		has_prompt = true;
	if (!has_prompt) {
		for_all_defaults(sym, prop)
			add_choosers(c, prop->visible.expr);
	} else if (end && strcmp(end, value_of(sym))) {
		c->factors[c->nr++] = (struct factor) { sym, { strdup(value_of(sym)), strdup(end) }, { true, true } };
	}
}

static void add_factor(struct cover *c, const char *name)
{
	struct symbol *sym = symbol_named(name);

	for (size_t i = 0; i < c->nr; i++)
		if (c->factors[i].sym == sym)
			return;
	if (c->nr == MANY)
		die("too many symbols in one request", "");
	printf("symbol\t%s\t%s\t%s\n", name, sym ? sym_type_name(sym->type) : "unknown", sym ? value_of(sym) : "");
	if (sym && is_logic(sym))
		c->factors[c->nr++] = (struct factor) { sym, { "n", "y" }, { true, true } };
	else if (sym && sym->type != S_STRING)
		add_number(c, sym);
}

/* each value alone; what cannot be reached needs no pairs */
static void try_alone(struct solver *s, struct cover *c)
{
	for (size_t a = 0; a < c->nr; a++) {
		struct factor *f = &c->factors[a];

		for (int x = 0; x < 2; x++) {
			back_to_base(s);
			f->can[x] = reach(s, f->sym, f->value[x]);
			if (!f->can[x])
				printf("missed\t%s=%s\t%s\n", f->sym->name, f->value[x], s->way);
		}
	}
}

static bool start_row(struct solver *s, struct factor *first, int x, struct factor *second, int y)
{
	back_to_base(s);
	return reach(s, first->sym, first->value[x]) && reach(s, second->sym, second->value[y]);
}

static bool start_pair(struct solver *s, struct cover *c, size_t a, int x, size_t b, int y)
{
	struct factor *first = &c->factors[a], *second = &c->factors[b];

	return start_row(s, first, x, second, y) || start_row(s, second, y, first, x);
}

/* the value of factor b that makes most new pairs with those that are settled; -1: none makes any */
static int wanted_value(const struct cover *c, size_t b, const int *levels)
{
	unsigned int gain[2] = { 0 };

	for (size_t a = 0; a < c->nr; a++)
		for (int y = 0; y < 2 && levels[a] >= 0; y++)
			gain[y] += a != b && c->factors[b].can[y] && !is_seen(c, a, levels[a], b, y);
	return !gain[0] && !gain[1] ? -1 : gain[1] > gain[0];
}

static void fill_row(struct solver *s, struct cover *c, size_t a, int x, size_t b, int y)
{
	int *levels = malloc(c->nr * sizeof(*levels));

	if (!levels)
		die("no memory", "");
	for (size_t i = 0; i < c->nr; i++)
		levels[i] = -1;
	levels[a] = x;
	levels[b] = y;
	for (size_t k = 0; k < c->nr; k++) {
		size_t i = (b + k) % c->nr;
		int want = levels[i] < 0 ? wanted_value(c, i, levels) : -1;

		if (want >= 0)
			reach(s, c->factors[i].sym, c->factors[i].value[want]);
		levels[i] = level_of(&c->factors[i]);
	}
	free(levels);
}

static void end_row(struct cover *c)
{
	for (size_t a = 0; a < c->nr; a++)
		for (size_t b = 0; b < a; b++) {
			int x = level_of(&c->factors[a]), y = level_of(&c->factors[b]);

			if (x >= 0 && y >= 0)
				see(c, a, x, b, y);
		}
}

static bool next_pair(const struct cover *c, size_t *a, int *x, size_t *b, int *y)
{
	for (*a = 0; *a < c->nr; ++*a)
		for (*b = 0; *b < *a; ++*b)
			for (*x = 0; *x < 2; ++*x)
				for (*y = 0; *y < 2; ++*y)
					if (c->factors[*a].can[*x] && c->factors[*b].can[*y] && !is_seen(c, *a, *x, *b, *y))
						return true;
	return false;
}

static size_t count_left(struct cover *c)
{
	size_t a, b, left = 0;
	int x, y;

	for (; next_pair(c, &a, &x, &b, &y); left++)
		see(c, a, x, b, y);
	return left;
}

static void cover(struct solver *s, char **words, size_t nr)
{
	struct cover c = { .factors = calloc(MANY, sizeof(*c.factors)) };
	size_t a, b, rows = 0, most = strtoul(words[1], NULL, 10);
	int x, y;

	if (!c.factors)
		die("no memory", "");
	back_to_base(s);
	for (size_t i = 2; i < nr; i++)
		add_factor(&c, words[i]);
	c.seen = calloc(c.nr + 1, c.nr + 1);
	if (!c.seen)
		die("no memory", "");
	try_alone(s, &c);
	back_to_base(s);
	end_row(&c);
	while (rows < most && next_pair(&c, &a, &x, &b, &y)) {
		char path[4096];

		if (!start_pair(s, &c, a, x, b, y)) {
			printf("apart\t%s=%s\t%s=%s\t%s\n", c.factors[a].sym->name, c.factors[a].value[x],
			       c.factors[b].sym->name, c.factors[b].value[y], s->way);
			see(&c, a, x, b, y);
			continue;
		}
		fill_row(s, &c, a, x, b, y);
		end_row(&c);
		assert(is_seen(&c, a, x, b, y));
		snprintf(path, sizeof(path), "%s/%zu", words[0], rows++);
		write_config(s, path);
		for (size_t i = 0; i < c.nr; i++)
			printf("have\t%s=%s\n", c.factors[i].sym->name, value_of(c.factors[i].sym));
	}
	if (rows == most && (a = count_left(&c)))
		printf("more\t%zu\n", a);
	free(c.factors);
	free(c.seen);
}

static void answer(struct solver *s, char *line)
{
	char *words[MANY];
	size_t nr = 0;

	for (char *word; (word = strsep(&line, "\t")); ) {
		if (nr == MANY)
			die("too many words in one request", "");
		words[nr++] = word;
	}
	if (!strcmp(words[0], "base") && nr == 2)
		read_base(s, words[1]);
	else if (!strcmp(words[0], "solve") && nr > 1)
		solve(s, words + 1, nr - 1);
	else if (!strcmp(words[0], "cover") && nr > 2)
		cover(s, words + 1, nr - 1);
	else
		die("no request: ", words[0]);
	puts("end");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct solver solver;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (argc != 2)
		die("usage: solve KCONFIG", "");
	conf_set_message_callback(NULL);
	conf_parse(argv[1]);
	list_exprs();
	find_symbols(&solver, &rootmenu);
	sort_symbols(&solver);
	puts("end");
	fflush(stdout);
	while ((len = getline(&line, &room, stdin)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		answer(&solver, line);
	}
	return 0;
}
