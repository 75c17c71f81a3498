// SPDX-License-Identifier: GPL-2.0-only
/*
 * What plain C does with members. Behind each line: what is to be found there, "MODE MEMBER [VIA]", separated by ";"; members
 * of another struct than the one that a function is given begin with its tag and a colon; "*" is the whole struct.
 */
struct inner {
	int b, c;
	int row[4];
};

struct obj {
	int a, counter, flags : 3;
	union {
		int in_union;
		struct { int deep; };
	};
	struct inner inner;
	struct inner many[4];
	struct { int nameless; } sub;
	int row[8];
	const char *name;
	struct obj *next;
	int (*call)(struct obj *);
	void *any;
};

struct obj global;
void consume(void *p);
void look(const void *p);
int other(struct obj *x);
void *memset(void *p, int c, unsigned long n);
void *memcpy(void *to, const void *from, unsigned long n);

void assigned(struct obj *x, int i)
{
	x->a = i;			/* access: w a */
	x->counter++;			/* access: rw counter */
	x->a += i;			/* access: rw a */
	x->flags = 1;			/* access: w flags */
	x->in_union = x->deep;		/* access: w in_union; r deep */
	x->row[i] = x->row[x->counter];	/* access: w row; r row; r counter */
	*x->row = 0;
}

int inside(struct obj *x, int i)
{
	x->inner.b = 1;			/* access: w inner.b; w inner:b */
	x->many[i].c--;			/* access: rw many.c; rw inner:c */
	(&x->inner)->row[i] |= 1;	/* access: rw inner.row; rw inner:row */
	return x->sub.nameless;		/* access: r sub.nameless */
}

int followed(struct obj *x)
{
	return x->next->next->a;	/* access: r next; r a */
}

/* as notifier_chain_register() goes along its list: a parameter that is set from itself */
struct obj *along(struct obj **at, struct obj *x)
{
	while (*at && (*at)->a > x->a)	/* access: r a */
		at = &(*at)->next;	/* access: a next */
	return *at;
}

int called(struct obj *x)
{
	consume(&x->a);			/* access: a a consume */
	look(&x->counter);		/* access: r counter look */
	consume(x->row);		/* access: a row consume */
	consume(x->any);		/* access: r any */
	return x->call(x->next);	/* access: r call; r next */
}

void whole(struct obj *x, struct obj *y)
{
	*x = *y;			/* access: w *; r * */
	x->inner = y->inner;		/* access: w inner; w inner:*; r inner; r inner:* */
	memset(x, 0, sizeof(*x));	/* access: w * memset */
	memcpy(&x->inner, &y->inner, sizeof(x->inner));	/* access: w inner memcpy; w inner:* memcpy; r inner memcpy; r inner:* memcpy */
}

void kept(struct obj *x, int reassigned)
{
	int *__p = &x->a;
	struct inner *p = &x->inner;	/* access: a inner */

	*__p = 1;			/* access: w a */
	p->b = 1;			/* access: w inner.b; w inner:b */
	if (reassigned)
		p = &x->many[0];	/* access: a many */
	p->c = 2;			/* access: w inner:c */
}

void kept_later(struct obj *x, int *p)
{
	int *q;

	q = &x->in_union;		/* access: a in_union */
	*q += 1;			/* access: rw in_union */
	p = &x->a;			/* access: a a */
	*p = 1;				/* access: w a */
	p = &x->counter;		/* access: a counter */
	*p = 1;
}

static void add_to(struct inner *sum, const struct inner *more, int *untouched)
{
	sum->b += more->b;		/* access: rw inner:b; r inner:b */
	*untouched = 0;
}

void through_a_helper(struct obj *x)
{
	add_to(&x->inner, &x->many[0], &x->a);	/* access: rw inner add_to; r many add_to; w a add_to */
	consume(&x->row[1]);		/* access: a row consume */
}

int unevaluated(struct obj *x)
{
	__typeof__(x->a) copy = sizeof(x->counter) + __builtin_offsetof(struct obj, row);

	(void)x->a;
	if (&x->inner == &x->many[1])
		return 0;
	return copy + __builtin_constant_p(x->flags);
}

int on_the_stack(struct obj *x)
{
	struct obj local = { .a = x->a };	/* access: r a */

	local.counter = 1;
	return local.counter + global.counter;	/* access: r counter */
}

int chosen(struct obj *x, int which)
{
	*(which ? &x->a : &x->counter) = 1;	/* access: w a; w counter */
	return ({ x->in_union; });		/* access: r in_union */
}

int branches(struct obj *x)
{
	for (x->a = 0; x->a < 3; x->a++)	/* access: w a; r a; rw a */
		if (!x->in_union && x->deep)	/* access: r in_union; r deep */
			break;
	switch (x->counter) {			/* access: r counter */
	case 1:
		return x->name[x->inner.b];	/* access: r name; r inner.b; r inner:b */
	default:
		do
			other(x->next);		/* access: r next */
		while (x->flags);		/* access: r flags */
	}
	return 0;
}

void assembler(struct obj *x, int v)
{
	__asm__("" : "+m" (x->a), "=r" (x->counter) : "r" (x->deep), "r" (v));	/* access: rw a; w counter; r deep */
}

void changed_by_itself(struct obj *x, int i)
{
	x->a = 1 + x->a - i;			/* access: rw a; r a */
	x->inner.b = (i | x->inner.b);		/* access: rw inner.b; r inner.b; rw inner:b; r inner:b */
	*(volatile int *)&x->counter = *(const volatile int *)&(x->counter) + 1;	/* access: rw counter; r counter */
	x->row[i] = x->row[0] + 1;		/* access: w row; r row */
	x->deep = -x->deep;			/* access: w deep; r deep */
}

void by_another(struct obj *x)
{
	x->a = x->next->a + 1;			/* access: w a; r a; r next */
	x->next->counter = x->counter + 1;	/* access: w counter; r counter */
}
