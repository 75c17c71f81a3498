/* SPDX-License-Identifier: GPL-2.0-only */
/* Members of every kind. Cases E02, E03, E05. */
struct other {
	int x;
};

struct kinds {
	int first;
	/* what ptr is for */
	char *ptr;	/* and more of it */
	int array[4];
	int table[2][3];
	int (*call)(int a, char *b);
	int (*calls[2])(int);
	unsigned int low:3;
	unsigned int high:5;
	int one, *two, three[4];
	u8 left:1, right:2;
	int __attribute__((aligned(8))) before;
	int __attribute__((aligned(8))) *before_ptr;
	int behind __attribute__((aligned(8)));
	int *behind_ptr __attribute__((aligned(8)));
	struct other *line ____cacheline_aligned;
	const struct other __rcu *guarded;
	struct other __percpu *counts;
	struct {
		int x;
	} named;
	struct other embedded;
#ifdef CONFIG_A
	int conditional;
#endif
	unsigned long long wide;
	enum colour { RED } colour;
	atomic_long_t usage;
	int last;
} __attribute__((aligned(sizeof(long)))) __randomize_layout;

/* the same names: not to be touched */
struct decoy {
	char *ptr;
	int array[4];
	int last;
};

typedef struct tagged {
	int a;
	int b;
} tagged_t;

struct outer {
	struct inner {
		int a;
		int b;
	} in;
	union {
		struct in_union {
			int a;
			int b;
		} un;
		long l;
	};
	int b;
} outer_object;
