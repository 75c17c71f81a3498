// SPDX-License-Identifier: GPL-2.0-only
/* Needs function bodies, so the checker alone finds it. */
#include "cacheline_layout.h"
#include "class-contradicted.h"
#define BEGIN(GROUP) unsigned char __cacheline_group_begin__##GROUP[0]
#define END(GROUP) unsigned char __cacheline_group_end__##GROUP[0]

typedef struct { int counter; } atomic_t;

struct device {
	long limit __cacheline_read_mostly; /* expect: warning: 'limit' is read-mostly (annotation), but sent(), received() write it: move it to the written ones [-Wcacheline-class-contradicted] */
	long quota __cacheline_read_mostly;	/* written when it is made, and when somebody asks for it */
	long bytes __cacheline_written;
	long plain;
	BEGIN(device_read_tx);
	atomic_t users; /* expect: warning: 'users' is read-mostly (group), but one(), two(), three() and 1 more functions write it: move it to the written ones [-Wcacheline-class-contradicted] */
	struct { int part; } nested; /* expect: warning: 'nested' is read-mostly (group), but part_of_it() writes it: move it to the written ones [-Wcacheline-class-contradicted] */
	long given;				/* who knows what is done with it */
	long stored;				/* is no counter */
	long stepped; /* expect: warning: 'stepped' is read-mostly (group), but step() writes it: move it to the written ones [-Wcacheline-class-contradicted] */
	END(device_read_tx);
	BEGIN(device_write);
	long packets;
	END(device_write);
};

struct device *device_alloc(void);
void capable(int);
void look_at(const long *);
void keep(long *);
static inline void atomic_inc(atomic_t *v) { v->counter++; }
static inline int atomic_read(const atomic_t *v) { return v->counter; }

void sent(struct device *d)
{
	d->limit++; /* expect: note: 'limit' is written here */
	d->bytes++;
	d->packets++;
	d->plain = d->quota;
}

void received(struct device *d)
{
	d->limit = 0;
}

void one(struct device *d)
{
	atomic_inc(&d->users); /* expect: note: 'users' is written here, by atomic_inc */
}

void two(struct device *d) { atomic_inc(&d->users); }
void three(struct device *d) { atomic_inc(&d->users); }
void four(struct device *d) { atomic_inc(&d->users); }

void stores(struct device *d)
{
	d->stored = 1;
}

void step(struct device *d)
{
	*(volatile long *)&d->stepped = d->stepped + 1; /* expect: note: 'stepped' is written here */
}

void part_of_it(struct device *d)
{
	d->nested.part += 1; /* expect: note: 'nested' is written here */
}

long reads(struct device *d)
{
	look_at(&d->quota);
	keep(&d->given);
	return d->limit + d->quota + atomic_read(&d->users);
}

void device_init(struct device *d)
{
	d->quota = 1;
}

static void fill(struct device *d)
{
	d->quota = 2;
}

void device_setup(struct device *d)
{
	fill(d);
}

struct device *copied(const struct device *old)
{
	struct device *d = device_alloc();

	d->quota = old->quota;
	return d;
}

void device_set_quota(struct device *d, long quota)
{
	d->quota = quota;
}

void __attribute__((__section__(".init.text"))) boot(struct device *d)
{
	d->quota = 3;
}

void __attribute__((section(".exit.text"))) shutdown(struct device *d)
{
	d->quota = 4;
}

void by_request(struct device *d, long quota)
{
	capable(1);
	d->quota = quota;
}

void link_changed(struct link *l)
{
	l->rate++; /* expect: note: 'rate' is written here */
}
