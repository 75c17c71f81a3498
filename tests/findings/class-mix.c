/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

struct good {
	long max __cacheline_read_mostly;
	long high __cacheline_read_mostly;
	long usage __cacheline_written line_aligned;
	long failcnt __cacheline_written;
} good;

typedef const struct {
	long max __cacheline_read_mostly; /* expect: note: 'max' is here */
	long neither;
	volatile long usage __cacheline_written; /* expect: warning: 'usage' is written, but shares a 64-byte line with the read-mostly 'max', at 6 of 8 placements (0, 8, 16, 24, 32, 40): move it to the written ones [-Wcacheline-class-mix] */
} mixed_t;
mixed_t mixed;
