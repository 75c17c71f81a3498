// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often what a function does is done, for one call of it. "often: MODE FIELD TIMES; ..." is what stands on this line of struct obj;
 * "calls: FUNCTION TIMES; ..." what the function of this line calls. Two digits: what counts are the rates in checkers/common/often.c.
 */
struct obj {
	long a, b, n;
	struct obj *next;
};

struct operations {
	void (*run)(struct obj *x);
	void (*idle)(struct obj *x);
};

struct cftype {
	void (*write)(struct obj *x, long n);
};

#define unlikely(x)	__builtin_expect(!!(x), 0)
#define likely(x)	__builtin_expect(!!(x), 1)
#define IS_BUILT	0

void elsewhere(struct obj *x);

static void touch(struct obj *x)
{
	x->n++;				/* often: rw n 1 */
}

static void nothing(struct obj *x)
{
	(void)x;
}

long branches(struct obj *x, long n)	/* calls: touch 0.1; elsewhere 0.9 */
{
	if (unlikely(n))
		touch(x);
	else
		elsewhere(x);
	if (n)
		x->a = 1;		/* often: w a 0.5 */
	if (x->next)			/* often: r next 1 */
		x->b = 2;		/* often: w b 0.7 */
	if (IS_BUILT)
		x->n = 3;		/* often: w n 0 */
	return 0;
}

long leaves(struct obj *x, struct obj *y, long n)
{
	if (!y)
		return -1;
	x->a = 1;			/* often: w a 0.99 */
	if (n)
		goto out;
	x->b = 1;			/* often: w b 0.65 */
out:
	return x->n;			/* often: r n 0.99 */
}

void loops(struct obj *x, long n)	/* calls: touch 9.1; elsewhere 1 */
{
	for (long i = 0; i < n; i++) {
		if (likely(i))
			continue;
		x->a = i;		/* often: w a 0.91 */
	}
	while (n--)
		touch(x);
	do {
		elsewhere(x);
	} while (0);
}

long cases(struct obj *x, long n)
{
	switch (n) {
	case 1:
		x->a = 1;		/* often: w a 0.25 */
		break;
	case 2:
		x->b = 1;		/* often: w b 0.25 */
	case 3:
		x->n = 1;		/* often: w n 0.5 */
		return 1;
	}
	return x->next ? x->n : x->a;	/* often: r next 0.5; r n 0.35; r a 0.15 */
}

void through(struct operations *o, struct obj *x, long n)	/* calls: struct operations.run 0.05; struct operations.idle 1 */
{
	if (n && unlikely(x->a))	/* often: r a 0.5 */
		o->run(x);
	(*o->idle)(x);
}

static void write_n(struct obj *x, long n)
{
	x->n = n;			/* often: w n 1 */
}

static struct operations plain[] = { { .run = touch, .idle = nothing } };
static struct cftype files[] = { [1] = { .write = write_n } };

void assigns(struct operations *o)
{
	o->run = nothing;
}

/* as BUILD_BUG_ON() does, under another name in each unit: a header's calls would never be the same twice */
void asserts(struct obj *x)
{
	extern void assert_17(void);

	if (!x)
		assert_17();
}
