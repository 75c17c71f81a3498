/* SPDX-License-Identifier: GPL-2.0-only */
/* Cases B01, B03, B07, B14. What would stop this very build is only declared, as BUILD_BUG_ON() does it, and never called. */
#include <stddef.h>
#define line_aligned __attribute__((aligned(64)))
#define long_aligned __attribute__((aligned(sizeof(long))))
#define offsetofend(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))
#define BEGIN(GROUP) unsigned char __cacheline_group_begin__##GROUP[0]
#define END(GROUP) unsigned char __cacheline_group_end__##GROUP[0]
#define BUILD_BUG_ON(cond, name) extern void name(void) __attribute__((__error__("BUILD_BUG_ON failed: " #cond)))
#define ASSERT_SIZE(TYPE, GROUP, SIZE, name) \
	BUILD_BUG_ON(offsetof(TYPE, __cacheline_group_end__##GROUP) - offsetofend(TYPE, __cacheline_group_begin__##GROUP) > SIZE, name)

typedef unsigned int u32;
typedef unsigned long long u64;

struct pred_first {
	void *p[3];
	char c;
	BEGIN(txrx); /* expect: warning: group 'txrx' has 96 bytes on arm, 4 of them a hole before 'a', but its assert allows 92, on ppc32 too [-Wcacheline-group-size] */
	u32 pred;
	u64 a, b;
	u32 x[11];
	char rx[24];
	unsigned char n:4;
	END(txrx);
} pred_first;
ASSERT_SIZE(struct pred_first, txrx, 92, assert_pred_first); /* expect: note: the assert is here */

struct wide_first {
	void *p[3];
	char c;
	BEGIN(txrx); /* expect: warning: group 'txrx' has 96 bytes, 7 of them a hole before 'a', but its assert allows 92 [-Wcacheline-group-size] */
	u64 a, b;
	u32 pred;
	u32 x[11];
	char rx[24];
	unsigned char n:4;
	END(txrx);
} wide_first;
ASSERT_SIZE(struct wide_first, txrx, 92, assert_wide_first); /* expect: note: the assert is here */

/* as upstream has it since */
struct pred_first_with_room {
	void *p[3];
	char c;
	BEGIN(txrx);
	u32 pred;
	u64 a, b;
	u32 x[11];
	char rx[24];
	unsigned char n:4;
	END(txrx);
} pred_first_with_room;
ASSERT_SIZE(struct pred_first_with_room, txrx, 92 + 4, assert_with_room);

struct read_txrx {
	void *before;
	BEGIN(txrx); /* expect: warning: group 'txrx' has 20 bytes on arm, 4 of them a hole before 'features', but its assert allows 16, on ppc32 too [-Wcacheline-group-size] */
	unsigned short hard_header_len;
	unsigned int flags;
	u64 features;
	END(txrx);
} read_txrx;
ASSERT_SIZE(struct read_txrx, txrx, 2 * sizeof(u64), assert_read_txrx); /* expect: note: the assert is here */

struct queue {
	void *dev;
	u32 a, b;
	long m[2];
	u32 id;
} line_aligned;

struct ring {
	BEGIN(cl5) line_aligned; /* expect: warning: group 'cl5' has 128 bytes with 128-byte lines, 92 of them the padding at the end of 'x', but its assert allows 64, with 256-byte lines too [-Wcacheline-group-size] */
	struct queue x;
	END(cl5) long_aligned;
	struct { } pad line_aligned;
} ring;
ASSERT_SIZE(struct ring, cl5, 64, assert_ring); /* expect: note: the assert is here */

/* bounded in units of the line, whatever it is */
struct bounded {
	BEGIN(cl5) line_aligned;
	struct queue x;
	END(cl5) long_aligned;
	struct { } pad line_aligned;
} bounded;
ASSERT_SIZE(struct bounded, cl5, (1 << (6)), assert_bounded);

struct bounded_less {
	BEGIN(cl5) line_aligned; /* expect: warning: group 'cl5' has 128 bytes with 128-byte lines, 92 of them the padding at the end of 'x', but its assert allows 96, with 256-byte lines too [-Wcacheline-group-size] */
	struct queue x;
	END(cl5) long_aligned;
	struct { } pad line_aligned;
} bounded_less;
ASSERT_SIZE(struct bounded_less, cl5, (1 << (6)) / 2 + 32, assert_bounded_less); /* expect: note: the assert is here */

/* the end marker is aligned to a long, of whatever size, and not to a line */
struct marked {
	u32 y;
	BEGIN(g) line_aligned;
	u32 z;
	END(g) long_aligned;
	struct { } pad line_aligned;
	u32 w;
} marked;
ASSERT_SIZE(struct marked, g, sizeof(long), assert_marked);

struct whole { /* expect: warning: the struct has 16 bytes, but its assert allows 8 [-Wcacheline-group-size] */
	BEGIN(g);
	long a, b;
	END(g);
} whole;
BUILD_BUG_ON(sizeof(struct whole) > 8, assert_whole); /* expect: note: the assert is here */

/* without groups it is none of ours */
struct other {
	long a, b;
} other;
BUILD_BUG_ON(sizeof(struct other) > 8, assert_other);
