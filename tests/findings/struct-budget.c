/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

struct good {
	char text[64];
} __cacheline_budget(64) good;

struct grown { /* expect: warning: the struct has 65 bytes, 1 more than its budget of 64 [-Wcacheline-struct-budget] */
	char text[65];
} __cacheline_budget(64) grown;

/* case B09: one more member in a full line of page_counter */
struct page_counter { /* expect: warning: the struct has 256 bytes, 64 more than its budget of 192 [-Wcacheline-struct-budget] */
	long usage;
	long emin line_aligned, min_usage, children_min_usage, elow, low_usage, children_low_usage, watermark, local_watermark, failcnt;
	void *parent line_aligned;
} line_aligned __cacheline_budget(192) page_counter;
struct page_counter_mended {
	long usage, failcnt;
	long emin line_aligned, min_usage, children_min_usage, elow, low_usage, children_low_usage, watermark, local_watermark;
	void *parent line_aligned;
} line_aligned __cacheline_budget(192) page_counter_mended;

/* case F01: of two alignments the larger one counts */
struct both { /* expect: warning: the struct has 64 bytes, 56 more than its budget of 8 [-Wcacheline-struct-budget] */
	int m line_aligned;
} __attribute__((aligned(8))) __cacheline_budget(8) both;
struct __cacheline_budget(64) in_front { int m line_aligned; } __attribute__((aligned(8))) in_front;
