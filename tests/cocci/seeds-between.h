/* SPDX-License-Identifier: GPL-2.0-only */
/* page_counter with the first cure only; address_space as its second try left it. */
struct page_counter {
	atomic_long_t usage;
	unsigned long min;
	unsigned long low;
	unsigned long high;
	unsigned long max;

	/* protection in effect */
	unsigned long emin;
	atomic_long_t min_usage;
	atomic_long_t children_min_usage;
	unsigned long watermark;
	unsigned long failcnt;
	struct page_counter *parent;
};

struct address_space {
	struct inode *host;
	struct rb_root_cached i_mmap;
	unsigned long nrpages;
	pgoff_t writeback_index;
	const struct address_space_operations *a_ops;
	unsigned long flags;
	struct rw_semaphore i_mmap_rwsem;
	errseq_t wb_err;
	spinlock_t i_private_lock;
	struct list_head i_private_list;
	void *i_private_data;
};
