/* SPDX-License-Identifier: GPL-2.0-only */
/* Structs before a relayout that upstream made. Cases A05, A07, A08; sizes are facts, the rest is ours. */
struct node {
	struct { u32 words[80]; } lruvec;
	void *lruvec_stats_percpu;
	void *lruvec_stats;
	unsigned long lru_zone_size[5][5];
	struct { u32 position, generation; } iter;
	void *shrinker_info;
	struct { void *parent, *right, *left; } tree_node;
	unsigned long usage_in_excess;
	_Bool on_tree;
	void *memcg;
};

struct file {
	atomic_long_t f_ref;
	spinlock_t f_lock;
	unsigned int f_mode;
	const void *f_op;
	void *f_mapping;
	void *private_data;
	void *f_inode;
	unsigned int f_flags;
	unsigned int f_iocb_flags;
	const void *f_cred;
	struct { void *mnt, *dentry; } f_path;
	union {
		struct { u32 words[8]; } f_pos_lock;
		unsigned long f_pipe;
	};
	long f_pos;
	void *f_security;
	void *f_owner;
	errseq_t f_wb_err;
	errseq_t f_sb_err;
	void *f_ep;
	union {
		struct { u32 words[8]; } f_ra;
		void *f_freeptr;
	};
} __randomize_layout __attribute__((aligned(4)));

struct dentry {
	unsigned int d_flags;
	u32 d_seq;
	struct { void *next, **pprev; } d_hash;
	struct dentry *d_parent;
	struct { unsigned long hash_len; const char *name; } d_name;
	void *d_inode;
	unsigned char d_iname[40];
	struct { u32 lock, count; } d_lockref;
	const void *d_op;
	void *d_sb;
	unsigned long d_time;
	void *d_fsdata;
	union {
		struct list_head d_lru;
		void *d_wait;
	};
	struct { void *next, **pprev; } d_sib;
	struct { void *first; } d_children;
	union {
		struct { void *next, **pprev; } d_alias;
		struct { void *next, *func; } d_rcu;
	} d_u;
};
