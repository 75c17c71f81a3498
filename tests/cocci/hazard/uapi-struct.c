// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

struct frame { /* expect: warning: struct frame is read outside the kernel, as the byte order of 'type' says: never move its members [-Wcacheline-uapi-struct] */
	u8 version;
	u8 flags;
	__be16 type;
	union {
		__be32 source;
		char name[4];
	} from;
};

struct entry { /* expect: warning: struct entry is read outside the kernel, as the byte order of 'table' says: never move its members [-Wcacheline-uapi-struct] */
	char magic[4];
	struct frame first;
	__le64 table[8];
} __attribute__((packed));

/* The kernel's own: it points, or has a size that differs, or has no byte order. */
struct flow_state {
	__be32 source;
	struct list_head list;
};

struct flow_cache {
	__be32 source;
	struct frame *last;
};

struct flow_stat {
	__be32 source;
	unsigned long packets;
};

struct pair {
	u8 a;
	u32 b;
};
