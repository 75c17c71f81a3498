/* SPDX-License-Identifier: GPL-2.0-only */
/* Case A06: fields that were only taken out had been the padding between two groups. */
/* config: v1 -DCONFIG_MEMCG_V1 */
#include "cases.h"

struct rb_node { unsigned long parent; struct rb_node *right, *left; } __aligned(sizeof(long));
struct lruvec { struct list_head lists[5]; u64 lock; unsigned long cost[4]; void *pgdat; };

struct node {					/* expect: default: size 376; v1: size 416 */
	void *memcg;
	void *lruvec_stats_percpu, *lruvec_stats;
	void *shrinker_info;			/* expect: shrinker_info at 24 */
#ifdef CONFIG_MEMCG_V1
	struct rb_node tree_node;		/* expect: v1: tree_node at 32 */
	unsigned long usage_in_excess;
	_Bool on_tree;				/* expect: v1: on_tree at 64 */
#endif
	struct lruvec lruvec;			/* expect: default: lruvec at 32; v1: lruvec at 72 */
	unsigned long lru_zone_size[5][5];	/* expect: default: lru_zone_size at 160; v1: lru_zone_size at 200 */
	struct { void *position; u32 generation; } iter;
};

struct padded {					/* expect: size 448, align 64 */
	void *memcg;
	void *lruvec_stats_percpu, *lruvec_stats;
	void *shrinker_info;
	CACHELINE_PADDING(_pad1_);
	struct lruvec lruvec;			/* expect: lruvec at 64 */
	CACHELINE_PADDING(_pad2_);
	unsigned long lru_zone_size[5][5];	/* expect: lru_zone_size at 192 */
	struct { void *position; u32 generation; } iter;
};
