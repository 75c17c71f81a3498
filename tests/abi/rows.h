/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of expected.h for the unit tests of lib. */
#ifndef LINEKEEPER_TESTS_ROWS_H
#define LINEKEEPER_TESTS_ROWS_H

static const char *const columns[] = { "arm", "arm64", "i386", "ppc32", "ppc64", "riscv64", "s390", "x86-64" };
#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static const struct expected {
	const char *tag;
	const char *member;		/* "": the record itself */
	unsigned long long value[NR_COLUMNS][2];
} expected[] = {
#include "expected.h"
};
#define NR_EXPECTED	(sizeof(expected) / sizeof(expected[0]))

#endif
