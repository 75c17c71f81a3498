/* SPDX-License-Identifier: GPL-2.0-only */
/* page_counter with both cures, for -D revert; cgroup and address_space with theirs. */
struct page_counter {
	atomic_long_t usage;
	CACHELINE_PADDING(_pad1_);

	/* protection in effect */
	unsigned long emin;
	atomic_long_t min_usage;
	atomic_long_t children_min_usage;
	unsigned long watermark;
	unsigned long failcnt;

	/* read by every charge */
	CACHELINE_PADDING(_pad2_);

	unsigned long min;
	unsigned long low;
	unsigned long high;
	unsigned long max;
	struct page_counter *parent;
} ____cacheline_internodealigned_in_smp;

struct address_space {
	struct inode *host;
	struct rb_root_cached i_mmap;
	unsigned long nrpages;
	unsigned long flags;
	errseq_t wb_err;
	spinlock_t i_private_lock;
	struct list_head i_private_list;
	struct rw_semaphore i_mmap_rwsem;
	void *i_private_data;
} __attribute__((aligned(sizeof(long)))) __randomize_layout;

struct cgroup {
	unsigned long flags;
	struct cgroup_rstat_cpu __percpu *rstat_cpu;
	struct list_head rstat_css_list;

	CACHELINE_PADDING(_pad_);

	struct cgroup_base_stat last_bstat;
	struct cgroup_base_stat bstat;
};
