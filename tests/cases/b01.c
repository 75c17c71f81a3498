/* SPDX-License-Identifier: GPL-2.0-only */
/* Case B01: a group that is 92 bytes on the one machine and 96 on the other, whatever the order of its members. */
#include "cases.h"

struct pred_first {
	void *p[3];
	char c;
	GB(txrx);	/* expect: __begin_txrx at 25; i386 arm ppc32: __begin_txrx at 13 */
	u32 pred;	/* expect: pred at 28; i386 arm ppc32: pred at 16 */
	u64 a, b;	/* expect: a at 32; i386: a at 20; arm ppc32: a at 24 */
	u32 x[11];
	char rx[24];
	u8 n:4;
	GE(txrx);	/* expect: __end_txrx after __begin_txrx 92; i386: __end_txrx after __begin_txrx 92; arm ppc32: __end_txrx after __begin_txrx 96 */
};

struct wide_first {
	void *p[3];
	char c;
	GB(txrx);
	u64 a, b;	/* expect: a at 32; i386 arm ppc32: a at 16 */
	u32 pred;
	u32 x[11];
	char rx[24];
	u8 n:4;
	GE(txrx);	/* expect: __end_txrx after __begin_txrx 96; i386 arm ppc32: __end_txrx after __begin_txrx 92 */
};
