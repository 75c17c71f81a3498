/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do two fields share a cache line? It depends on where the object starts: its placement, the
 * residue address mod L. DESIGN.md, "Sharing".
 */
#ifndef LINEKEEPER_SPAN_H
#define LINEKEEPER_SPAN_H

#include <stdbool.h>
#include <stddef.h>

/* bytes from the start of the object; size 0 touches no line */
struct span {
	unsigned long long offset, size;
};

/* where objects can start in a line of line_size bytes (a power of two, at most 256) */
struct placements {
	unsigned int line_size;
	unsigned int nr;
	unsigned short at[256];		/* ascending, each below line_size */
};

enum sharing { SHARING_NEVER, SHARING_MAY, SHARING_ALWAYS };

struct verdict {
	enum sharing sharing;
	unsigned int nr_sharing;	/* of how many placements they share a line */
	unsigned int nr;
	unsigned short at[256];		/* the nr_sharing placements, ascending */
};

/* every multiple of align (bytes) in a line; one placement, 0, when align is a multiple of the line */
void placements_of_align(struct placements *p, unsigned int align, unsigned int line_size);

void span_shares(struct span a, struct span b, const struct placements *p, struct verdict *out);

/* "never", "may", "always" */
const char *sharing_name(enum sharing s);

#endif
