// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

#define OVERUTILIZED 2

/* case G05: one for many run queues */
struct domain {
	int overload;
	int overutilized;
	bool busy;
	unsigned long flags;
	atomic_t dirty;
};

struct queue {
	struct domain *domain;
	int running;
};

void overload(struct queue *q)
{
	WRITE_ONCE(q->domain->overload, 1); /* expect: warning: q->domain->overload is written whether or not it is set: READ_ONCE() first [-Wcacheline-unneeded-write] */
}

void overutilized(struct queue *q, bool half)
{
	if (half)
		WRITE_ONCE(q->domain->overutilized, 1); /* expect: warning: q->domain->overutilized is written whether or not it is set: READ_ONCE() first [-Wcacheline-unneeded-write] */
	else
		WRITE_ONCE(q->domain->overutilized, OVERUTILIZED); /* expect: warning: q->domain->overutilized is written whether or not it is set: READ_ONCE() first [-Wcacheline-unneeded-write] */
}

void all_busy(struct queue *queues, int n)
{
	for (int i = 0; i < n; i++)
		WRITE_ONCE(queues[i].domain->busy, true); /* expect: warning: queues[i].domain->busy is written whether or not it is set: READ_ONCE() first [-Wcacheline-unneeded-write] */
	while (n--)
		WRITE_ONCE((queues + n)->domain->busy, true); /* expect: warning: (queues+n)->domain->busy is written whether or not it is set: READ_ONCE() first [-Wcacheline-unneeded-write] */
}

void bits(struct queue *q)
{
	set_bit(3, &q->domain->flags); /* expect: warning: q->domain->flags is written whether or not it is set: test_bit() first [-Wcacheline-unneeded-write] */
}

void dirty(struct queue *q)
{
	atomic_set(&q->domain->dirty, 1); /* expect: warning: q->domain->dirty is written whether or not it is set: atomic_read() first [-Wcacheline-unneeded-write] */
}

/* Tested first, or earlier; cleared; another value each time; an object that is one's own. */
void tested(struct queue *q)
{
	if (!READ_ONCE(q->domain->overload))
		WRITE_ONCE(q->domain->overload, 1);
	if (!test_bit(3, &q->domain->flags))
		set_bit(3, &q->domain->flags);
}

void earlier(struct queue *q)
{
	if (q->domain->busy)
		return;
	WRITE_ONCE(q->domain->busy, true);
}

void harmless(struct queue *q, int n)
{
	WRITE_ONCE(q->running, 1);
	WRITE_ONCE(q->domain->overload, 0);
	WRITE_ONCE(q->domain->overutilized, n);
	atomic_set(&q->domain->dirty, 0);
}
