/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>

#include "solver.h"

#define LOOK_AHEAD	3		/* symbols that are changed for the sake of each other, when ways are weighed */
#define NEVER		1000		/* changes: more than anybody makes */

static int work_expr(struct solver *s, struct expr *e, tristate to, int depth, bool act);

static bool is_kept(const struct solver *s, const struct symbol *sym)
{
	for (size_t i = 0; i < s->nr_kept; i++)
		if (s->kept[i].sym == sym)
			return true;
	return false;
}

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

bool has_value(struct symbol *sym, const char *value)
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

bool set_logic(struct solver *s, struct symbol *sym, tristate to)
{
	struct menu *choice = to == no ? NULL : choice_of(sym);
	tristate old;

	sym_calc_value(sym);
	old = sym->curr.tri;
	if (choice)
		for (struct menu *menu = choice->list; menu; menu = menu->next)
			if (menu->sym && menu->sym != sym)
				set_user_value(s, menu->sym, no);
	note_change(s, sym);
	if (!set_visible_value(s, sym, to == no ? no : yes) && (to != mod || !set_visible_value(s, sym, mod)))
		return false;
	if (!are_kept(s)) {		/* another way may leave them alone */
		set_visible_value(s, sym, old);
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

/* how a symbol may be raised: by its prompt, or by a default, or, without either, by what selects it; and what it takes */
struct raise {
	struct property *prompt, *def;
	int cost;
};

static struct raise best_raise(struct solver *s, struct symbol *sym, tristate to, int depth)
{
	struct raise best = { .cost = sym->rev_dep.expr ? work_expr(s, sym->rev_dep.expr, to, depth, false) : NEVER };
	struct property *prop;
	bool has_prompt = false;

	for_all_prompts(sym, prop) {
		int cost = work_prompt(s, sym, prop, to, depth, false);

		has_prompt = true;
		if (cost < best.cost || (cost == best.cost && !best.prompt))
			best = (struct raise) { .prompt = prop, .cost = cost };
	}
	if (has_prompt)
		return best;
	for_all_defaults(sym, prop) {
		int cost = work_default(s, sym, prop, to, depth, false);

		if (cost < best.cost)
			best = (struct raise) { .def = prop, .cost = cost };
	}
	return best;
}

static int raise_symbol(struct solver *s, struct symbol *sym, tristate to, int depth, bool act)
{
	struct raise best = best_raise(s, sym, to, depth);
	struct property *prop;

	if (!act)
		return best.cost;
	if (best.cost >= NEVER) {	/* a second look, for what stands in the way */
		for_all_prompts(sym, prop)
			work_expr(s, prop->visible.expr, to, depth, true);
		return no_way(s, true, "%s stays %s: nothing here can turn it on", sym->name, value_of(sym));
	}
	if (best.prompt)
		work_prompt(s, sym, best.prompt, to, depth, true);
	else if (best.def)
		work_default(s, sym, best.def, to, depth, true);
	else
		work_expr(s, sym->rev_dep.expr, to, depth, true);
	sym_calc_value(sym);
	if (is_there(sym->curr.tri, to))
		return 0;
	return no_way(s, true, "%s stays %s", sym->name, value_of(sym));
}

/* another value of the choice */
static int lower_choice_value(struct solver *s, struct symbol *sym, int depth, bool act)
{
	struct menu *choice = choice_of(sym), *best = NULL;
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

static void set_text(struct solver *s, struct symbol *sym, const char *value)
{
	struct property *prop;

	for_all_prompts(sym, prop)
		if (work_expr(s, prop->visible.expr, yes, LOOK_AHEAD, true) < NEVER)
			break;
	sym_calc_value(sym);
	note_change(s, sym);
	if (sym_string_within_range(sym, value))
		set_user_text(s, sym, value);
}

static void go_to(struct solver *s, struct symbol *sym, const char *value)
{
	if (!is_logic(sym)) {
		set_text(s, sym, value);
	} else {
		work_symbol(s, sym, tristate_of(value), LOOK_AHEAD, true);
		if (*value == 'm') {		/* and not more */
			note_change(s, sym);
			set_visible_value(s, sym, mod);
		}
	}
}

bool reach(struct solver *s, struct symbol *sym, const char *value)
{
	size_t nr_changed = s->nr_changed, before;

	s->way[0] = '\0';
	s->nr_open = 0;
	if (!has_value(sym, value)) {
		before = mark(s);
		go_to(s, sym, value);
		if (!has_value(sym, value) || !are_kept(s)) {
			no_way(s, true, "%s is %s", sym->name, value_of(sym));
			take_back(s, before);
			s->nr_changed = nr_changed;
			return false;
		}
	}
	if (s->nr_kept == MANY)
		die("too many symbols in one request", "");
	s->kept[s->nr_kept++] = (struct kept) { sym, value };
	return true;
}
