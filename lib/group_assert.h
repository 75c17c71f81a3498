/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What upstream asserts of the groups in its structs: CACHELINE_ASSERT_GROUP_MEMBER and _SIZE (include/linux/cache.h)
 * and libeth's (include/net/libeth/cache.h). The front end hands in the text that they leave in the preprocessed unit,
 * so an assert that an #if takes out does not count.
 */
#ifndef LINEKEEPER_GROUP_ASSERT_H
#define LINEKEEPER_GROUP_ASSERT_H

#include <stdbool.h>

#include "abi.h"
#include "record.h"

enum group_assert_kind {
	ASSERT_GROUP_MEMBER,		/* a member stands between the markers of a group */
	ASSERT_GROUP_SIZE,		/* bytes between the markers */
	ASSERT_STRUCT_SIZE,		/* bytes of the struct */
};

struct group_assert {
	enum group_assert_kind kind;
	const char *record;		/* tag, or name of a typedef */
	const char *group;		/* NULL for a struct's size */
	const char *member;		/* a path, as offsetof() takes it; NULL but for a member */
	const char *bound;		/* an expression; NULL for a member */
	bool exact;			/* the size is to be just that, not at most that */
	struct place place;		/* the front end's to fill in: where the assert stands */
};

/*
 * text: the message of a function's attribute error ("BUILD_BUG_ON failed: " and the condition that must not hold), or the
 * message of a _Static_assert, which is the condition that must hold. false: it is no assert of a group or a
 * struct's size, *out is then undefined. Any text may come.
 */
bool group_assert_parse(const char *text, struct group_assert *out);

/* bytes of a struct, union or typedef; NOT_KNOWN: it is not there */
typedef unsigned long long group_assert_size_fn(const char *type, void *data);
#define NOT_KNOWN (~0ULL)

/* where a bound is asked for */
struct bound_on {
	const struct abi *abi;
	unsigned int line_size;		/* bytes */
	unsigned int line_here;		/* of the unit that the bound was read in */
	group_assert_size_fn *size_of;	/* of types that are no scalars; NULL: none is known */
	void *data;			/* size_of's */
};

/*
 * The bound in bytes: numbers, sizeof(), + - * / % << >> & | ~ and brackets. L1_CACHE_BYTES and its kin leave "1 << 6":
 * such a power that is the unit's own line is a line there. NOT_KNOWN: something else stands in it.
 */
unsigned long long group_assert_bytes(const struct group_assert *a, const struct bound_on *on);

#endif
