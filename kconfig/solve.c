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
 *	least FILE SYMBOL... - SYMBOL=VALUE...	these settings, without those that the symbols in front of the "-" keep their
 *					values without
 *	cover FOLDER N SYMBOL... - SYMBOL...	at most N configurations in which each two of the symbols have every two
 *					values that they can have at once; written to FOLDER/0, FOLDER/1, ... Pairs of those
 *					in front of the "-" are known, and not looked at
 *
 * FILE is "-" when nobody will read it. VALUE is y, n, m, a number, a string, "max": the end of the symbol's range,
 * or "other": other_end(). Symbols are without CONFIG_. "known SYMBOL..." is answered with a line "known SYMBOL" for each
 * that Kconfig has.
 *
 *	symbol	NAME TYPE VALUE		of cover: bool, tristate, integer, hex, string or unknown; its value in the base
 *	config	FILE			it was written, and what follows belongs to it
 *	have	SYMBOL=VALUE		of each symbol of the request; of least: of those that the .config says
 *	set	SYMBOL=VALUE		what was changed in the base; the rest follows from Kconfig
 *	missed	SYMBOL=VALUE REASON	not reached: what stands in the way
 *	apart	SYMBOL=VALUE SYMBOL=VALUE REASON	of cover: not reached together
 *	more	NUMBER			of cover: so many pairs of values are left, for which N was too small
 *
 * "Not reached" is the word of a search, and no proof: it takes the way that changes least, then the next one, and does
 * not come back to earlier choices. What is said to be reached, kconfig itself has computed.
 */
#include "solver.h"

void __attribute__((noreturn)) die(const char *what, const char *name)
{
	fprintf(stderr, "kconfig: %s%s\n", what, name);
	exit(2);
}

const char *value_of(struct symbol *sym)
{
	sym_calc_value(sym);
	return sym_get_string_value(sym);
}

bool is_among(struct symbol *const *list, size_t nr, const struct symbol *sym)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == sym)
			return true;
	return false;
}

tristate tristate_of(const char *value)
{
	return *value == 'y' ? yes : *value == 'm' ? mod : no;
}

const char *range_end(struct symbol *sym)
{
	struct property *range = sym_get_range_prop(sym);

	return range ? value_of(range->expr->right.sym) : NULL;
}

const char *other_end(struct symbol *sym)
{
	struct property *range = sym_get_range_prop(sym);
	const char *end;

	if (!range)
		return NULL;
	end = value_of(range->expr->right.sym);
	if (!strcmp(end, value_of(sym)))
		end = value_of(range->expr->left.sym);
	return strcmp(end, value_of(sym)) ? end : NULL;
}

struct symbol *symbol_named(const char *name)
{
	struct symbol *sym = sym_find(name);

	return sym && sym->type != S_UNKNOWN ? sym : NULL;
}

#ifndef HAVE_CONF_SET_CHANGED		/* 5.10 has none */
static void conf_set_changed(bool is_changed)
{
	sym_set_change_count(is_changed);
}
#endif

void write_config(struct solver *s, const char *path)
{
	bool is_asked = strcmp(path, "-");

	conf_set_changed(true);		/* else kconfig computes everything once more */
	if (is_asked && conf_write(path))
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
		else if (sym && !strcmp(value, "other") && !is_logic(sym))
			value = (char *)(other_end(sym) ?: value_of(sym));
		if (!sym || !reach(s, sym, value))
			printf("missed\t%s=%s\t%s\n", words[i], value, sym ? s->way : "Kconfig has no such symbol");
		missed[i] = !sym;
	}
	write_config(s, words[0]);
	for (size_t i = 1; i < nr; i++)
		if (!missed[i])
			printf("have\t%s=%s\n", words[i], value_of(symbol_named(words[i])));
}

/* which of the words are symbols */
static void known(char **words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (symbol_named(words[i]))
			printf("known\t%s\n", words[i]);
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
	else if (!strcmp(words[0], "known"))
		known(words + 1, nr - 1);
	else if (!strcmp(words[0], "least") && nr > 1)
		least(s, words + 1, nr - 1);
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
	list_symbols(&solver);
	list_users(&solver);
	puts("end");
	fflush(stdout);
	while ((len = getline(&line, &room, stdin)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		answer(&solver, line);
	}
	return 0;
}
