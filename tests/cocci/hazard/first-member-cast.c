// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

struct sock {
	int family;
};

struct inet_sock {
	struct sock sk;
	int id;
};

struct cmd {
	char data[8];
	int more;
};

/* case C14: what every operation begins with */
struct file;

struct rw {
	struct file *file;
	long pos;
};

struct nop {
	struct file *file;
	int result;
};

struct sockaddr_any {
	u16 family;
};

struct inet_sock *inet_sk(const struct sock *sk)
{
	return (struct inet_sock *)sk; /* expect: warning: struct sock is cast to struct inet_sock: struct inet_sock.sk must stay the first member [-Wcacheline-first-member-cast] */
}

void up(struct inet_sock *inet, struct nop *nop)
{
	((struct sock *)inet)->family = 1; /* expect: warning: struct inet_sock is cast to struct sock: struct inet_sock.sk must stay the first member [-Wcacheline-first-member-cast] */
	((struct rw *)nop)->pos = 0; /* expect: warning: struct nop is cast to struct rw: one must stay the first member of the other [-Wcacheline-first-member-cast] */
}

#define to_cmd(x) ((struct cmd *)(x)) /* expect: warning: to_cmd() casts to struct cmd: what it is given must stay the first member [-Wcacheline-first-member-cast] */

void asserts(void)
{
	BUILD_BUG_ON(offsetof(struct cmd, data) != 0); /* expect: warning: struct cmd.data must stay the first member [-Wcacheline-first-member-cast] */
	BUILD_BUG_ON(offsetof(struct inet_sock, sk)); /* expect: warning: struct inet_sock.sk must stay the first member [-Wcacheline-first-member-cast] */
	BUILD_BUG_ON(offsetof(struct cmd, more) != 8);
}

static_assert(offsetof(struct rw, file) == 0); /* expect: warning: struct rw.file must stay the first member [-Wcacheline-first-member-cast] */
_Static_assert(offsetof(struct nop, file) == 0, "the file is first"); /* expect: warning: struct nop.file must stay the first member [-Wcacheline-first-member-cast] */
static_assert(offsetof(struct nop, result) == 8);

/* container_of(), a cast from void or bytes, the same struct, a socket address, what lies behind */
#define to_inet(x) container_of(x, struct inet_sock, sk)

void harmless(struct sock *sk, void *data, char *bytes, const struct cmd *c, struct sockaddr_any *sa)
{
	to_inet(sk)->id = 1;
	((struct cmd *)data)->more = 1;
	((struct cmd *)bytes)->more = 1;
	((struct cmd *)c)->more = 1;
	((struct cmd *)sa)->more = 1;
	((struct cmd *)(sk + 1))->more = 1;
}
