/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Kconfig symbols that the layouts of some structs may hang on: sparse tells which files the unit reads (AST level),
 * lib/config_symbols.h what stands in them. A line "read<tab>FILE" for each file, or "generated<tab>FILE" for a header that
 * the kernel's build has made; then a line "symbols<tab>NAME<tab>SYMBOL..." for each name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"
#include "token.h"

#include "arena.h"
#include "common/sparse_place.h"
#include "common/sparse_records.h"
#include "common/tree_files.h"
#include "common/unit_options.h"
#include "config_symbols.h"

static const char usage_text[] =
"usage: cacheline-symbols [--also FILE]... " UNIT_OPTIONS_USAGE "\n"
"                         NAME... -- [COMPILER FLAG...] FILE.c\n";

struct request {
	struct unit_options unit;
	const char **also, **names;	/* files that are read besides; structs and macros */
	size_t nr_also, also_room, nr_names, names_room;
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
		int taken = unit_option(&req->unit, argv + i);

		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (taken)
			i += taken - 1;
		else if (!strcmp(argv[i], "--also") && argv[i + 1])
			*ARENA_PUSH(req->also, req->nr_also, req->also_room) = argv[++i];
		else if (argv[i][0] == '-')
			usage();
		else
			*ARENA_PUSH(req->names, req->nr_names, req->names_room) = argv[i];
	}
	usage();
}

static void add_file(struct config_symbols *cs, const char *file, const char *from, unsigned int line)
{
	const struct struct_text *st = source_text(file);

	if (st)
		config_symbols_add(cs, file, st, from, line);
}

/* one that sparse has read, behind the one that includes it first */
static void add_read(const char *file, struct place from, void *cs)
{
	printf("%s\t%s\n", strstr(file, "/generated/") ? "generated" : "read", file);
	if (!strstr(file, "/generated/autoconf.h"))
		add_file(cs, file, from.line ? from.file : NULL, from.line);
}

int main(int argc, char **argv)
{
	struct config_symbols cs = { 0 };
	struct unit unit = { .without_bodies = true };
	struct request req = { 0 };
	int first = parse_options(&req, argc, argv);

	if (first >= argc || !req.nr_names)
		usage();
	unit_parse(&unit, req.unit.abi, req.unit.line_size, argc - first + 1, argv + first - 1);
	if (unit.failed)
		return 1;
	unit_files(add_read, &cs);
	for (size_t i = 0; i < req.nr_also; i++)
		add_file(&cs, req.also[i], NULL, 0);
	for (size_t i = 0; i < req.nr_names; i++) {
		size_t nr;
		const char **symbols = config_symbols_of(&cs, req.names[i], &nr);

		printf("symbols\t%s", req.names[i]);
		for (size_t k = 0; k < nr; k++)
			printf("\t%s", symbols[k]);
		putchar('\n');
	}
	finish_stdout();
	return 0;
}
