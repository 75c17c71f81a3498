/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "access.h"
#include "arena.h"
#include "classes_file.h"
#include "show.h"

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

void classes_read(const char *path, struct record **list, size_t nr)
{
	size_t len;
	char *text = arena_read_file(path, &len), *line;

	if (!text)
		fatal("%s: %s", path, strerror(errno));
	while ((line = strsep(&text, "\n")) && *line) {
		const char *title = strsep(&line, "\t"), *file = strsep(&line, "\t"), *name = strsep(&line, "\t"), *class = strsep(&line, "\t");
		struct inference *inferred = arena_alloc(sizeof(*inferred));

		if (!line)
			fatal("%s: not a file of classes", path);
		*inferred = (struct inference) { access_class_named(class), line };
		for (size_t i = 0; i < nr; i++)
			if (!strcmp(record_title(list[i]), title) && !strcmp(list[i]->place.file, file))
				set_inferred(list[i], name, inferred);
	}
}
