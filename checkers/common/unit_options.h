/* SPDX-License-Identifier: GPL-2.0-only */
/* What every checker can be told of the unit that it reads. */
#ifndef LINEKEEPER_UNIT_OPTIONS_H
#define LINEKEEPER_UNIT_OPTIONS_H

#include <stddef.h>

struct abi;
struct place;

struct unit_options {
	const struct abi *abi;		/* NULL: told from the compiler flags */
	unsigned int line_size;		/* bytes; 0: the unit's own */
	const char **strips;		/* folders that are not shown in front of a file's name */
	size_t nr_strips, room;
};

#define UNIT_OPTIONS_USAGE "[--abi NAME] [--line-size N] [--overlay PATH=FILE]... [--strip FOLDER]... [--within FOLDER]..."

/* takes the option that argv begins with: the number of words that it has; 0: it is none of these. A wrong value is fatal(). */
int unit_option(struct unit_options *options, char **argv);

/* a file of an O= build's source tree, as the user knows it: without the way there */
void strip_place(const struct unit_options *options, struct place *place);

#endif
