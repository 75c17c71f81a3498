/* SPDX-License-Identifier: GPL-2.0-only */
/* Case A02: padding between the read-mostly pointer and the statistics; a kernel without SMP does not change. */
/* config: up -DUP */
#include "cases.h"

struct stat { u64 cputime[3]; };

struct before {					/* expect: size 80, align 8 */
	void *rstat_cpu;
	struct list_head rstat_css_list;
	struct before *rstat_flush_next;
	struct stat last_bstat, bstat;
};

struct after {					/* expect: default: size 128, align 64; up: size 80, align 8 */
	void *rstat_cpu;
	struct list_head rstat_css_list;	/* expect: rstat_css_list at 8 */
	CACHELINE_PADDING(_pad_);
	struct after *rstat_flush_next;		/* expect: default: rstat_flush_next at 64; up: rstat_flush_next at 24 */
	struct stat last_bstat, bstat;		/* expect: default: bstat at 96; up: bstat at 56 */
};
