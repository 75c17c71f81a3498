/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "arena.h"
#include "struct_text.h"
#include "tap.h"

static const char source[] =
	"typedef struct {\n"
	"\tunsigned long flags;\n"
	"\tu8 data[16] __aligned(8);\n"
	"} page_t;\n"
	"struct a_function_that_returns_one make(void)\n"
	"{\n"
	"\tstruct local { int inner_of_function; } x;\n"
	"}\n"
	"struct __attribute__((packed)) everything {\n"
	"\tstruct inode *host;\t\t/* its inode */\n"
	"\tgfp_t gfp_mask;\n"
	"\tstruct cgroup_rstat_cpu __percpu *rstat_cpu;\n"
	"\tint (*notify)(struct file *f, int mask);\n"
	"\tvoid (__user *handler[4])(void);\n"
	"\tunsigned int bits:3, more : 5;\n"
	"\tstruct rw_semaphore sem ____cacheline_aligned_in_smp;\n"
	"\tconst char *a, b, **c, d[2][3];\n"
	"\tDECLARE_BITMAP(map, NR_BITS);\n"
	"\tCACHELINE_PADDING(_pad_);\n"
	"\t__cacheline_group_begin(g);\n"
	"\trandomized_struct_fields_start\n"
	"\tKABI_RESERVE(1)\n"
	"#ifdef CONFIG_X\n"
	"\tspinlock_t lock;\n"
	"#elif defined(CONFIG_Y)\n"
	"\traw_spinlock_t lock;\n"
	"#endif\n"
	"\tunion {\n"
	"\t\tlong in_union;\n"
	"\t\tstruct { short in_both; };\n"
	"\t};\n"
	"\tstruct_group_attr(head, __packed,\n"
	"\t\t__be32 in_group;\n"
	"\t);\n"
	"\tstruct tagged { char deep; } named;\n"
	"\tenum { RED, GREEN } colour;\n"
	"\ttypeof(jiffies) when;\n"
	"\tEXTRA_WORD u32 prefixed;\n"
	"\tu32 (*table)[3];\n"
	"\tu8 :0;\n"
	"\tchar marker[0];\n"
	"\tDECLARE_FLEX_ARRAY(struct iovec, iov);\n"
	"};\n"
	"context_lock_struct(lock_a) {\n"
	"\tatomic_t in_lock;\n"
	"};\n"
	"context_lock_struct(lock_b, __reentrant) {\n"
	"\tlong in_lock;\n"
	"};\n";

static const struct {
	const char *record, *member, *type;
} types[] = {
	{ "page_t", "flags", "unsigned long" },
	{ "page_t", "data", "u8 [16]" },
	{ "local", "inner_of_function", "int" },
	{ "everything", "host", "struct inode *" },
	{ "struct everything", "gfp_mask", "gfp_t" },
	{ "lock_a", "in_lock", "atomic_t" },
	{ "struct lock_b", "in_lock", "long" },
	{ "union everything", "gfp_mask", NULL },
	{ "everything", "rstat_cpu", "struct cgroup_rstat_cpu __percpu *" },
	{ "everything", "notify", "int (*)(struct file *f, int mask)" },
	{ "everything", "handler", "void (__user *[4])(void)" },
	{ "everything", "bits", "unsigned int" },
	{ "everything", "more", "unsigned int" },
	{ "everything", "sem", "struct rw_semaphore" },
	{ "everything", "a", "const char *" },
	{ "everything", "b", "const char" },
	{ "everything", "c", "const char **" },
	{ "everything", "d", "const char [2][3]" },
	{ "everything", "map", "unsigned long [BITS_TO_LONGS(NR_BITS)]" },
	{ "everything", "lock", "spinlock_t" },
	{ "everything", "in_union", "long" },
	{ "everything", "in_both", "short" },
	{ "everything", "in_group", "__be32" },
	{ "everything", "named", "struct tagged" },
	{ "everything", "deep", NULL },
	{ "tagged", "deep", "char" },
	{ "everything", "colour", "enum" },
	{ "everything", "when", "typeof(jiffies)" },
	{ "everything", "prefixed", "EXTRA_WORD u32" },
	{ "everything", "table", "u32 (*)[3]" },
	{ "everything", "iov", "struct iovec []" },
	{ "a_function_that_returns_one", "x", NULL },
	{ "nothing", "host", NULL },
	{ "everything", "nobody", NULL },
};

static const struct {
	const char *name;
	enum text_kind kind;
} kinds[] = {
	{ "host", TEXT_MEMBER }, { "map", TEXT_MACRO }, { "_pad_", TEXT_PADDING }, { "g", TEXT_MARKER },
	{ "randomized_struct_fields_start", TEXT_MARKER }, { "KABI_RESERVE", TEXT_MACRO }, { "marker", TEXT_MARKER },
};

static bool same_range(const struct struct_text *st, struct text_range r, const char *expected)
{
	return r.end - r.start == strlen(expected) && !memcmp(st->toks.text + r.start, expected, strlen(expected));
}

static void check_conditions(const struct struct_text *st)
{
	struct text_body *body;
	const struct text_item *lock = struct_text_member(st, "everything", "lock", &body);

	if (!ok(lock && lock->branch, "a member in an #if knows its branch"))
		return;
	is_text(lock->branch->condition, "defined(CONFIG_X)", "an #ifdef's condition");
	ok(lock->branch->block->has_elif && lock->branch->block->nr_branches == 2, "both branches");
	ok(!lock[2].branch->condition, "an #elif's condition is not told");
	ok(body->items[lock->branch->item].kind == TEXT_IF && body->items[lock->branch->block->last].kind == TEXT_ENDIF,
	   "items of the #if and the #endif");
}

static void check_odd_texts(void)
{
	static const struct {
		const char *text;
		bool balanced;
	} odd[] = {
		{ "", true }, { "struct", true }, { "struct {", false }, { "}", false }, { "struct s { int a; /* ", false },
		{ "struct s { int", false }, { "#", true }, { "#if\nstruct s {\n#endif\n", false }, { "\"", true }, { "\\", true },
		{ "struct s { #if\n}", true }, { "struct s {\n#else\n};", false }, { "struct s { int a", false }, { "'\\", true },
		{ "struct s { ; , : ( ) };", true }, { "struct s { int (*; };", false }, { "union { union { int a; }; };", true },
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		/* a copy of just that length: reading behind its end is seen by the sanitizers */
		size_t len = strlen(odd[i].text);
		char *text = malloc(len + !len);
		struct struct_text *st;

		memcpy(text, odd[i].text, len);
		st = struct_text_parse(text, len);
		for (size_t k = 0; k < st->nr; k++)
			struct_text_read(st, st->bodies[k]);
		ok(st->balanced == odd[i].balanced, "odd text %zu is %sbalanced", i, odd[i].balanced ? "" : "not ");
		free(text);
	}
}

int main(void)
{
	struct struct_text *st = struct_text_parse(source, strlen(source));
	const struct text_item *host;

	ok(st->balanced, "braces and #ifs match");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		char what[100];

		snprintf(what, sizeof(what), "type of %s.%s", types[i].record, types[i].member);
		is_text(struct_text_type_of(st, types[i].record, types[i].member), types[i].type, what);
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct text_item *item = struct_text_member(st, "everything", kinds[i].name, NULL);

		ok(item && item->kind == kinds[i].kind, "kind of %s", kinds[i].name);
	}
	host = struct_text_member(st, "everything", "host", NULL);
	ok(same_range(st, host->trail, "/* its inode */"), "a trailing comment");
	ok(host->line == 10, "a line");
	ok(struct_text_find(st, "everything", 0)->file_scope && !struct_text_find(st, "local", 0)->file_scope, "scopes");
	ok(!struct_text_find(st, "everything", 1), "no second one");
	check_conditions(st);
	check_odd_texts();
	return done();
}
