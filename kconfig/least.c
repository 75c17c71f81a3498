/* SPDX-License-Identifier: GPL-2.0-only */
/* Fewer settings, with which some symbols keep their values. */
#include "solver.h"

struct setting {
	struct symbol *sym;
	const char *value;
	bool is_out;
};

struct least {
	struct setting settings[MANY];
	size_t nr;
	struct symbol *wanted[MANY];
	char *values[MANY];		/* that they are to keep */
	size_t nr_wanted;
};

/* as if they stood in the base's .config; of a choice the value counts that is said last, as there */
static void say_settings(struct solver *s, const struct least *l)
{
	say_base(s);
	for (size_t i = 0; i < l->nr; i++) {
		if (l->settings[i].is_out)
			continue;
		note_change(s, l->settings[i].sym);
		if (is_logic(l->settings[i].sym))
			set_user_value(l->settings[i].sym, tristate_of(l->settings[i].value));
	}
	sym_clear_all_valid();
	for (size_t i = 0; i < l->nr; i++) {
		const struct setting *setting = &l->settings[i];

		if (setting->is_out)
			continue;
		if (!is_logic(setting->sym))
			sym_set_string_value(setting->sym, setting->value);
		else if (*setting->value == 'y' && choice_of(s, setting->sym))
			set_logic(s, setting->sym, yes);
	}
}

static bool is_same(const struct least *l, size_t i)
{
	return !strcmp(value_of(l->wanted[i]), l->values[i]);
}

static bool are_same(const struct least *l)
{
	for (size_t i = 0; i < l->nr_wanted; i++)
		if (!is_same(l, i))
			return false;
	return true;
}

static void set_out(struct least *l, size_t first, size_t end, bool is_out)
{
	for (size_t i = first; i < end; i++)
		l->settings[i].is_out = is_out;
}

/* one that is wanted itself is most often needed, and that is seen at once */
static bool is_needed(const struct least *l, struct symbol *sym)
{
	for (size_t i = 0; i < l->nr_wanted; i++)
		if (l->wanted[i] == sym)
			return !is_same(l, i);
	return false;
}

/* all of them, or else halves; the last first, for what a setting hangs on was said before it */
static void drop_settings(struct solver *s, struct least *l, size_t first, size_t end)
{
	size_t middle = first + (end - first) / 2;

	set_out(l, first, end, true);
	say_settings(s, l);
	if (!is_needed(l, l->settings[end - 1].sym) && are_same(l))
		return;
	set_out(l, first, end, false);
	if (middle > first) {
		drop_settings(s, l, middle, end);
		drop_settings(s, l, first, middle);
	}
}

static void read_words(struct least *l, char **words, size_t nr)
{
	size_t i = 0;

	for (l->nr_wanted = 0; i < nr && strcmp(words[i], "-"); i++) {
		struct symbol *sym = symbol_named(words[i]);

		if (sym)
			l->wanted[l->nr_wanted++] = sym;
	}
	for (l->nr = 0, i++; i < nr; i++) {
		char *value = strchr(words[i], '=');
		struct symbol *sym;

		if (!value)
			die("a word without '=': ", words[i]);
		*value++ = '\0';
		sym = symbol_named(words[i]);
		if (sym)
			l->settings[l->nr++] = (struct setting) { sym, value, false };
	}
}

void least(struct solver *s, char **words, size_t nr)
{
	static struct least l;

	read_words(&l, words + 1, nr - 1);
	say_settings(s, &l);
	for (size_t i = 0; i < l.nr_wanted; i++) {
		l.values[i] = strdup(value_of(l.wanted[i]));
		if (!l.values[i])
			die("no memory", "");
	}
	if (l.nr)
		drop_settings(s, &l, 0, l.nr);
	say_settings(s, &l);
	write_config(s, words[0]);
	for (size_t i = 0; i < l.nr_wanted; i++)
		free(l.values[i]);
}
