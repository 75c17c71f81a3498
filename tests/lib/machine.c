/* SPDX-License-Identifier: GPL-2.0-only */
/* A struct on another machine, and when nothing is said of it. */
#include "arena.h"
#include "machine.h"
#include "records.h"
#include "tap.h"

static const struct machine *machine(const char *abi, unsigned int line_size)
{
	struct machine *m = arena_alloc(sizeof(*m));

	*m = (struct machine) { abi_find(abi), line_size };
	return m;
}

/* { int a; struct { long b __line; } inner; unsigned long long c; } */
static struct record *record(void)
{
	struct record *r = new_record(NULL, false), *inner = new_record(NULL, false);

	add_member(inner, "b", SCALAR_LONG, NULL)->user_align = 64;
	add_member(r, "a", SCALAR_INT, NULL);
	add_member(r, "inner", SCALAR_NONE, inner);
	add_member(r, "c", SCALAR_LLONG, NULL);
	record_layout(r, abi_find("x86-64"));
	return r;
}

static unsigned long long offset_on(const struct record *r, const char *path, const char *abi, unsigned int line_size)
{
	const struct record *there = record_on(r, machine("x86-64", 64), machine(abi, line_size));
	struct flat f;

	return there && !record_find(there, path, &f) ? f.bit_offset / 8 : ~0ULL;
}

int main(void)
{
	struct record *r = record(), *there;

	ok(offset_on(r, "inner.b", "x86-64", 64) == 64 && offset_on(r, "c", "x86-64", 64) == 128, "as it is");
	ok(offset_on(r, "inner.b", "x86-64", 128) == 128 && offset_on(r, "c", "x86-64", 128) == 256, "with lines of 128 bytes");
	ok(offset_on(r, "inner.b", "ppc32", 32) == 32 && offset_on(r, "c", "ppc32", 32) == 64, "with lines of 32 bytes");
	ok(r->size == 192 && r->members[1].bit_offset == 512, "the original keeps its layout");
	r->members[2].bit_offset += 64;
	ok(offset_on(r, "c", "arm", 64) == ~0ULL, "another order than the source's: not known");
	r = record();
	r->members[1].record->align = 32;
	ok(offset_on(r, "c", "arm", 64) == ~0ULL, "an alignment inside that is not understood: not known");
	r = record();
	r->members[1] = (struct member) { .name = "bits", .scalar = SCALAR_LONG, .array = true, .count = 3 };
	r->laid_out = false;
	record_layout(r, abi_find("arm"));
	there = record_on(r, machine("arm", 64), machine("arm64", 64));
	ok(there->members[2].bit_offset == 24 * 8 && r->members[2].bit_offset == 16 * 8, "three longs of 32 bits are two of 64");
	r = record();
	r->members[0].scalar = SCALAR_NONE;
	ok(offset_on(r, "c", "arm", 64) == ~0ULL, "a type without a description: not known");
	return done();
}
