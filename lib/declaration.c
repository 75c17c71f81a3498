/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "declaration.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* all tables are sorted: they are searched by bsearch() */
static const char *const attributes[] = {
	"_Alignas", "__aligned", "__aligned_largest", "__alloc_size", "__attribute",
	"__attribute__", "__cacheline_aligned", "__cacheline_aligned_in_smp", "__cacheline_apart",
	"__cacheline_budget", "__cacheline_in", "__cacheline_internodealigned_in_smp",
	"__cacheline_isolated", "__cacheline_read_mostly", "__cacheline_with",
	"__cacheline_written", "__counted_by", "__counted_by_be", "__counted_by_le",
	"__counted_by_ptr", "__deprecated", "__designated_init", "__guarded_by", "__maybe_unused",
	"__must_check", "__no_randomize_layout", "__nonstring", "__packed", "__printf",
	"__pt_guarded_by", "__randomize_layout", "__read_mostly", "__scanf", "__sized_by",
	"alignas",
};

static const char *const qualifiers[] = {
	"_Atomic", "__arena", "__bitwise", "__const", "__extension__", "__force", "__iomem",
	"__kernel", "__kptr", "__kptr_untrusted", "__nocast", "__percpu", "__percpu_kptr",
	"__private", "__rcu", "__restrict", "__restrict__", "__safe", "__seg_fs", "__seg_gs",
	"__uptr", "__user", "__volatile", "__volatile__", "const", "inline", "register",
	"restrict", "static", "volatile",
};

static const char *const builtins[] = {
	"_Bool", "__int128", "__signed", "__signed__", "char", "double", "float", "int", "long",
	"short", "signed", "unsigned", "void",
};

static const char *const typeofs[] = {
	"__typeof", "__typeof__", "__typeof_unqual__", "typeof", "typeof_unqual",
};

/* macros that declare a member, which argument (from 0) names it, and what they are */
static const struct macro {
	const char *name;
	int argument;
	enum text_kind kind;
	const char *type;		/* with %s for the argument that is not the name, NULL: the macro itself */
	int type_argument;
	bool flexible;
} macros[] = {
	{ "CACHELINE_PADDING", 0, TEXT_PADDING, NULL, 0, false },
	{ "DECLARE_BITMAP", 0, TEXT_MACRO, "unsigned long [BITS_TO_LONGS(%s)]", 1, false },
	{ "DECLARE_FLEX_ARRAY", 1, TEXT_MACRO, "%s []", 0, true },
	{ "DECLARE_HASHTABLE", 0, TEXT_MACRO, "struct hlist_head [1 << (%s)]", 1, false },
	{ "DECLARE_KFIFO", 0, TEXT_MACRO, NULL, 0, false },
	{ "DECLARE_KFIFO_PTR", 0, TEXT_MACRO, NULL, 0, false },
	{ "ZONE_PADDING", 0, TEXT_PADDING, NULL, 0, false },
	{ "__DECLARE_FLEX_ARRAY", 1, TEXT_MACRO, "%s []", 0, true },
	{ "__cacheline_group_begin", 0, TEXT_MARKER, NULL, 0, false },
	{ "__cacheline_group_begin_aligned", 0, TEXT_MARKER, NULL, 0, false },
	{ "__cacheline_group_end", 0, TEXT_MARKER, NULL, 0, false },
	{ "__cacheline_group_end_aligned", 0, TEXT_MARKER, NULL, 0, false },
	{ "__struct_group", 1, TEXT_MACRO, NULL, 0, false },
	{ "struct_group", 0, TEXT_MACRO, NULL, 0, false },
	{ "struct_group_attr", 0, TEXT_MACRO, NULL, 0, false },
	{ "struct_group_tagged", 1, TEXT_MACRO, NULL, 0, false },
};

static const char *const bare_markers[] = {
	"randomized_struct_fields_end", "randomized_struct_fields_start",
};

static int compare_word(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

static bool is_word_of(const char *const *table, size_t nr, const char *s, size_t len)
{
	char word[48];

	if (len >= sizeof(word))
		return false;
	memcpy(word, s, len);
	word[len] = '\0';
	return bsearch(word, table, nr, sizeof(*table), compare_word);
}

static const char *spelling(const struct struct_text *st, size_t i, size_t *len)
{
	*len = st->toks.tok[i].end - st->toks.tok[i].start;
	return st->toks.text + st->toks.tok[i].start;
}

static bool token_in(const struct struct_text *st, size_t i, const char *const *table, size_t nr)
{
	size_t len;
	const char *s = spelling(st, i, &len);

	return is_word_of(table, nr, s, len);
}

bool is_kind(const struct struct_text *st, size_t i, enum ctok_kind kind)
{
	return st->toks.tok[i].kind == kind;
}

static bool is(const struct struct_text *st, size_t i, size_t end, const char *s)
{
	return i < end && ctok_is(&st->toks, i, s);
}

size_t skip_silent(const struct struct_text *st, size_t i, size_t end)
{
	while (i < end && (is_kind(st, i, CTOK_COMMENT) || is_kind(st, i, CTOK_LINE)))
		i++;
	return i;
}

bool previous_token(const struct struct_text *st, size_t i, size_t *out)
{
	while (i-- > 0) {
		if (is_kind(st, i, CTOK_COMMENT) || is_kind(st, i, CTOK_LINE))
			continue;
		*out = i;
		return true;
	}
	return false;
}

size_t skip_bracket(const struct struct_text *st, size_t i, size_t end)
{
	size_t to = st->match[i];

	return to > i && to < end ? to + 1 : i + 1;
}

static size_t next(const struct struct_text *st, size_t i, size_t end)
{
	return skip_silent(st, i + 1, end);
}

static bool contains(const char *s, size_t len, const char *what)
{
	size_t n = strlen(what);

	for (size_t i = 0; i + n <= len; i++) {
		if (!strncasecmp(s + i, what, n))
			return true;
	}
	return false;
}

/* ____cacheline_aligned and the like */
static bool is_cacheline_word(const char *s, size_t len)
{
	return len > 14 && !memcmp(s, "____cacheline_", 14);
}

bool is_attribute_name(const char *s, size_t len)
{
	if (is_word_of(attributes, COUNT(attributes), s, len))
		return true;
	/* ACPI_PACKED, ... by their look; a member may well be called "aligned" */
	return is_cacheline_word(s, len) ||
	       (len > 7 &&
		(contains(s, len, "_packed") || contains(s, len, "_aligned") || contains(s, len, "packed__")));
}

/* "(*fn)" and not the arguments of a macro */
static bool starts_declarator(const struct struct_text *st, size_t open, size_t end)
{
	size_t i = next(st, open, end);

	while (i < end &&
	       (token_in(st, i, qualifiers, COUNT(qualifiers)) || token_in(st, i, attributes, COUNT(attributes))))
		i = next(st, i, end);
	return is(st, i, end, "*") || is(st, i, end, "^");
}

size_t attribute_end(const struct struct_text *st, size_t i, size_t end)
{
	size_t len, after;
	const char *s;

	if (i >= end || !is_kind(st, i, CTOK_IDENT))
		return i;
	s = spelling(st, i, &len);
	if (!is_word_of(attributes, COUNT(attributes), s, len) && !is_cacheline_word(s, len))
		return i;
	after = next(st, i, end);
	return is(st, after, end, "(") && !starts_declarator(st, after, end) ? skip_bracket(st, after, end) : i + 1;
}

static bool is_plain_ident(const struct struct_text *st, size_t i, size_t end)
{
	return i < end && is_kind(st, i, CTOK_IDENT) && attribute_end(st, i, end) == i &&
	       !token_in(st, i, qualifiers, COUNT(qualifiers));
}

static bool is_upper(const struct struct_text *st, size_t i)
{
	size_t len;
	const char *s = spelling(st, i, &len);

	for (size_t j = 0; j < len; j++) {
		if (islower((unsigned char)s[j]))
			return false;
	}
	return len > 3;
}

static bool is_record_word(const struct struct_text *st, size_t i, size_t end)
{
	return is(st, i, end, "struct") || is(st, i, end, "union") || is(st, i, end, "enum");
}

/* behind "struct tag", "union { ... }" or "enum x" that starts at i */
static size_t skip_record(const struct struct_text *st, size_t i, size_t end)
{
	size_t k = next(st, i, end), a;

	while ((a = attribute_end(st, k, end)) != k)
		k = skip_silent(st, a, end);
	if (k < end && is_kind(st, k, CTOK_IDENT)) {
		i = k;
		k = next(st, k, end);
	}
	return is(st, k, end, "{") ? skip_bracket(st, k, end) : i + 1;
}

/* "PREFIX u32 x": the first word is a macro, the second the type */
static bool is_prefix(const struct struct_text *st, size_t word, size_t second, size_t end)
{
	size_t third = next(st, second, end);

	return is_upper(st, word) && third < end && (is_plain_ident(st, third, end) || is(st, third, end, "*"));
}

/* the token where the first declarator starts */
static size_t skip_specifiers(const struct struct_text *st, size_t i, size_t end)
{
	bool have_type = false;
	size_t word = end, a;

	for (i = skip_silent(st, i, end); i < end; i = skip_silent(st, i, end)) {
		if ((a = attribute_end(st, i, end)) != i) {
			i = a;
		} else if (is_record_word(st, i, end)) {
			i = skip_record(st, i, end);
			have_type = true;
			word = end;
		} else if (token_in(st, i, typeofs, COUNT(typeofs))) {
			i = next(st, i, end);
			i = i < end ? skip_bracket(st, i, end) : end;
			have_type = true;
		} else if (token_in(st, i, builtins, COUNT(builtins))) {
			i++;
			have_type = true;
			word = end;
		} else if (token_in(st, i, qualifiers, COUNT(qualifiers))) {
			i++;
		} else if (!is_kind(st, i, CTOK_IDENT)) {
			break;
		} else if (!have_type) {
			word = i;
			a = next(st, i, end);
			i = is(st, a, end, "(") && !starts_declarator(st, a, end) ? skip_bracket(st, a, end) : i + 1;
			have_type = true;
		} else if (word < end && is_prefix(st, word, i, end)) {
			i++;
			word = end;
		} else {
			break;
		}
	}
	return i;
}

/* the token of the declared name in [i, end), or end */
static size_t find_name(const struct struct_text *st, size_t i, size_t end)
{
	size_t a, after;

	for (i = skip_silent(st, i, end); i < end; i = skip_silent(st, i, end)) {
		if (is(st, i, end, "(")) {
			end = skip_bracket(st, i, end) - 1;
			i++;
			continue;
		}
		if (is(st, i, end, "*") || is(st, i, end, "^") || token_in(st, i, qualifiers, COUNT(qualifiers))) {
			i++;
			continue;
		}
		if (!is_kind(st, i, CTOK_IDENT))
			return end;
		a = attribute_end(st, i, end);
		after = a == i ? end : skip_silent(st, a, end);
		if (after < end &&
		    (is_kind(st, after, CTOK_IDENT) || is(st, after, end, "*") || is(st, after, end, "("))) {
			i = after;
			continue;
		}
		return i;
	}
	return end;
}

struct spell {
	const struct struct_text *st;
	char *s;
	size_t len;
	bool first;
	size_t last;			/* token */
};

static bool wants_blank(const struct spell *sp, size_t i)
{
	const struct ctok *tok = sp->st->toks.tok;
	char c = sp->st->toks.text[tok[i].start], before;
	bool word = tok[i].kind != CTOK_PUNCT;

	if (sp->first)
		return false;
	before = sp->st->toks.text[tok[sp->last].start];
	if (before == ',')
		return true;
	if (tok[sp->last].kind == CTOK_PUNCT)
		return before == '*' && tok[i].kind == CTOK_IDENT && word &&
		       token_in(sp->st, i, qualifiers, COUNT(qualifiers));
	return word || c == '*' || c == '{';
}

static void spell_token(struct spell *sp, size_t i)
{
	size_t len;
	const char *s = spelling(sp->st, i, &len);

	if (wants_blank(sp, i))
		sp->s[sp->len++] = ' ';
	memcpy(sp->s + sp->len, s, len);
	sp->len += len;
	sp->last = i;
	sp->first = false;
}

/* room for every token of the range and a blank in front of each */
static void spell_init(struct spell *sp, const struct struct_text *st, size_t bytes, size_t toks)
{
	*sp = (struct spell){ .st = st, .first = true };
	sp->s = arena_alloc(bytes + toks + 2);
}

static size_t bytes_of(const struct struct_text *st, struct text_toks t)
{
	return t.first < t.end ? st->toks.tok[t.end - 1].end - st->toks.tok[t.first].start : 0;
}

char *struct_text_spell(const struct struct_text *st, struct text_toks toks)
{
	struct spell sp;

	spell_init(&sp, st, bytes_of(st, toks), toks.end - toks.first);
	for (size_t i = toks.first; i < toks.end; i++) {
		if (!is_kind(st, i, CTOK_COMMENT) && !is_kind(st, i, CTOK_LINE))
			spell_token(&sp, i);
	}
	return sp.s;
}

/* behind a name any identifier is an attribute; its end, or i */
static size_t trailing_attribute_end(const struct struct_text *st, size_t i, size_t end)
{
	size_t after;

	if (!is_kind(st, i, CTOK_IDENT))
		return i;
	after = next(st, i, end);
	return is(st, after, end, "(") ? skip_bracket(st, after, end) : i + 1;
}

/* without attributes, a record's braces, the name, and what follows a bit-field's colon */
static void spell_type_part(struct spell *sp, struct text_toks t, size_t name)
{
	const struct struct_text *st = sp->st;
	size_t end;

	for (size_t i = skip_silent(st, t.first, t.end); i < t.end; i = skip_silent(st, end, t.end)) {
		end = i > name ? trailing_attribute_end(st, i, t.end) : attribute_end(st, i, t.end);
		if (end != i)
			continue;
		end = i + 1;
		if (i == name)
			continue;
		if (is(st, i, t.end, ":"))
			break;
		if (is(st, i, t.end, "{")) {
			end = skip_bracket(st, i, t.end);
			continue;
		}
		if (i > name)
			end = skip_bracket(st, i, t.end);
		for (; i < end; i = skip_silent(st, i + 1, end))
			spell_token(sp, i);
	}
}

static const char *spell_type(const struct struct_text *st, struct text_toks specifiers,
			      const struct text_declarator *d)
{
	struct spell sp;
	size_t before;

	spell_init(&sp, st, bytes_of(st, specifiers) + bytes_of(st, d->toks),
		   specifiers.end - specifiers.first + d->toks.end - d->toks.first + 2);
	spell_type_part(&sp, specifiers, UINT32_MAX);
	before = sp.len;
	sp.s[sp.len++] = ' ';
	sp.first = true;
	spell_type_part(&sp, d->toks, d->name_tok);
	if (sp.len == before + 1)
		sp.len--;
	sp.s[sp.len] = '\0';
	return sp.s;
}

static void read_declarator(const struct struct_text *st, struct text_item *item, size_t first, size_t end,
			    size_t *room)
{
	struct text_declarator *d = ARENA_PUSH(item->declarators, item->nr_declarators, *room);
	size_t name, after, i;

	first = skip_silent(st, first, end);
	while (end > first && (is_kind(st, end - 1, CTOK_COMMENT) || is_kind(st, end - 1, CTOK_LINE)))
		end--;
	d->toks = (struct text_toks){ first, end };
	d->line = st->toks.tok[first < end ? first : item->toks.first].line;
	name = find_name(st, first, end);
	/* find_name() narrows its end inside parentheses: no name is whatever is no identifier */
	d->name_tok = name < end && is_kind(st, name, CTOK_IDENT) ? name : UINT32_MAX;
	if (d->name_tok != UINT32_MAX) {
		d->name = ctok_text(&st->toks, name);
		d->line = st->toks.tok[name].line;
		after = next(st, name, end);
		if (is(st, after, end, "[")) {
			i = next(st, after, end);
			d->flexible = is(st, i, end, "]");
			d->zero_length = is(st, i, end, "0") && is(st, next(st, i, end), end, "]");
		}
	}
	for (i = first; i < end; i = skip_bracket(st, i, end)) {
		if (!is(st, i, end, ":"))
			continue;
		d->bitfield = true;
		i = next(st, i, end);
		d->zero_width = is(st, i, end, "0") && next(st, i, end) == end;
		break;
	}
	d->type = spell_type(st, item->specifiers, d);
}

static void read_declarators(const struct struct_text *st, struct text_item *item, size_t first, size_t end)
{
	size_t room = 0, start = first;

	for (size_t i = first; i < end; i = skip_bracket(st, i, end)) {
		if (!is(st, i, end, ","))
			continue;
		read_declarator(st, item, start, i, &room);
		start = i + 1;
	}
	read_declarator(st, item, start, end, &room);
}

static int compare_macro(const void *key, const void *elem)
{
	return strcmp(key, ((const struct macro *)elem)->name);
}

static const struct macro *find_macro(const char *name)
{
	return bsearch(name, macros, COUNT(macros), sizeof(macros[0]), compare_macro);
}

int group_arguments(const char *s, size_t len)
{
	static const struct {
		const char *name;
		int before;
	} groups[] = {
		{ "__struct_group", 3 },
		{ "struct_group", 1 },
		{ "struct_group_attr", 2 },
		{ "struct_group_tagged", 2 },
	};

	for (size_t i = 0; i < COUNT(groups); i++) {
		if (strlen(groups[i].name) == len && !memcmp(groups[i].name, s, len))
			return groups[i].before;
	}
	return -1;
}

/* the tokens of the n-th argument behind the parenthesis at open; empty: there is none */
static struct text_toks argument(const struct struct_text *st, size_t open, size_t end, int n)
{
	size_t behind = skip_bracket(st, open, end), close = behind > open + 1 ? behind - 1 : behind;	/* it may have no other half */
	struct text_toks arg = { open + 1, close };

	for (size_t i = open + 1; i < close; i = skip_bracket(st, i, close)) {
		if (!is(st, i, close, ","))
			continue;
		arg.end = i;
		if (n-- == 0)
			return arg;
		arg.first = i + 1;
		arg.end = close;
	}
	if (n > 0)
		arg.first = arg.end;
	return arg;
}

/* MACRO(arguments) or MACRO and nothing behind it */
static bool read_macro(const struct struct_text *st, struct text_item *item, size_t end)
{
	size_t first = item->toks.first, open = next(st, first, end), room = 0, after, a;
	bool has_arguments = is(st, open, end, "(");
	const struct macro *m;
	struct text_declarator *d;

	if (!is_kind(st, first, CTOK_IDENT) || token_in(st, first, builtins, COUNT(builtins)) ||
	    is_record_word(st, first, end))
		return false;
	after = has_arguments ? skip_silent(st, skip_bracket(st, open, end), end) : open;
	while ((a = attribute_end(st, after, end)) != after)
		after = skip_silent(st, a, end);
	if (after != end)
		return false;
	item->name = ctok_text(&st->toks, first);
	m = find_macro(item->name);
	item->kind = m ? m->kind : TEXT_MACRO;
	if (token_in(st, first, bare_markers, COUNT(bare_markers)))
		item->kind = TEXT_MARKER;
	if (!m || !has_arguments)
		return true;
	item->name = struct_text_spell(st, argument(st, open, end, m->argument));
	if (m->kind != TEXT_MACRO)
		return true;
	d = ARENA_PUSH(item->declarators, item->nr_declarators, room);
	d->name = item->name;
	d->name_tok = skip_silent(st, argument(st, open, end, m->argument).first, end);
	d->line = st->toks.tok[d->name_tok].line;
	d->toks = (struct text_toks){ first, end };
	d->flexible = m->flexible;
	d->type = ctok_text(&st->toks, first);
	if (m->type) {
		const char *arg = struct_text_spell(st, argument(st, open, end, m->type_argument));
		const char *percent = strchr(m->type, '%');

		d->type = arena_printf("%.*s%s%s", (int)(percent - m->type), m->type, arg, percent + 2);
	}
	return true;
}

void declaration_read(const struct struct_text *st, struct text_item *item)
{
	size_t end = item->toks.end, first;

	item->has_semicolon = is(st, end - 1, end, ";");
	while (end > item->toks.first && (is(st, end - 1, end, ";") || is_kind(st, end - 1, CTOK_COMMENT)))
		end--;
	item->kind = TEXT_MEMBER;
	if (end == item->toks.first) {
		item->kind = TEXT_LINE;		/* a semicolon alone: stays where it is */
		return;
	}
	if (read_macro(st, item, end))
		return;
	first = skip_specifiers(st, item->toks.first, end);
	item->specifiers = (struct text_toks){ item->toks.first, first };
	if (item->nr_bodies == 1 && item->bodies[0]->anonymous) {
		item->kind = TEXT_ANONYMOUS;
		return;
	}
	read_declarators(st, item, first, end);
	/* "char begin[0];" takes no room wherever it stands */
	if (item->nr_declarators == 1 && item->declarators[0].zero_length) {
		item->kind = TEXT_MARKER;
		item->name = item->declarators[0].name;
	}
}

size_t bare_macro_end(const struct struct_text *st, size_t i, size_t end)
{
	size_t last = i, after, len;
	const char *s = spelling(st, i, &len);
	bool has_arguments, known;

	if (!is_kind(st, i, CTOK_IDENT))
		return i;
	known = token_in(st, i, bare_markers, COUNT(bare_markers));
	after = next(st, i, end);
	has_arguments = is(st, after, end, "(");
	if (has_arguments) {
		last = skip_bracket(st, after, end) - 1;
		after = next(st, last, end);
	}
	if (after < end && (!is_kind(st, after, CTOK_IDENT) || attribute_end(st, after, end) != after))
		return i;
	if (after < end && st->toks.tok[after].line == st->toks.tok[last].last_line)
		return i;
	if (known)
		return last + 1;
	if (has_arguments)
		known = attribute_end(st, i, end) == i && !token_in(st, i, typeofs, COUNT(typeofs)) &&
			(is_upper(st, i) || memcmp(s, "__", len < 2 ? len : 2) != 0 ||
			 contains(s, len, "__cacheline_group"));
	else
		known = is_upper(st, i);
	return known ? last + 1 : i;
}

struct attributes {
	struct text_toks *list;
	size_t nr, room;
};

/* returns where to go on */
static size_t take_attribute(struct attributes *found, size_t first, size_t end)
{
	*ARENA_PUSH(found->list, found->nr, found->room) = (struct text_toks){ first, end };
	return end;
}

static void attributes_in_front(const struct struct_text *st, size_t i, size_t end, struct attributes *found)
{
	size_t behind;

	for (i = skip_silent(st, i, end); i < end; i = skip_silent(st, i, end)) {
		behind = attribute_end(st, i, end);
		if (behind != i)
			i = take_attribute(found, i, behind);
		else
			i = is(st, i, end, "{") ? skip_bracket(st, i, end) : i + 1;
	}
}

static void attributes_behind(const struct struct_text *st, size_t i, size_t end, struct attributes *found)
{
	size_t behind;

	for (i = skip_silent(st, i, end); i < end; i = skip_silent(st, i, end)) {
		if (is(st, i, end, ":"))
			break;
		behind = trailing_attribute_end(st, i, end);
		if (behind != i)
			i = take_attribute(found, i, behind);
		else
			i = skip_bracket(st, i, end);
	}
}

struct text_toks *declaration_attributes(const struct struct_text *st, const struct text_item *item,
					 const struct text_declarator *d, size_t *nr)
{
	struct attributes found = { 0 };
	struct text_toks s = item->specifiers;

	attributes_in_front(st, s.first, s.end, &found);
	if (!d && item->kind == TEXT_ANONYMOUS) {
		attributes_behind(st, s.end, item->toks.end, &found);
	} else if (d && d->name_tok != UINT32_MAX && item->kind != TEXT_MACRO) {
		attributes_in_front(st, d->toks.first, d->name_tok, &found);
		attributes_behind(st, d->name_tok + 1, d->toks.end, &found);
	}
	*nr = found.nr;
	return found.list;
}
