/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "arena.h"
#include "record.h"
#include "rules_option.h"
#include "sparse_records.h"
#include "unit_options.h"

static void add_overlay(char *arg)
{
	char *instead = strrchr(arg, '=');

	if (!instead)
		fatal("--overlay %s: give PATH=FILE", arg);
	*instead++ = '\0';
	if (!overlay_add(arg, instead))
		fatal("%s: %s", arg, strerror(errno));
}

static void set_abi(struct unit_options *options, const char *name)
{
	options->abi = abi_find(name);
	if (!options->abi)
		fatal("unknown ABI '%s' (known: %s)", name, abi_names());
}

static void set_line_size(struct unit_options *options, const char *text)
{
	options->line_size = line_size_parse(text);
	if (!options->line_size)
		fatal("a line of '%s' bytes: give a power of two from 16 to 256", text);
}

int unit_option(struct unit_options *options, char **argv)
{
	if (!argv[0] || !argv[1])
		return 0;
	if (!strcmp(argv[0], "--abi"))
		set_abi(options, argv[1]);
	else if (!strcmp(argv[0], "--line-size"))
		set_line_size(options, argv[1]);
	else if (!strcmp(argv[0], "--strip"))
		*ARENA_PUSH(options->strips, options->nr_strips, options->room) = argv[1];
	else if (!strcmp(argv[0], "--within"))
		within_add(argv[1]);
	else if (!strcmp(argv[0], "--overlay"))
		add_overlay(argv[1]);
	else
		return 0;
	return 2;
}

void strip_place(const struct unit_options *options, struct place *place)
{
	for (size_t i = 0; place->file && i < options->nr_strips; i++) {
		size_t len = strlen(options->strips[i]);

		if (!strncmp(place->file, options->strips[i], len) && place->file[len] == '/') {
			place->file += len + 1;
			return;
		}
	}
}
