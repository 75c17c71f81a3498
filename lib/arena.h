/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of one run. Everything that lib allocates comes from here and lives until the process
 * ends: a program of this project reads one translation unit or one file, answers, and exits.
 * Nothing returned by lib is ever freed by the caller.
 */
#ifndef LINEKEEPER_ARENA_H
#define LINEKEEPER_ARENA_H

#include <stdarg.h>
#include <stddef.h>

/* size zeroed bytes, aligned for any type; dies (exit 2) when there is no memory */
void *arena_alloc(size_t size);

/* the first len bytes of s, and a final NUL */
char *arena_strndup(const char *s, size_t len);
char *arena_strdup(const char *s);

/* as sprintf(), into a string of the arena */
char *arena_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *arena_vprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/*
 * An array that grows: ARENA_PUSH(array, count, room) returns a pointer to a new zeroed element at
 * the end of array. The elements move when it grows: keep indexes, not pointers.
 */
void *arena_grow(void *array, size_t elem_size, size_t count, size_t *room);
#define ARENA_PUSH(array, count, room) \
	((array) = arena_grow((array), sizeof(*(array)), (count), &(room)), &(array)[(count)++])

/* whole file in memory, NUL behind it; *len in bytes without it; NULL and errno when it cannot be read */
char *arena_read_file(const char *path, size_t *len);

/* writes out what is left of stdout; fatal() when that fails, for no result is better than half of one */
void finish_stdout(void);

/* "program: message" on stderr, exit status 2: the tool cannot work */
void fatal(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
