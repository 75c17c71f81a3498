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

static void say_setting(struct solver *s, const struct setting *setting)
{
	if (is_logic(setting->sym))
		set_user_value(s, setting->sym, tristate_of(setting->value));
	else if (sym_string_valid(setting->sym, setting->value))
		set_user_text(s, setting->sym, setting->value);
}

/* as if they stood in the base's .config; of a choice the value counts that is said last, as there */
static void say_settings(struct solver *s, const struct least *l)
{
	back_to_base(s);
	for (size_t i = 0; i < l->nr; i++) {
		if (l->settings[i].is_out)
			continue;
		note_change(s, l->settings[i].sym);
		say_setting(s, &l->settings[i]);
	}
	for (size_t i = 0; i < l->nr; i++) {
		const struct setting *setting = &l->settings[i];

		if (!setting->is_out && *setting->value == 'y' && choice_of(setting->sym))
			set_logic(s, setting->sym, yes);
	}
}

/* a choice whose values are among the settings, from the base on */
static void say_choice(struct solver *s, const struct least *l, const struct menu *choice)
{
	set_base_value(s, choice->sym);
	for (const struct menu *menu = choice->list; menu; menu = menu->next)
		if (menu->sym)
			set_base_value(s, menu->sym);
	for (size_t i = 0; i < l->nr; i++)
		if (!l->settings[i].is_out && choice_of(l->settings[i].sym) == choice)
			say_setting(s, &l->settings[i]);
	for (size_t i = 0; i < l->nr; i++)
		if (!l->settings[i].is_out && choice_of(l->settings[i].sym) == choice && *l->settings[i].value == 'y')
			set_logic(s, l->settings[i].sym, yes);
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

static void set_out(struct solver *s, struct least *l, size_t first, size_t end, bool is_out)
{
	for (size_t i = first; i < end; i++) {
		struct setting *setting = &l->settings[i];
		struct menu *choice = choice_of(setting->sym);

		setting->is_out = is_out;
		if (choice)
			say_choice(s, l, choice);
		else if (is_out)
			set_base_value(s, setting->sym);
		else
			say_setting(s, setting);
	}
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

	set_out(s, l, first, end, true);
	if (!is_needed(l, l->settings[end - 1].sym) && are_same(l))
		return;
	set_out(s, l, first, end, false);
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

/* does the .config name it, and not to say that it is off? */
static bool is_written(struct symbol *sym)
{
	const char *value = value_of(sym);

	return sym->flags & SYMBOL_WRITE && (!is_logic(sym) || *value != 'n');
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
	if (!are_same(&l)) {		/* of a choice, the order of changes may count */
		for (size_t i = 0; i < l.nr; i++)
			l.settings[i].is_out = false;
		say_settings(s, &l);
	}
	write_config(s, words[0]);
	for (size_t i = 0; i < l.nr_wanted; i++) {
		if (is_written(l.wanted[i]))
			printf("have\t%s=%s\n", l.wanted[i]->name, value_of(l.wanted[i]));
		free(l.values[i]);
	}
}
