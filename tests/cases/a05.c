/* SPDX-License-Identifier: GPL-2.0-only */
/* Case A05: mem_cgroup_per_node, read-only pointers to the front. */
#include "cases.h"

struct rb_node { unsigned long parent; struct rb_node *right, *left; } __aligned(sizeof(long));
struct lruvec { struct list_head lists[5]; u64 lock; unsigned long cost[4]; void *pgdat; };	/* expect: size 128 */
struct iter { void *position; u32 generation; };

struct before {					/* expect: size 432, align 8 */
	struct lruvec lruvec;			/* expect: lruvec at 0 */
	void *lruvec_stats_percpu;		/* expect: lruvec_stats_percpu at 128 */
	void *lruvec_stats;			/* expect: lruvec_stats at 136 */
	unsigned long lru_zone_size[5][5];	/* expect: lru_zone_size at 144 */
	struct iter iter;			/* expect: iter at 344 */
	void *shrinker_info;
	struct rb_node tree_node;		/* expect: tree_node at 368 */
	unsigned long usage_in_excess;
	_Bool on_tree;
	void *memcg;				/* expect: memcg at 408 */
	char cold[16];
};

struct after {					/* expect: size 432, align 8 */
	void *memcg;				/* expect: memcg at 0 */
	void *lruvec_stats_percpu, *lruvec_stats;
	void *shrinker_info;			/* expect: shrinker_info at 24 */
	struct rb_node tree_node;
	unsigned long usage_in_excess;
	_Bool on_tree;
	struct lruvec lruvec;			/* expect: lruvec at 72 */
	unsigned long lru_zone_size[5][5];	/* expect: lru_zone_size at 200 */
	struct iter iter;			/* expect: iter at 400 */
	char cold[16];
};
