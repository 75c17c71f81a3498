/* SPDX-License-Identifier: GPL-2.0-only */
/* Case D01: alignment of a zero-length array and of a marker. */
#include "cases.h"

struct skb_ext {				/* expect: size 16, align 8 */
	u32 refcnt;
	u8 offset[4];				/* expect: offset at 4 */
	u8 chunks;				/* expect: chunks at 8 */
	char data[] __aligned(8);		/* expect: data at 16 */
};

struct marked {					/* expect: size 128, align 64 */
	long a;
	char gb[0] CLA;				/* expect: gb at 64 */
	int z;					/* expect: z at 64 */
	char ge[0] __aligned(8);		/* expect: ge at 72 */
	int w;					/* expect: w at 72 */
};
