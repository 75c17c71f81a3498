/* SPDX-License-Identifier: GPL-2.0-only */
/* Case B03: net_device_read_txrx, a hole at the start of the group where a u64 is aligned to 8 and a pointer is 4 bytes. */
#include "cases.h"

struct flags_first {
	u32 pre;
	GB(g);			/* expect: __begin_g at 4; i386 arm ppc32 ppc64: __begin_g at 4 */
	u32 flags;
	u16 hard_header_len;
	u64 features;		/* expect: features at 16; i386: features at 12; arm ppc32 ppc64 s390: features at 16 */
	void *ip6_ptr;
	GE(g);			/* expect: __end_g after __begin_g 28; i386: __end_g after __begin_g 20; arm ppc32: __end_g after __begin_g 24; ppc64 s390 arm64: __end_g after __begin_g 28 */
};

struct wide_first {
	u32 pre;
	GB(g);
	u64 features;		/* expect: features at 8; i386: features at 4; arm ppc32: features at 8 */
	u32 flags;
	u16 hard_header_len;
	void *ip6_ptr;
	GE(g);			/* expect: __end_g after __begin_g 28; i386: __end_g after __begin_g 20; arm ppc32: __end_g after __begin_g 24 */
};
