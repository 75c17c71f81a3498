/* SPDX-License-Identifier: GPL-2.0-only */
/* The four seeds' structs before their cures; types and order are facts, the rest is ours. */
struct page_counter {
	atomic_long_t usage;
	unsigned long min;
	unsigned long low;
	unsigned long high;
	unsigned long max;
	struct page_counter *parent;

	/* protection in effect */
	unsigned long emin;
	atomic_long_t min_usage;
	atomic_long_t children_min_usage;
	unsigned long watermark;
	unsigned long failcnt;
};

struct address_space {
	struct inode *host;
	struct xarray i_pages;
	struct rw_semaphore invalidate_lock;
	gfp_t gfp_mask;
	atomic_t i_mmap_writable;
#ifdef CONFIG_READ_ONLY_THP_FOR_FS
	atomic_t nr_thps;
#endif
	struct rb_root_cached i_mmap;
	struct rw_semaphore i_mmap_rwsem;
	unsigned long nrpages;
	pgoff_t writeback_index;
	const struct address_space_operations *a_ops;
	unsigned long flags;
	errseq_t wb_err;
	spinlock_t private_lock;
	struct list_head private_list;
	void *private_data;
} __attribute__((aligned(sizeof(long)))) __randomize_layout;

struct cgroup {
	unsigned long flags;
	struct cgroup_rstat_cpu __percpu *rstat_cpu;
	struct list_head rstat_css_list;

	/* statistics */
	struct cgroup_base_stat last_bstat;
	struct cgroup_base_stat bstat;
};
