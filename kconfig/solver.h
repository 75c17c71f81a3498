/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the solver; solve.c tells what it does. All stop the program when there is no memory. */
#ifndef LINEKEEPER_SOLVER_H
#define LINEKEEPER_SOLVER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lkc.h"

#define MANY		2048		/* words of a request, symbols that are changed for one */
#define DEEP		12		/* symbols that are changed for the sake of each other */

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

/* writes both on stderr, and ends the program */
void die(const char *what, const char *name) __attribute__((noreturn));

static inline bool is_logic(const struct symbol *sym)
{
	return sym->type == S_BOOLEAN || sym->type == S_TRISTATE;
}

/* as Kconfig computes it now; kconfig's, until the next change */
const char *value_of(struct symbol *sym);

bool is_among(struct symbol *const *list, size_t nr, const struct symbol *sym);

/* "n" and all else is no */
tristate tristate_of(const char *value);

/* NULL: Kconfig has none of that name */
struct symbol *symbol_named(const char *name);

/* the end of an int's or hex's range; NULL: it has none */
const char *range_end(struct symbol *sym);

/* expr_table.c: behind the parse, once; makes changes of symbols cheap where kconfig keeps values of expressions */
void list_exprs(void);

/* base.c: what the user has said of all symbols, and what he said before */

/* behind the parse, once: the symbols of all menus */
void list_symbols(struct solver *s);

/* the choice that a symbol belongs to, or NULL: a choice is a symbol without a name */
struct menu *choice_of(const struct solver *s, struct symbol *sym);

/* without looking whether it can be seen; sym_clear_all_valid() is the caller's */
void set_user_value(struct symbol *sym, tristate tri);

/* keeps for go_back() what is said now */
void remember(struct solver *s, enum moment moment);
void go_back(struct solver *s, enum moment moment);

/* a .config, allno, allmod or alldef: the moment BASE */
void read_base(struct solver *s, const char *name);

/* forgets what was changed, and what was to be kept; after say_base(), sym_clear_all_valid() is the caller's */
void back_to_base(struct solver *s);
void say_base(struct solver *s);

/* the symbol is named in answers as one that was changed in the base */
void note_change(struct solver *s, struct symbol *sym);

/* search.c: ways to a value */

bool has_value(struct symbol *sym, const char *value);

/* the user's own word: the prompt must be visible; false: it has not the value then */
bool set_logic(struct solver *s, struct symbol *sym, tristate to);

/*
 * Gives the symbol that value, and keeps it from changes that others need; false: it cannot, nothing has changed,
 * and what was in the way stands in s->way.
 */
bool reach(struct solver *s, struct symbol *sym, const char *value);

/* the .config as it is now, and the answer's lines about it */
void write_config(struct solver *s, const char *path);

/* the requests of these names, without the first word */
void cover(struct solver *s, char **words, size_t nr);
void least(struct solver *s, char **words, size_t nr);

#endif
