/* SPDX-License-Identifier: GPL-2.0-only */
/* Unions that each hold two of the next: what would go through all of them has no end, and hostile source has such. */
#include <sys/resource.h>

#include "arena.h"
#include "covered.h"
#include "machine.h"
#include "open_end.h"
#include "tap.h"

#define LEVELS	64

static struct member *add(struct record *r, const char *name, struct record *type)
{
	struct member *m = record_add(r);

	m->name = name;
	m->record = type;
	m->scalar = SCALAR_LONG;
	m->count = 1;
	return m;
}

static struct record *tower(void)
{
	struct record *top = NULL;

	for (int i = 0; i < LEVELS; i++) {
		struct record *r = arena_alloc(sizeof(*r));

		r->is_union = true;
		add(r, "a", top);
		add(r, "b", top);
		top = r;
	}
	return top;
}

/* struct s { long q; union tower; long z; } */
static struct record *holder(void)
{
	struct record *r = arena_alloc(sizeof(*r));

	r->name = "s";
	add(r, "q", NULL);
	add(r, "tower", tower());
	add(r, "z", NULL);
	record_layout(r, abi_find("x86-64"));
	return r;
}

int main(void)
{
	struct machine here = { abi_find("x86-64"), 64 }, there = { abi_find("arm"), 64 };
	struct covered range = covered_parse("s q z", "s q z");
	struct record *before = holder(), *after = holder(), *on_arm;
	struct covering found;

	setrlimit(RLIMIT_CPU, &(struct rlimit) { 1, 1 });
	on_arm = record_on(after, &here, &there);
	ok(on_arm && on_arm->size == 12 && after->size == 24, "another machine");
	ok(!open_end_covers(before, after, &after->members[1]), "the end of it");
	ok(!covered_compare(&range, before, after, &found), "a range over it is refused");
	return done();
}
