/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_MEMCONTROL_H
#define _LINUX_MEMCONTROL_H

#include <linux/cgroup-defs.h>
#include <linux/page_counter.h>

enum memcg_memory_event {
	MEMCG_LOW, MEMCG_HIGH, MEMCG_MAX, MEMCG_OOM, MEMCG_OOM_KILL, MEMCG_OOM_GROUP_KILL,
	MEMCG_SWAP_HIGH, MEMCG_SWAP_MAX, MEMCG_SWAP_FAIL,
	MEMCG_NR_MEMORY_EVENTS,
};

struct mem_cgroup_id {
	int id;
	atomic_t ref;
};

struct mem_cgroup {
	struct cgroup_subsys_state css;

	/* outlives the group while swapped pages refer to it */
	struct mem_cgroup_id id;

	struct page_counter memory;		/* both versions */

	union {
		struct page_counter swap;	/* version 2 */
		struct page_counter memsw;	/* version 1 */
	};

	/* counters of single consumers, version 1 */
	struct page_counter kmem;
	struct page_counter tcpmem;

	/* an interrupt cannot reclaim: it leaves that to this */
	struct work_struct high_work;

	/* one task killed for memory: kill the rest of the group with it? */
	bool oom_group;

	/* under the lock of all groups' OOM state */
	bool		oom_lock;
	int		under_oom, swappiness;

	/* files that report events, of all the subtree and of this group */
	struct cgroup_file events_file;
	struct cgroup_file events_local_file;

	struct mutex thresholds_lock;
	/* only while moving_account is above 0 */
	spinlock_t		move_lock;
	unsigned long		move_lock_flags;

	CACHELINE_PADDING(_pad1_);

	/* memory.stat, summed up */
	struct memcg_vmstats	*vmstats;

	/* memory.events, memory.events.local */
	atomic_long_t		memory_events[MEMCG_NR_MEMORY_EVENTS];
	atomic_long_t		memory_events_local[MEMCG_NR_MEMORY_EVENTS];

	/* a hint to sockets that reclaim is having a hard time */
	unsigned long		socket_pressure;

#ifdef CONFIG_MEMCG_KMEM
	int kmemcg_id;
	struct obj_cgroup __rcu *objcg;
	/* those taken over from groups that are gone */
	struct list_head objcg_list;
#endif

	CACHELINE_PADDING(_pad2_);

	/* above 0 while pages leave this group for another */
	atomic_t		moving_account;
	struct task_struct	*move_lock_task;

	struct memcg_vmstats_percpu __percpu *vmstats_percpu;

#ifdef CONFIG_CGROUP_WRITEBACK
	struct list_head cgwb_list;
#endif

	/* eventfds of user space that want to hear from us */
	struct list_head event_list;
	spinlock_t event_list_lock;

	struct mem_cgroup_per_node *nodeinfo[];
};

static inline struct mem_cgroup *parent_mem_cgroup(struct mem_cgroup *memcg)
{
	struct cgroup_subsys_state *parent = memcg->css.parent;

	return parent ? container_of(parent, struct mem_cgroup, css) : NULL;
}

struct mem_cgroup *mem_cgroup_alloc(struct mem_cgroup *parent);
int mem_cgroup_charge(struct mem_cgroup *memcg, unsigned long nr_pages);

#endif
