/* SPDX-License-Identifier: GPL-2.0-only */
/// Put padding between cgroup's read-mostly rstat_cpu and the statistics behind it, which are updated often.
///
/// Thread: "[PATCH-cgroup v5 2/2] cgroup: Avoid false cacheline sharing of read mostly rstat_cpu", 2023-11-30,
/// <20231130204327.494249-3>: lock held 1 to 5 us 110,151 -> 50,935 times, 5 to 10 us 270 -> 93.
/// It pushed cgroup_root.rcu out of the reach of kfree_rcu() in an allmodconfig; linekeeper relayout looks for that.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
// Struct: cgroup
// Promise: apart(cgroup.rstat_cpu, cgroup.last_bstat)
// Promise: apart(cgroup.rstat_cpu, cgroup.bstat)
// Promise: apart(cgroup.rstat_css_list, cgroup.last_bstat)
// Promise: apart(cgroup.rstat_css_list, cgroup.bstat)
// Promise: growth(cgroup) <= 128
//
//	struct cgroup {					struct cgroup {
//		...						...
//		struct cgroup_rstat_cpu __percpu *rstat_cpu;	struct cgroup_rstat_cpu __percpu *rstat_cpu;
//		struct list_head rstat_css_list;	->	struct list_head rstat_css_list;
//		struct cgroup_base_stat last_bstat;		CACHELINE_PADDING(_pad_);
//		...						struct cgroup_base_stat last_bstat;
//	};							...
//							};

virtual patch, context, org, report

@padded@
declarer name CACHELINE_PADDING;
@@
struct cgroup {
	...
	struct list_head rstat_css_list;
	CACHELINE_PADDING(...);
	...
}

@pad depends on patch && !padded@
declarer name CACHELINE_PADDING;
symbol _pad_;
@@
struct cgroup {
	...
	struct list_head rstat_css_list;
+	CACHELINE_PADDING(_pad_);
	...
}

@found depends on context && !padded@
@@
struct cgroup {
	...
*	struct list_head rstat_css_list;
	...
}

@near depends on (org || report) && !padded@
position p;
@@
struct cgroup {
	...
	struct list_head rstat_css_list@p;
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << near.p;
@@
show(p[0], "cgroup.rstat_cpu and rstat_css_list are read on a line that *bstat is written on: CACHELINE_PADDING(_pad_) behind them")
