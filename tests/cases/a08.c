/* SPDX-License-Identifier: GPL-2.0-only */
/* Case A08: dentry, d_lockref out of the area that a lookup reads; 192 bytes on 64-bit machines, another size on 32-bit. */
#include "cases.h"

struct node { void *next, *pprev; };
struct lockref { union { u64 lock_count; struct { u32 lock; int count; }; }; };
struct qstr { union { struct { u32 hash, len; }; u64 hash_len; }; const char *name; };

#define LOOKUP \
	u32 d_flags, d_seq; struct node d_hash; void *d_parent; struct qstr d_name; void *d_inode
#define REST \
	union { struct list_head d_lru; void *d_wait; }; struct node d_sib; void *d_children; \
	union { struct node d_alias, d_in_lookup_hash; u64 d_rcu; } d_u

struct before {				/* expect: size 192, align 8; arm: size 144, align 8; i386: size 128, align 4 */
	LOOKUP;				/* expect: d_hash at 8, d_name at 32, d_inode at 48 */
	u8 d_iname[40];			/* expect: d_iname at 56 */
	struct lockref d_lockref;	/* expect: d_lockref at 96 */
	void *d_op, *d_sb;
	unsigned long d_time;
	void *d_fsdata;			/* expect: d_fsdata at 128 */
	REST;				/* expect: d_lru at 136, d_u at 176 */
};

struct after {				/* expect: size 192, align 8; arm: size 144, align 8; i386: size 128, align 4 */
	LOOKUP;
	u8 d_iname[40];			/* expect: d_iname at 56; arm: d_iname at 44; i386: d_iname at 36 */
	void *d_op, *d_sb;		/* expect: d_op at 96 */
	unsigned long d_time;
	void *d_fsdata;			/* expect: d_fsdata at 120 */
	struct lockref d_lockref;	/* expect: d_lockref at 128; arm: d_lockref at 104; i386: d_lockref at 92 */
	REST;				/* expect: d_lru at 136, d_u at 176 */
};
