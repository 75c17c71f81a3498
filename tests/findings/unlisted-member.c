/* SPDX-License-Identifier: GPL-2.0-only */
#include <stddef.h>
#define offsetofend(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))
#define BEGIN(GROUP) unsigned char __cacheline_group_begin__##GROUP[0]
#define END(GROUP) unsigned char __cacheline_group_end__##GROUP[0]
#define BUILD_BUG_ON(cond, name) extern void name(void) __attribute__((__error__("BUILD_BUG_ON failed: " #cond)))
#define ASSERT_MEMBER(TYPE, GROUP, MEMBER, name) \
	BUILD_BUG_ON(!(offsetof(TYPE, MEMBER) >= offsetofend(TYPE, __cacheline_group_begin__##GROUP) && \
		       offsetofend(TYPE, MEMBER) <= offsetof(TYPE, __cacheline_group_end__##GROUP)), name)

struct sock {
	long outside;
	BEGIN(read_tx);			/* nobody lists the members of this one */
	long tx;
	END(read_tx);
	BEGIN(read_rx);
	long listed;
	long unlisted; /* expect: warning: 'unlisted' stands in group 'read_rx', but no CACHELINE_ASSERT_GROUP_MEMBER() says that it is to: add one [-Wcacheline-unlisted-member] */
	unsigned int bit:1;		/* no offsetof() for it */
	struct { } nothing;
	union {
		struct {
			int a, b;
		};
		long both;
	};
	union {
		int c; /* expect: warning: 'c' stands in group 'read_rx', but no CACHELINE_ASSERT_GROUP_MEMBER() says that it is to: add one [-Wcacheline-unlisted-member] */
	};
	struct {
		long first, second;
	} nested;
	long list[2];
	END(read_rx);
	long moved_away; /* expect: warning: 'moved_away' does not stand in group 'read_rx', where its assert wants it: move it there [-Wcacheline-unlisted-member] */
} sock;
ASSERT_MEMBER(struct sock, read_rx, listed, assert_listed);
ASSERT_MEMBER(struct sock, read_rx, both, assert_both);
ASSERT_MEMBER(struct sock, read_rx, nested.second, assert_nested);
ASSERT_MEMBER(struct sock, read_rx, moved_away, assert_moved); /* expect: note: the assert is here */
ASSERT_MEMBER(struct sock, read_rx, list[1], assert_list); /* expect: note: the group's last one is here */ /* expect: note: the group's last one is here */

struct other {
	BEGIN(read_rx);			/* another struct's group of that name */
	long alone;
	END(read_rx);
} other;
