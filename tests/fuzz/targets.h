/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is fuzzed: lib's readers of text that others wrote. Each target takes any bytes and answers or refuses; a crash, an
 * assertion, a sanitizer's report or a run without end is a fault. `make fuzz` runs them under libFuzzer, and
 * tests/lib/fuzz.c every input of tests/fuzz/corpus/TARGET once.
 *
 * Several texts in one input are parted by a line "@@@@".
 */
#ifndef LINEKEEPER_TARGETS_H
#define LINEKEEPER_TARGETS_H

#include <stddef.h>

struct target {
	const char *name;
	void (*run)(char *text, size_t len);	/* a NUL stands behind the text, which may be written to */
};

/* ended by one without a name */
extern const struct target targets[];

/* NULL: no target has the name */
const struct target *target_named(const char *name);

/* the target on a copy of the bytes */
void target_run(const struct target *target, const void *data, size_t len);

#endif
