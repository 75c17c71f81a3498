/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes that the index infers, as it hands them to a checker. */
#ifndef LINEKEEPER_CLASSES_FILE_H
#define LINEKEEPER_CLASSES_FILE_H

#include <stddef.h>

struct record;
struct unit_options;

/*
 * Gives the members of the nr records that have none their inferences. The file has lines of "struct x", its file as the user knows it,
 * member, class, readers, writers and what is said of the class, with tabs between them. One that cannot be read is fatal().
 */
void classes_read(const char *path, const struct unit_options *options, struct record **list, size_t nr);

#endif
