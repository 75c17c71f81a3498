/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes that are written where the compiler takes no notice of them, and says nothing. */
#ifndef LINEKEEPER_LOST_ATTRIBUTE_H
#define LINEKEEPER_LOST_ATTRIBUTE_H

#include "rules.h"

/*
 * "} ____cacheline_aligned;" declares a variable of that name where nobody included linux/cache.h, or a member inside another
 * struct. It links, with one unit, and the alignment is gone (linux-arch, 2022-01: dentry_operations). The header that
 * defines an attribute of that name; NULL: it is none.
 */
const char *attribute_header(const char *name);

/* adds a finding when the name of a variable without initialiser, declared at place, is one that was to be an attribute */
void lost_attribute(struct rules *rules, const char *variable, struct place place);

/*
 * "____cacheline_aligned struct s { ... };" aligns what the declaration declares: nothing (case B05). Adds a finding when that is
 * so of r, which has a layout and a tag. What stands in front is read in the file at path, where r's place is; an
 * attribute on a line of its own above is not seen. Costs a look at that line: ask only when something other than "struct "
 * or "union " can stand in front of the tag, as its column tells.
 */
void lost_in_front(struct rules *rules, const struct record *r, const char *path);

#endif
