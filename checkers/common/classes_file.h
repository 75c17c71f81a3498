/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes that the index infers, as it hands them to a checker. */
#ifndef LINEKEEPER_CLASSES_FILE_H
#define LINEKEEPER_CLASSES_FILE_H

#include <stddef.h>

struct record;

/*
 * Gives the members of the nr records that have none their inferences. The file has lines of "struct x", its file as the records name it,
 * member, class and where the class is from, with tabs between them. One that cannot be read is fatal().
 */
void classes_read(const char *path, struct record **list, size_t nr);

#endif
