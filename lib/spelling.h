/* SPDX-License-Identifier: GPL-2.0-only */
/* The types of a record's members as its source spells them, which a parser's typedefs no longer tell. */
#ifndef LINEKEEPER_SPELLING_H
#define LINEKEEPER_SPELLING_H

#include "record.h"

/*
 * Sets the type of each member of nr records that the text of the file that defines it declares by name; the others, which
 * macros made, keep theirs. A name that an #if declares twice takes the first spelling. contents_of (NULL: the path itself) tells
 * where the contents of a file are; what is no regular file is not read, for a name in a #line is the source's. Quickest
 * when one file's records stand together.
 */
void spell_records(struct record *const *list, size_t nr, const char *(*contents_of)(const char *path));

#endif
