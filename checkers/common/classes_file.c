/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "arena.h"
#include "classes_file.h"
#include "show.h"
#include "strmap.h"
#include "unit_options.h"

static void set_inferred(struct record *r, const char *name, const struct inference *inferred)
{
	for (size_t i = 0; i < r->nr_members; i++) {
		struct member *m = &r->members[i];

		if (!m->name && m->record)
			set_inferred(m->record, name, inferred);
		else if (m->name && !strcmp(m->name, name) && !m->inferred)	/* a table of the documentation has said it */
			m->inferred = inferred;
	}
}

/* by "struct x<tab>file", as lines of the file begin */
static struct strmap by_title(const struct unit_options *options, struct record **list, size_t nr)
{
	struct strmap map = { 0 };

	for (size_t i = 0; i < nr; i++) {
		struct place place = list[i]->place;
		const char *key;

		if (!list[i]->name)
			continue;
		strip_place(options, &place);
		key = arena_printf("%s\t%s", record_title(list[i]), place.file);
		strmap_add(&map, key, strlen(key), i);
	}
	return map;
}

void classes_read(const char *path, const struct unit_options *options, struct record **list, size_t nr)
{
	struct strmap map = by_title(options, list, nr);
	size_t len;
	char *text = arena_read_file(path, &len), *line;

	if (!text)
		fatal("%s: %s", path, strerror(errno));
	while ((line = strsep(&text, "\n")) && *line) {
		char *tab = strchr(line, '\t'), *field[4];
		struct strmap_entry *records;
		struct inference *inferred;

		tab = tab ? strchr(tab + 1, '\t') : NULL;
		records = tab ? strmap_get(&map, line, tab - line) : NULL;
		if (tab && !records)
			continue;
		line = tab ? tab + 1 : NULL;
		for (size_t i = 0; i < 4; i++)
			field[i] = strsep(&line, "\t");
		if (!line)
			fatal("%s: not a file of classes", path);
		inferred = arena_alloc(sizeof(*inferred));
		*inferred = (struct inference) {
			access_class_named(field[1]), line, strtoul(field[2], NULL, 10), strtoul(field[3], NULL, 10),
		};
		for (size_t i = 0; i < records->nr; i++)
			set_inferred(list[records->values[i]], field[0], inferred);
	}
}
