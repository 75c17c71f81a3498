/* SPDX-License-Identifier: GPL-2.0-only */
#include <glob.h>
#include <string.h>

#include "arena.h"
#include "doc_table.h"
#include "sparse_records.h"
#include "struct_text.h"
#include "tree_files.h"

/* any name of a folder may come: glob() is to take it as it is */
static char *literally(const char *path)
{
	char *quoted = arena_alloc(2 * strlen(path) + 1), *out = quoted;

	for (; *path; *out++ = *path++)
		if (strchr("\\*?[", *path))
			*out++ = '\\';
	return quoted;
}

struct doc_table *doc_tables_read(const char *tree, size_t *nr)
{
	struct doc_table *tables = NULL;
	size_t room = 0, len;
	glob_t found;

	*nr = 0;
	if (glob(arena_printf("%s/Documentation/networking/net_cachelines/*.rst", literally(tree)), 0, NULL, &found))
		return NULL;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = found.gl_pathv[i] + (strncmp(found.gl_pathv[i], "./", 2) ? 0 : 2), *path = arena_strdup(name);
		const char *text = arena_read_file(overlay_of(path), &len);
		struct doc_table table;

		if (text && doc_table_parse(text, len, path, &table))
			*ARENA_PUSH(tables, *nr, room) = table;
	}
	globfree(&found);
	return tables;
}

const struct struct_text *source_text(const char *file)
{
	static struct read {
		const char *file;
		const struct struct_text *st;
	} *files;
	static size_t nr, room;
	const char *text;
	size_t len;

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(files[i].file, file))
			return files[i].st;
	text = arena_read_file(overlay_of(file), &len);
	*ARENA_PUSH(files, nr, room) = (struct read) { file, text ? struct_text_parse(text, len) : NULL };
	return files[nr - 1].st;
}
