/* SPDX-License-Identifier: GPL-2.0-only */
/* Few configurations for all pairs of values. */
#include <assert.h>

#include "solver.h"

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
	const char *end = other_end(sym);
	bool has_prompt = false;

	for_all_prompts(sym, prop)
		has_prompt = true;
	if (!has_prompt) {
		for_all_defaults(sym, prop)
			add_choosers(c, prop->visible.expr);
	} else if (!end) {
		printf("missed\t%s\ta number without a range stays %s\n", sym->name, value_of(sym));
	} else {
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

static void see_all(struct cover *c, size_t nr)
{
	for (size_t a = 0; a < nr; a++)
		for (size_t b = 0; b < a; b++)
			for (int x = 0; x < 4; x++)
				see(c, a, x / 2, b, x % 2);
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

static bool next_row(struct solver *s, struct cover *c)
{
	size_t a, b;
	int x, y;

	while (next_pair(c, &a, &x, &b, &y)) {
		if (start_pair(s, c, a, x, b, y)) {
			fill_row(s, c, a, x, b, y);
			end_row(c);
			assert(is_seen(c, a, x, b, y));
			return true;
		}
		printf("apart\t%s=%s\t%s=%s\t%s\n", c->factors[a].sym->name, c->factors[a].value[x],
		       c->factors[b].sym->name, c->factors[b].value[y], s->way);
		see(c, a, x, b, y);
	}
	return false;
}

static void add_factors(struct cover *c, char **words, size_t nr)
{
	size_t nr_known = 0;

	c->factors = calloc(MANY, sizeof(*c->factors));
	if (!c->factors)
		die("no memory", "");
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(words[i], "-"))
			add_factor(c, words[i]);
		else
			nr_known = c->nr;
	}
	c->seen = calloc(c->nr + 1, c->nr + 1);
	if (!c->seen)
		die("no memory", "");
	see_all(c, nr_known);
}

void cover(struct solver *s, char **words, size_t nr)
{
	struct cover c = { 0 };
	size_t rows = 0, left, most = strtoul(words[1], NULL, 10);

	back_to_base(s);
	add_factors(&c, words + 2, nr - 2);
	try_alone(s, &c);
	back_to_base(s);
	end_row(&c);
	while (rows < most && next_row(s, &c)) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%zu", words[0], rows++);
		write_config(s, path);
		for (size_t i = 0; i < c.nr; i++)
			printf("have\t%s=%s\n", c.factors[i].sym->name, value_of(c.factors[i].sym));
	}
	if (rows == most && (left = count_left(&c)))
		printf("more\t%zu\n", left);
	free(c.factors);
	free(c.seen);
}
