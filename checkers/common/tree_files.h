/* SPDX-License-Identifier: GPL-2.0-only */
/* What is read of a kernel tree besides the unit itself. Everything is the arena's. */
#ifndef LINEKEEPER_TREE_FILES_H
#define LINEKEEPER_TREE_FILES_H

#include <stddef.h>

struct doc_table;
struct struct_text;

/* the tables of Documentation/networking/net_cachelines/ below the folder tree, *nr of them; none where there is no such folder */
struct doc_table *doc_tables_read(const char *tree, size_t *nr);

/* of a source file, with its overlay; read once; NULL: it cannot be read */
const struct struct_text *source_text(const char *file);

#endif
