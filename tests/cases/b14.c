/* SPDX-License-Identifier: GPL-2.0-only */
/* Case B14: an end marker aligned to a long, and behind it a pad that takes the next member to a line of its own. */
#include "cases.h"

struct grouped {				/* expect: size 192, align 64 */
	u32 y;
	GB_AL(g);				/* expect: __begin_g at 64 */
	u32 z;					/* expect: z at 64 */
	GE_AL(g);				/* expect: __end_g at 72, __pad_g at 128, __end_g after __begin_g 8 */
	u32 w;					/* expect: w at 128 */
};
