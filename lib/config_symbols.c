/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "config_symbols.h"
#include "struct_text.h"

#define PREFIX		"CONFIG_"
#define MODULE		"_MODULE"

/* names that something hangs on; "struct x" for tags */
struct names {
	const char **list;
	size_t nr, room;
};

/* the conditionals around a place */
struct condition {
	const struct condition *up;
	struct names names;		/* of its #if, and of the #elif so far */
};

struct definition {
	const struct condition *where;
	struct names *uses;		/* of an enum, its enumerators share them */
};

/* from this line on */
struct change {
	unsigned int line;
	const struct condition *condition;
};

struct source_file {
	const char *name;
	struct change *changes;
	size_t nr, room;
};

struct scan {
	struct config_symbols *cs;
	const struct struct_text *st;
	const struct ctoks *toks;
	struct source_file *file;
	const struct condition *at;
};

static void add_name(struct names *names, const char *name)
{
	*ARENA_PUSH(names->list, names->nr, names->room) = name;
}

static bool is(const struct scan *s, size_t i, const char *text)
{
	return ctok_is(s->toks, i, text);
}

static bool is_ident(const struct scan *s, size_t i)
{
	return s->toks->tok[i].kind == CTOK_IDENT;
}

static bool is_record_word(const struct scan *s, size_t i)
{
	return is(s, i, "struct") || is(s, i, "union");
}

/* what the words of a preprocessor line, behind its directive, name */
static void add_line(const struct scan *s, size_t i, struct names *names)
{
	const struct ctok *tok = &s->toks->tok[i];
	struct scan words = { 0 };
	struct ctoks toks;
	size_t len;
	const char *directive = ctok_directive(s->toks, i, &len), *rest = directive + len;

	if (!clex(rest, s->toks->text + tok->end - rest, &toks))
		return;
	words.toks = &toks;
	for (size_t k = 0; k < toks.nr; k++) {
		bool tagged = is_record_word(&words, k) && k + 1 < toks.nr && is_ident(&words, k + 1);

		if (tagged && !ctok_is(&toks, k + 2, "*"))
			add_name(names, arena_printf("struct %s", ctok_text(&toks, k + 1)));
		else if (!tagged && is_ident(&words, k))
			add_name(names, ctok_text(&toks, k));
		k += tagged;
	}
}

/* the same of the tokens [first, end), but for those that are inside of one of the bodies */
static void add_toks(const struct scan *s, struct text_toks range, struct text_body *const *bodies, size_t nr_bodies,
		     struct names *names)
{
	for (size_t i = range.first, b = 0; i < range.end; i++) {
		bool tagged;

		if (b < nr_bodies && i == bodies[b]->open) {
			i = bodies[b++]->close;
			continue;
		}
		tagged = is_record_word(s, i) && i + 1 < range.end && is_ident(s, i + 1);
		if (tagged && !is(s, i + 2, "*"))
			add_name(names, arena_printf("struct %s", ctok_text(s->toks, i + 1)));
		else if (!tagged && is_ident(s, i))
			add_name(names, ctok_text(s->toks, i));
		i += tagged;
	}
}

static bool has_star(const struct scan *s, struct text_toks range)
{
	for (size_t i = range.first; i < range.end; i++)
		if (is(s, i, "*"))
			return true;
	return false;
}

/* a member's array sizes, widths and attributes, and its type when it is there by value */
static void add_declarators(const struct scan *s, const struct text_item *item, struct names *names)
{
	bool by_value = false;

	for (size_t i = 0; i < item->nr_declarators; i++) {
		const struct text_declarator *d = &item->declarators[i];
		struct text_toks before = { d->toks.first, d->name ? d->name_tok : d->toks.first };
		struct text_toks behind = { d->name ? d->name_tok + 1 : d->toks.first, d->toks.end };

		by_value |= !has_star(s, before);
		if (!strstr(d->type ?: "", "(*"))
			add_toks(s, behind, NULL, 0, names);
	}
	if (by_value || !item->nr_declarators)
		add_toks(s, item->specifiers, item->bodies, item->nr_bodies, names);
}

static void add_body(const struct scan *s, struct text_body *body, struct names *names)
{
	struct_text_read(s->st, body);
	for (size_t i = 0; i < body->nr_items; i++) {
		const struct text_item *item = &body->items[i];

		switch (item->kind) {
		case TEXT_COMMENT:
			break;
		case TEXT_LINE:
		case TEXT_IF:
		case TEXT_ELSE:
		case TEXT_ENDIF:
			add_line(s, item->toks.first, names);
			break;
		case TEXT_MEMBER:
			add_declarators(s, item, names);
			break;
		default:
			add_toks(s, item->toks, item->bodies, item->nr_bodies, names);
		}
		for (size_t k = 0; k < item->nr_bodies; k++)
			add_body(s, item->bodies[k], names);
	}
}

static struct names *define(const struct scan *s, const char *name, struct names *uses)
{
	struct definition *d = ARENA_PUSH(s->cs->definitions, s->cs->nr, s->cs->room);

	*d = (struct definition) { s->at, uses ?: arena_alloc(sizeof(*uses)) };
	strmap_add(&s->cs->by_name, name, strlen(name), s->cs->nr - 1);
	return d->uses;
}

/* attributes behind a body: up to the end of the declaration */
static struct text_toks tail_of(const struct scan *s, const struct text_body *body)
{
	struct text_toks tail = { body->close + 1, body->close + 1 };

	while (tail.end < s->toks->nr && !is(s, tail.end, ";") && !is(s, tail.end, "{"))
		tail.end++;
	return tail;
}

static void define_body(const struct scan *s, struct text_body *body)
{
	struct names *uses;

	if (!body->name || body->kind == TEXT_GROUP)
		return;
	uses = define(s, body->by_typedef ? body->name : arena_printf("struct %s", body->name), NULL);
	add_body(s, body, uses);
	add_toks(s, (struct text_toks) { body->head + 1, body->open }, NULL, 0, uses);
	if (body->file_scope)
		add_toks(s, tail_of(s, body), NULL, 0, uses);
}

/* does the parenthesis hold a type or an attribute, and no parameters? */
static bool is_type_or_attribute(const struct scan *s, size_t typedef_tok, size_t open)
{
	static const char *const words[] = { "__aligned", "__attribute", "__attribute__", "__typeof", "__typeof__", "typeof" };

	if (open == typedef_tok + 2)	/* typedef MACRO(WORDS) NEW */
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is(s, open - 1, words[i]))
			return true;
	return false;
}

/* typedef OLD NEW; a body in it has a definition of its own. A pointer or a function hangs on nothing */
static void define_typedef(const struct scan *s, size_t i)
{
	struct text_toks outside = { i + 1, i + 1 };
	size_t end = i + 1, name = 0;
	struct names *uses;

	for (; end < s->toks->nr && !is(s, end, ";"); end++) {
		bool opens = is(s, end, "(");

		if (is(s, end, "*") || (opens && (is(s, end + 1, "*") || !is_type_or_attribute(s, i, end))))
			return;
		if ((opens || is(s, end, "{") || is(s, end, "[")) && s->st->match[end])
			end = s->st->match[end];
		else if (is_ident(s, end) && !is(s, end + 1, "(") && !(name && is(s, name + 1, "[")))
			name = end;
	}
	if (!name)
		return;
	uses = define(s, ctok_text(s->toks, name), NULL);
	for (outside.end = i + 1; outside.end < end; outside.end++) {
		if (!is(s, outside.end, "{") || !s->st->match[outside.end])
			continue;
		add_toks(s, outside, NULL, 0, uses);
		outside.first = outside.end = s->st->match[outside.end];
	}
	add_toks(s, outside, NULL, 0, uses);
}

/* every enumerator hangs on all that stands in the braces: the ones before it count */
static void define_enum(const struct scan *s, size_t open)
{
	struct names *uses = arena_alloc(sizeof(*uses));
	bool starts = true;

	for (size_t i = open + 1; i < s->st->match[open]; i++) {
		if (s->toks->tok[i].kind == CTOK_LINE)
			add_line(s, i, uses);
		else if (is_ident(s, i) && starts)
			define(s, ctok_text(s->toks, i), uses);
		else if (is_ident(s, i))
			add_name(uses, ctok_text(s->toks, i));
		starts = is(s, i, ",") || (starts && !is_ident(s, i));
	}
}

/* DEFINE(NAME, VALUE) of kernel/bounds.c is #define NAME in the header that the build makes of it */
static void define_bound(const struct scan *s, size_t i)
{
	size_t close = s->st->match[i + 1];

	if (is_ident(s, i + 2) && is(s, i + 3, ",") && close > i)
		add_toks(s, (struct text_toks) { i + 4, close }, NULL, 0, define(s, ctok_text(s->toks, i + 2), NULL));
}

static bool is_assert(const struct scan *s, size_t i)
{
	const struct ctok *tok = &s->toks->tok[i];
	const char *word = s->toks->text + tok->start;
	size_t len = tok->end - tok->start;

	return is_ident(s, i) && is(s, i + 1, "(") && (memmem(word, len, "ASSERT_GROUP_", 13) || memmem(word, len, "libeth_cacheline_", 17));
}

/* ASSERT(STRUCT, GROUP, LIMIT): as if it stood in the struct's body */
static void define_assert(const struct scan *s, size_t i)
{
	bool tagged = is_record_word(s, i + 2);
	size_t name = i + 2 + tagged, close = s->st->match[i + 1];

	if (name < close && is_ident(s, name))
		add_toks(s, (struct text_toks) { name + 1, close }, NULL, 0,
			 define(s, arena_printf("%s%s", tagged ? "struct " : "", ctok_text(s->toks, name)), NULL));
}

/* that it is not there, below an #undef, hangs on the conditionals around too */
static void define_macro(const struct scan *s, size_t i)
{
	size_t len;
	const char *name = ctok_directive(s->toks, i, &len) + len;

	name += strspn(name, " \t");
	len = strspn(name, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	add_line(s, i, define(s, arena_strndup(name, len), NULL));
}

static void set_condition(struct scan *s, size_t tok, const struct condition *condition)
{
	s->at = condition;
	*ARENA_PUSH(s->file->changes, s->file->nr, s->file->room) = (struct change) { s->toks->tok[tok].line, condition };
}

static bool is_directive(const struct scan *s, size_t i, const char *name)
{
	size_t len;
	const char *directive = ctok_directive(s->toks, i, &len);

	return len == strlen(name) && !strncmp(directive, name, len);
}

static void read_line(struct scan *s, size_t i, const struct condition *root)
{
	struct condition *c;

	if (is_directive(s, i, "define") || is_directive(s, i, "undef")) {
		define_macro(s, i);
	} else if (is_directive(s, i, "if") || is_directive(s, i, "ifdef") || is_directive(s, i, "ifndef")) {
		c = arena_alloc(sizeof(*c));
		c->up = s->at;
		add_line(s, i, &c->names);
		set_condition(s, i, c);
	} else if (is_directive(s, i, "elif") && s->at != root) {
		c = arena_alloc(sizeof(*c));	/* below the one that it goes on from, so that the endif leaves both */
		c->up = s->at->up;
		for (size_t k = 0; k < s->at->names.nr; k++)
			add_name(&c->names, s->at->names.list[k]);
		add_line(s, i, &c->names);
		set_condition(s, i, c);
	} else if (is_directive(s, i, "endif") && s->at != root) {
		set_condition(s, i, s->at->up);
	}
}

static const struct condition *condition_at(const struct config_symbols *cs, const char *file, unsigned int line)
{
	const struct condition *found = NULL;

	for (size_t i = 0; file && i < cs->nr_files; i++) {
		if (strcmp(cs->files[i].name, file))
			continue;
		for (size_t k = 0; k < cs->files[i].nr && cs->files[i].changes[k].line <= line; k++)
			found = cs->files[i].changes[k].condition;
		break;
	}
	return found;
}

void config_symbols_add(struct config_symbols *cs, const char *file, const struct struct_text *st, const char *from, unsigned int line)
{
	struct scan s = { .cs = cs, .st = st, .toks = &st->toks };
	const struct condition *root = condition_at(cs, from, line);
	size_t body = 0;

	s.file = ARENA_PUSH(cs->files, cs->nr_files, cs->files_room);
	s.file->name = file;
	if (!s.toks->nr)
		return;
	set_condition(&s, 0, root);
	for (size_t i = 0; i < s.toks->nr; i++) {
		if (body < s.st->nr && s.st->bodies[body]->head == i)
			define_body(&s, s.st->bodies[body++]);
		if (s.toks->tok[i].kind == CTOK_LINE)
			read_line(&s, i, root);
		else if (is(&s, i, "typedef"))
			define_typedef(&s, i);
		else if (is(&s, i, "enum") && (is(&s, i + 1, "{") || (i + 2 < s.toks->nr && is(&s, i + 2, "{"))))
			define_enum(&s, i + 1 + !is(&s, i + 1, "{"));
		else if (is(&s, i, "DEFINE") && is(&s, i + 1, "("))
			define_bound(&s, i);
		else if (is_assert(&s, i))
			define_assert(&s, i);
	}
}

struct closure {
	const struct config_symbols *cs;
	struct strmap met;
	struct names pending, found;
};

static void meet(struct closure *c, const char *name)
{
	size_t len = strlen(name);

	if (strmap_get(&c->met, name, len))
		return;
	strmap_add(&c->met, name, len, 0);
	if (strncmp(name, PREFIX, strlen(PREFIX)))
		add_name(&c->pending, name);
	else if (len > strlen(PREFIX MODULE) && !strcmp(name + len - strlen(MODULE), MODULE))
		meet(c, arena_strndup(name, len - strlen(MODULE)));
	else
		add_name(&c->found, name + strlen(PREFIX));
}

static void meet_all(struct closure *c, const struct names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		meet(c, names->list[i]);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **config_symbols_of(const struct config_symbols *cs, const char *name, size_t *nr)
{
	struct closure c = { .cs = cs };
	const char *tag = !strncmp(name, "union ", 6) ? name + 6 : !strncmp(name, "struct ", 7) ? name + 7 : name;

	meet(&c, arena_printf("struct %s", tag));
	meet(&c, tag);
	for (size_t i = 0; i < c.pending.nr; i++) {
		const struct strmap_entry *entry = strmap_get(&cs->by_name, c.pending.list[i], strlen(c.pending.list[i]));

		for (size_t k = 0; entry && k < entry->nr; k++) {
			const struct definition *d = &cs->definitions[entry->values[k]];

			meet_all(&c, d->uses);
			for (const struct condition *up = d->where; up; up = up->up)
				meet_all(&c, &up->names);
		}
	}
	if (c.found.nr)
		qsort(c.found.list, c.found.nr, sizeof(*c.found.list), by_text);
	*nr = c.found.nr;
	return c.found.list;
}
