/* SPDX-License-Identifier: GPL-2.0-only */
/* BUILD_BUG_ON() and _Static_assert() that ask for layouts and fail: in function bodies, which are parsed for them, and outside. */
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

/* from here on out has what is found; after sparse_initialize(), before the parse */
void body_asserts_watch(struct failed_asserts *out);

/*
 * Does a body, from its opening brace to its closing one, assert something on a layout? Then it is to be parsed: what names a variable, or
 * a type by whose name the function has a variable, is known in its own scope only.
 */
bool body_asserts_layout(struct token *open, const struct token *close);

/*
 * message: the first token of a compile-time error's text in preprocessed source, as __compiletime_error() has it; the condition stands
 * behind it. Outside of a function it is none, and so is one that has no value for the parser, as with a parameter in it.
 */
void body_assert_error(const struct token *message);

/* keyword: the _Static_assert; false: it asks for no layout, or has no value here */
bool body_assert_static(const struct token *keyword);

#endif
