// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

/* case C04 */
struct mark_info { /* expect: warning: struct mark_info is read outside the kernel, as its file says: never move its members [-Wcacheline-uapi-struct] */
	u8 mode;
	u32 secid;
	char context[256];
};

struct mark_frame { /* expect: warning: struct mark_frame is read outside the kernel, as its file says: never move its members [-Wcacheline-uapi-struct] */
	__be16 type;
};

struct mark_info *first_mark(void);
