/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of net_cachelines, in both dialects. */
#include "doc_table.h"
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
	ok(t.nr == 4, "four rows, not %zu", t.nr);
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

int main(void)
{
	test_dialect(columns, 7);
	test_dialect(simple, 6);
	test_others();
	return done();
}
