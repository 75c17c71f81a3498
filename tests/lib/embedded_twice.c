/* SPDX-License-Identifier: GPL-2.0-only */
/* Unions that each hold two of the next: what would go through all of them has no end, and hostile source has such. */
#include <sys/resource.h>

#include "covered.h"
#include "machine.h"
#include "open_end.h"
#include "records.h"
#include "tap.h"

#define LEVELS	64

static struct record *tower(void)
{
	struct record *top = NULL;

	for (int i = 0; i < LEVELS; i++) {
		struct record *r = new_record(NULL, true);

		add_member(r, "a", SCALAR_LONG, top);
		add_member(r, "b", SCALAR_LONG, top);
		top = r;
	}
	return top;
}

/* struct s { long q; union tower; long z; } */
static struct record *holder(void)
{
	struct record *r = new_record("s", false);

	add_member(r, "q", SCALAR_LONG, NULL);
	add_member(r, "tower", SCALAR_LONG, tower());
	add_member(r, "z", SCALAR_LONG, NULL);
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
