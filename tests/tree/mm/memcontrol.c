/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/memcontrol.h>
#include <linux/slab.h>

static int nr_node_ids __read_mostly = 1 << CONFIG_NODES_SHIFT;

static void high_work_func(struct work_struct *work)
{
	struct mem_cgroup *memcg = container_of(work, struct mem_cgroup, high_work);

	atomic_long_inc(&memcg->memory_events[MEMCG_HIGH]);
}

struct mem_cgroup *mem_cgroup_alloc(struct mem_cgroup *parent)
{
	struct mem_cgroup *memcg = NULL;

	memcg = kzalloc(struct_size(memcg, nodeinfo, nr_node_ids), GFP_KERNEL);
	if (!memcg)
		return NULL;

	memcg->css.parent = parent ? &parent->css : NULL;
	memcg->high_work.func = high_work_func;
	memcg->memory.high = PAGE_COUNTER_MAX;
	mutex_init(&memcg->thresholds_lock);
	spin_lock_init(&memcg->move_lock);
#ifdef CONFIG_MEMCG_KMEM
	memcg->kmemcg_id = -1;
	INIT_LIST_HEAD(&memcg->objcg_list);
#endif

	page_counter_init(&memcg->memory, parent ? &parent->memory : NULL);
	page_counter_init(&memcg->swap, parent ? &parent->swap : NULL);
	page_counter_init(&memcg->kmem, parent ? &parent->kmem : NULL);
	page_counter_init(&memcg->tcpmem, parent ? &parent->tcpmem : NULL);
	return memcg;
}

int mem_cgroup_charge(struct mem_cgroup *memcg, unsigned long nr_pages)
{
	struct page_counter *counter;
	struct mem_cgroup *over;

	if (!page_counter_try_charge(&memcg->memory, nr_pages, &counter)) {
		over = container_of(counter, struct mem_cgroup, memory);
		atomic_long_inc(&over->memory_events[MEMCG_MAX]);
		return -ENOMEM;
	}

	/* above high is allowed, for as long as the work takes */
	for (; memcg; memcg = parent_mem_cgroup(memcg)) {
		if (page_counter_read(&memcg->memory) > READ_ONCE(memcg->memory.high))
			schedule_work(&memcg->high_work);
	}
	return 0;
}
