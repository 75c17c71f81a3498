/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "covered.h"

#define MAX_LEAVES	4096	/* of a struct that somebody wrote by hand */
#define MAX_LOOKED_AT	(8 * MAX_LEAVES)	/* with those that are there already: unions of unions have no end of them */

/* a member with bytes that holds no other, or an array: its path and place from the start of the outermost record */
struct leaf {
	const char *path, *name;
	const char *owner;		/* the record that directly holds it; NULL: one without a name */
	struct span span;
};

struct leaves {
	struct leaf *list;
	size_t nr, room;
	size_t nr_looked_at;		/* members */
};

/* "STRUCT FROM TO" in its words; false: it has more or fewer */
static bool split(const char *text, char *words[3])
{
	char *rest = arena_strdup(text);

	for (int i = 0; i < 3; i++) {
		words[i] = strsep(&rest, " ");
		if (!words[i] || !*words[i])
			return false;
	}
	return !rest;
}

struct covered covered_parse(const char *then, const char *now)
{
	char *old[3], *new[3];
	bool good = split(then, old) && split(now, new) && !strcmp(old[0], new[0]);

	return (struct covered) { .then = then, .now = now, .record = good ? old[0] : NULL };
}

/* two ways to one member: struct_group() declares each twice, a union may embed one struct in two others */
static bool is_there(const struct leaves *all, const struct leaf *leaf)
{
	for (size_t i = 0; i < all->nr; i++)
		if (all->list[i].span.offset == leaf->span.offset && all->list[i].span.size == leaf->span.size &&
		    !strcmp(all->list[i].name, leaf->name))
			return true;
	return false;
}

static bool is_full(const struct leaves *all)
{
	return all->nr >= MAX_LEAVES || all->nr_looked_at >= MAX_LOOKED_AT;
}

/* r lies bit_offset bits behind the start; owner: its name, or that of the record around an anonymous one */
static void collect(const struct record *r, const char *owner, const char *prefix, unsigned long long bit_offset, struct leaves *out)
{
	for (size_t i = 0; i < r->nr_members && !is_full(out); i++, out->nr_looked_at++) {
		const struct member *m = &r->members[i];
		struct flat flat = { .member = m, .bit_offset = bit_offset + m->bit_offset };
		struct leaf leaf = { .span = flat_span(&flat) };

		if (m->record && !m->array) {
			collect(m->record, m->name ? m->record->name : owner, m->name ? arena_printf("%s%s.", prefix, m->name) : prefix,
				flat.bit_offset, out);
			continue;
		}
		leaf.name = m->name;
		leaf.owner = owner;
		leaf.path = m->name && leaf.span.size ? arena_printf("%s%s", prefix, m->name) : NULL;
		if (leaf.path && !is_there(out, &leaf))
			*ARENA_PUSH(out->list, out->nr, out->room) = leaf;
	}
}

static bool span_of(const struct record *r, const char *path, struct span *out)
{
	struct flat flat;

	if (record_find(r, path, &flat))
		return false;
	*out = flat_span(&flat);
	return true;
}

/* "f", "f>" */
static bool edge_of(const struct record *r, char *word, unsigned long long *out)
{
	char *end = word + strlen(word) - 1;
	bool behind = *end == '>';
	struct span span;

	if (behind)
		*end = '\0';
	if (!span_of(r, word, &span))
		return false;
	*out = span.offset + (behind ? span.size : 0);
	return true;
}

/* "f+g", "f*3": bytes */
static bool sum_of(const struct record *r, char *words, unsigned long long *out)
{
	char *word;

	*out = 0;
	while ((word = strsep(&words, "+"))) {
		char *times = strchr(word, '*');
		struct span span;

		if (times)
			*times++ = '\0';
		if (!span_of(r, word, &span))
			return false;
		*out += span.size * (times ? strtoul(times, NULL, 0) : 1);
	}
	return true;
}

static bool bounds(const struct record *r, const char *text, struct span *out)
{
	unsigned long long end = r->size, start = 0;
	char *words[3];

	split(text, words);
	if (strcmp(words[1], "^") && !edge_of(r, words[1], &start))
		return false;
	if (*words[2] == '+') {
		if (!sum_of(r, words[2] + 1, &end))
			return false;
		end += start;
	} else if (strcmp(words[2], "$") && !edge_of(r, words[2], &end)) {
		return false;
	}
	*out = (struct span) { .offset = start, .size = end > start ? end - start : 0 };
	return true;
}

static bool is_in(struct span range, const struct leaf *leaf)
{
	return leaf->span.offset < range.offset + range.size && leaf->span.offset + leaf->span.size > range.offset;
}

static bool is_same_owner(const struct leaf *a, const struct leaf *b)
{
	return a->owner && b->owner && !strcmp(a->owner, b->owner);
}

/* "uncached.next" of "u.route.uncached.next"; NULL: the path has one name only */
static const char *last_two(const char *path)
{
	const char *dot = strrchr(path, '.');

	while (dot && dot > path && dot[-1] != '.')
		dot--;
	return dot;
}

/* does the struct that held it still have a member of that name? Then one that is there no more went with its struct. */
static bool is_kept_by_owner(const struct leaves *all, const struct leaf *leaf)
{
	for (size_t i = 0; i < all->nr; i++)
		if (is_same_owner(&all->list[i], leaf) && !strcmp(all->list[i].name, leaf->name))
			return true;
	return false;
}

/* the same path; else, for what went from one embedded struct to another, the same name in another struct */
static const struct leaf *counterpart(const struct leaves *all, const struct leaf *leaf)
{
	const char *tail = last_two(leaf->path);
	bool is_kept;

	for (size_t i = 0; i < all->nr; i++)
		if (!strcmp(all->list[i].path, leaf->path))
			return &all->list[i];
	is_kept = is_kept_by_owner(all, leaf);
	for (size_t i = 0; i < all->nr; i++) {
		const struct leaf *other = &all->list[i];
		const char *its_tail = last_two(other->path);

		if (other->span.size == leaf->span.size && !strcmp(other->name, leaf->name) &&
		    (is_kept ? tail && its_tail && !strcmp(tail, its_tail) : !is_same_owner(other, leaf)))
			return other;
	}
	return NULL;
}

static void push(struct paths *out, const struct leaf *leaf)
{
	*ARENA_PUSH(out->list, out->nr, out->room) = leaf->path;
}

bool covered_compare(const struct covered *c, const struct record *before, const struct record *after, struct covering *out)
{
	struct leaves old = { 0 }, new = { 0 };
	struct span then, now;

	*out = (struct covering) { 0 };
	if (!bounds(before, c->then, &then) || !bounds(after, c->now, &now))
		return false;
	collect(before, before->name, "", 0, &old);
	collect(after, after->name, "", 0, &new);
	if (is_full(&old) || is_full(&new))
		return false;
	for (size_t i = 0; i < old.nr; i++) {
		const struct leaf *leaf = &old.list[i], *other = counterpart(&new, leaf);

		if (!is_in(then, leaf))
			continue;
		push(&out->then, leaf);
		if (other && !is_in(now, other))
			push(&out->left, leaf);
	}
	for (size_t i = 0; i < new.nr; i++) {
		const struct leaf *leaf = &new.list[i], *other = counterpart(&old, leaf);

		if (!is_in(now, leaf))
			continue;
		push(&out->now, leaf);
		if (!other)
			push(&out->fresh, leaf);
		else if (!is_in(then, other))
			push(&out->entered, leaf);
	}
	return true;
}
