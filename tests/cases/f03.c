/* SPDX-License-Identifier: GPL-2.0-only */
/* Case F03: attributes behind the brace. */
#include "cases.h"

struct aligned_behind {		/* expect: size 64, align 64 */
	int a;
} __aligned(64);

struct packed_behind {		/* expect: size 5, align 1 */
	char c;
	int a;			/* expect: a at 1 */
} __packed;

struct both {			/* expect: size 8, align 4 */
	char c;
	int a;			/* expect: a at 1 */
} __packed __aligned(4);

struct holder {			/* expect: size 192, align 64 */
	char c;
	struct aligned_behind a;	/* expect: a at 64 */
	struct packed_behind p;	/* expect: p at 128 */
	struct both b;		/* expect: b at 136 */
};
