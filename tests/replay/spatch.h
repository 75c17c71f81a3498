/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * struct mixture - members of every kind that a rule moves
 * @first: stays
 * @plain: with a comment behind
 * @pointer: aligned (case E02)
 * @map: of pages
 * @notify: a pointer to a function
 * @last: the last one
 */
struct mixture {
	unsigned long first;

	atomic_t plain;			/* how many,
					 * never negative */
	struct list_head *pointer ____cacheline_aligned;
	int prefixed __attribute__((aligned(16)));	/* by the attribute */

	/* one, a pointer to it, four of them */
	int one, *to_it, four[4];	/* all three */
#ifdef CONFIG_SMP
	/* only there */
	spinlock_t lock;
#endif
#ifdef CONFIG_NUMA
	int node;
	int distance;
#endif

	unsigned int dirty:1, dead:1;
	DECLARE_BITMAP(map, 64);	/* of pages */
	struct cgroup_rstat_cpu __percpu *percpu;	/* read-mostly */
	struct {
		u64 inner;	/* inside */
		u64 other;
	} ____cacheline_aligned_in_smp;
	int (*notify)(struct mixture *m,
		      unsigned long event);	/* may sleep */

	/* the end */
	unsigned long last;
};
