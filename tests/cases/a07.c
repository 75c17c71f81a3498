/* SPDX-License-Identifier: GPL-2.0-only */
/* Case A07: struct file, the count of references from the first line to the third; padding or a better filling. */
#include "cases.h"

struct path { void *mnt, *dentry; };
struct mutex { u64 owner; u32 wait_lock, osq; struct list_head wait_list; };

#define FIRST_LINE \
	u32 f_lock; u32 f_mode; void *f_op, *f_mapping, *private_data, *f_inode; u32 f_flags, f_iocb_flags; void *f_cred
#define MIDDLE \
	union { struct mutex f_pos_lock; u64 f_pipe; }; u64 f_pos; void *f_security
#define LAST \
	u32 f_wb_err, f_sb_err; void *f_ep; union { struct list_head f_llist; u64 f_ra[4]; }

struct before {				/* expect: size 184, align 8 */
	u64 f_ref;			/* expect: f_ref at 0 */
	FIRST_LINE;			/* expect: f_lock at 8, f_cred at 56 */
	struct path f_path;		/* expect: f_path at 64 */
	MIDDLE;				/* expect: f_pos_lock at 80, f_pipe at 80, f_pos at 112 */
	void *f_owner;			/* expect: f_owner at 128 */
	LAST;				/* expect: f_ra at 152 */
};

struct padded {				/* expect: size 192, align 8 */
	FIRST_LINE;			/* expect: f_lock at 0, f_cred at 48 */
	u8 padding[8];
	struct path f_path;		/* expect: f_path at 64 */
	MIDDLE;
	void *f_owner;
	LAST;				/* expect: f_ra at 152 */
	u64 f_ref;			/* expect: f_ref at 184 */
};

struct filled {				/* expect: size 184, align 8 */
	FIRST_LINE;
	void *f_owner;			/* expect: f_owner at 56 */
	struct path f_path;		/* expect: f_path at 64 */
	MIDDLE;				/* expect: f_pos_lock at 80, f_security at 120 */
	LAST;				/* expect: f_wb_err at 128, f_llist at 144 */
	u64 f_ref;			/* expect: f_ref at 176 */
};
