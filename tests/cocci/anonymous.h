/* SPDX-License-Identifier: GPL-2.0-only */
/* Anonymous structs with an alignment each. Case A13. */
struct ring {
	struct {
		struct list_head refs;
	} ____cacheline_aligned_in_smp;
	struct {
		unsigned int flags;
		unsigned int compat:1, drain_next:1, restricted:1;
		u32 *sq_array;
		unsigned int sq_entries;
		struct list_head defer_list;
		struct other *sq_sqes;
	} ____cacheline_aligned_in_smp;
	struct {
		unsigned int cq_entries;
	} ____cacheline_aligned_in_smp;
	union {
		long key;
		struct {
			int id;
		};
	};
	int outside;
	int tail;
};
