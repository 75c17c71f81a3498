/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A struct as another machine lays it out, from the parse for this one: what an #if of the source makes different there
 * is not seen.
 */
#ifndef LINEKEEPER_MACHINE_H
#define LINEKEEPER_MACHINE_H

#include "record.h"

struct machine {
	const struct abi *abi;
	unsigned int line_size;		/* bytes */
};

/*
 * A copy of r, laid out for the machine to. Alignments to from's line become alignments to that of to, and end markers of
 * upstream's groups that are aligned to a long stay so (__cacheline_group_end_aligned(), include/linux/cache.h). An array of longs, which may be
 * a bitmap, has no more bits where longs are longer.
 * NULL: it cannot be told, for lib's layout for from is not the one that r has (a type that the front end does not
 * describe, an order that randstruct made).
 */
struct record *record_on(const struct record *r, const struct machine *from, const struct machine *to);

#endif
