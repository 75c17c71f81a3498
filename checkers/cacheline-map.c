/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layouts of one translation unit, from sparse's parse of it (AST level).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "arena.h"
#include "common/classes_file.h"
#include "common/sparse_records.h"
#include "common/tree_files.h"
#include "common/unit_options.h"
#include "doc_table.h"
#include "json.h"
#include "show.h"
#include "spelling.h"

static const char usage_text[] =
"usage: cacheline-map [--text|--json|--dump] [--classes FILE]\n"
"                     " UNIT_OPTIONS_USAGE "\n"
"                     [--all | STRUCT...] -- [COMPILER FLAG...] FILE.c\n";

enum output { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_DUMP };

struct request {
	enum output output;
	struct unit_options unit;
	bool all;
	const char *classes;		/* file of inferred classes, classes_file.h; NULL: none */
	const char **structs;
	size_t nr, room;
};

static void __attribute__((noreturn)) usage(void)
{
	fputs(usage_text, stderr);
	exit(2);
}

/* the index of what stands behind "--" */
static int parse_options(struct request *req, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i], *value = argv[i + 1];
		int taken = unit_option(&req->unit, argv + i);

		if (!strcmp(arg, "--"))
			return i + 1;
		if (!strcmp(arg, "--text")) {
			req->output = OUTPUT_TEXT;
		} else if (!strcmp(arg, "--json")) {
			req->output = OUTPUT_JSON;
		} else if (!strcmp(arg, "--dump")) {
			req->output = OUTPUT_DUMP;
		} else if (!strcmp(arg, "--all")) {
			req->all = true;
		} else if (!strcmp(arg, "--classes") && value) {
			req->classes = value;
			i++;
		} else if (taken) {
			i += taken - 1;
		} else if (arg[0] == '-') {
			usage();
		} else {
			*ARENA_PUSH(req->structs, req->nr, req->room) = arg;
		}
	}
	usage();
}

static struct record **find_structs(const struct request *req, const struct dump *d, size_t *nr)
{
	struct record **list = NULL;
	size_t room = 0;

	*nr = 0;
	for (size_t i = 0; req->all && i < d->nr; i++)
		if (d->records[i]->name)
			*ARENA_PUSH(list, *nr, room) = d->records[i];
	for (size_t i = 0; i < req->nr; i++) {
		struct record *r = unit_find(d, req->structs[i]);

		if (r)
			*ARENA_PUSH(list, *nr, room) = r;
		else
			fprintf(stderr, "error: this translation unit defines no struct or union '%s'\n", req->structs[i]);
	}
	return list;
}

static void strip_all(const struct request *req, const struct dump *d)
{
	for (size_t i = 0; i < d->nr; i++) {
		strip_place(&req->unit, &d->records[i]->place);
		for (size_t k = 0; k < d->records[i]->nr_members; k++)
			strip_place(&req->unit, &d->records[i]->members[k].place);
	}
}

/* the documentation's word for more than what was inferred; of an O= build it lies in the source tree */
static void read_tables(const struct request *req, struct record **list, size_t nr)
{
	size_t nr_tables;
	struct doc_table *tables = doc_tables_read(req->unit.nr_strips ? req->unit.strips[0] : ".", &nr_tables);

	for (size_t i = 0; i < nr_tables; i++)
		for (size_t k = 0; k < nr; k++)
			if (list[k]->name && !strcmp(list[k]->name, tables[i].record))
				doc_table_apply(&tables[i], list[k]);
}

static bool wants_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && *no);
}

int main(int argc, char **argv)
{
	struct request req = { 0 };
	struct unit unit = { .with_types = true };
	struct record **list;
	size_t nr;
	int first = parse_options(&req, argc, argv);

	if (first >= argc || (!req.all && !req.nr && req.output != OUTPUT_DUMP))
		usage();
	unit_parse(&unit, req.unit.abi, req.unit.line_size, argc - first + 1, argv + first - 1);
	if (unit.failed)		/* what sparse could not read may lie differently: no figure is better than a wrong one */
		return 1;
	if (req.output == OUTPUT_DUMP) {
		strip_all(&req, &unit.dump);
		dump_write(&unit.dump, stdout);
		finish_stdout();
		return 0;
	}
	list = find_structs(&req, &unit.dump, &nr);
	if (!req.all && nr < req.nr)
		return 1;
	spell_records(list, nr, overlay_of);	/* in order of definition: one file's stand together */
	strip_all(&req, &unit.dump);
	if (req.classes)
		classes_read(req.classes, &req.unit, list, nr);
	read_tables(&req, list, nr);
	if (req.output == OUTPUT_JSON)
		json_records(list, nr, unit.dump.line_size, stdout);
	for (size_t i = 0; req.output == OUTPUT_TEXT && i < nr; i++) {
		fputs(i ? "\n" : "", stdout);
		show_record(list[i], unit.dump.line_size, wants_colour(), stdout);
	}
	finish_stdout();
	return 0;
}
