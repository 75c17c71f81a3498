// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

#define FILTER(f) .filter = (f), .size = 1
#define LENGTH(n) ((n) * 4)

struct common_ops {
	int (*filter)(int);
	int size;
};

struct eth_ops {
	struct common_ops common;
	void (*force_mac)(void);
	unsigned int wide:1;
	char name[8];
};

/* what stands where cannot be counted: a conditional, a shared declaration */
struct sometimes {
	int always;
#ifdef CONFIG_SMP
	int cpu;
#endif
	int more;
};

struct shared {
	int a, b;
	int c;
};

int filter(int x);
void force_mac(void);
void use(const void *p);

/* case C10 */
static const struct eth_ops mixed = { /* expect: warning: struct eth_ops.common is given by position: name it [-Wcacheline-positional-initialiser] */
	{
#ifdef CONFIG_RFS
		.filter = filter,	/* an #ifdef inside, and this */
#endif
		.size = 2,
	},
	.force_mac = force_mac,
};

static const struct eth_ops all = { { .size = 1 }, force_mac, 1, "all" }; /* expect: warning: struct eth_ops.common is given by position: name it [-Wcacheline-positional-initialiser] */
static const struct eth_ops behind = { .force_mac = force_mac, 1 }; /* expect: warning: members of struct eth_ops are given by position: name them [-Wcacheline-positional-initialiser] */
static struct common_ops plain = { filter, LENGTH(2) }; /* expect: warning: struct common_ops.filter is given by position: name it [-Wcacheline-positional-initialiser] */
static struct sometimes sometimes = { 1, 2 }; /* expect: warning: struct sometimes.always is given by position: name it [-Wcacheline-positional-initialiser] */
static struct shared shared = { 1, 2, 3 }; /* expect: warning: members of struct shared are given by position: name them [-Wcacheline-positional-initialiser] */
struct list_head head = { &head, &head }; /* expect: warning: members of struct list_head are given by position: name them [-Wcacheline-positional-initialiser] */

static const struct common_ops table[] = { /* expect: warning: struct common_ops.filter is given by position: name it [-Wcacheline-positional-initialiser] */
	{ filter, 1 },
	{ .filter = filter },
	{ filter, 2 },
	{ }
};

static const struct common_ops indexed[4] = { [2] = { filter, 1 } }; /* expect: warning: struct common_ops.filter is given by position: name it [-Wcacheline-positional-initialiser] */

/* types with a name of their own: a struct, an array of it, one of arrays; arrays of two dimensions */
typedef struct common_ops ops_t, ops_list_t[];
typedef struct { int counter; } count_t;
static const ops_list_t typed_list = { { filter, 1 }, { filter, 2 }, { NULL, 0 } }; /* expect: warning: members of ops_list_t are given by position: name them [-Wcacheline-positional-initialiser] */
static ops_t typed = { filter, 1 }; /* expect: warning: members of ops_t are given by position: name them [-Wcacheline-positional-initialiser] */
static ops_t typed_array[] = { { .size = 1 }, { filter, 2 } }; /* expect: warning: members of ops_t are given by position: name them [-Wcacheline-positional-initialiser] */
static const ops_t typed_indexed[] = { [1] = { filter, 1 } }; /* expect: warning: members of ops_t are given by position: name them [-Wcacheline-positional-initialiser] */
static const ops_t typed_square[2][2] = { { { .size = 1 } }, { { .size = 2 }, { filter, 1 } } }; /* expect: warning: members of ops_t are given by position: name them [-Wcacheline-positional-initialiser] */
static struct common_ops square[2][2] = { { { filter, 1 }, { filter, 2 } } }; /* expect: warning: members of struct common_ops are given by position: name them [-Wcacheline-positional-initialiser] */

void local(int n)
{
	struct common_ops ops = { NULL, n }; /* expect: warning: struct common_ops.filter is given by position: name it [-Wcacheline-positional-initialiser] */

	use(&ops);
	use(&(ops_t){ filter, n }); /* expect: warning: members of ops_t are given by position: name them [-Wcacheline-positional-initialiser] */
	use(&(struct common_ops){ filter, n }); /* expect: warning: struct common_ops.filter is given by position: name it [-Wcacheline-positional-initialiser] */
}

/* Named, nothing but zero, or a macro that may give names; arrays of numbers have no members. */
static const struct eth_ops named = { .common = { .filter = filter }, .force_mac = force_mac };
static const struct common_ops by_macro[] = { { FILTER(filter) }, { .size = 1 }, };
#define WIDE(n) .wide = (n)
#define NAMES(f, n) .common = { FILTER(f) }, .name = { (n) }
static const struct eth_ops by_macros = { NAMES(filter, LENGTH(2)), WIDE(1) };
static struct common_ops zero = { 0 }, empty = { };
static const int numbers[] = { 1, 2 }, square_numbers[][2] = { { 1, 2 }, { 3, 4 } };
static const ops_list_t named_list = { { .filter = filter, .size = 1 }, { .filter = filter }, { } };
static ops_t named_typed = { .filter = filter, .size = 1 }, named_square[2][2] = { { { .size = 1 }, { .size = 2 } } };
static count_t counter = { 1 }, counters[] = { { 1 }, { 2 } };	/* one member has no other place */

void harmless(void)
{
	struct eth_ops ops = { { 0 } };

	use(&ops);
	use(&(struct common_ops){ .size = 2 });
	use(&(struct common_ops){ NULL });
}
