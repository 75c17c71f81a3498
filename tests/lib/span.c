/* SPDX-License-Identifier: GPL-2.0-only */
/* Sharing of two fields, against a count byte by byte; and the figures of seed 002. */
#include "span.h"
#include "tap.h"

/* the slow way: does any line hold a byte of both? */
static bool share_by_bytes(struct span a, struct span b, unsigned int at, unsigned int line_size)
{
	for (unsigned long long i = a.offset; i < a.offset + a.size; i++)
		for (unsigned long long k = b.offset; k < b.offset + b.size; k++)
			if ((at + i) / line_size == (at + k) / line_size)
				return true;
	return false;
}

static unsigned int count_by_bytes(struct span a, struct span b, const struct placements *p)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < p->nr; i++)
		nr += share_by_bytes(a, b, p->at[i], p->line_size);
	return nr;
}

static void test_against_bytes(void)
{
	static const unsigned int aligns[] = { 1, 2, 4, 8, 16, 64, 128 }, lines[] = { 32, 64, 128, 256 };
	unsigned int seed = 1, wrong = 0, nr = 0;

	for (size_t n = 0; n < sizeof(lines) / sizeof(lines[0]); n++) {
		for (size_t k = 0; k < sizeof(aligns) / sizeof(aligns[0]); k++) {
			for (int i = 0; i < 20; i++) {
				struct placements p;
				struct span a, b;
				struct verdict v;

				seed = seed * 1103515245 + 12345;
				a = (struct span) { seed >> 16 & 255, seed >> 8 & 15 };
				b = (struct span) { seed >> 24 & 255, seed >> 4 & 63 };
				placements_of_align(&p, aligns[k], lines[n]);
				span_shares(a, b, &p, &v);
				wrong += v.nr_sharing != count_by_bytes(a, b, &p);
				nr++;
			}
		}
	}
	ok(!wrong, "%u random pairs agree with a count byte by byte", nr);
}

static void verdict_of(struct verdict *v, unsigned int align, struct span a, struct span b)
{
	struct placements p;

	placements_of_align(&p, align, 64);
	span_shares(a, b, &p, v);
}

/* offsets of i_mmap and i_mmap_rwsem in address_space of 6.1: as it is, v2 as merged, and 56 bytes apart */
static void test_seed_002(void)
{
	struct span i_mmap = { 72, 16 };
	struct verdict v;

	verdict_of(&v, 8, i_mmap, (struct span) { 88, 40 });
	ok(v.sharing == SHARING_MAY && v.nr_sharing == 7 && v.nr == 8, "before: 7 of 8 placements");
	verdict_of(&v, 8, i_mmap, (struct span) { 120, 40 });
	ok(v.nr_sharing == 3 && v.at[0] == 0 && v.at[1] == 48 && v.at[2] == 56, "v2: at 0, 48 and 56");
	verdict_of(&v, 64, i_mmap, (struct span) { 128, 40 });
	ok(v.sharing == SHARING_NEVER && v.nr == 1, "v1: one placement, never");
	verdict_of(&v, 8, i_mmap, (struct span) { 144, 40 });
	ok(v.sharing == SHARING_NEVER && v.nr == 8, "56 bytes between them: never");
	verdict_of(&v, 8, i_mmap, (struct span) { 136, 40 });
	ok(v.nr_sharing == 1, "48 bytes between them: one placement is left");
}

static void test_edges(void)
{
	struct placements p;
	struct verdict v;

	verdict_of(&v, 8, (struct span) { 0, 0 }, (struct span) { 0, 8 });
	ok(v.sharing == SHARING_NEVER, "what has no bytes touches no line");
	verdict_of(&v, 4, (struct span) { 0, 4 }, (struct span) { 0, 4 });
	ok(v.sharing == SHARING_ALWAYS && v.nr == 16, "a field with itself: always, 16 placements at alignment 4");
	placements_of_align(&p, 12, 64);
	ok(p.nr == 16, "an alignment that is no power of two still gives every residue");
}

int main(void)
{
	test_against_bytes();
	test_seed_002();
	test_edges();
	return done();
}
