/* SPDX-License-Identifier: GPL-2.0-only */
/* Case F01: an outer alignment does not take away a member's larger one. */
#include "cases.h"

struct o {			/* expect: size 64, align 64 */
	int m CLA;		/* expect: m at 0 */
} __aligned(8);

struct holder {			/* expect: size 128, align 64 */
	char c;
	struct o o;		/* expect: o at 64 */
} __aligned(sizeof(long));
