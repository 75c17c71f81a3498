/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One translation unit as rows for a database: layouts, what functions do with members, initialisers, where objects come
 * from, from sparse's parse (AST level). docs/index-rows.md tells the rows.
 *
 * Rows belong to the file that they come from, and a file's rows are named by their hash: a header that a hundred units
 * read alike is printed once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "arena.h"
#include "common/accesses.h"
#include "common/sparse_records.h"
#include "common/unit_options.h"
#include "evidence.h"
#include "paths.h"
#include "strmap.h"

static const char usage_text[] =
"usage: cacheline-index [--seen FILE] " UNIT_OPTIONS_USAGE "\n"
"                       -- [COMPILER FLAG...] FILE.c\n"
"       cacheline-index --classes [--of-change]\n"
"       cacheline-index --reached FUNCTION[,FUNCTION]...\n";

#define HASH_CHARS	16

/* the rows of one file */
struct part {
	const char *file;
	char *text;
	size_t len, room;
	unsigned int rows;
};

struct index {
	struct unit_options options;
	const char *seen;		/* sorted hashes of parts that are known, a line each */
	size_t nr_seen;
	struct part *parts;
	size_t nr, room;
	struct strmap by_file;		/* index of the part */
};

static void __attribute__((noreturn)) usage(void)
{
	fputs(usage_text, stderr);
	exit(2);
}

static const char *shown(const struct index *index, const char *file)
{
	struct place place = { .file = file };

	strip_place(&index->options, &place);
	return place.file;
}

static struct part *part_of(struct index *index, const char *file)
{
	struct strmap_entry *entry;
	struct part *part;

	file = shown(index, file);
	entry = strmap_get(&index->by_file, file, strlen(file));
	if (entry)
		return &index->parts[entry->values[0]];
	strmap_add(&index->by_file, file, strlen(file), index->nr);
	part = ARENA_PUSH(index->parts, index->nr, index->room);
	part->file = file;
	return part;
}

static void put(struct part *part, const char *s, size_t len)
{
	if (part->room - part->len < len) {
		part->room = 2 * (part->room + len);
		part->text = realloc(part->text, part->room);
		if (!part->text)
			fatal("out of memory");
	}
	memcpy(part->text + part->len, s, len);
	part->len += len;
}

static void field(struct part *part, const char *s)
{
	put(part, "\t", 1);
	while (s && *s) {
		size_t plain = strcspn(s, "\t\n\\");

		put(part, s, plain);
		s += plain;
		if (*s)
			put(part, *s == '\t' ? "\\t" : *s == '\n' ? "\\n" : "\\\\", 2);
		s += *s != '\0';
	}
}

static void number(struct part *part, unsigned long long n)
{
	char digits[24], *s = digits + sizeof(digits);

	do {
		*--s = '0' + n % 10;
		n /= 10;
	} while (n);
	*--s = '\t';
	put(part, s, digits + sizeof(digits) - s);
}

static void begin_row(struct part *part, const char *kind)
{
	put(part, kind, strlen(kind));
}

static void end_row(struct part *part)
{
	put(part, "\n", 1);
	part->rows++;
}

static const char *title(const struct record *r)
{
	if (!r->name)
		return "";
	return r->by_typedef ? r->name : arena_printf("%s %s", r->is_union ? "union" : "struct", r->name);
}

static void record_fields(struct index *index, struct part *part, const struct record *r)
{
	if (!r->name)
		field(part, "");
	else if (r->by_typedef)
		field(part, r->name);
	else {
		field(part, r->is_union ? "union " : "struct ");
		put(part, r->name, strlen(r->name));
	}
	field(part, shown(index, r->place.file));
	number(part, r->place.line);
}

static void put_member(struct index *index, struct part *part, const struct flat *f, const struct access *a)
{
	const struct member *m = f->member;
	const struct record *r = m->record;

	begin_row(part, "member");
	field(part, m->name);
	field(part, m->type);
	number(part, m->place.line);
	number(part, f->bit_offset);
	number(part, m->bit_size);
	number(part, f->depth);
	field(part, m->bitfield ? "b" : "");
	put(part, "y", m->array);
	put(part, "f", m->flexible);
	put(part, "n", f->in_union);
	field(part, r ? arena_printf("%s@%s:%u", title(r), shown(index, r->place.file), r->place.line) : "");
	field(part, access_class_name(a->class));
	field(part, a->class_from);
	field(part, a->nr_groups ? a->groups[0] : "");
	for (size_t i = 1; i < a->nr_groups; i++) {
		put(part, ",", 1);
		put(part, a->groups[i], strlen(a->groups[i]));
	}
	end_row(part);
}

static void put_record(struct index *index, const struct record *r)
{
	struct part *part = part_of(index, r->place.file);
	size_t nr;
	struct flat *flat = record_flatten(r, &nr);
	struct access *access = access_of_members(flat, nr);

	begin_row(part, "record");
	record_fields(index, part, r);
	number(part, r->size);
	number(part, r->align);
	field(part, r->is_union ? "u" : "");
	put(part, "t", r->by_typedef);
	put(part, "p", r->packed);
	put(part, "a", r->user_align != 0);
	put(part, "R", r->randomized);
	end_row(part);
	for (size_t i = 0; i < nr; i++)
		put_member(index, part, &flat[i], &access[i]);
}

static const char *mode_of(unsigned int does)
{
	if (does & DOES_INIT)
		return "i";
	if (does & DOES_ADDRESS)
		return "a";
	return does & DOES_WRITE ? does & DOES_READ ? "rw" : "w" : "r";
}

static void put_often(struct part *part, double often)
{
	field(part, arena_printf("%.3g", often));
}

static void put_use(struct index *index, struct part *part, const struct use *u)
{
	begin_row(part, "access");
	field(part, mode_of(u->does));
	field(part, u->via);
	number(part, u->place.line);
	field(part, u->path);
	record_fields(index, part, u->record);
	put_often(part, u->often);
	end_row(part);
}

static void put_link(struct index *index, struct part *part, const struct link *l)
{
	begin_row(part, "call");
	field(part, l->to);
	field(part, l->file ? shown(index, l->file) : "");
	put_often(part, l->often);
	end_row(part);
}

static void put_handler(struct index *index, const struct handler *h)
{
	struct part *part = part_of(index, h->file);

	begin_row(part, "handler");
	field(part, h->member);
	field(part, h->function);
	field(part, h->function_file ? shown(index, h->function_file) : "");
	end_row(part);
}

static void put_positional(struct index *index, struct part *part, const struct positional *p)
{
	begin_row(part, "initialiser");
	field(part, p->variable);
	number(part, p->place.line);
	number(part, p->nr);
	record_fields(index, part, p->record);
	end_row(part);
}

static void put_object(struct index *index, struct part *part, const struct object *o)
{
	begin_row(part, "object");
	field(part, o->kind);
	field(part, o->variable);
	number(part, o->place.line);
	number(part, o->align);
	number(part, o->hwcache);
	record_fields(index, part, o->record);
	end_row(part);
}

static void put_code(struct part *part, const struct code *c)
{
	begin_row(part, "function");
	field(part, c->name);
	number(part, c->place.line);
	field(part, phase_name(c->phase));
	field(part, c->own ? "own" : "");
	end_row(part);
}

static bool is_before(size_t code, size_t end)
{
	return code == NO_CODE || code < end;
}

/* rows of a function follow its own; those of none come before all functions */
static void put_evidence(struct index *index, const struct evidence *e)
{
	size_t use = 0, positional = 0, object = 0, link = 0;

	for (size_t i = 0; i < e->nr_positionals; i++)
		if (e->positionals[i].code == NO_CODE)
			put_positional(index, part_of(index, e->positionals[i].place.file), &e->positionals[i]);
	for (size_t i = 0; i < e->nr_objects; i++)
		if (e->objects[i].code == NO_CODE)
			put_object(index, part_of(index, e->objects[i].place.file), &e->objects[i]);
	for (size_t i = 0; i < e->nr_handlers; i++)
		put_handler(index, &e->handlers[i]);
	for (size_t i = 0; i < e->nr_codes; i++) {
		struct part *part = part_of(index, e->codes[i].place.file);

		put_code(part, &e->codes[i]);
		for (; link < e->nr_links && e->links[link].code == i; link++)
			put_link(index, part, &e->links[link]);
		for (; use < e->nr_uses && e->uses[use].code == i; use++)
			put_use(index, part, &e->uses[use]);
		for (; positional < e->nr_positionals && is_before(e->positionals[positional].code, i + 1); positional++)
			if (e->positionals[positional].code == i)
				put_positional(index, part, &e->positionals[positional]);
		for (; object < e->nr_objects && is_before(e->objects[object].code, i + 1); object++)
			if (e->objects[object].code == i)
				put_object(index, part, &e->objects[object]);
	}
}

static int by_hash(const void *key, const void *line)
{
	return memcmp(key, line, HASH_CHARS);
}

static void print_part(const struct index *index, const struct part *part)
{
	uint64_t seed = hash_bytes(part->file, strlen(part->file), 0);
	char hash[HASH_CHARS + 1];

	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)hash_bytes(part->text, part->len, seed));
	printf("part\t%s\t%s\t%u\n", hash, part->file, part->rows);
	if (!index->nr_seen || !bsearch(hash, index->seen, index->nr_seen, HASH_CHARS + 1, by_hash))
		fwrite(part->text, 1, part->len, stdout);
}

static void read_seen(struct index *index, const char *path)
{
	size_t len;

	index->seen = arena_read_file(path, &len);
	if (!index->seen || len % (HASH_CHARS + 1))
		fatal("%s: no list of hashes", path);
	index->nr_seen = len / (HASH_CHARS + 1);
}

static int parse_options(struct index *index, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (unit_option(&index->options, argv + i))
			i++;
		else if (!strcmp(argv[i], "--seen") && i + 1 < argc)
			read_seen(index, argv[++i]);
		else
			usage();
	}
	usage();
}

static void print_depends(const char *file, struct place from, void *index)
{
	(void)from;
	printf("depends\t%s\n", shown(index, file));
}

static int index_unit(struct index *index, int argc, char **argv)
{
	struct unit unit = { .with_types = true };
	struct evidence evidence = { 0 };

	unit_parse(&unit, index->options.abi, index->options.line_size, argc, argv);
	printf("unit\t%s\n", shown(index, argv[argc - 1]));
	unit_files(print_depends, index);
	if (!unit.failed) {
		accesses_collect(&evidence);
		for (size_t i = 0; i < unit.dump.nr; i++)
			put_record(index, unit.dump.records[i]);
		put_evidence(index, &evidence);
	}
	for (size_t i = 0; i < index->nr; i++)
		print_part(index, &index->parts[i]);
	finish_stdout();
	return unit.failed;
}

static unsigned int does_of(const char *mode)
{
	static const char *const modes[] = { "r", "w", "rw", "a", "i" };
	static const unsigned int does[] = {
		DOES_READ, DOES_WRITE, DOES_READ | DOES_WRITE, DOES_ADDRESS, DOES_WRITE | DOES_INIT,
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i], mode))
			return does[i];
	fatal("--classes: '%s' is no mode", mode);
}

struct member_rows {
	char *key;			/* NULL: before the first row */
	struct strmap by_function;
	struct user {
		struct doing doing;
		double reached;		/* on the path that is asked for */
	} *users;
	size_t nr, room;
};

/* fields of a line, without its newline; false: it has not so many */
static bool split(char *line, char **fields, size_t nr)
{
	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < nr; i++) {
		fields[i] = strsep(&line, "\t");
		if (!fields[i])
			return false;
	}
	return !line;
}

static void add_row(struct member_rows *m, char **fields)
{
	const char *function = fields[1];
	struct strmap_entry *entry = strmap_get(&m->by_function, function, strlen(function));
	struct user *user;

	if (entry) {
		user = &m->users[entry->values[0]];
	} else {
		strmap_add(&m->by_function, arena_strdup(function), strlen(function), m->nr);
		user = ARENA_PUSH(m->users, m->nr, m->room);
		user->doing.phase = phase_named(fields[3]);
		user->reached = strtod(fields[5], NULL);
	}
	doing_add(&user->doing, does_of(fields[2]), strtod(fields[4], NULL));
}

static void print_class(const struct member_rows *m, const struct tally *t, enum access_class which, const char *from)
{
	const char *class = access_class_name(which);

	printf("%s\t%s\t%s\t%u\t%u\t%u\t%u\t%u\n", m->key, class ? class : "", tally_text(t, from), t->readers, t->writers,
	       t->addresses, t->control, t->setup);
}

/* a path that comes by the member says what it is there */
static void end_member(struct member_rows *m, bool of_change)
{
	struct tally all = { 0 }, path = { 0 };

	for (size_t i = 0; i < m->nr; i++) {
		tally_add(&all, &m->users[i].doing, 1);
		if (m->users[i].reached > 0)
			tally_add(&path, &m->users[i].doing, m->users[i].reached);
	}
	tally_of_path(&path);
	if (m->key && tally_class(&path))
		print_class(m, &path, tally_class(&path), FROM_PATH);
	else if (m->key && of_change)
		print_class(m, &all, tally_class_of_change(&all), FROM_CHANGE);
	else if (m->key)
		print_class(m, &all, tally_class(&all), FROM_CODE);
	*m = (struct member_rows) { 0 };
}

static int print_classes(bool of_change)
{
	struct member_rows m = { 0 };
	char *line = NULL, *fields[6];
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		if (!split(line, fields, 6))
			fatal("--classes: a row needs a key, a function, a mode, a phase, how often, and how often it is reached");
		if (m.key && strcmp(m.key, fields[0]))
			end_member(&m, of_change);
		m.key = m.key ? m.key : arena_strdup(fields[0]);
		add_row(&m, fields);
	}
	end_member(&m, of_change);
	finish_stdout();
	return 0;
}

/* a function of the rows on stdin */
struct asked {
	const char *id;
	size_t function;
};

struct graph {
	struct paths *paths;
	struct asked *asked;
	size_t nr, room;
	size_t from;			/* the function whose calls follow */
	bool known;			/* they have been there before */
};

/* false: there is no such row, or not there */
static bool add_graph_row(struct graph *g, char *line)
{
	const char *kind = strsep(&line, "\t");
	bool is_function = !strcmp(kind, "function"), is_call = !strcmp(kind, "call");
	char *fields[4];

	if (!line || !split(line, fields, is_function ? 4 : 3) || (is_call && !g->nr))
		return false;
	if (is_function) {
		g->from = paths_function(g->paths, arena_strdup(fields[1]), fields[2], phase_named(fields[3]) == PHASE_RUN, &g->known);
		*ARENA_PUSH(g->asked, g->nr, g->room) = (struct asked) { arena_strdup(fields[0]), g->from };
	} else if (is_call && !g->known) {
		paths_call(g->paths, g->from, fields[0], fields[1], strtod(fields[2], NULL));
	} else if (!is_call && !strcmp(kind, "handler")) {
		paths_handler(g->paths, fields[0], fields[1], fields[2]);
	}
	return is_function || is_call || !strcmp(kind, "handler");
}

static int print_reached(char *entries)
{
	struct graph g = { .paths = paths_create() };
	char *line = NULL, *name;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0)
		if (!add_graph_row(&g, line))
			fatal("--reached: '%s' is no row", line);
	while ((name = strsep(&entries, ",")))
		if (!paths_enter(g.paths, name)) {
			fprintf(stderr, "no function '%s' in the index\n", name);
			return 1;
		}
	paths_follow(g.paths);
	for (size_t i = 0; i < g.nr; i++)
		if (paths_reached(g.paths, g.asked[i].function) > 0)
			printf("%s\t%.3g\n", g.asked[i].id, paths_reached(g.paths, g.asked[i].function));
	finish_stdout();
	return 0;
}

int main(int argc, char **argv)
{
	struct index index = { 0 };
	int first;

	if (argc == 2 && !strcmp(argv[1], "--classes"))
		return print_classes(false);
	if (argc == 3 && !strcmp(argv[1], "--classes") && !strcmp(argv[2], "--of-change"))
		return print_classes(true);
	if (argc == 3 && !strcmp(argv[1], "--reached"))
		return print_reached(argv[2]);
	first = parse_options(&index, argc, argv);
	if (first >= argc)
		usage();
	return index_unit(&index, argc - first + 1, argv + first - 1);
}
