/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))
#define __aligned(N) __attribute__((__aligned__(N)))
#define ____cacheline_aligned_in_smp __aligned(64)
#define ____cacheline_internodealigned_in_smp __attribute__((__aligned__(1 << 12)))

struct line {
	long usage line_aligned;
};

struct good {
	char c;
	struct line line;
	struct line more[2];
	struct {
		long inside line_aligned;
	};
	union {
		long one ____cacheline_internodealigned_in_smp;
		char other;
	};
} good;
const struct good *read_only;

/* packed containers: the member itself, an array, an odd size, each kind of what asks */
struct packed {
	char c;
	struct line line; /* expect: warning: 'line' asks for an alignment of 64, but lies at 1 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
	struct line more[2]; /* expect: warning: 'more' asks for an alignment of 64, but lies at 65 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
} __attribute__((packed)) packed;

struct odd {
	struct good good; /* expect: warning: 'good' asks for an alignment of 4096, but lies at 0 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
	char c;
} __attribute__((packed)) odd[2];

struct holds_packed {
	long start line_aligned;
	struct packed packed;			/* told where it is packed */
} holds_packed;

union packed_union {
	struct line line; /* expect: warning: 'line' asks for an alignment of 64, but lies at 0 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
	char c;
} __attribute__((packed)) packed_union;

/* in a packed struct a member's own attribute counts */
struct packed_but_aligned {
	char c;
	long start line_aligned;
} __attribute__((packed)) packed_but_aligned;

struct packed_and_aligned {
	struct line line;
	char c;
} __attribute__((packed)) line_aligned packed_and_aligned;

struct anonymous {
	char c;
	struct { struct { long start line_aligned; }; } __attribute__((packed)); /* expect: warning: 'an anonymous member' asks for an alignment of 64, but lies at 1 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
} __attribute__((packed)) anonymous;

/* typedefs that raise and lower */
typedef int aligned_int line_aligned;
typedef struct line line_on_long __attribute__((aligned(8)));

struct typedefs {
	char c;
	aligned_int raised;
	line_on_long lowered; /* expect: warning: 'lowered' asks for an alignment of 64, but lies at 72 of a struct that is aligned to 64: take away what packs it [-Wcacheline-align-lost] */
} typedefs;

struct packed_typedef {
	char c;
	aligned_int raised; /* expect: warning: 'raised' asks for an alignment of 64, but lies at 1 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
} __attribute__((packed)) packed_typedef;

/* the 56 bytes between the two part them where a struct that is aligned to 8 can start, and nowhere else */
struct parted {
	long a __cacheline_apart(b);
	char between[56];
	long b;
};
typedef struct parted parted_anywhere __attribute__((aligned(1)));

struct packs_parted {
	char c;
	struct parted parted[2]; /* expect: warning: 'parted' asks for an alignment of 8, but lies at 1 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
} __attribute__((packed)) packs_parted;

struct lowers_parted {
	char c;
	parted_anywhere parted; /* expect: warning: 'parted' asks for an alignment of 8, but lies at 1 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
} lowers_parted;

struct packs_a_budget {
	char c;
	struct header { long a; } __cacheline_budget(8) header;
} __attribute__((packed)) packs_a_budget;

#pragma pack(push, 4)
struct pragma {
	char c;
	long start line_aligned; /* expect: warning: 'start' asks for an alignment of 64, but lies at 4 of a struct that is aligned to 4: take away what packs it [-Wcacheline-align-lost] */
} pragma;
#pragma pack(pop)

/* case A10, as upstream cured it */
struct k_itimer {
	void *t_hash[2], *list[2];
	int it_id, it_clock, it_sigev_notify, it_pid_type;
	void *it_signal, *kclock;
	int it_lock ____cacheline_aligned_in_smp;
} ____cacheline_aligned_in_smp k_itimer;

/* case B14: the markers of an aligned group, and what a packed struct makes of them */
struct ring {
	int y;
	unsigned char __cacheline_group_begin__g[0] line_aligned;
	int z;
	unsigned char __cacheline_group_end__g[0] __aligned(sizeof(long));
	unsigned char __cacheline_group_pad__g[0] line_aligned;
	int w;
};

struct holds_ring {
	char c;
	struct ring ring; /* expect: warning: 'ring' asks for an alignment of 64, but lies at 1 of a struct that is aligned to 1: take away what packs it [-Wcacheline-align-lost] */
} __attribute__((packed)) holds_ring;

/* case B17: less than a line is nobody's promise here */
struct sched_class {
	void *f[20];
} __aligned(32) sched_classes[5];

/* case B05: an attribute in front of "struct" aligns what is declared */
#define ____cacheline_aligned line_aligned
____cacheline_aligned struct in_front { /* expect: warning: '____cacheline_aligned' in front of struct in_front aligns nothing: write it between 'struct' and the name [-Wcacheline-align-lost] */
	int x;
};
__attribute__((packed, aligned(64))) union by_hand { int x; } __attribute__((packed)); /* expect: warning: '__attribute__' in front of union by_hand aligns nothing: write it between 'union' and the name [-Wcacheline-align-lost] */
struct ____cacheline_aligned between { int x; };
____cacheline_aligned struct with_object { int x; } with_object;
typedef ____cacheline_aligned struct with_typedef { int x; } with_typedef_t;
__aligned(32) struct less { int x; };
____cacheline_aligned struct twice { int x; } ____cacheline_aligned;
struct embeds { ____cacheline_aligned struct member { int x; } member; };
#undef ____cacheline_aligned

/* case B06: linux/cache.h is not included */
struct { int q; } ____cacheline_aligned; /* expect: warning: '____cacheline_aligned' is a variable here, no attribute: include linux/cache.h [-Wcacheline-align-lost] */
struct { int q; } __aligned; /* expect: warning: '__aligned' is a variable here, no attribute: include linux/compiler_attributes.h [-Wcacheline-align-lost] */
struct { int q; } __randomize_layout; /* expect: warning: '__randomize_layout' is a variable here, no attribute: include linux/compiler_types.h [-Wcacheline-align-lost] */
struct line as_it_should_be = { 1 };
struct without_header {
	char c;
	struct {
		long start;
	} ____cacheline_aligned; /* expect: warning: '____cacheline_aligned' is a member here, no attribute: include linux/cache.h [-Wcacheline-align-lost] */
} without_header;
