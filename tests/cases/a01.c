/* SPDX-License-Identifier: GPL-2.0-only */
/* Case A01: page_counter before and after its relayout of 2022, and what embeds it. */
#include "cases.h"

struct before {					/* expect: size 112, align 8 */
	atomic_long_t usage;			/* expect: usage at 0 */
	unsigned long min, low, high, max;	/* expect: min at 8, max at 32 */
	unsigned long emin;
	atomic_long_t min_usage, children_min_usage;
	unsigned long elow;
	atomic_long_t low_usage, children_low_usage;
	unsigned long watermark, failcnt;
	struct before *parent;			/* expect: parent at 104 */
};

struct after {					/* expect: size 192, align 64 */
	atomic_long_t usage;			/* expect: usage at 0 */
	CACHELINE_PADDING(_pad1_);		/* expect: _pad1_ at 64 */
	unsigned long emin;			/* expect: emin at 64 */
	atomic_long_t min_usage, children_min_usage;
	unsigned long elow;
	atomic_long_t low_usage, children_low_usage;
	unsigned long watermark, failcnt;	/* expect: failcnt at 120 */
	CACHELINE_PADDING(_pad2_);
	unsigned long min, low, high, max;	/* expect: min at 128 */
	struct after *parent;			/* expect: parent at 160 */
};

struct group_before {				/* expect: size 464, align 8 */
	int id;
	struct before memory, swap, kmem, tcpmem;	/* expect: memory at 8, tcpmem at 344 */
	unsigned long high;
};

struct group_after {				/* expect: size 896, align 64 */
	int id;
	struct after memory, swap, kmem, tcpmem;	/* expect: memory at 64, tcpmem at 640 */
	unsigned long high;
};
