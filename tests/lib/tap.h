/* SPDX-License-Identifier: GPL-2.0-only */
/* TAP for the unit tests of lib: ok(condition, what...), and done() as main's return value. */
#ifndef LINEKEEPER_TAP_H
#define LINEKEEPER_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned int tap_tests, tap_failures;

static inline bool __attribute__((format(printf, 2, 3))) ok(bool passed, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %u - ", passed ? "" : "not ", ++tap_tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	tap_failures += !passed;
	return passed;
}

static inline bool is_text(const char *got, const char *expected, const char *what)
{
	bool same = got && expected ? !strcmp(got, expected) : got == expected;

	if (!ok(same, "%s", what))
		printf("# got '%s', expected '%s'\n", got ? got : "(none)", expected ? expected : "(none)");
	return same;
}

static inline int done(void)
{
	printf("1..%u\n", tap_tests);
	return tap_failures != 0;
}

#endif
