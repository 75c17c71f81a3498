/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "spelling.h"
#include "struct_text.h"

struct spelt {
	const char *name, *type;
	size_t nr;			/* in order of the text */
};

struct spellings {
	struct spelt *list;
	size_t nr, room;
};

static int by_name(const void *a, const void *b)
{
	const struct spelt *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->nr < y->nr ? -1 : 1;
}

/* nesting is no deeper than the braces of the text, which the lexer bounds */
static void collect(const struct struct_text *st, struct text_body *body, struct spellings *s)
{
	struct_text_read(st, body);
	for (size_t i = 0; i < body->nr_items; i++) {
		const struct text_item *item = &body->items[i];

		for (size_t k = 0; k < item->nr_declarators; k++)
			if (item->declarators[k].name && item->declarators[k].type)
				*ARENA_PUSH(s->list, s->nr, s->room) = (struct spelt)
					{ item->declarators[k].name, item->declarators[k].type, s->nr };
		for (size_t k = 0; k < item->nr_bodies; k++)
			if (item->bodies[k]->anonymous)
				collect(st, item->bodies[k], s);
	}
}

/* the body at the record's own line, when an #if defines it more than once */
static struct text_body *body_of(const struct record *r, const struct struct_text *st)
{
	struct text_body *body, *first = struct_text_find(st, r->name, 0);

	for (size_t n = 0; (body = struct_text_find(st, r->name, n)); n++)
		if (body->line == r->place.line)
			return body;
	return first;
}

static void spell_types(struct record *r, const struct struct_text *st)
{
	struct text_body *body = r->name ? body_of(r, st) : NULL;
	struct spellings s = { 0 };
	struct flat *flat;
	size_t nr;

	if (!body)
		return;
	collect(st, body, &s);
	if (s.nr)
		qsort(s.list, s.nr, sizeof(*s.list), by_name);
	flat = record_flatten(r, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct member *m = (struct member *)flat[i].member;	/* r's own, or of a record in it */

		for (size_t low = 0, high = s.nr; m->name && low < high; ) {
			size_t middle = (low + high) / 2;
			int order = strcmp(s.list[middle].name, m->name);

			if (!order)
				m->type = s.list[middle].type;
			if (order < 0)
				low = middle + 1;
			else
				high = middle;
		}
	}
}

static struct struct_text *text_of(const char *path)
{
	struct stat st;
	size_t len;
	char *text = !stat(path, &st) && S_ISREG(st.st_mode) ? arena_read_file(path, &len) : NULL;

	return text ? struct_text_parse(text, len) : NULL;
}

void spell_records(struct record *const *list, size_t nr, const char *(*contents_of)(const char *path))
{
	const char *path = NULL;
	struct struct_text *st = NULL;

	for (size_t i = 0; i < nr; i++) {
		const char *file = list[i]->place.file;

		if (file && (!path || strcmp(path, file)))
			st = text_of(contents_of ? contents_of(file) : file);
		path = file;
		if (file && st)
			spell_types(list[i], st);
	}
}
