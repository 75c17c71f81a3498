/* SPDX-License-Identifier: GPL-2.0-only */
/* Asserts of groups as the preprocessor leaves them, and their bounds. */
#include "group_assert.h"
#include "tap.h"

#define MEMBER(m)	"!(offsetof(struct sock, " m ") >= offsetofend(struct sock, __cacheline_group_begin__rx) && " \
			"offsetofend(struct sock, " m ") <= offsetof(struct sock, __cacheline_group_end__rx))"
#define SIZE		"offsetof(struct sock, __cacheline_group_end__rx) - offsetofend(struct sock, __cacheline_group_begin__rx)"
#define BUG		"BUILD_BUG_ON failed: "

static void test_parse(void)
{
	struct group_assert a;

	ok(group_assert_parse(BUG MEMBER("a.b[1]"), &a) && a.kind == ASSERT_GROUP_MEMBER, "a member's");
	is_text(a.record, "sock", "its struct");
	is_text(a.group, "rx", "its group");
	is_text(a.member, "a.b[1]", "its path");
	ok(group_assert_parse(BUG SIZE " > 91 + 4", &a) && a.kind == ASSERT_GROUP_SIZE && !a.exact, "a size at most");
	is_text(a.bound, "91 + 4", "its bound");
	is_text(a.group, "rx", "its group");
	ok(group_assert_parse(SIZE " == (64)", &a) && a.exact, "libeth's, exact");
	ok(group_assert_parse(SIZE " <= (64)", &a) && !a.exact, "libeth's, at most");
	ok(group_assert_parse("sizeof(struct sock) == (64)", &a) && a.kind == ASSERT_STRUCT_SIZE && a.exact && !a.group,
	   "a struct's size");
	ok(group_assert_parse(BUG "sizeof(struct sock) > 64", &a) && a.kind == ASSERT_STRUCT_SIZE && !a.exact,
	   "a struct's size, as what must not be");
}

static void test_others(void)
{
	static const char *const none[] = {
		"", BUG, BUG "!", "(", "sizeof", "sizeof(", "sizeof(struct sock)", "sizeof(struct sock) > 64", "sizeof(struct sock) != 64",
		BUG "sizeof(struct sock) < 64", BUG "sizeof(struct sock) >= 64", BUG "sizeof(struct sock) == 64", MEMBER("a"), SIZE " > 4",
		BUG SIZE, BUG SIZE " >", BUG SIZE " <= 4", SIZE " ==", SIZE " === 4", BUG MEMBER("") , BUG MEMBER("a") " && 0",
		BUG "!(offsetof(struct sock, a) >= offsetofend(struct sock, b) && offsetofend(struct sock, a) <= offsetof(struct sock, c))",
		BUG "!(offsetof(struct sock, a) >= offsetofend(struct other, __cacheline_group_begin__rx)",
		"call to __compiletime_assert_1 declared with attribute error", BUG "\"(", "offsetof(", "offsetof(struct",
	};
	struct group_assert a;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ok(!group_assert_parse(none[i], &a), "'%s' is none", none[i]);
}

static unsigned long long size_of(const char *type, void *data)
{
	(void)data;
	return strcmp(type, "struct sync") ? NOT_KNOWN : 24;
}

static unsigned long long bytes_of(const char *bound, const char *abi, unsigned int line_size)
{
	struct group_assert a = { .bound = bound };
	struct bound_on on = { .abi = abi_find(abi), .line_size = line_size, .line_here = 64, .size_of = size_of };

	return group_assert_bytes(&a, &on);
}

static unsigned long long bytes(const char *bound, const char *abi)
{
	return bytes_of(bound, abi, 64);
}

static void test_bound(void)
{
	static const struct {
		const char *bound;
		unsigned long long on_64, on_32;
	} known[] = {
		{ "92", 92, 92 }, { "91 + 4", 95, 95 }, { "2 + 3 * 4 - 1", 13, 13 }, { "16 - 8 - 4", 4, 4 }, { "0x10u / 3 % 4", 1, 1 },
		{ "(4 * sizeof(long))", 32, 16 }, { "sizeof(void *)+sizeof( u64 )", 16, 12 }, { "80 + sizeof(struct sync)", 104, 104 },
		{ "(((((33)) + ((__typeof__((33)))((1 << (6))) - 1)) & ~((__typeof__((33)))((1 << (6))) - 1)))", 64, 64 }, { "1|6&3", 3, 3 },
	};
	static const char *const unknown[] = {
		"", "x", "4 +", "4 4", "(4", "4)", "sizeof", "sizeof(", "sizeof(long", "sizeof()", "sizeof(struct other)", "1 / 0", "1 % 0", "1 << 64",
		"1 < 2", "4 && 4", "1.5", "12monkeys", "f(4)", "4 ? 1 : 2",
	};
	char deep[4001];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ok(bytes(known[i].bound, "x86-64") == known[i].on_64 && bytes(known[i].bound, "arm") == known[i].on_32,
		   "'%s' is %llu, and %llu on 32 bits", known[i].bound, known[i].on_64, known[i].on_32);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		ok(bytes(unknown[i], "x86-64") == NOT_KNOWN, "'%s' is not known", unknown[i]);
	ok(bytes_of("(1 << (6)) + 64", "x86-64", 128) == 192 && bytes_of("1 << 7", "x86-64", 256) == 128,
	   "in units of the unit's line, and of nobody's");
	for (const char *c = "(~"; *c; c++) {
		memset(deep, *c, sizeof(deep) - 1);
		deep[sizeof(deep) - 1] = '\0';
		ok(bytes(deep, "x86-64") == NOT_KNOWN, "4,000 times '%c' is not known", *c);
	}
}

int main(void)
{
	test_parse();
	test_others();
	test_bound();
	return done();
}
