/* SPDX-License-Identifier: GPL-2.0-only */
/* BUILD_BUG_ON() and _Static_assert() that ask for layouts and fail: in function bodies, which are taken out unparsed, and outside. */
#ifndef LINEKEEPER_BODY_ASSERTS_H
#define LINEKEEPER_BODY_ASSERTS_H

#include "record.h"

struct token;

struct failed_assert {
	struct place place;
	const char *text;		/* "BUILD_BUG_ON failed: sizeof(struct x) != 64" */
};

struct failed_asserts {
	struct failed_assert *list;
	size_t nr, room;
};

/*
 * message: the first token of a compile-time error's text in preprocessed source, as __compiletime_error() has it; the condition stands
 * behind it. One that names something of the function's own cannot be judged, and is none.
 */
void body_assert_error(struct failed_asserts *out, const struct token *message);

/* keyword: the _Static_assert; false: it cannot be judged here */
bool body_assert_static(struct failed_asserts *out, const struct token *keyword);

#endif
