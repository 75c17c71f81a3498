/* SPDX-License-Identifier: GPL-2.0-only */
/* Which members are declared read-mostly, by an annotation or a group, and whether a unit speaks of any. */
#ifndef LINEKEEPER_READ_MOSTLY_H
#define LINEKEEPER_READ_MOSTLY_H

#include <stdbool.h>
#include <stddef.h>

struct record;
struct token;

/* remembers the names of those of r, which has a layout */
void read_mostly_note(const struct record *r);

/* how many names that is by now */
size_t read_mostly_known(void);

/* does a member expression from here to end, NULL: of the file, name one of them? Another struct's of that name counts too. */
bool read_mostly_named_in(struct token *token, const struct token *end);

#endif
