// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

struct flow {
	int oif;
	__be32 saddr;
	__be32 daddr;
};

struct control {
	char cb[48];
	struct flow flow;
};

void asserts(struct flow *f, struct control *c)
{
	BUILD_BUG_ON(sizeof(struct flow) > 64); /* expect: warning: BUILD_BUG_ON() relies on the size of struct flow [-Wcacheline-layout-assert] */
	BUILD_BUG_ON(sizeof(*f) > sizeof(c->cb)); /* expect: warning: BUILD_BUG_ON() relies on the size of struct flow [-Wcacheline-layout-assert] */
	/* case C05 */
	BUILD_BUG_ON(offsetof(typeof(*f), daddr) != offsetof(typeof(*f), saddr) + sizeof(f->saddr)); /* expect: warning: BUILD_BUG_ON() relies on the place of struct flow.daddr [-Wcacheline-layout-assert] */ /* expect: warning: BUILD_BUG_ON() relies on the place of struct flow.saddr [-Wcacheline-layout-assert] */
	BUILD_BUG_ON_MSG(offsetofend(struct control, cb) != 48, "no room"); /* expect: warning: BUILD_BUG_ON_MSG() relies on the place of struct control.cb [-Wcacheline-layout-assert] */
	static_assert(offsetof(struct flow, saddr) % 4 == 0); /* expect: warning: static_assert() relies on the place of struct flow.saddr [-Wcacheline-layout-assert] */
}

_Static_assert(sizeof(struct control) == 60, "its size"); /* expect: warning: _Static_assert() relies on the size of struct control [-Wcacheline-layout-assert] */
static_assert(offsetof(struct control, flow.saddr) == 52); /* expect: warning: static_assert() relies on the place of struct control.flow.saddr [-Wcacheline-layout-assert] */

/* case C12: what an asm-offsets.c is made of */
void offsets(void)
{
	OFFSET(FLOW_OIF, flow, oif); /* expect: warning: assembly relies on the place of struct flow.oif [-Wcacheline-layout-assert] */
	DEFINE(FLOW_SADDR, offsetof(struct flow, saddr) - 4); /* expect: warning: assembly relies on the place of struct flow.saddr [-Wcacheline-layout-assert] */
	DEFINE(FLOW_SIZE, sizeof(struct flow)); /* expect: warning: assembly relies on the size of struct flow [-Wcacheline-layout-assert] */
}

/* Sizes of members and of scalars, which no relayout changes; the first member is told by first-member-cast. */
void harmless(struct flow *f)
{
	BUILD_BUG_ON(sizeof(long) != 8);
	BUILD_BUG_ON(sizeof(f->saddr) != sizeof(f->daddr));
	BUILD_BUG_ON(sizeof(f) != 8);
	BUILD_BUG_ON(offsetof(struct control, cb) != 0);
	DEFINE(LINE_SIZE, 64);
}

static_assert(offsetof(struct flow, oif) == 0);
static_assert(sizeof_field(struct control, cb) == 48);
