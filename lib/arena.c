/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#ifndef CHUNK_SIZE			/* 0: each piece is a block of its own, whose ends a sanitizer watches */
#define CHUNK_SIZE	(256 * 1024)
#endif
#define ALIGNMENT	16

static struct {
	char *free;
	size_t left;
} chunk;

void fatal(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

void finish_stdout(void)
{
	if (fflush(stdout) || ferror(stdout))
		fatal("cannot write the result: %s", strerror(errno));
}

static void *zeroed(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		fatal("out of memory (%zu bytes)", size);
	return p;
}

void *arena_alloc(size_t size)
{
	void *p;

	if (size > SIZE_MAX - ALIGNMENT)
		fatal("out of memory (%zu bytes)", size);
	if (!CHUNK_SIZE)
		return zeroed(size);
	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (size > CHUNK_SIZE / 4)
		return zeroed(size);
	if (size > chunk.left) {
		chunk.free = zeroed(CHUNK_SIZE);
		chunk.left = CHUNK_SIZE;
	}
	p = chunk.free;
	chunk.free += size;
	chunk.left -= size;
	return p;
}

char *arena_strndup(const char *s, size_t len)
{
	char *copy = arena_alloc(len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(const char *s)
{
	return arena_strndup(s, strlen(s));
}

char *arena_vprintf(const char *fmt, va_list ap)
{
	va_list again;
	char *s;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	if (len < 0)
		fatal("cannot format '%s'", fmt);
	s = arena_alloc(len + 1);
	vsnprintf(s, len + 1, fmt, again);
	va_end(again);
	return s;
}

char *arena_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = arena_vprintf(fmt, ap);
	va_end(ap);
	return s;
}

void *arena_grow(void *array, size_t elem_size, size_t count, size_t *room)
{
	size_t bigger;
	char *copy;

	if (count < *room)
		return array;
	bigger = *room ? *room * 2 : 8;
	if (bigger > SIZE_MAX / elem_size)
		fatal("out of memory (%zu elements)", bigger);
	copy = arena_alloc(bigger * elem_size);
	if (count)
		memcpy(copy, array, count * elem_size);
	*room = bigger;
	return copy;
}

char *arena_read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t used = 0, room = 0;

	if (!f)
		return NULL;
	for (;;) {
		while (room - used < 4096)
			text = arena_grow(text, 1, room, &room);
		used += fread(text + used, 1, room - used - 1, f);
		if (feof(f) || ferror(f))
			break;
	}
	if (ferror(f)) {
		int err = errno;

		fclose(f);
		errno = err;
		return NULL;
	}
	fclose(f);
	text[used] = '\0';
	*len = used;
	return text;
}
