/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cacheline-replay: what spatch printed, with the comments, attributes and conditionals of the original
 * (lib/replay.h says how). It reads two texts and writes one; no preprocessor and no parser of C is needed.
 *
 * stdout: one line a change, fields separated by tabs:
 *	struct, moved|inserted|removed, member, line in the original (0: none), the member that it stands behind
 *	struct, attribute, member, line, the attribute with + or - in front
 * Exit status: 0 done, 1 refused (one sentence on stderr), 2 wrong use, 3 nothing changed and nothing written.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "replay.h"

static const char usage_text[] =
	"usage: cacheline-replay [--rule FILE.cocci] [-D NAME[=VALUE]]... [--force-first] [--name NAME]\n"
	"                        --before ORIGINAL --after SPATCHED --output RESULT\n";

struct arguments {
	const char *rule, *before, *after, *output, *name;
	const char **defines;
	size_t nr_defines, room;
	bool force_first;
};

static void usage(void) __attribute__((noreturn));
static void usage(void)
{
	fputs(usage_text, stderr);
	exit(2);
}

static void parse_arguments(int argc, char **argv, struct arguments *a)
{
	static const struct option options[] = {
		{ "after", required_argument, NULL, 'a' },
		{ "before", required_argument, NULL, 'b' },
		{ "force-first", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "name", required_argument, NULL, 'n' },
		{ "output", required_argument, NULL, 'o' },
		{ "rule", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "D:h", options, NULL)) != -1) {
		switch (c) {
		case 'a': a->after = optarg; break;
		case 'b': a->before = optarg; break;
		case 'f': a->force_first = true; break;
		case 'n': a->name = optarg; break;
		case 'o': a->output = optarg; break;
		case 'r': a->rule = optarg; break;
		case 'D': *ARENA_PUSH(a->defines, a->nr_defines, a->room) = optarg; break;
		case 'h': fputs(usage_text, stdout); exit(0);
		default: usage();
		}
	}
	if (optind < argc || !a->before || !a->after || !a->output)
		usage();
	if (!a->name)
		a->name = a->before;
}

static char *read_file(const char *path, size_t *len)
{
	char *text = arena_read_file(path, len);

	if (!text)
		fatal("%s: %s", path, strerror(errno));
	return text;
}

static void write_all(int fd, const char *path, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int err = errno;

			unlink(path);
			fatal("%s: %s", path, strerror(err));
		}
		s += n;
		len -= n;
	}
}

/* whole or not at all, whenever it is interrupted */
static void write_file(const char *path, const char *like, const char *s, size_t len)
{
	char *temporary = arena_printf("%s.XXXXXX", path);
	int fd = mkstemp(temporary);
	struct stat st;

	if (fd < 0)
		fatal("%s: %s", path, strerror(errno));
	write_all(fd, temporary, s, len);
	if (stat(like, &st) || fchmod(fd, st.st_mode & 0777) || fsync(fd) || close(fd) || rename(temporary, path)) {
		int err = errno;

		unlink(temporary);
		fatal("%s: %s", path, strerror(err));
	}
}

static void print_changes(const struct replay *r)
{
	for (size_t i = 0; i < r->nr_changes; i++) {
		const struct replay_change *c = &r->changes[i];

		printf("%s\t%s\t%s\t%u\t%s\n", c->struct_name, c->what, c->member, c->line, c->behind);
	}
	finish_stdout();
}

int main(int argc, char **argv)
{
	struct arguments a = { 0 };
	struct replay r = { 0 };

	parse_arguments(argc, argv, &a);
	r.before = read_file(a.before, &r.before_len);
	r.after = read_file(a.after, &r.after_len);
	r.force_first = a.force_first;
	if (a.rule) {
		size_t len;
		char *text = read_file(a.rule, &len);

		r.rule = smpl_read(text, len, a.defines, a.nr_defines);
	}
	switch (replay(&r)) {
	case REPLAY_SAME:
		return 3;
	case REPLAY_REFUSED:
		fprintf(stderr, "%s:%u: refused: %s\n", a.name, r.line ? r.line : 1, r.refusal);
		return 1;
	case REPLAY_DONE:
		break;
	}
	write_file(a.output, a.before, r.text, r.len);
	print_changes(&r);
	return 0;
}
