/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A dump, line by line (fields separated by tabs, "-" for no name):
 *   D version abi line_size		abi "-": whose layouts they are does not matter
 *   R id name flags size align user_align file line col
 *   M name type flags scalar scalar_size bit_offset bit_size align user_align type_align count width record file line col
 * Flags are letters, "." for none. An M belongs to the R above it; record is an id, 0 for none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "record.h"
#include "rules_option.h"

#define VERSION		"1"
#define MAX_FIELDS	20

static const char *or_dash(const char *s)
{
	return s ? s : "-";
}

static const char *no_dash(char *s)
{
	return strcmp(s, "-") ? s : NULL;
}

/* the letters of the flags that are set */
static const char *flag_letters(const char *letters, const bool *set)
{
	static char text[8];
	size_t len = 0;

	for (size_t i = 0; letters[i]; i++)
		if (set[i])
			text[len++] = letters[i];
	if (!len)
		text[len++] = '.';
	text[len] = '\0';
	return text;
}

static void write_member(const struct member *m, FILE *out)
{
	bool set[] = { m->array, m->flexible, m->bitfield, m->packed };

	fprintf(out, "M\t%s\t%s\t%s\t%d\t%u\t%llu\t%llu\t%u\t%u\t%u\t%llu\t%u\t%u\t%s\t%u\t%u\n",
		or_dash(m->name), or_dash(m->type), flag_letters("afbp", set), m->scalar, m->scalar_size,
		m->bit_offset, m->bit_size, m->align, m->user_align, m->type_align, m->count, m->width,
		m->record ? m->record->id : 0, or_dash(m->place.file), m->place.line, m->place.col);
}

void dump_write(const struct dump *d, FILE *out)
{
	fprintf(out, "D\t" VERSION "\t%s\t%u\n", d->abi->name, d->line_size);
	for (size_t i = 0; i < d->nr; i++)
		d->records[i]->id = i + 1;
	for (size_t i = 0; i < d->nr; i++) {
		const struct record *r = d->records[i];
		bool set[] = { r->is_union, r->by_typedef, r->packed, r->randomized };

		fprintf(out, "R\t%u\t%s\t%s\t%llu\t%u\t%u\t%s\t%u\t%u\n", r->id, or_dash(r->name),
			flag_letters("utpr", set), r->size, r->align, r->user_align,
			or_dash(r->place.file), r->place.line, r->place.col);
		for (size_t k = 0; k < r->nr_members; k++)
			write_member(&r->members[k], out);
	}
}

struct reading {
	const char *path;
	unsigned int line;
	struct dump *dump;
	struct record *record;		/* that members are added to */
	char *field[MAX_FIELDS];
	size_t nr;
};

static bool complain(const struct reading *in, const char *what)
{
	fprintf(stderr, "%s:%u: error: %s in a layout dump\n", in->path, in->line, what);
	return false;
}

static unsigned long long number(const struct reading *in, size_t i)
{
	return strtoull(in->field[i], NULL, 10);
}

static struct place place_at(const struct reading *in, size_t i)
{
	return (struct place) { no_dash(in->field[i]), number(in, i + 1), number(in, i + 2), 0 };
}

static bool read_head(struct reading *in)
{
	if (in->nr != 4 || strcmp(in->field[1], VERSION))
		return complain(in, "another version");
	in->dump->abi = abi_find(in->field[2]);
	in->dump->line_size = line_size_parse(in->field[3]);
	return in->dump->line_size && (in->dump->abi || !no_dash(in->field[2])) ? true : complain(in, "an unknown ABI or line size");
}

static bool read_record(struct reading *in)
{
	struct record *r = arena_alloc(sizeof(*r));
	const char *flags;

	if (in->nr != 10 || number(in, 1) != in->dump->nr + 1)
		return complain(in, "a broken record");
	flags = in->field[3];
	*r = (struct record) {
		.id = number(in, 1), .name = no_dash(in->field[2]),
		.is_union = strchr(flags, 'u'), .by_typedef = strchr(flags, 't'),
		.packed = strchr(flags, 'p'), .randomized = strchr(flags, 'r'),
		.size = number(in, 4), .align = number(in, 5), .user_align = number(in, 6),
		.place = place_at(in, 7), .laid_out = true,
	};
	*ARENA_PUSH(in->dump->records, in->dump->nr, in->dump->room) = r;
	in->record = r;
	return true;
}

static bool read_member(struct reading *in)
{
	unsigned long long id;
	const char *flags;

	if (in->nr != 17 || !in->record)
		return complain(in, "a broken member");
	id = number(in, 13);
	if (id >= in->record->id)
		return complain(in, "a member of a record that does not come before");
	flags = in->field[3];
	*record_add(in->record) = (struct member) {
		.name = no_dash(in->field[1]), .type = no_dash(in->field[2]),
		.array = strchr(flags, 'a'), .flexible = strchr(flags, 'f'),
		.bitfield = strchr(flags, 'b'), .packed = strchr(flags, 'p'),
		.scalar = number(in, 4), .scalar_size = number(in, 5),
		.bit_offset = number(in, 6), .bit_size = number(in, 7), .align = number(in, 8),
		.user_align = number(in, 9), .type_align = number(in, 10),
		.count = number(in, 11), .width = number(in, 12),
		.record = id ? in->dump->records[id - 1] : NULL, .place = place_at(in, 14),
	};
	return true;
}

static bool read_line(struct reading *in, char *line)
{
	in->nr = 0;
	for (char *s; in->nr < MAX_FIELDS && (s = strsep(&line, "\t")); )
		in->field[in->nr++] = s;
	if (!in->dump->line_size)
		return !strcmp(in->field[0], "D") ? read_head(in) : complain(in, "no head");
	switch (in->field[0][0]) {
	case 'R':
		return read_record(in);
	case 'M':
		return read_member(in);
	}
	return complain(in, "an unknown line");
}

struct dump *dump_read(const char *path)
{
	struct reading in = { .path = path, .dump = arena_alloc(sizeof(*in.dump)) };
	size_t len;
	char *text = arena_read_file(path, &len);

	if (!text) {
		fprintf(stderr, "%s: error: %s\n", path, strerror(errno));
		return NULL;
	}
	for (char *line; (line = strsep(&text, "\n")) && (*line || text); ) {
		in.line++;
		if (!read_line(&in, line))
			return NULL;
	}
	if (!in.dump->line_size) {
		complain(&in, "nothing");
		return NULL;
	}
	dump_index(in.dump);
	return in.dump;
}

void dump_index(struct dump *d)
{
	for (size_t i = 0; i < d->nr; i++)
		if (d->records[i]->name)
			strmap_add(&d->names, d->records[i]->name, strlen(d->records[i]->name), i);
}

struct record *dump_find(const struct dump *d, const char *name)
{
	bool want_struct = !strncmp(name, "struct ", 7), want_union = !strncmp(name, "union ", 6);
	const struct strmap_entry *named;
	struct record *found = NULL;

	name += want_struct ? 7 : want_union ? 6 : 0;
	named = strmap_get(&d->names, name, strlen(name));
	for (size_t i = 0; named && i < named->nr; i++) {
		struct record *r = d->records[named->values[i]];

		if ((want_union && !r->is_union) || (want_struct && r->is_union))
			continue;
		if (!r->by_typedef)		/* a tag comes before a typedef of the same name */
			return r;
		found = found ? found : r;
	}
	return found;
}
