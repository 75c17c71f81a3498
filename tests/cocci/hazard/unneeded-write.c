// SPDX-License-Identifier: GPL-2.0-only
#include "stub.h"

#define OVERUTILIZED 2
#define QUEUE_NOSPACE 3
#define QUEUE_WRITE_WAKEUP 4
#define QUEUE_IO_ERROR 5
#define QUEUE_BUSY 6

/* case G05: one for many run queues */
struct domain {
	int overload;
	int overutilized;
	bool busy;
	unsigned long flags, other;
	unsigned long quirks;
	atomic_t dirty;
};

struct queue {
	struct domain *domain;
	int running;
	struct { unsigned long flags; } disks[4];
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

void asked_again(struct queue *q)
{
	clear_bit(4, &q->domain->other);
	set_bit(3, &q->domain->flags); /* expect: warning: q->domain->flags is written whether or not it is set: test_bit() first [-Wcacheline-unneeded-write] */
	clear_bit(2, &q->domain->flags);
}

void plain(struct queue *q, int n)
{
	if (n)
		q->domain->busy = true; /* expect (every): warning: q->domain->busy is written whether or not it is set: test it first [-Wcacheline-unneeded-write] */
}

void dirty(struct queue *q)
{
	atomic_set(&q->domain->dirty, 1); /* expect: warning: q->domain->dirty is written whether or not it is set: atomic_read() first [-Wcacheline-unneeded-write] */
}

/* Tested first, or earlier; cleared; another value each time; an object that is one's own; a bit for as long as something lasts; set once;
 * an array of one's own; where the object begins or ends; what asks for a wakeup; what has failed, is at work, or is
 * the first of its kind. */
void tested(struct queue *q)
{
	if (!READ_ONCE(q->domain->overload))
		WRITE_ONCE(q->domain->overload, 1);
	if (!test_bit(3, &q->domain->flags))
		set_bit(3, &q->domain->flags);
	if (!q->domain->busy)
		q->domain->busy = true;
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
	q->domain->busy = false;
	WRITE_ONCE(q->domain->overload, 0);
	WRITE_ONCE(q->domain->overutilized, n);
	atomic_set(&q->domain->dirty, 0);
}

void resets(struct queue *q)
{
	set_bit(3, &q->domain->flags);
	q->running = 0;
	clear_bit(3, &q->domain->flags);
}

void own_array(struct queue *q)
{
	set_bit(3, &q->disks[q->running].flags);
}

void probes(struct queue *q)
{
	set_bit(3, &q->domain->quirks);
}

int queue_open(struct queue *q)
{
	WRITE_ONCE(q->domain->overload, 1);
	set_bit(3, &q->domain->flags);
	atomic_set(&q->domain->dirty, 1);
	q->domain->busy = true;
	return 0;
}

void waits(struct queue *q)
{
	set_bit(QUEUE_NOSPACE, &q->domain->flags);
	set_bit(QUEUE_WRITE_WAKEUP, &q->domain->other);
}

void fails(struct queue *q)
{
	set_bit(QUEUE_IO_ERROR, &q->domain->flags);
}

void works(struct queue *q)
{
	set_bit(QUEUE_BUSY, &q->domain->flags);
	if (!test_and_set_bit(1, &q->domain->other))
		set_bit(3, &q->domain->flags);
}
