/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "once.h"

/* the process's parent, or 0; *name as in "(make) S ..."; *start, in ticks, tells it from a later one of its number */
static int parent_of(int pid, const char **name, unsigned long long *start)
{
	FILE *stat = fopen(arena_printf("/proc/%d/stat", pid), "re");
	char line[1024] = "";
	int parent = 0;

	if (stat && !fgets(line, sizeof(line), stat))
		line[0] = '\0';
	if (stat)
		fclose(stat);
	const char *rest = strrchr(line, ')');

	*name = strchr(line, '(') ? arena_strdup(strchr(line, '(')) : "";
	if (!rest || sscanf(rest + 1, " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
			    &parent, start) != 2)
		return 0;
	return parent;
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strncmp(name, *list, strlen(*list)))
			return true;
	return false;
}

/* a name for the run of make that this process works for, or for the one that it was started by; NULL: there is none */
static const char *build_name(void)
{
	static const char *const makes[] = { "(make)", "(gmake)", NULL };
	static const char *const shells[] = { "(sh)", "(bash)", "(dash)", NULL };
	const char *build = NULL, *name;
	unsigned long long start;

	for (int pid = getppid(), parent; pid > 0; pid = parent) {
		parent = parent_of(pid, &name, &start);
		if (is_one_of(name, makes))
			build = arena_printf("%d-%llu", pid, start);
		else if (build && !is_one_of(name, shells))
			break;
	}
	return build;
}

/* a record of ours is an empty file with a name of 16 hex digits; nothing else is touched */
static void remove_run(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *run = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (run && (entry = readdir(run)))
		if (strspn(entry->d_name, "0123456789abcdef") == 16 && !entry->d_name[16])
			unlinkat(fd, entry->d_name, 0);
	if (run)
		closedir(run);
	unlinkat(folder, name, AT_REMOVEDIR);
}

static void remove_ended_runs(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		unsigned long long start, now = 0;
		const char *name;
		int pid;

		if (sscanf(entry->d_name, "%d-%llu", &pid, &start) != 2)
			continue;
		parent_of(pid, &name, &now);
		if (now != start)
			remove_run(dirfd(folder), entry->d_name);
	}
	if (folder)
		closedir(folder);
}

bool once_said(const char *folder, const struct place *at, const char *id, const char *text)
{
	const char *build = folder ? build_name() : NULL, *run;
	unsigned long long hash = 14695981039346656037ULL;	/* FNV-1a */
	int fd;

	if (!build)
		return false;
	for (const char *s = arena_printf("%s:%u:%s:%s", at->file ? at->file : "", at->line, id, text); *s; s++)
		hash = (hash ^ (unsigned char)*s) * 1099511628211ULL;
	mkdir(folder, 0777);
	run = arena_printf("%s/%s", folder, build);
	if (!mkdir(run, 0777))
		remove_ended_runs(folder);
	fd = open(arena_printf("%s/%016llx", run, hash), O_CREAT | O_EXCL | O_WRONLY, 0666);
	if (fd < 0)
		return errno == EEXIST;
	close(fd);
	return false;
}

/* a folder that nobody else can write to, or NULL */
static const char *private_folder(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST)
		return NULL;
	if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
		return NULL;
	return path;
}

const char *once_default_folder(void)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");

	if (dir && *dir == '/')
		return private_folder(arena_printf("%s/linekeeper", dir));
	dir = getenv("TMPDIR");
	return private_folder(arena_printf("%s/linekeeper-%u", dir && *dir == '/' ? dir : "/tmp", geteuid()));
}
