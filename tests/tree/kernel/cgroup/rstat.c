/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each CPU counts for itself and remembers which cgroups it counted for; a flush adds up. Every
 * count reads rstat_cpu, every flush writes the bstat fields: seed 003.
 */
#include <linux/cgroup-defs.h>

static DEFINE_RAW_SPINLOCK(cgroup_rstat_lock);

void cgroup_account_utime(struct cgroup *cgrp, int cpu, u64 utime)
{
	struct cgroup_rstat_cpu *rstatc = per_cpu_ptr(cgrp->rstat_cpu, cpu);

	rstatc->bstat.cputime.utime += utime;

	/* queue it, and all above it that are not queued yet */
	for (; cgrp; cgrp = cgroup_parent(cgrp)) {
		rstatc = per_cpu_ptr(cgrp->rstat_cpu, cpu);
		if (rstatc->updated_next)
			break;
		rstatc->updated_next = cgrp;
	}
}

static void add_stat(struct cgroup_base_stat *to, const struct cgroup_base_stat *from, int sign)
{
	to->cputime.utime += sign * (s64)from->cputime.utime;
	to->cputime.stime += sign * (s64)from->cputime.stime;
	to->cputime.sum_exec_runtime += sign * (s64)from->cputime.sum_exec_runtime;
}

static void cgroup_base_stat_flush(struct cgroup *cgrp, int cpu)
{
	struct cgroup_rstat_cpu *rstatc = per_cpu_ptr(cgrp->rstat_cpu, cpu);
	struct cgroup *parent = cgroup_parent(cgrp);
	struct cgroup_base_stat delta = rstatc->bstat;

	add_stat(&delta, &rstatc->last_bstat, -1);
	add_stat(&cgrp->bstat, &delta, 1);
	add_stat(&rstatc->last_bstat, &delta, 1);

	if (parent) {
		delta = cgrp->bstat;
		add_stat(&delta, &cgrp->last_bstat, -1);
		add_stat(&parent->bstat, &delta, 1);
		add_stat(&cgrp->last_bstat, &delta, 1);
	}
}

void cgroup_rstat_flush(struct cgroup *cgrp)
{
	struct cgroup *pos;
	int cpu;

	raw_spin_lock(&cgroup_rstat_lock);
	for (cpu = 0; cpu < CONFIG_NR_CPUS; cpu++) {
		cgrp->rstat_flush_next = NULL;
		for (pos = cgrp; pos; pos = pos->rstat_flush_next)
			cgroup_base_stat_flush(pos, cpu);
	}
	raw_spin_unlock(&cgroup_rstat_lock);
}
