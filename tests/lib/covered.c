/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges of members: which they cover, and what leaves or enters them. */
#include <string.h>

#include "arena.h"
#include "covered.h"
#include "records.h"
#include "tap.h"

/* case C01: struct x { union { struct dst dst; struct rt { struct dst dst; int gen; [int list;] } rt; } u; int more; }, list in dst or rt */
static struct record *bundle(bool is_in_dst)
{
	struct record *dst = new_record("dst", false), *rt = new_record("rt", false), *u = new_record(NULL, true), *x = new_record("x", false);

	add_member(dst, "flags", SCALAR_INT, NULL);
	if (is_in_dst)
		add_member(dst, "list", SCALAR_INT, NULL);
	add_member(rt, "dst", SCALAR_INT, dst);
	add_member(rt, "gen", SCALAR_INT, NULL);
	if (!is_in_dst)
		add_member(rt, "list", SCALAR_INT, NULL);
	add_member(u, "dst", SCALAR_INT, dst);
	add_member(u, "rt", SCALAR_INT, rt);
	add_member(x, "u", SCALAR_INT, u);
	add_member(x, "more", SCALAR_INT, NULL);
	record_layout(x, abi_find("x86-64"));
	return x;
}

static const char *joined(const struct paths *paths)
{
	char *text = "";

	for (size_t i = 0; i < paths->nr; i++)
		text = arena_printf("%s%s%s", text, i ? " " : "", paths->list[i]);
	return text;
}

static void test_parse(void)
{
	static const char *const bad[] = { "", "x", "x ^", "x  $", "x ^ $ $", " x ^" };

	ok(covered_parse("x ^ $", "x u.dst> more").record, "two ranges of one struct");
	ok(!covered_parse("x ^ $", "y ^ $").record, "of two structs");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!covered_parse(bad[i], bad[i]).record, "'%s' is no range", bad[i]);
}

static void test_compare(void)
{
	static const struct {
		const char *then, *now, *left, *entered, *after;
	} cases[] = {
		{ "x u.dst> $", "x u.dst> $", "u.rt.list", "", "u.rt.gen more" },
		{ "x ^ u.dst>", "x ^ u.dst>", "", "u.dst.list", "u.dst.flags u.dst.list" },
		{ "x u.rt.gen +u.rt.gen+more", "x u.rt.gen +u.rt.gen*2", "u.rt.list", "more", "u.rt.gen more" },
		{ "x more $", "x ^ $", "", "u.dst.flags u.dst.list u.rt.gen", "u.dst.flags u.dst.list u.rt.gen more" },
		{ "x ^ ^", NULL, NULL, NULL, NULL },
		{ "x nothing $", NULL, NULL, NULL, NULL },
		{ "x ^ +more*nothing+nothing", NULL, NULL, NULL, NULL },
	};
	struct record *before = bundle(false), *after = bundle(true);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct covered c = covered_parse(cases[i].then, cases[i].now ? cases[i].now : cases[i].then);
		struct covering found;
		bool is_there = covered_compare(&c, before, after, &found);

		ok(is_there == !!cases[i].now, "'%s': %s", cases[i].then, cases[i].now ? "its members are there" : "names no member");
		if (is_there)
			ok(!strcmp(joined(&found.left), cases[i].left) && !strcmp(joined(&found.entered), cases[i].entered) &&
			   !strcmp(joined(&found.now), cases[i].after), "'%s': left '%s', entered '%s', now '%s'", cases[i].now, joined(&found.left),
			   joined(&found.entered), joined(&found.now));
	}
}

int main(void)
{
	test_parse();
	test_compare();
	return done();
}
