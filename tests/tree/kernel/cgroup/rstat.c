/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each CPU counts for itself and remembers which cgroups it counted for; a flush adds up. Every
 * count reads rstat_cpu, every flush writes the bstat fields: seed 003.
 */
#include <linux/cgroup-defs.h>

static DEFINE_RAW_SPINLOCK(flush_lock);

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

/* adds to sum what now has more than seen, and has then seen it */
static void collect(struct cgroup_base_stat *sum, const struct cgroup_base_stat *now,
		    struct cgroup_base_stat *seen)
{
	sum->cputime.utime += now->cputime.utime - seen->cputime.utime;
	sum->cputime.stime += now->cputime.stime - seen->cputime.stime;
	sum->cputime.sum_exec_runtime += now->cputime.sum_exec_runtime - seen->cputime.sum_exec_runtime;
	*seen = *now;
}

void cgroup_rstat_flush(struct cgroup *cgrp)
{
	struct cgroup *parent = cgroup_parent(cgrp);
	struct cgroup_rstat_cpu *rstatc;
	int cpu;

	raw_spin_lock(&flush_lock);
	cgrp->rstat_flush_next = NULL;
	for (cpu = 0; cpu < CONFIG_NR_CPUS; cpu++) {
		rstatc = per_cpu_ptr(cgrp->rstat_cpu, cpu);
		collect(&cgrp->bstat, &rstatc->bstat, &rstatc->last_bstat);
		rstatc->updated_next = NULL;
	}
	if (parent)
		collect(&parent->bstat, &cgrp->bstat, &cgrp->last_bstat);
	raw_spin_unlock(&flush_lock);
}
