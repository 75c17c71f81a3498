/* SPDX-License-Identifier: GPL-2.0-only */
/* Case B09: one more long in a full line, and a fourth line; the cure moves failcnt beside usage. */
#include "cases.h"

struct full {					/* expect: size 192, align 64 */
	atomic_long_t usage;
	CACHELINE_PADDING(_pad1_);
	unsigned long emin, min_usage, children_min_usage, elow, low_usage, children_low_usage, watermark, failcnt;
	CACHELINE_PADDING(_pad2_);
	unsigned long min, low, high, max;	/* expect: min at 128 */
	struct full *parent;
};

struct spilled {				/* expect: size 256, align 64 */
	atomic_long_t usage;
	CACHELINE_PADDING(_pad1_);
	unsigned long emin, min_usage, children_min_usage, elow, low_usage, children_low_usage, watermark;
	unsigned long local_watermark;		/* expect: local_watermark at 120 */
	unsigned long failcnt;			/* expect: failcnt at 128 */
	CACHELINE_PADDING(_pad2_);
	unsigned long min, low, high, max;	/* expect: min at 192 */
	struct spilled *parent;
};

struct mended {					/* expect: size 192, align 64 */
	atomic_long_t usage;
	unsigned long failcnt;			/* expect: failcnt at 8 */
	CACHELINE_PADDING(_pad1_);
	unsigned long emin, min_usage, children_min_usage, elow, low_usage, children_low_usage, watermark;
	unsigned long local_watermark;		/* expect: local_watermark at 120 */
	CACHELINE_PADDING(_pad2_);
	unsigned long min, low, high, max;	/* expect: min at 128 */
	struct mended *parent;
};
