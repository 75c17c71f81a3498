/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

struct good {
	long lock __cacheline_with(count) line_aligned;
	long count;
} good;

struct may {
	long lock __cacheline_with(count); /* expect: warning: 'lock' is to be on a line with 'count', but is so only at 7 of 8 placements (0, 8, 16, 24, 32, 40, 48): move the two together, behind a member that starts a line [-Wcacheline-split-with] */
	long count; /* expect: note: 'count' is here */
} may;

struct never {
	long lock __cacheline_with(count); /* expect: warning: 'lock' is to be on a line with 'count', but never is: move the two together, behind a member that starts a line [-Wcacheline-split-with] */
	char between[100];
	long count; /* expect: note: 'count' is here */
} never;
