/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file as it would be, while the tree stays as it is: the linker turns every open() of the sparse
 * library into a call of ours (-Wl,--wrap=open).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "sparse_records.h"
#include "strmap.h"

#define MAX_OPENED	1000		/* times that a unit may include a file; those of trace events are included some 100 times */

struct overlay {
	dev_t dev;
	ino_t ino;
	const char *instead;
};

static struct overlay *overlays;
static size_t nr_overlays, room;

static const char **folders;
static size_t nr_folders, folders_room;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

bool overlay_add(const char *path, const char *instead)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	*ARENA_PUSH(overlays, nr_overlays, room) = (struct overlay) { st.st_dev, st.st_ino, instead };
	return true;
}

const char *overlay_of(const char *path)
{
	struct stat st;

	if (!nr_overlays || stat(path, &st))
		return path;
	for (size_t i = 0; i < nr_overlays; i++)
		if (overlays[i].dev == st.st_dev && overlays[i].ino == st.st_ino)
			return overlays[i].instead;
	return path;
}

/* absolute, without . and .. and double slashes; links are not looked at */
static const char *plain_path(const char *path)
{
	static const char *here;
	char *rest, *word, *full, *end;

	if (!here)
		here = get_current_dir_name();
	rest = *path == '/' || !here ? arena_strdup(path) : arena_printf("%s/%s", here, path);
	end = full = arena_alloc(strlen(rest) + 2);
	while ((word = strsep(&rest, "/"))) {
		if (!strcmp(word, "..")) {
			while (end > full && *--end != '/')
				;
		} else if (*word && strcmp(word, ".")) {
			*end++ = '/';
			end = stpcpy(end, word);
		}
		*end = '\0';
	}
	return full;
}

void within_add(const char *folder)
{
	*ARENA_PUSH(folders, nr_folders, folders_room) = plain_path(folder);
}

static bool is_within(const char *path)
{
	const char *full = nr_folders ? plain_path(path) : path;

	for (size_t i = 0; i < nr_folders; i++) {
		size_t len = strlen(folders[i]);

		if (!strncmp(full, folders[i], len) && full[len] == '/')
			return true;
	}
	return !nr_folders;
}

/* has the file been opened so often that it includes itself? sparse would go on until there is no memory left */
static bool is_loop(int fd)
{
	static struct strmap opened;
	struct stat st;
	const struct strmap_entry *entry;
	const char *file;

	if (fd < 0 || fstat(fd, &st))
		return false;
	file = arena_printf("%llx %llx", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	strmap_add(&opened, file, strlen(file), 0);
	entry = strmap_get(&opened, file, strlen(file));
	return entry->nr > MAX_OPENED;
}

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;
	int fd;

	va_start(ap, flags);
	if (flags & O_CREAT)
		mode = va_arg(ap, unsigned int);
	va_end(ap);
	if (!is_within(path)) {
		errno = EACCES;
		return -1;
	}
	fd = __real_open(overlay_of(path), flags, mode);
	if (!is_loop(fd))
		return fd;
	close(fd);
	errno = ELOOP;
	return -1;
}

/* where the library was compiled for large files */
int __wrap_open64(const char *path, int flags, ...) __attribute__((alias("__wrap_open")));
