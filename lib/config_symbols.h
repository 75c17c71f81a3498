/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which Kconfig symbols a struct's layout may hang on, read from text: every branch of every #if is there, whatever the
 * configuration.
 *
 * From a struct, what is followed by name: types of members by value, macros, enumerators and typedefs in their
 * declarations, and of each of these the same again; and for each definition the conditionals around it, those inside
 * its body, those around the #include that brought its file. A type that is only pointed to is not followed. An assert of
 * its groups is as good as a part of its body: what its limit and the conditions around it name.
 * All CONFIG_ names met on the way come back. They are more than those that matter (names are taken for what they are
 * anywhere, and a condition around a definition need not choose another one), and not fewer, as far as the files that were
 * added go: a file that only another configuration includes is not among them.
 *
 * All memory is the arena's.
 */
#ifndef LINEKEEPER_CONFIG_SYMBOLS_H
#define LINEKEEPER_CONFIG_SYMBOLS_H

#include <stddef.h>

#include "strmap.h"

struct struct_text;

struct config_symbols {
	struct definition *definitions;
	size_t nr, room;
	struct strmap by_name;		/* indexes of definitions; "struct x" for tags, of unions too */
	struct source_file *files;
	size_t nr_files, files_room;
};

/* a file, which must outlive cs; from: the one whose line has its first #include, added before, or NULL */
void config_symbols_add(struct config_symbols *cs, const char *file, const struct struct_text *st, const char *from, unsigned int line);

/* names without CONFIG_ and _MODULE, in order of the alphabet, *nr of them, for a tag or typedef ("struct " in front or not), or a macro */
const char **config_symbols_of(const struct config_symbols *cs, const char *name, size_t *nr);

#endif
