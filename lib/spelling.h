/* SPDX-License-Identifier: GPL-2.0-only */
/* The types of a record's members as its source spells them, which a parser's typedefs no longer tell. */
#ifndef LINEKEEPER_SPELLING_H
#define LINEKEEPER_SPELLING_H

#include "record.h"
#include "struct_text.h"

/*
 * Sets the type of each member that st, the text of the file that defines r, declares by name; the
 * others, which macros made, keep theirs. A name that an #if declares twice takes the first spelling.
 */
void spell_types(struct record *r, const struct struct_text *st);

#endif
