/* SPDX-License-Identifier: GPL-2.0-only */
/* Case F05: an alignment of an anonymous struct is not one of its members; a qualifier changes nothing. */
#include "cases.h"

struct outer {			/* expect: size 64, align 32 */
	const struct {
		int a;		/* expect: a at 0 */
	};
	struct {
		char b;		/* expect: b at 32 */
		int c;		/* expect: c at 36 */
		char d;		/* expect: d at 40 */
	} __aligned(32);
};
