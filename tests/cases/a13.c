/* SPDX-License-Identifier: GPL-2.0-only */
/* Case A13: io_ring_ctx, a run of bit-fields from one aligned anonymous struct to another. */
#include "cases.h"

struct before {					/* expect: size 192, align 64 */
	struct {
		void *refs[2];			/* expect: refs at 0 */
	} CLA;
	struct {
		u32 flags;			/* expect: flags at 64 */
		u32 compat:1;			/* expect: compat bit 544 */
		u32 drain_next:1;
		u32 eventfd_async:1;
		u32 restricted:1;		/* expect: restricted bit 547 */
		u32 *sq_array;			/* expect: sq_array at 72 */
		u32 cached_sq_head, sq_entries;
		struct list_head defer_list, timeout_list;
	} CLA;
	struct {
		void *sq_sqes;			/* expect: sq_sqes at 128 */
	} CLA;
};

struct after {					/* expect: size 128, align 64 */
	struct {
		void *refs[2];			/* expect: refs at 0 */
		u32 flags;			/* expect: flags at 16 */
		u32 compat:1;			/* expect: compat bit 160 */
		u32 drain_next:1;
		u32 eventfd_async:1;
		u32 restricted:1;		/* expect: restricted bit 163 */
	} CLA;
	struct {
		u32 *sq_array;			/* expect: sq_array at 64 */
		void *sq_sqes;			/* expect: sq_sqes at 72 */
		u32 cached_sq_head, sq_entries;
		struct list_head defer_list, timeout_list;	/* expect: timeout_list at 104 */
	} CLA;
};
