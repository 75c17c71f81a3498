/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of Documentation/networking/net_cachelines/: one struct a file, one member a row, and what the transmit and
 * the receive path do with it. Two dialects: columns under the words of a header line (6.8 to 6.12), and simple
 * tables of reStructuredText, whose columns a rule of "=" tells (6.13 on).
 */
#ifndef LINEKEEPER_DOC_TABLE_H
#define LINEKEEPER_DOC_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "access.h"

struct doc_row {
	const char *type;		/* blanks as in C: "struct netdev_name_node*", "unsigned long:32"; NULL: none is given */
	const char *name;		/* without the array's [16] */
	const char *tx, *rx;		/* "read_mostly", "read_write", "write_mostly", ...; NULL: empty or "-" */
	struct place place;
};

struct doc_table {
	const char *record;		/* the tag of the struct */
	struct place place;		/* its title's */
	struct doc_row *rows;
	size_t nr, room;
};

/*
 * text, len bytes, of the file path, which findings name as it is given. false: it holds no table of a struct (an index,
 * a table of an enum). Any text may come.
 */
bool doc_table_parse(const char *text, size_t len, const char *path, struct doc_table *out);

/* the row of that member, or NULL */
const struct doc_row *doc_table_row(const struct doc_table *t, const char *member);

/* what the two columns say together: written when either path writes */
enum access_class doc_row_class(const struct doc_row *row);

/*
 * Gives the members of r the class that their rows state, as access_of_members() then tells it, from "documentation": less
 * than an annotation or a group says, but in place of what was inferred from code.
 */
void doc_table_apply(const struct doc_table *t, struct record *r);

#endif
