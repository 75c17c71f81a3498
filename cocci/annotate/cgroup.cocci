/* SPDX-License-Identifier: GPL-2.0-only */
/// Say which of cgroup's statistics are read-mostly and which are updated often.
///
/// The cure is seeds/cgroup_rstat.cocci: this holds the struct to it.
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
// Struct: cgroup
//
//	struct list_head rstat_css_list;	->	struct list_head rstat_css_list __cacheline_read_mostly;
//	struct cgroup_base_stat bstat;		->	struct cgroup_base_stat bstat __cacheline_written;
//
// The macros are those of cacheline_layout.h. What has its annotation is left as it is.

virtual patch, context, org, report

@cpu_said@
attribute name __cacheline_read_mostly;
type T;
position p;
@@
struct cgroup {
	...
	T rstat_cpu@p __cacheline_read_mostly;
	...
}

@cpu depends on patch@
attribute name __cacheline_read_mostly;
type T;
position p != cpu_said.p;
@@
struct cgroup {
	...
-	T rstat_cpu@p;
+	T rstat_cpu __cacheline_read_mostly;
	...
}

@cpu_found depends on context@
type T;
position p != cpu_said.p;
@@
struct cgroup {
	...
*	T rstat_cpu@p;
	...
}

@cpu_near depends on org || report@
type T;
position p != cpu_said.p;
@@
struct cgroup {
	...
	T rstat_cpu@p;
	...
}

@css_said@
attribute name __cacheline_read_mostly;
position p;
@@
struct cgroup {
	...
	struct list_head rstat_css_list@p __cacheline_read_mostly;
	...
}

@css depends on patch@
attribute name __cacheline_read_mostly;
position p != css_said.p;
@@
struct cgroup {
	...
-	struct list_head rstat_css_list@p;
+	struct list_head rstat_css_list __cacheline_read_mostly;
	...
}

@css_found depends on context@
position p != css_said.p;
@@
struct cgroup {
	...
*	struct list_head rstat_css_list@p;
	...
}

@css_near depends on org || report@
position p != css_said.p;
@@
struct cgroup {
	...
	struct list_head rstat_css_list@p;
	...
}

@stat_said@
attribute name __cacheline_written;
identifier f = {last_bstat, bstat};
position p;
@@
struct cgroup {
	...
	struct cgroup_base_stat f@p __cacheline_written;
	...
}

@stat depends on patch@
attribute name __cacheline_written;
identifier f = {last_bstat, bstat};
position p != stat_said.p;
@@
struct cgroup {
	...
-	struct cgroup_base_stat f@p;
+	struct cgroup_base_stat f __cacheline_written;
	...
}

@stat_found depends on context@
identifier f = {last_bstat, bstat};
position p != stat_said.p;
@@
struct cgroup {
	...
*	struct cgroup_base_stat f@p;
	...
}

@stat_near depends on org || report@
identifier f = {last_bstat, bstat};
position p != stat_said.p;
@@
struct cgroup {
	...
	struct cgroup_base_stat f@p;
	...
}

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@script:python depends on report || org@
p << cpu_near.p;
@@
show(p[0], "cgroup.rstat_cpu is read-mostly: say __cacheline_read_mostly")

@script:python depends on report || org@
p << css_near.p;
@@
show(p[0], "cgroup.rstat_css_list is read-mostly: say __cacheline_read_mostly")

@script:python depends on report || org@
p << stat_near.p;
f << stat_near.f;
@@
show(p[0], "cgroup." + f + " is updated often: say __cacheline_written")
