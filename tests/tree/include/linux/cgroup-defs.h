/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_CGROUP_DEFS_H
#define _LINUX_CGROUP_DEFS_H

#include <linux/percpu.h>
#include <linux/rwsem.h>

#define MAX_CGROUP_ROOT_NAMELEN	64
#define CGROUP_SUBSYS_COUNT	15
#define MAX_CGROUP_BPF_ATTACH_TYPE	38

#ifdef CONFIG_PSI
#define NR_PSI_RESOURCES	3	/* cpu, memory, io */
#else
#define NR_PSI_RESOURCES	0
#endif

struct cgroup_bpf {
#ifdef CONFIG_CGROUP_BPF
	/* what runs, the ancestors' programs included; what was attached here */
	struct bpf_prog_array __rcu *effective[MAX_CGROUP_BPF_ATTACH_TYPE];
	struct hlist_head progs[MAX_CGROUP_BPF_ATTACH_TYPE];
	u8 flags[MAX_CGROUP_BPF_ATTACH_TYPE];

	struct bpf_prog_array *inactive;	/* only while it is updated */
	struct percpu_ref refcnt;
	struct work_struct release_work;
#endif
};

/* a file below a cgroup that tells its readers of changes */
struct cgroup_file {
	struct kernfs_node *kn;
	unsigned long notified_at;
	struct timer_list notify_timer;
};

/* a cgroup as one controller sees it; controllers embed it, first */
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys *ss;
	struct percpu_ref refcnt;

	struct list_head sibling;
	struct list_head children;
	struct list_head rstat_css_node;	/* on cgroup->rstat_css_list */

	int id;
	unsigned int flags;
	u64 serial_nr;		/* younger ones have higher numbers */
	atomic_t online_cnt;

	struct work_struct destroy_work;
	struct rcu_work destroy_rwork;

	struct cgroup_subsys_state *parent;
};

struct task_cputime {
	u64 stime, utime;
	unsigned long long sum_exec_runtime;
};

struct cgroup_base_stat {
	struct task_cputime cputime;
};

struct prev_cputime {
	u64 utime, stime;
	raw_spinlock_t lock;
};

/* what one CPU counted of a cgroup, and how much of that is in the sums */
struct cgroup_rstat_cpu {
	struct cgroup_base_stat bstat, last_bstat;
	struct cgroup *updated_children, *updated_next;
};

struct cgroup {
	struct cgroup_subsys_state self;	/* has no ->ss, and points back */

	unsigned long flags;		/* a long: bit operations ask for it */

	int level;		/* 0 for the root, one more on each step down */

	/* how deep and how many below it are allowed, and how many there are */
	int max_depth;
	int nr_descendants;
	int nr_dying_descendants;
	int max_descendants;

	/*
	 * Sets of tasks here, and children of either type that hold any.
	 * All three 0: no task in this subtree.
	 */
	int nr_populated_csets;
	int nr_populated_domain_children;
	int nr_populated_threaded_children;

	int nr_threaded_children;	/* living ones */
	unsigned int kill_seq;
	struct kernfs_node *kn;		/* the folder */
	struct cgroup_file procs_file;	/* "cgroup.procs" */
	struct cgroup_file events_file;	/* "cgroup.events" */
	struct cgroup_file psi_files[NR_PSI_RESOURCES];

	/* controllers for the children: as configured, and as it came out */
	u16 subtree_control, subtree_ss_mask;
	u16 old_subtree_control, old_subtree_ss_mask;

	struct cgroup_subsys_state __rcu *subsys[CGROUP_SUBSYS_COUNT];
	struct cgroup_root *root;

	/* the sets of tasks that are here; those that depend on it, one list a controller */
	struct list_head cset_links;
	struct list_head e_csets[CGROUP_SUBSYS_COUNT];

	/*
	 * Where a threaded cgroup charges what has no task: the nearest
	 * ancestor that is a domain. Itself, when it is not threaded.
	 */
	struct cgroup *dom_cgrp;
	struct cgroup *old_dom_cgrp;	/* while it becomes threaded */

	/* statistics of each CPU, and the controllers that have any */
	struct cgroup_rstat_cpu __percpu *rstat_cpu;
	struct list_head rstat_css_list;

	/*
	 * The next one to be flushed. A scratch field of the flusher,
	 * under its lock.
	 */
	struct cgroup	*rstat_flush_next;

	/* basic statistics, summed up */
	struct cgroup_base_stat last_bstat;
	struct cgroup_base_stat bstat;
	struct prev_cputime prev_cputime;	/* what was shown last time */

	/* lists of process ids, made when somebody reads one */
	struct list_head pidlists;
	struct mutex pidlist_mutex;

	wait_queue_head_t offline_waitq;
	struct work_struct release_agent_work;
	struct cgroup_bpf bpf;

	/* from the root down to itself */
	struct cgroup *ancestors[];
};

/* a hierarchy, by its topmost cgroup */
struct cgroup_root {
	struct kernfs_root *kf_root;
	unsigned int subsys_mask;	/* its controllers */
	int hierarchy_id;

	/* cgrp.ancestors[0] runs over into the member behind it */
	struct cgroup cgrp;
	struct cgroup *cgrp_ancestor_storage;	/* must follow cgrp */

	atomic_t nr_cgrps;
	struct list_head root_list;	/* of all hierarchies */
	struct rcu_head rcu;
	unsigned int flags;

	/* program to run when a cgroup becomes empty */
	char release_agent_path[PATH_MAX];
	char name[MAX_CGROUP_ROOT_NAMELEN];
};

static inline struct cgroup *cgroup_parent(struct cgroup *cgrp)
{
	struct cgroup_subsys_state *parent = cgrp->self.parent;

	return parent ? container_of(parent, struct cgroup, self) : NULL;
}

struct cgroup_root *cgroup_setup_root(int hierarchy_id);
void cgroup_free_root(struct cgroup_root *root);
void cgroup_rstat_flush(struct cgroup *cgrp);
void cgroup_account_utime(struct cgroup *cgrp, int cpu, u64 utime);

#endif
