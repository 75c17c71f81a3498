// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

struct dst {
	int flags;
	struct list_head uncached;
	void *list;
};

struct route {
	struct dst dst;
	int gen;
};

struct bundle {
	union {
		struct dst dst;
		struct route route;
	} u;
	int more;
};

struct conn {
	int refs;
	struct { } init;
	int mark;
	long state[2];
	int proto;
};

struct flow {
	int oif;
	__be32 saddr;
	__be32 daddr;
};

struct packet {
	int length;
	struct_group(addrs, __be32 saddr; __be32 daddr;); /* expect: warning: struct packet.addrs is a group that is used as a whole: the order of members decides what that is [-Wcacheline-field-range] */
	int ttl;
};

/* case C01 */
void bundle_init(struct bundle *b)
{
	memset_after(b, 0, u.dst); /* expect: warning: memset_after() covers the end behind struct bundle.u.dst: the order of members decides what that is [-Wcacheline-field-range] */
}

/* case C05 */
void flow_to_packet(struct packet *p, struct flow *f)
{
	memcpy(&p->saddr, &f->saddr, sizeof(f->saddr) + sizeof(f->daddr)); /* expect: warning: memcpy() covers saddr and daddr of f: the order of members decides what that is [-Wcacheline-field-range] */
	memcpy(&p->saddr, &f->saddr, 2 * sizeof(f->saddr)); /* expect: warning: memcpy() covers 2 members of f from saddr: the order of members decides what that is [-Wcacheline-field-range] */
}

/* case C07 */
void conn_clear(struct conn *c, struct conn *old, struct bundle *b)
{
	memset(&c->init, 0, offsetof(struct conn, proto) - offsetof(struct conn, init)); /* expect: warning: memset() covers struct conn.init up to proto: the order of members decides what that is [-Wcacheline-field-range] */
	memset(&c->mark, 0, sizeof(*c) - offsetof(struct conn, mark)); /* expect: warning: memset() covers the end from struct conn.mark: the order of members decides what that is [-Wcacheline-field-range] */
	memset(&c->mark, 0, sizeof(struct conn) - offsetofend(struct conn, refs)); /* expect: warning: memset() covers the end behind struct conn.refs: the order of members decides what that is [-Wcacheline-field-range] */
	memset(c, 0, offsetofend(struct conn, state)); /* expect: warning: memset() covers the start up to the end of struct conn.state: the order of members decides what that is [-Wcacheline-field-range] */
	memset(c, 0, offsetof(struct conn, proto)); /* expect: warning: memset() covers the start up to struct conn.proto: the order of members decides what that is [-Wcacheline-field-range] */
	memcpy(&c->mark, &old->mark, (char *)&c->proto - (char *)&c->mark); /* expect: warning: memcpy() covers mark up to proto of c: the order of members decides what that is [-Wcacheline-field-range] */
	memset_startat(c, 0, mark); /* expect: warning: memset_startat() covers the end from struct conn.mark: the order of members decides what that is [-Wcacheline-field-range] */
	memset_after(&b->u.route, 0, dst); /* expect: warning: memset_after() covers the end behind struct route.dst: the order of members decides what that is [-Wcacheline-field-range] */
}

void route_init(struct route *r)
{
	struct dst *dst = &r->dst;

	memset(dst + 1, 0, sizeof(*r) - sizeof(*dst)); /* expect: warning: memset() covers what is behind an embedded struct dst: the order of members decides what that is [-Wcacheline-field-range] */
}

/* bundle_of() is declared in a file that is not read */
void unknown(void *b)
{
	memset_after(bundle_of(b), 0, u.dst); /* expect: warning: memset_after() covers the end behind u.dst of bundle_of(b): the order of members decides what that is [-Wcacheline-field-range] */
}

/* One member, or all. */
void harmless(struct conn *c, struct conn *old, struct packet *p, struct flow *f, char *text, int n)
{
	memset(c, 0, sizeof(*c));
	memset(&c->state, 0, sizeof(c->state));
	memset(c->state, 0, 2 * sizeof(*c->state));
	memcpy(&c->proto, &old->proto, sizeof(c->proto));
	memcpy(&p->saddr, &f->saddr, sizeof(p->saddr));
	memcpy(text, text + n, sizeof(*c) + sizeof(*f));
	memset(text + 1, 0, n - 1);
	memset(f + 1, 0, n - sizeof(*f));
	memcpy(text, old->state, old->proto - old->mark);
	memset((char *)c + offsetof(struct conn, proto), 0, sizeof(c->proto));
}

/* for assembly: layout-assert tells */
void constants(void)
{
	DEFINE(DISTANCE, offsetof(struct conn, init) - offsetof(struct conn, proto));
}
