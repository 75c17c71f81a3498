/* SPDX-License-Identifier: GPL-2.0-only */
/* The entries of a struct's kernel-doc follow its members, when they were in their order before. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "replay_plan.h"

struct line {
	const char *s, *end;		/* with its newline */
	const char *text;		/* behind the star and blanks */
	bool blank;
};

struct cell {				/* "@name: ..." and what continues it */
	size_t first, end;		/* lines */
	uint32_t before, after;		/* place of the member */
	uint32_t nr;
};

struct doc {
	struct line *lines;
	size_t nr_lines, lines_room;
	struct cell *cells;
	size_t nr, room;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void split_lines(struct doc *d, const char *s, const char *end)
{
	while (s < end) {
		const char *nl = memchr(s, '\n', end - s);
		struct line *l = ARENA_PUSH(d->lines, d->nr_lines, d->lines_room);

		l->s = s;
		l->end = nl ? nl + 1 : end;
		l->text = s;
		while (l->text < l->end && (*l->text == ' ' || *l->text == '\t'))
			l->text++;
		if (l->text < l->end && *l->text == '*')
			l->text++;
		while (l->text < l->end && strchr(" \t\r\n", *l->text))
			l->text++;
		l->blank = l->text == l->end;
		s = l->end;
	}
}

/* the length of the name that an entry starts with, or 0 */
static size_t entry_name(const struct line *l)
{
	const char *p = l->text + 1;

	if (l->blank || *l->text != '@')
		return 0;
	while (p < l->end && is_word(*p))
		p++;
	return p - l->text - 1;
}

/* a paragraph behind a blank line still belongs to the entry when it is indented more than one blank */
static bool continues(const struct line *l)
{
	const char *p = l->s;

	while (p < l->text && *p != '*')
		p++;
	return l->text - p > 2 || (l->text - p == 2 && p[1] == '\t');
}

static size_t cell_end(const struct doc *d, size_t i)
{
	size_t end = i + 1;

	for (i = end; i + 1 < d->nr_lines; i++) {
		const struct line *l = &d->lines[i];

		if (l->blank)
			continue;
		if (entry_name(l) || (i > end && !continues(l)))
			break;
		end = i + 1;
	}
	return end;
}

/* the last line holds the comment's end and belongs to no cell */
static void find_cells(struct doc *d)
{
	size_t i = 1;

	while (i + 1 < d->nr_lines && !entry_name(&d->lines[i]))
		i++;
	while (i + 1 < d->nr_lines && entry_name(&d->lines[i])) {
		struct cell *c = ARENA_PUSH(d->cells, d->nr, d->room);

		c->first = i;
		c->end = i = cell_end(d, i);
		c->nr = d->nr - 1;
		while (i + 1 < d->nr_lines && d->lines[i].blank)
			i++;
	}
}



static void rank_names(const struct side *s, uint32_t node, struct strmap *ranks, uint32_t *rank)
{
	const struct node *n = &s->nodes[node];

	for (uint32_t a = n->alt; a < n->alt + n->nr_alts; a++) {
		const char *key = s->alts[a].key;

		if (key)
			strmap_add(ranks, key, strlen(key), *rank);
	}
	++*rank;
}

static void rank_before(const struct side *s, uint32_t container, struct strmap *ranks, uint32_t *rank)
{
	const struct container *c = &s->containers[container];

	for (size_t i = 0; i < c->nr; i++) {
		rank_names(s, c->nodes[i], ranks, rank);
		if (s->nodes[c->nodes[i]].inner != NONE)
			rank_before(s, s->nodes[c->nodes[i]].inner, ranks, rank);
	}
}

static void rank_after(const struct side *s, uint32_t container, struct strmap *ranks, uint32_t *rank)
{
	const struct container *c = &s->containers[container];

	for (size_t i = 0; i < c->nr_targets; i++) {
		uint32_t node = c->targets[i].node;

		if (node == NONE)
			continue;
		rank_names(s, node, ranks, rank);
		if (s->nodes[node].inner != NONE)
			rank_after(s, s->nodes[node].inner, ranks, rank);
	}
}

/* gives each cell its place; false: the entries were not in the order of the members */
static bool rank_cells(struct doc *d, const struct side *s)
{
	struct strmap before = { 0 }, after = { 0 };
	uint32_t rank = 1;

	rank_before(s, 0, &before, &rank);
	rank = 1;
	rank_after(s, 0, &after, &rank);
	for (size_t i = 0; i < d->nr; i++) {
		struct cell *c = &d->cells[i];
		const struct line *l = &d->lines[c->first];
		struct strmap_entry *x = strmap_get(&before, l->text + 1, entry_name(l));
		struct strmap_entry *y = strmap_get(&after, l->text + 1, entry_name(l));

		/* "@a, @b:" speaks of several; an entry without a member stays with the one above it */
		if (l->text[1 + entry_name(l)] == ',')
			return false;
		c->before = x ? x->values[0] : i ? c[-1].before : 0;
		c->after = y ? y->values[0] : i ? c[-1].after : 0;
		if (i && c->before < c[-1].before)
			return false;
	}
	return true;
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->after != y->after)
		return x->after < y->after ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* the comment directly above a struct, typedef and the like between; NONE: there is none */
static uint32_t find_doc(const struct struct_text *st, const struct text_body *body)
{
	uint32_t i = body->head;

	for (int words = 0; i > 0 && words < 4; words++) {
		const struct ctok *t = &st->toks.tok[--i];

		if (t->kind == CTOK_COMMENT)
			return t->end - t->start > 4 && !memcmp(st->toks.text + t->start, "/**", 3) ? i : NONE;
		if (t->kind != CTOK_IDENT)
			break;
	}
	return NONE;
}

static char *write_doc(const struct doc *d, const struct cell *sorted)
{
	const struct line *last = &d->lines[d->nr_lines - 1];
	size_t len = last->end - d->lines[0].s, at = d->lines[0].s - d->lines[0].s;
	char *s = arena_alloc(len + 1);
	const char *from = d->lines[0].s;

	/* the lines between the cells stay where they are */
	for (size_t i = 0; i < d->nr; i++) {
		const char *start = d->lines[d->cells[i].first].s;
		const char *cell = d->lines[sorted[i].first].s, *cell_end = d->lines[sorted[i].end - 1].end;

		memcpy(s + at, from, start - from);
		at += start - from;
		memcpy(s + at, cell, cell_end - cell);
		at += cell_end - cell;
		from = d->lines[d->cells[i].end - 1].end;
	}
	memcpy(s + at, from, last->end - from);
	return s;
}

bool doc_reorder(struct tree *t, const struct text_body *after, struct edit *out)
{
	const struct ctoks *toks = &t->after.st->toks;
	uint32_t tok = find_doc(t->after.st, after);
	struct doc d = { 0 };
	struct cell *sorted;

	if (tok == NONE)
		return false;
	split_lines(&d, toks->text + toks->tok[tok].start, toks->text + toks->tok[tok].end);
	find_cells(&d);
	if (!d.nr || !rank_cells(&d, &t->orig))
		return false;
	sorted = arena_alloc(d.nr * sizeof(*sorted));
	memcpy(sorted, d.cells, d.nr * sizeof(*sorted));
	qsort(sorted, d.nr, sizeof(*sorted), compare_cells);
	*out = (struct edit){ .start = toks->tok[tok].start, .end = toks->tok[tok].end };
	out->text = write_doc(&d, sorted);
	out->len = out->end - out->start;
	return true;
}
