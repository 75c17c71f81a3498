/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes without a name in a struct that user space sees, and what is elsewhere in it for a program of 32 bits. */
#ifndef LINEKEEPER_UAPI_HOLE_H
#define LINEKEEPER_UAPI_HOLE_H

#include "fields_since.h"

/*
 * Adds findings uapi-hole, of a struct that a header of include/uapi/ defines: at a new one's place, or at the member in front of
 * the bytes where the older struct had no such bytes there.
 */
void uapi_hole_judge(struct judged *j, const struct fields_since *s);

#endif
