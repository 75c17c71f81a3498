/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of net_cachelines, in both dialects, and what they say against a struct. */
#include "arena.h"
#include "doc_table.h"
#include "rules.h"
#include "struct_text.h"
#include "tap.h"

static const char columns[] =
"===========================\n"
"sock struct fast path usage breakdown\n"
"===========================\n"
"\n"
"Type                Name          fastpath_tx_access  fastpath_rx_access  Comments\n"
"..struct            ..tcp_sock                                          \n"
"unsigned_long:32    priv_flags    read_mostly         -                   f(tx)\n"
"struct_net_device_ops* ops        -                   read_write          \n"
"char                name[16]                          read_mostly         g,h (rx)\n"
"struct hlist_head   pools\n"
"struct x* left\n"
"\n"
"u32                 behind        the                 table               \n";

static const char simple[] =
"\n"
"tcp_sock struct fast path usage breakdown\n"
"=================== ============= =================== =================== ========\n"
"Type                Name          fastpath_tx_access  fastpath_rx_access  comment\n"
"=================== ============= =================== =================== ========\n"
"unsigned_long:32    priv_flags    read_mostly                             f(tx)\n"
"struct_net_device_ops* ops                            read_write\n"
"char                name[16]                          read_mostly         g,h (rx)\n"
"struct hlist_head   pools\n"
"=================== ============= =================== =================== ========\n";

static void test_dialect(const char *text, unsigned int first_line)
{
	struct doc_table t;
	const struct doc_row *row;

	if (!ok(doc_table_parse(text, strlen(text), "x.rst", &t), "a table"))
		return;
	is_text(t.record, "tcp_sock", "of a struct");
	ok(t.nr == 4 + (text == columns), "all rows: %zu", t.nr);
	row = doc_table_row(&t, "priv_flags");
	if (!ok(row && row->place.line == first_line && row->place.col == 21, "the first row's place"))
		return;
	is_text(row->type, "unsigned long:32", "its type");
	is_text(row->tx, "read_mostly", "its tx");
	is_text(row->rx, NULL, "its rx");
	ok(doc_row_class(row) == CLASS_READ_MOSTLY, "read-mostly");
	row = doc_table_row(&t, "ops");
	ok(row && !row->tx && doc_row_class(row) == CLASS_WRITTEN, "a type that is too long for its column, written");
	is_text(row ? row->type : NULL, "struct net_device_ops*", "that type");
	row = doc_table_row(&t, "name");
	ok(row && !row->tx && row->rx, "an array, with an empty column");
	row = doc_table_row(&t, "pools");
	ok(row && doc_row_class(row) == CLASS_NONE, "a row without access");
	is_text(row ? row->type : NULL, "struct hlist_head", "a type of two words");
	row = doc_table_row(&t, "left");
	ok(text != columns || (row && !strcmp(row->type, "struct x*")), "a name too far left");
	ok(!doc_table_row(&t, "behind"), "what stands behind the table is none of it");
}

static void test_others(void)
{
	static const char *const none[] = {
		"", "\n", "Type Name", "Type Name fastpath_tx_access fastpath_rx_access", "Type Name fastpath_tx_access fastpath_rx_access\na b\n",
		"s struct fast path\nType Name fastpath_tx_access fastpath_rx_access\n", "s struct fast path\nu32 a\n",
		"s enum fast path\nType Name fastpath_tx_access fastpath_rx_access\nu32  a\n",
		"s struct fast path\nType Name fastpath_tx_access fastpath_rx_access\n..enum\nu32  a\n",
	};
	struct doc_table t;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ok(!doc_table_parse(none[i], strlen(none[i]), "x.rst", &t), "no table of a struct: %zu", i);
	for (size_t len = 0; len < sizeof(simple); len++)
		doc_table_parse(simple, len, "x.rst", &t);
	ok(doc_table_parse(simple, sizeof(simple) - 1, "x.rst", &t), "cut at any byte it is read, or not");
}

/* of the struct that record() makes; every member of it is a long but those that say otherwise */
static const char source[] =
"#define mapped inner.first\n"
"struct sock {\n"
"	long listed;\n"
"	u8 __cacheline_group_begin__sock_read_tx[0];\n"
"	long asked, unasked, rx_only;\n"
"	u8 __cacheline_group_end__sock_read_tx[0];\n"
"	long unlisted, newly_named;\n"
"	const struct dev __rcu *is_now;\n"
"	struct { long first, second; } inner;\n"
"#ifdef CONFIG_NO\n"
"	long elsewhere;\n"
"#endif\n"
"};\n";

static const char rows[] =
"sock struct fast path usage breakdown\n"
"\n"
"Type        Name       fastpath_tx_access fastpath_rx_access comment\n"
"long        listed     read_write\n"
"long        asked      read_mostly        read_mostly\n"
"long        unasked    read_write         -\n"
"long        rx_only    -                  read_mostly\n"
"struct_dev* was        -                  -\n"
"long        second\n"
"long        elsewhere  -                  -\n"
"long        mapped     -                  -\n"
"int         gone       -                  -\n"
"long        newly_name -                  -\n";

static void add(struct record *r, const char *name, bool marker)
{
	struct member *m = record_add(r);

	m->name = name;
	m->place = (struct place) { "sock.h", r->nr_members, 1, 0 };
	m->scalar = marker ? SCALAR_CHAR : SCALAR_LONG;
	m->array = marker;
	m->count = !marker;
}

static struct record *record(void)
{
	static const char *const names[] = {
		"listed", "__cacheline_group_begin__sock_read_tx", "asked", "unasked", "rx_only", "__cacheline_group_end__sock_read_tx",
		"unlisted", "is_now", "newly_named",
	};
	struct record *r = arena_alloc(sizeof(*r)), *inner = arena_alloc(sizeof(*inner));

	r->name = "sock";
	r->place.file = "sock.h";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add(r, names[i], names[i][0] == '_');
	add(inner, "first", false);
	add(inner, "second", false);
	add(r, "inner", false);
	r->members[r->nr_members - 1].record = inner;
	record_layout(r, abi_find("x86-64"));
	return r;
}

static const struct struct_text *text_of(const char *file, void *data)
{
	(void)data;
	return strcmp(file, "sock.h") ? NULL : struct_text_parse(source, sizeof(source) - 1);
}

static void test_rule(void)
{
	static const char *const expected[] = {
		"sock.rst:8: 'was' is no member of struct sock: it seems to be 'is_now' now",
		"sock.rst:12: 'gone' is no member of struct sock: take the row away",
		"sock.rst:13: 'newly_name' is no member of struct sock: it seems to be 'newly_named' now",
		"sock.rst:6: 'unasked' is read_write on transmit and not used on receive, but stands in group 'sock_read_tx' of struct sock",
		"sock.rst:7: 'rx_only' is not used on transmit and read_mostly on receive, but stands in group 'sock_read_tx' of struct sock",
		"sock.h:7: 'unlisted' has no row in the table of struct sock: add one",
	};
	struct rules rules = { .line_size = 64, .only = "doc-table", .text_of = text_of, .nr_tables = 1 };
	struct doc_table table;

	ok(doc_table_parse(rows, sizeof(rows) - 1, "sock.rst", &table), "a table");
	rules.tables = &table;
	rules_judge(&rules, record());
	ok(rules.nr == sizeof(expected) / sizeof(expected[0]), "%zu findings", rules.nr);
	for (size_t i = 0; i < rules.nr && i < sizeof(expected) / sizeof(expected[0]); i++)
		is_text(arena_printf("%s:%u: %s", rules.findings[i].place.file, rules.findings[i].place.line, rules.findings[i].text),
			expected[i], expected[i]);
	rules.nr = 0;
	rules.text_of = NULL;
	rules_judge(&rules, record());
	for (size_t i = 0; i < rules.nr; i++)
		ok(!strstr(rules.findings[i].text, "is no member"), "without the source no row is said to be wrong: %s", rules.findings[i].text);
}

static void test_apply(void)
{
	struct record *r = record(), *outer = arena_alloc(sizeof(*outer));
	static const struct inference inferred = { .class = CLASS_WRITTEN, .from = "inferred" };
	struct rules rules = { .line_size = 64, .only = "ungrouped-field" };
	struct doc_table table;
	struct access *a;
	struct flat *flat;
	size_t nr;

	doc_table_parse(rows, sizeof(rows) - 1, "sock.rst", &table);
	record_add(outer)->record = r;			/* anonymous */
	r->members[2].inferred = r->members[7].inferred = &inferred;
	doc_table_apply(&table, outer);
	flat = record_flatten(outer, &nr);
	a = access_of_members(flat, nr);
	ok(a[1].class == CLASS_WRITTEN, "listed is written");
	is_text(a[1].class_from, "documentation", "so says the table");
	is_text(a[3].class_from, "group", "a group says more than a table");
	is_text(a[8].class_from, "inferred", "no row, what was inferred stays");
	ok(a[9].class == CLASS_NONE && !a[9].class_from, "a member without a row has none");
	is_text(r->members[2].inferred->from, "documentation", "a table says more than what was inferred");
	rules_judge(&rules, r);
	ok(rules.nr == 2 && strstr(rules.findings[0].text, "'listed' is written (documentation) and in no group") &&
	   strstr(rules.findings[1].text, "'is_now' is written (inferred)"), "ungrouped-field knows them");
}

int main(void)
{
	test_rule();
	test_apply();
	test_dialect(columns, 7);
	test_dialect(simple, 6);
	test_others();
	return done();
}
