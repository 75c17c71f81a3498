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

/* what the user says of a symbol */
struct word {
	struct symbol *sym;
	struct symbol_value user;
	bool is_said;
};

struct entry {
	struct symbol *sym;
	struct menu *menu;
	struct word base;
	size_t user;			/* the first of those in solver.users */
	const struct entry *last_user;	/* of list_users() */
};

struct kept {
	struct symbol *sym;
	const char *value;
};

struct solver {
	struct entry *all;		/* each symbol that has a menu entry, choices too; by address; one more at the end */
	size_t nr, room;
	struct entry **users;		/* of each symbol those that are computed from it */
	struct entry **stale;		/* room for all, of forget() */
	struct word *words;		/* that others were said after, in order */
	size_t nr_words, room_words;
	struct symbol **choices;
	size_t nr_choices;
	struct kept kept[MANY];		/* not to be changed any more */
	size_t nr_kept;
	struct symbol *changed[MANY];
	size_t nr_changed;
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

/* that end of its range where it does not stand, rather the upper one; NULL: there is none */
const char *other_end(struct symbol *sym);

/* users.c: what a change of a symbol makes kconfig compute again */

/* behind list_symbols(), once */
void list_users(struct solver *s);

/* the entry of a symbol; NULL: no menu has it */
struct entry *entry_of(const struct symbol *sym);

/* what the user says of it has changed: it and all that hangs on it will be computed when it is asked for */
void forget(struct solver *s, struct symbol *sym);

/* base.c: what the user says of symbols, and how to take it back */

/* behind the parse, once: the symbols of all menus */
void list_symbols(struct solver *s);

/* the choice that a symbol belongs to, or NULL: a choice is a symbol without a name */
struct menu *choice_of(struct symbol *sym);

/* without looking whether it can be seen */
void set_user_value(struct solver *s, struct symbol *sym, tristate tri);

/* the same of an int, hex or string; a copy is kept */
void set_user_text(struct solver *s, struct symbol *sym, const char *text);

/* what the base says of it */
void set_base_value(struct solver *s, struct symbol *sym);

/* sym_set_tristate_value(): false: its prompt does not allow it, nothing has changed */
bool set_visible_value(struct solver *s, struct symbol *sym, tristate tri);

/* for take_back(): all that is said behind it */
size_t mark(struct solver *s);
void take_back(struct solver *s, size_t mark);

/* a .config, allno, allmod or alldef */
void read_base(struct solver *s, const char *name);

/* takes back all, also what was to be kept and what is named as changed */
void back_to_base(struct solver *s);

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

/* the .config as it is now, and the answer's lines about it; "-": only these */
void write_config(struct solver *s, const char *path);

/* the requests of these names, without the first word */
void cover(struct solver *s, char **words, size_t nr);
void least(struct solver *s, char **words, size_t nr);

#endif
