/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sparse's parse of one translation unit as lib's records.
 *
 * sparse parses; lib lays out. Each struct or union becomes a record the moment its closing brace
 * is parsed, and lib's size, alignment and offsets are written back into sparse's symbol, so that a
 * sizeof() further down, in an array bound or an enumerator, is GCC's and not sparse's (FACTS.md
 * tells where they differ). Works on the tree as parsed, before evaluation and linearization.
 */
#ifndef LINEKEEPER_SPARSE_RECORDS_H
#define LINEKEEPER_SPARSE_RECORDS_H

#include <stdbool.h>

#include "body_asserts.h"
#include "group_assert.h"
#include "record.h"

struct unit {
	/* to be set before the parse */
	bool with_types;		/* members get the text of their type */
	bool without_bodies;		/* function bodies are not parsed, but for those that define a struct or union */
	bool with_asserts;		/* asserts about layouts are judged, the bodies parsed that have one */
	bool with_writers;		/* all the same, those are that name a read-mostly member; of the unit's own file all, if one does */

	struct dump dump;		/* every record that the unit defines, in order of definition */
	struct group_assert *asserts;	/* that the preprocessor left, in order of the text */
	size_t nr_asserts, asserts_room;
	struct failed_asserts failed_asserts;
	struct record **led;		/* with a tag, whose declaration begins with an attribute, outside of other structs and functions */
	size_t nr_led, led_room;
	bool has_writers;		/* with_writers, and there is one */
	bool randstruct;		/* the unit is compiled by a kernel with CONFIG_RANDSTRUCT */
	bool failed;			/* sparse printed an error */
	bool wrong;			/* an error about an annotation was printed */
};

/* the machine that the compiler flags, which NULL ends, ask for when its ABI is not known here; NULL: it is known */
const char *unit_foreign(char **flags);

/*
 * Parses the file that argv names, with the compiler flags before it as the kernel's makefiles give
 * them. abi NULL: told from the flags (-m32, --arch=...). line_size 0: the unit's L1_CACHE_BYTES,
 * or what is usual for the ABI. Can be called once in a process.
 */
void unit_parse(struct unit *u, const struct abi *abi, unsigned int line_size, int argc, char **argv);

/* the variables outside of functions that the unit defines without an initialiser; name is lost when each() returns */
void unit_variables(void (*each)(const char *name, struct place place, void *data), void *data);

/* each file that was read, once, with the place of the #include that brought it first (line 0: none did); after unit_parse() */
void unit_files(void (*each)(const char *file, struct place from, void *data), void *data);

/* as dump_find(), and by any typedef of a struct or union, after unit_parse(); d is its dump */
struct record *unit_find(const struct dump *d, const char *name);

/* the value of a macro at the unit's end, 0 when it has none; after unit_parse() */
unsigned int unit_macro(const char *name);

/*
 * From now on whoever opens the file path gets the contents of instead, under the old name. Paths are
 * compared as files, not as strings: any spelling of an #include finds it. Before unit_parse().
 * False and errno when path is not there.
 */
bool overlay_add(const char *path, const char *instead);

/* the file whose contents path has: instead of overlay_add(), or path itself */
const char *overlay_of(const char *path);

/* only what is below the folder, or below another one that was given, is read from now on; what is read instead may be anywhere */
void within_add(const char *folder);

#endif
