/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "access.h"
#include "arena.h"
#include "show.h"

#define NAME_WIDTH	48

struct table {
	FILE *out;
	bool colour;
	unsigned int line_size;
	char label[48];			/* the line numbers that the row above is on */
};

const char *record_title(const struct record *r)
{
	const char *kind = r->is_union ? "union" : "struct";

	if (!r->name)
		return arena_printf("a nameless %s", kind);
	return r->by_typedef ? r->name : arena_printf("%s %s", kind, r->name);
}

static void show_placements(const struct record *r, unsigned int line_size, FILE *out)
{
	struct placements p;

	placements_of_align(&p, r->align, line_size);
	fprintf(out, "%llu bytes, aligned to %u: ", r->size, r->align);
	if (p.nr == 1)
		fprintf(out, "starts a %u-byte line", line_size);
	else
		fprintf(out, "may start at any of %u places in a %u-byte line", p.nr, line_size);
}

/* the first column: the line's number, where a line begins */
static void show_line_number(struct table *t, unsigned long long at, unsigned long long size)
{
	unsigned long long first = at / t->line_size;
	unsigned long long last = size ? (at + size - 1) / t->line_size : first;
	char text[48];
	bool same;

	snprintf(text, sizeof(text), last > first ? "%llu-%llu" : "%llu", first, last);
	same = !strcmp(text, t->label);
	strcpy(t->label, text);
	fprintf(t->out, "%s%7s%s", t->colour && !same ? "\033[1m" : "", same ? "" : text,
		t->colour && !same ? "\033[0m" : "");
}

static void show_gap(struct table *t, unsigned long long from, unsigned long long to, const char *what)
{
	if (from >= to)
		return;
	show_line_number(t, from, to - from);
	fprintf(t->out, " %7llu %5llu  %s%s%s\n", from, to - from, t->colour ? "\033[33m" : "", what,
		t->colour ? "\033[0m" : "");
}

static const char *size_text(const struct flat *f)
{
	const struct member *m = f->member;

	if (m->bitfield)
		return arena_printf(":%u", m->width);
	return arena_printf("%llu", m->bit_size / 8);
}

/* "struct list_head lru", "int (*fn)(void)", "char name[16]": the name where C has it */
static const char *declaration(const struct member *m)
{
	const char *type = m->type ? m->type : "?";
	const char *pointer = strstr(type, "(*"), *bracket = strchr(type, '[');
	size_t at = strlen(type);

	if (!m->name)
		return m->record ? arena_printf("%s {", m->record->is_union ? "union" : "struct") :
				   arena_printf("%s", type);
	if (pointer)
		at = strcspn(pointer, ")[") + (pointer - type);
	else if (bracket)
		at = bracket - type;
	while (at && type[at - 1] == ' ')
		at--;
	return arena_printf("%.*s%s%s%s", (int)at, type, at && type[at - 1] == '*' ? "" : " ", m->name,
			    type + at + strspn(type + at, " "));
}

static void show_member(struct table *t, const struct flat *f, const struct access *a)
{
	const char *group = group_begun_by(f->member) ? group_begun_by(f->member) : group_ended_by(f->member);
	unsigned long long at = f->bit_offset / 8, size = (f->bit_offset % 8 + f->member->bit_size + 7) / 8;
	const char *at_text = f->member->bitfield && f->bit_offset % 8 ?
		arena_printf("%llu.%llu", at, f->bit_offset % 8) : arena_printf("%llu", at);
	const char *text;

	if (group)
		text = arena_printf("--- group %s %s", group, group_begun_by(f->member) ? "begins" : "ends");
	else
		text = arena_printf("%*s%s", 2 * (int)f->depth, "", declaration(f->member));
	show_line_number(t, at, group || (!f->member->name && f->member->record) ? 0 : size);
	fprintf(t->out, " %7s %5s  ", at_text, size_text(f));
	if (a->class == CLASS_NONE)
		fprintf(t->out, "%s\n", text);
	else
		fprintf(t->out, "%-*s  %-12s  %s\n", NAME_WIDTH, text, access_class_name(a->class), a->class_from);
}

/* where the anonymous record that flat[i] opens ends: the index of the first element behind it */
static size_t end_of_anonymous(const struct flat *flat, size_t nr, size_t i)
{
	size_t k = i + 1;

	while (k < nr && flat[k].depth > flat[i].depth)
		k++;
	return k;
}

static const char *gap_name(const struct member *next)
{
	if (next && is_cacheline_padding(next))
		return arena_printf("CACHELINE_PADDING(%s)", next->name);
	return next ? "hole" : "padding";
}

/*
 * The members of one record, at depth; holes are what lies between one's end and the next one's
 * start, in structs only: the members of a union lie over each other.
 */
static void show_members(struct table *t, const struct record *r, const struct flat *flat,
			 const struct access *access, size_t nr, unsigned long long base_bits)
{
	unsigned long long end = base_bits;

	for (size_t i = 0; i < nr; ) {
		const struct flat *f = &flat[i];
		size_t next = end_of_anonymous(flat, nr, i);

		if (!r->is_union)
			show_gap(t, (end + 7) / 8, f->bit_offset / 8, gap_name(f->member));
		if (!is_cacheline_padding(f->member))
			show_member(t, f, &access[i]);
		if (next > i + 1) {
			show_members(t, f->member->record, f + 1, &access[i + 1], next - i - 1, f->bit_offset);
			fprintf(t->out, "%7s %7s %5s  %*s}\n", "", "", "", 2 * (int)f->depth, "");
		}
		if (end < f->bit_offset + f->member->bit_size)
			end = f->bit_offset + f->member->bit_size;
		i = next;
	}
	if (!r->is_union)
		show_gap(t, (end + 7) / 8, base_bits / 8 + r->size, gap_name(NULL));
}

void show_record(const struct record *r, unsigned int line_size, bool colour, FILE *out)
{
	struct table t = { .out = out, .colour = colour, .line_size = line_size };
	size_t nr;
	struct flat *flat = record_flatten(r, &nr);
	struct access *access = access_of_members(flat, nr);
	bool classes = false;

	for (size_t i = 0; i < nr; i++)
		classes |= access[i].class != CLASS_NONE;
	fprintf(out, "%s   ", record_title(r));
	show_placements(r, line_size, out);
	fprintf(out, "   %s:%u\n", r->place.file ? r->place.file : "-", r->place.line);
	if (classes)
		fprintf(out, "   line      at  size  %-*s  %s\n", NAME_WIDTH, "member", "class");
	else
		fprintf(out, "   line      at  size  member\n");
	show_members(&t, r, flat, access, nr, 0);
}
