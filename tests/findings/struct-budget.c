/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

struct good {
	char text[64];
} __cacheline_budget(64) good;

struct grown { /* expect: warning: the struct has 65 bytes, 1 more than its budget of 64 [-Wcacheline-struct-budget] */
	char text[65];
} __cacheline_budget(64) grown;
