/* SPDX-License-Identifier: GPL-2.0-only */
/* A file system that keeps everything in its inodes. */
#ifndef _MINIFS_H
#define _MINIFS_H

#include <linux/fs.h>

struct minifs_inode_info {
	__u32		i_block[12];	/* numbers of blocks: see i_meta_lock */
	__u32		i_dtime;

	/* bits of the disk's format, and ours */
	unsigned int	i_compressed:1, i_inline:1;
	unsigned int	i_layout:4;

	/*
	 * Held to change i_block. Beside the inode's own lock, since
	 * both are taken on a write that allocates.
	 */
	struct rw_semaphore i_meta_lock;
	struct inode	vfs_inode;
	struct list_head i_orphan;		/* deleted and still open */
};

int minifs_init(void);
struct inode *minifs_alloc_inode(struct super_block *sb);

#endif
