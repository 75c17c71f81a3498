/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/cgroup-defs.h>
#include <linux/slab.h>

static LIST_HEAD(cgroup_roots);

struct cgroup_root *cgroup_setup_root(int hierarchy_id)
{
	struct cgroup_root *root = kzalloc(sizeof(*root), GFP_KERNEL);

	if (!root)
		return NULL;
	root->hierarchy_id = hierarchy_id;
	root->cgrp.root = root;
	root->cgrp.ancestors[0] = &root->cgrp;
	root->cgrp.rstat_cpu = alloc_percpu(struct cgroup_rstat_cpu);
	INIT_LIST_HEAD(&root->cgrp.rstat_css_list);
	atomic_set(&root->nr_cgrps, 1);
	list_add_tail(&root->root_list, &cgroup_roots);
	return root;
}

/* readers of /proc walk the list of roots under RCU */
void cgroup_free_root(struct cgroup_root *root)
{
	list_del_init(&root->root_list);
	kfree_rcu(root, rcu);
}
