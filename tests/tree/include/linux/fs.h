/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_FS_H
#define _LINUX_FS_H

#include <linux/rwsem.h>

struct inode;

struct rb_root_cached {
	struct {
		struct rb_node *rb_node;
	} rb_root;
	struct rb_node *rb_leftmost;
};

struct xarray {
	spinlock_t xa_lock;
	gfp_t xa_flags;
	void __rcu *xa_head;
};

/**
 * struct address_space - The pages of a file, or of a device, that are in memory.
 * @host: The inode or block device that owns it.
 * @i_pages: The pages, by index.
 * @invalidate_lock: Keeps a page from coming in while others are thrown out:
 *   held shared by whoever fills the cache, exclusively by truncation.
 * @gfp_mask: How to allocate a page.
 * @i_mmap_writable: How many mappings are shared and writable; below zero
 *   while none may be made.
 * @nr_thps: How many huge pages there are.
 * @i_mmap: The areas of memory that map it.
 * @i_mmap_rwsem: Guards i_mmap.
 * @nrpages: How many pages there are. Guarded by the lock of i_pages.
 * @writeback_index: Where the next round of writeback goes on.
 * @a_ops: Methods.
 * @flags: What went wrong, and other bits.
 * @wb_err: The latest error of writeback.
 * @private_lock: For the owner.
 * @private_list: For the owner.
 * @private_data: For the owner.
 */
struct address_space {
	struct inode		*host;
	struct xarray		i_pages;
	struct rw_semaphore	invalidate_lock;
	gfp_t			gfp_mask;
	atomic_t		i_mmap_writable;
#ifdef CONFIG_READ_ONLY_THP_FOR_FS
	/* huge pages, of a file that nobody writes */
	atomic_t		nr_thps;
#endif
	struct rb_root_cached	i_mmap;
	struct rw_semaphore	i_mmap_rwsem;
	unsigned long		nrpages;
	pgoff_t			writeback_index;
	const struct address_space_operations *a_ops;
	unsigned long		flags;
	errseq_t		wb_err;
	spinlock_t		private_lock;
	struct list_head	private_list;
	void			*private_data;
} __attribute__((aligned(sizeof(long)))) __randomize_layout;
	/*
	 * A page keeps a pointer to its address_space, and marks in the
	 * two lowest bits of it. Hence the alignment.
	 */

/*
 * The first line is what a walk along a path reads, and nobody should
 * write there while many walk.
 */
struct inode {
	umode_t			i_mode;
	unsigned short		i_opflags;
	kuid_t			i_uid;
	kgid_t			i_gid;
	unsigned int		i_flags;

#ifdef CONFIG_FS_POSIX_ACL
	struct posix_acl	*i_acl;
	struct posix_acl	*i_default_acl;
#endif

	const struct inode_operations	*i_op;
	struct super_block	*i_sb;
	struct address_space	*i_mapping;

#ifdef CONFIG_SECURITY
	void			*i_security;
#endif

	/* for stat(), hardly for the walk itself */
	unsigned long		i_ino;
	/* changed by set_nlink() and its kin, and by nobody else */
	union {
		const unsigned int i_nlink;
		unsigned int __i_nlink;
	};
	dev_t			i_rdev;
	loff_t			i_size;
	struct timespec64	i_atime, i_mtime, i_ctime;
	spinlock_t		i_lock;	/* i_blocks, i_bytes, perhaps i_size */
	unsigned short          i_bytes;
	u8			i_blkbits, i_write_hint;
	blkcnt_t		i_blocks;

	/* the rest */
	unsigned long		i_state;
	struct rw_semaphore	i_rwsem;
	unsigned long		dirtied_when;	/* jiffies of the first write */
	struct list_head	i_io_list;	/* to be written back */
#ifdef CONFIG_CGROUP_WRITEBACK
	struct bdi_writeback	*i_wb;		/* by whom */
#endif
	struct list_head	i_lru;		/* unused inodes */
	union {
		struct hlist_head	i_dentry;
		struct rcu_head		i_rcu;
	};
	atomic64_t		i_version;
	atomic64_t		i_sequence;
	atomic_t		i_count, i_writecount;
	const struct file_operations	*i_fop;
	struct address_space	i_data;
	__u32			i_generation;
#ifdef CONFIG_FSNOTIFY
	__u32			i_fsnotify_mask; /* events that somebody waits for */
#endif
	void			*i_private; /* of the file system, or the driver */
} __randomize_layout;

/* does anybody map the file? Asked on every truncate and every writeback of a page */
static inline bool mapping_mapped(struct address_space *mapping)
{
	return READ_ONCE(mapping->i_mmap.rb_root.rb_node) != NULL;
}

void inode_init_once(struct inode *inode);
void inode_init_always(struct super_block *sb, struct inode *inode);
void iput(struct inode *inode);
int inode_cache_init(void);

/* mm/mmap.c */
void vma_interval_tree_insert(struct rb_node *node, struct rb_root_cached *root);
void vma_link_file(struct address_space *mapping, struct rb_node *node);
struct rb_node *vma_first_of(struct address_space *mapping);

#endif
