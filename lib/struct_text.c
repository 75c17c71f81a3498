/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "declaration.h"
#include "struct_text.h"

/*
 * An open bracket. Frames are never changed and point upwards, so that the state at an #if is one
 * pointer, which #else takes up again.
 */
struct frame {
	struct frame *up;
	struct frame *brace;		/* innermost open brace, this frame or one above */
	struct text_body *body;		/* that the bracket opens, or NULL */
	struct text_body *inside;	/* innermost body, this one or one above */
	struct cond *cond;
	uint32_t open;
	bool scoped;			/* in braces of something else than a struct */
};

struct cond {
	struct cond *up;
	struct frame *at_if, *after_first;
	bool has_else;
	uint32_t line;
};

struct scan {
	struct struct_text *st;
	struct frame *top;
	struct cond *cond;
	size_t room;
};

static void unbalanced(struct struct_text *st, size_t tok)
{
	if (st->balanced)
		st->unbalanced_line = st->toks.tok[tok].line;
	st->balanced = false;
}

static const char broken_by_if[] = "its braces cross a preprocessor conditional";

static void break_body(struct frame *f)
{
	if (f && f->inside && !f->inside->broken)
		f->inside->broken = broken_by_if;
}

static bool is(const struct struct_text *st, size_t i, const char *s)
{
	return ctok_is(&st->toks, i, s);
}

static bool is_record(const struct struct_text *st, size_t i)
{
	return is(st, i, "struct") || is(st, i, "union");
}

/* context_lock_struct(tag) and context_lock_struct(tag, attribute), of 7.0 and newer */
static bool is_lock_head(const struct struct_text *st, size_t name)
{
	return is(st, name, "context_lock_struct") && is_kind(st, name + 2, CTOK_IDENT);
}

/*
 * "struct", "struct tag", "struct __packed tag", "struct __attribute__((x)) tag" in front of the brace:
 * the keyword's token in *head, the tag's in *tag or the brace's. context_lock_struct(tag) is such a keyword.
 */
static bool find_head(const struct struct_text *st, size_t brace, size_t *head, size_t *tag)
{
	size_t i = brace;

	*tag = brace;
	for (int words = 0; words < 8; words++) {
		if (!previous_token(st, i, &i))
			return false;
		if (is_record(st, i)) {
			*head = i;
			return true;
		}
		if (is(st, i, ")")) {
			/* in front of a brace: a function's parameters, or an attribute of a struct without a tag */
			bool only = words == 0;

			i = st->match[i];
			if (!i || !previous_token(st, i, &i) || !is_kind(st, i, CTOK_IDENT))
				return false;
			if (only) {
				if (is_lock_head(st, i)) {
					*head = i;
					*tag = i + 2;
					return true;
				}
				if (!previous_token(st, i, head))
					return false;
				return is_record(st, *head);
			}
		} else if (!is_kind(st, i, CTOK_IDENT)) {
			return false;
		} else if (*tag == brace) {
			*tag = i;
		}
	}
	return false;
}

static struct text_body *new_body(struct scan *scan, enum text_body_kind kind, size_t head, size_t open)
{
	struct struct_text *st = scan->st;
	struct text_body *body = arena_alloc(sizeof(*body));

	body->kind = kind;
	body->head = head;
	body->line = st->toks.tok[head].line;
	body->open = open;
	body->first = open + 1;
	if (scan->top) {
		body->parent = scan->top->inside;
		body->depth = body->parent ? body->parent->depth + 1 : 0;
	}
	*ARENA_PUSH(st->bodies, st->nr, scan->room) = body;
	return body;
}

static struct text_body *body_at_brace(struct scan *scan, size_t i)
{
	struct struct_text *st = scan->st;
	struct text_body *body;
	size_t head, tag;

	if (!find_head(st, i, &head, &tag))
		return NULL;
	body = new_body(scan, is(st, head, "union") ? TEXT_UNION : TEXT_STRUCT, head, i);
	if (tag != i)
		body->name = ctok_text(&st->toks, tag);
	return body;
}

/* struct_group(name, members): only inside a body */
static struct text_body *body_at_parenthesis(struct scan *scan, size_t i)
{
	struct struct_text *st = scan->st;
	const struct ctok *tok;
	size_t name;

	if (!scan->top || !scan->top->body || !previous_token(st, i, &name) || !is_kind(st, name, CTOK_IDENT))
		return NULL;
	tok = &st->toks.tok[name];
	if (group_arguments(st->toks.text + tok->start, tok->end - tok->start) < 0)
		return NULL;
	return new_body(scan, TEXT_GROUP, name, i);
}

static void open_bracket(struct scan *scan, size_t i)
{
	const struct struct_text *st = scan->st;
	struct frame *f = arena_alloc(sizeof(*f)), *up = scan->top;
	size_t before;

	f->up = up;
	f->open = i;
	f->cond = scan->cond;
	f->brace = up ? up->brace : NULL;
	f->inside = up ? up->inside : NULL;
	f->scoped = up && up->scoped;
	if (is(st, i, "{")) {
		f->brace = f;
		f->body = body_at_brace(scan, i);
		/* extern "C" { is no scope */
		if (!f->body && !(previous_token(st, i, &before) && is_kind(st, before, CTOK_STRING)))
			f->scoped = true;
	} else if (is(st, i, "(")) {
		f->body = body_at_parenthesis(scan, i);
	}
	if (f->body) {
		f->body->file_scope = !f->scoped && !f->body->parent;
		f->body->anonymous = up && up->body;	/* if no declarator follows */
		f->inside = f->body;
	}
	scan->top = f;
}

/* the token of the first declarator behind a body's closing brace, or 0 */
static size_t declarator_behind(const struct struct_text *st, size_t close)
{
	size_t end = st->toks.nr, i = skip_silent(st, close + 1, end), to;

	for (; i < end; i = skip_silent(st, to, end)) {
		const struct ctok *tok = &st->toks.tok[i];

		to = attribute_end(st, i, end);
		if (to != i)
			continue;
		if (tok->kind == CTOK_IDENT && !is_attribute_name(st->toks.text + tok->start, tok->end - tok->start))
			return i;
		to = i + 1;
		if (tok->kind == CTOK_PUNCT && !is(st, i, "*") && !is(st, i, "("))
			return 0;
	}
	return 0;
}

static bool is_typedef(const struct struct_text *st, size_t head)
{
	/* "typedef const struct", no more */
	for (int words = 0; words < 3; words++) {
		if (!previous_token(st, head, &head) || !is_kind(st, head, CTOK_IDENT))
			return false;
		if (is(st, head, "typedef"))
			return true;
	}
	return false;
}

static int count_commas(const struct struct_text *st, struct text_body *body, int wanted)
{
	size_t i = body->open + 1;

	for (; i < body->close && wanted > 0; i = skip_bracket(st, i, body->close))
		wanted -= is(st, i, ",");
	body->first = wanted ? body->close : i;
	return wanted;
}

/* once every bracket knows its other half */
static void name_body(const struct struct_text *st, struct text_body *body)
{
	size_t declarator;

	if (body->kind == TEXT_GROUP) {
		const struct ctok *tok = &st->toks.tok[body->head];

		count_commas(st, body, group_arguments(st->toks.text + tok->start, tok->end - tok->start));
		body->anonymous = true;
		return;
	}
	declarator = declarator_behind(st, body->close);
	body->anonymous = body->anonymous && !declarator;
	if (!body->name && declarator && is_typedef(st, body->head)) {
		body->name = ctok_text(&st->toks, declarator);
		body->by_typedef = true;
	}
}

static void close_bracket(struct scan *scan, size_t i)
{
	static const char *const other[] = { "()", "[]", "{}" };
	struct struct_text *st = scan->st;
	char c = st->toks.text[st->toks.tok[i].start];
	struct frame *f = scan->top;

	/* a parenthesis that nobody closed does not swallow the brace */
	if (f && c == '}' && !is(st, f->open, "{")) {
		unbalanced(st, f->open);
		break_body(f);
		f = f->brace;
	}
	for (size_t k = 0; k < 3; k++) {
		if (other[k][1] == c && (!f || st->toks.text[st->toks.tok[f->open].start] != other[k][0])) {
			unbalanced(st, i);
			break_body(f);
			return;
		}
	}
	if (!st->match[f->open])
		st->match[f->open] = i;
	st->match[i] = f->open;
	if (f->cond != scan->cond)
		break_body(f);
	if (f->body) {
		if (!f->body->close)
			f->body->close = i;
		if (f->body->broken && f->body->parent)
			f->body->parent->broken = f->body->broken;
	}
	scan->top = f->up;
}

static void open_conditional(struct scan *scan, size_t i)
{
	struct cond *c = arena_alloc(sizeof(*c));

	c->up = scan->cond;
	c->at_if = scan->top;
	c->line = scan->st->toks.tok[i].line;
	scan->cond = c;
}

static void else_conditional(struct scan *scan, size_t i)
{
	struct cond *c = scan->cond;

	if (!c) {
		unbalanced(scan->st, i);
		return;
	}
	if (!c->has_else)
		c->after_first = scan->top;
	c->has_else = true;
	scan->top = c->at_if;
}

static void end_conditional(struct scan *scan, size_t i)
{
	struct cond *c = scan->cond;

	if (!c) {
		unbalanced(scan->st, i);
		return;
	}
	if (scan->top != c->at_if) {
		break_body(scan->top);
		break_body(c->at_if);
	}
	if (c->has_else) {
		if (c->after_first != scan->top) {
			break_body(scan->top);
			break_body(c->after_first);
		}
		scan->top = c->after_first;
	}
	scan->cond = c->up;
}

static bool starts(const char *word, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(word, with, strlen(with));
}

static void scan_line(struct scan *scan, size_t i)
{
	size_t len;
	const char *word = ctok_directive(&scan->st->toks, i, &len);

	if (starts(word, len, "if"))
		open_conditional(scan, i);
	else if (starts(word, len, "el"))
		else_conditional(scan, i);
	else if (starts(word, len, "endif"))
		end_conditional(scan, i);
}

static void scan_tokens(struct scan *scan)
{
	const struct ctoks *t = &scan->st->toks;

	for (size_t i = 0; i < t->nr; i++) {
		if (t->tok[i].kind == CTOK_LINE)
			scan_line(scan, i);
		else if (t->tok[i].kind != CTOK_PUNCT)
			continue;
		else if (strchr("([{", t->text[t->tok[i].start]) && t->text[t->tok[i].start])
			open_bracket(scan, i);
		else if (strchr(")]}", t->text[t->tok[i].start]) && t->text[t->tok[i].start])
			close_bracket(scan, i);
	}
	if (scan->top)
		unbalanced(scan->st, scan->top->open);
	if (scan->cond) {
		if (scan->st->balanced)
			scan->st->unbalanced_line = scan->cond->line;
		scan->st->balanced = false;
	}
}

static void finish_bodies(struct struct_text *st)
{
	size_t kept = 0;

	for (size_t i = 0; i < st->nr; i++) {
		struct text_body *body = st->bodies[i];

		/* parents come first: the parent's own parent is a closed one */
		if (body->parent && !body->parent->close)
			body->parent = body->parent->parent;
		if (!body->close)
			continue;
		name_body(st, body);
		st->bodies[kept++] = body;
	}
	st->nr = kept;
}

struct struct_text *struct_text_parse(const char *text, size_t len)
{
	struct struct_text *st = arena_alloc(sizeof(*st));
	struct scan scan = { .st = st };

	if (!clex(text, len, &st->toks))
		return NULL;
	st->match = arena_alloc((st->toks.nr + 1) * sizeof(*st->match));
	st->balanced = true;
	scan_tokens(&scan);
	finish_bodies(st);
	for (size_t i = 0; i < st->nr; i++)
		if (st->bodies[i]->name)
			strmap_add(&st->names, st->bodies[i]->name, strlen(st->bodies[i]->name), i);
	return st;
}

struct text_body *struct_text_find(const struct struct_text *st, const char *name, size_t n)
{
	const struct strmap_entry *named;
	int kind = -1;

	if (!strncmp(name, "struct ", 7)) {
		kind = TEXT_STRUCT;
		name += 7;
	} else if (!strncmp(name, "union ", 6)) {
		kind = TEXT_UNION;
		name += 6;
	}
	named = strmap_get(&st->names, name, strlen(name));
	for (size_t i = kind < 0 ? n : 0; named && i < named->nr; i++) {
		struct text_body *body = st->bodies[named->values[i]];

		if (kind < 0 || (kind == (int)body->kind && n-- == 0))
			return body;
	}
	return NULL;
}

static struct text_item *find_in_body(const struct struct_text *st, struct text_body *body, const char *name,
				      struct text_body **where)
{
	struct text_item *found;

	struct_text_read(st, body);
	for (size_t i = 0; i < body->nr_items; i++) {
		struct text_item *item = &body->items[i];

		if (item->name && !strcmp(item->name, name)) {
			*where = body;
			return item;
		}
		for (size_t k = 0; k < item->nr_declarators; k++) {
			if (item->declarators[k].name && !strcmp(item->declarators[k].name, name)) {
				*where = body;
				return item;
			}
		}
		for (size_t k = 0; k < item->nr_bodies; k++) {
			if (!item->bodies[k]->anonymous)
				continue;
			found = find_in_body(st, item->bodies[k], name, where);
			if (found)
				return found;
		}
	}
	return NULL;
}

struct text_item *struct_text_member(const struct struct_text *st, const char *struct_name,
				     const char *member_name, struct text_body **body)
{
	struct text_body *found, *where;
	struct text_item *item;

	for (size_t n = 0; (found = struct_text_find(st, struct_name, n)); n++) {
		item = find_in_body(st, found, member_name, &where);
		if (!item)
			continue;
		if (body)
			*body = where;
		return item;
	}
	return NULL;
}

const char *struct_text_type_of(const struct struct_text *st, const char *struct_name, const char *member_name)
{
	const struct text_item *item = struct_text_member(st, struct_name, member_name, NULL);

	if (!item)
		return NULL;
	for (size_t i = 0; i < item->nr_declarators; i++) {
		if (item->declarators[i].name && !strcmp(item->declarators[i].name, member_name))
			return item->declarators[i].type;
	}
	return NULL;
}

bool text_is_unit(const struct text_item *item)
{
	return item->kind <= TEXT_MARKER;
}
