/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

struct line {
	long usage line_aligned;
};

struct good {
	char c;
	struct line line;
} good;

struct packed {
	char c;
	struct line line; /* expect: warning: 'line' asks for an alignment of 64, but lies at 1 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
} __attribute__((packed)) packed;

/* linux/cache.h is not included */
struct { int q; } ____cacheline_aligned; /* expect: warning: '____cacheline_aligned' is a variable here, no attribute: include linux/cache.h [-Wcacheline-align-lost] */
