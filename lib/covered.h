/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The members that a range of bytes covers, as memset_after(x, 0, f) has one: which they are is said nowhere but in the
 * order of the struct. A range is text, words with a blank between them: "STRUCT FROM TO".
 *
 *	FROM	^ the start, f where f begins, f> behind f
 *	TO	$ the end, g where g begins, g> behind g, +f+g as many bytes as f and g have, +f*3 as three of f
 *
 * f and g are paths (record.h).
 */
#ifndef LINEKEEPER_COVERED_H
#define LINEKEEPER_COVERED_H

#include "record.h"

/* a range in two layouts: what is written may differ, if code changed too */
struct covered {
	const char *then, *now;		/* as written */
	const char *record;		/* the tag of both; NULL: then or now is no range, or they are of different structs */
};

/* paths of members, in order; those of embedded structs with a name too, not of elements of arrays */
struct paths {
	const char **list;
	size_t nr, room;
};

/* what a range covered and covers; of what is there in both layouts, what is in the range in one of them only; new members in it */
struct covering {
	struct paths then, now, left, entered, fresh;
};

struct covered covered_parse(const char *then, const char *now);

/* false: a member that the range names is not there, or the struct has more than some thousand */
bool covered_compare(const struct covered *c, const struct record *before, const struct record *after, struct covering *out);

#endif
