/* SPDX-License-Identifier: GPL-2.0-only */
/* What fuzzing once found, and inputs that reach far into the readers: tests/fuzz/corpus, each through its target. */
#include <glob.h>

#include "arena.h"
#include "tap.h"
#include "tests/fuzz/targets.c"

int main(void)
{
	for (const struct target *t = targets; t->name; t++) {
		glob_t files = { 0 };

		glob(arena_printf("tests/fuzz/corpus/%s/*", t->name), 0, NULL, &files);
		for (size_t i = 0; i < files.gl_pathc; i++) {
			size_t len;
			char *text = arena_read_file(files.gl_pathv[i], &len);

			if (text)
				target_run(t, text, len);
			ok(text, "%s", files.gl_pathv[i]);
		}
		ok(files.gl_pathc, "%s: inputs", t->name);
		globfree(&files);
	}
	return done();
}
