/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

struct good {
	long usage __cacheline_isolated line_aligned;
	long next line_aligned;
} good;

struct neighbour {
	long usage __cacheline_isolated line_aligned; /* expect: warning: 'usage' is to be isolated, but shares a 64-byte line with 'next', always: align it and what follows to a line [-Wcacheline-shared-isolated] */
	long next; /* expect: note: this one is on it */
} neighbour;

/* alone in its struct, but the struct is not aligned: what lies around an object shares the line */
struct small {
	long usage __cacheline_isolated; /* expect: warning: 'usage' is to be isolated, but shares a 64-byte line with what lies outside the struct, always: align it and what follows to a line [-Wcacheline-shared-isolated] */
} small;

/* bits of one byte are neighbours, what lies in one place is not */
struct bits { int a:3 __cacheline_isolated line_aligned; int b:5; } bits; /* expect: warning: 'a' is to be isolated, but shares a 64-byte line with 'b', always: align it and what follows to a line [-Wcacheline-shared-isolated] */ /* expect: note: this one is on it */
union alias { long usage __cacheline_isolated; unsigned long as_unsigned; } line_aligned alias;

/* at the end of an aligned struct the padding is its own */
struct last {
	long next;
	long usage __cacheline_isolated line_aligned;
} last;
