/* SPDX-License-Identifier: GPL-2.0-only */
/* Case D05: bit-fields of different types, which share storage or not. */
#include "cases.h"

struct mixed {			/* expect: size 16, align 8; i386: size 12, align 4; arm: size 16, align 8 */
	u64 a:3;		/* expect: a bit 0; s390: a bit 0 */
	u32 b;			/* expect: b at 4 */
	u8 c:2;			/* expect: c bit 64; s390: c bit 64 */
	u16 d;			/* expect: d at 10; arm i386: d at 10 */
};

struct joined {			/* expect: size 8, align 4 */
	unsigned int b:4;	/* expect: b bit 0 */
	unsigned short s:5;	/* expect: s bit 4 */
	_Bool q:1;		/* expect: q bit 9 */
	u32 v:20;		/* expect: v bit 10 */
	u8 w:7;			/* expect: w bit 32 */
};
