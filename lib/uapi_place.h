/* SPDX-License-Identifier: GPL-2.0-only */
/* What others than the kernel's compiler, who know the older layout of a struct, no longer find where it was. */
#ifndef LINEKEEPER_UAPI_PLACE_H
#define LINEKEEPER_UAPI_PLACE_H

#include "record.h"

/*
 * "'b' lies at 8, not at 4", of the first old member that has another place or size or is gone, or "it has 16 bytes instead of 12"; NULL: they find
 * all. Room that was reserved may be used up, a member may have another name in its place, and new ones may make the struct longer at its end.
 */
const char *uapi_place_lost(const struct record *before, const struct record *after);

#endif
