/* SPDX-License-Identifier: GPL-2.0-only */
/* A flexible array, or a struct that ends in one: its elements take the room of what lies behind it. */
#ifndef LINEKEEPER_OPEN_END_H
#define LINEKEEPER_OPEN_END_H

#include "record.h"

/*
 * The member that lies behind m of new, and did not in old, where m is or ends in a flexible array, or is the [0] that old ended in; NULL: m is
 * none of these, or nothing does
 */
const char *open_end_covers(const struct record *old, const struct record *new, const struct member *m);

#endif
