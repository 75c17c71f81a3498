/* SPDX-License-Identifier: GPL-2.0-only */
/* Promises: what is one, and how a layout answers. */
#include "arena.h"
#include "promise.h"
#include "slab.h"
#include "tap.h"

static struct dump *dump_of(unsigned int user_align, unsigned int first_size, unsigned int middle)
{
	struct dump *d = arena_alloc(sizeof(*d));
	struct record *r = arena_alloc(sizeof(*r));
	const unsigned int sizes[] = { first_size, middle, 8 };
	const char *const names[] = { "usage", "between", "parent" };

	d->abi = abi_find("x86-64");
	d->line_size = 64;
	r->name = "counter";
	r->user_align = user_align;
	for (int i = 0; i < 3; i++) {
		struct member *m = record_add(r);

		m->name = names[i];
		m->scalar = SCALAR_CHAR;
		m->array = true;
		m->count = sizes[i];
		m->user_align = i == 0 ? 8 : 0;
	}
	record_layout(r, d->abi);
	*ARENA_PUSH(d->records, d->nr, d->room) = r;
	dump_index(d);
	return d;
}

static enum outcome judge(const char *text, const struct dump *before, const struct dump *after, const char **why)
{
	struct promise p;

	if (!promise_parse(text, &p))
		return -1;
	return promise_judge(&p, before, after, why);
}

static void test_parse(void)
{
	static const char *const good[] = {
		"apart(s.a, s.b)", "apart(s.a,s.b)", "with( s.a.x , s.b[1].y )", "isolated(s.a)", "growth(s) <= 0",
		"growth(s)<64", "growth(s) == -8",
	};
	static const char *const bad[] = {
		"", "apart", "apart(", "apart(s.a)", "apart(s.a, t.b)", "isolated(s)", "isolated(s.)",
		"growth(s)", "growth(s) <= ", "growth(s) <= x", "growth(s) <= 0 bytes", "near(s.a, s.b)", "apart(s.a, s.b) or not",
	};
	struct promise p;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(promise_parse(good[i], &p), "'%s' is one", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!promise_parse(bad[i], &p), "'%s' is none", bad[i]);
}

static void test_judge(void)
{
	struct dump *near = dump_of(0, 8, 8), *far = dump_of(0, 8, 120), *alone = dump_of(64, 64, 8);
	const char *why;

	ok(judge("apart(counter.usage, counter.parent)", NULL, near, &why) == PROMISE_MAY_FAIL, "16 bytes apart: may");
	is_text(why, "may share a 64-byte line, at 6 of 8 placements (0, 8, 16, 24, 32, 40); on 128-byte lines: 14 of 16",
		"and says at which");
	ok(judge("apart(counter.usage, counter.parent)", near, far, &why) == PROMISE_KEPT, "128 bytes apart: kept");
	is_text(why, "never share a 64-byte line; before: 6 of 8 placements", "and says how it was");
	ok(judge("with(counter.usage, counter.between)", NULL, near, &why) == PROMISE_MAY_FAIL, "with, at 8: not always");
	ok(judge("with(counter.usage, counter.parent)", NULL, far, &why) == PROMISE_BROKEN, "with, far: broken");
	ok(judge("isolated(counter.usage)", NULL, alone, &why) == PROMISE_KEPT, "a whole aligned line: isolated");
	ok(judge("isolated(counter.parent)", NULL, alone, &why) == PROMISE_BROKEN, "a neighbour on it: not");
	is_text(why, "shares a 64-byte line with between at 1 of 1 placements (0)", "and says who");
	ok(judge("isolated(counter.between)", NULL, far, &why) == PROMISE_BROKEN, "an unaligned struct isolates nothing");
	ok(judge("growth(counter) <= 0", near, far, &why) == PROMISE_BROKEN, "it grew");
	is_text(why, "24 -> 136 bytes", "and says by how much");
	ok(judge("growth(counter) <= 112", near, far, &why) == PROMISE_KEPT, "as far as promised");
	ok(judge("growth(counter) < 112", near, far, &why) == PROMISE_BROKEN, "not below it");
	ok(judge("growth(counter) == 0", near, near, &why) == PROMISE_KEPT, "as before");
	ok(judge("isolated(counter.nobody)", NULL, near, &why) == PROMISE_UNKNOWN, "no such member");
	ok(judge("growth(nobody) <= 0", near, near, &why) == PROMISE_UNKNOWN, "no such struct");
}

/* case B10, and the bucket that mem_cgroup of case A01 leaves */
static void test_slab(void)
{
	ok(kmalloc_bucket(2312) == 4096 && kmalloc_bucket(2368) == 4096, "2312 and 2368 bytes are served from kmalloc-4k");
	ok(kmalloc_bucket(4032 + 8 * 8) == 4096 && kmalloc_bucket(4032 + 8 * 9) == 8192, "4032 + 8n fits 4096 up to n = 8");
	ok(kmalloc_bucket(4416) == 8192, "4416 bytes need kmalloc-8k");
	ok(kmalloc_bucket(65) == 96 && kmalloc_bucket(129) == 192 && kmalloc_bucket(8193) == 0, "the uneven buckets, and none");
	ok(slab_objects(184, 8, 4096) == 22 && slab_objects(192, 64, 4096) == 21, "case A07: 22 objects become 21");
	ok(slab_size_for(192) == 4096 && slab_size_for(256) == 4096 && slab_size_for(616) == 16384 && slab_size_for(5376) == 32768,
	   "16 objects, or eight pages");
	ok(slab_objects(1168, 8, slab_size_for(1280)) == 28 && slab_objects(1280, 64, slab_size_for(1280)) == 25,
	   "ext4's inodes: 28 objects become 25");
	ok(slab_objects(65, 64, 4096) == 32 && slab_objects(4097, 8, 4096) == 0, "rounded to the alignment; too large for one");
}

int main(void)
{
	test_parse();
	test_judge();
	test_slab();
	return done();
}
