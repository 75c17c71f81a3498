/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tokens of a C source file, as they stand in the file: no preprocessor runs. A preprocessor
 * line is one token, with its continuation lines and the comments on it; a comment is one token.
 * White space is what lies between tokens. Any input gives tokens: a string or comment that does not end
 * stops at the end of its line or of the file.
 */
#ifndef LINEKEEPER_CLEX_H
#define LINEKEEPER_CLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ctok_kind {
	CTOK_IDENT,
	CTOK_NUMBER,
	CTOK_STRING,		/* and character constants */
	CTOK_PUNCT,		/* one character */
	CTOK_COMMENT,
	CTOK_LINE,		/* a preprocessor line, without its last newline */
	CTOK_END,		/* one, behind the last token */
};

struct ctok {
	uint32_t start, end;	/* bytes of the text, [start, end) */
	uint32_t line;		/* of its first byte, from 1 */
	uint32_t last_line;	/* of its last byte */
	enum ctok_kind kind;
};

struct ctoks {
	const char *text;
	size_t len;		/* bytes, below 2 GiB */
	struct ctok *tok;	/* nr of them, and the CTOK_END behind */
	size_t nr;
};

/* text stays the caller's and must outlive *out; false: longer than 2 GiB */
bool clex(const char *text, size_t len, struct ctoks *out);

/* is token i spelt s? */
bool ctok_is(const struct ctoks *t, size_t i, const char *s);

/* the spelling of token i, from the arena */
char *ctok_text(const struct ctoks *t, size_t i);

/* the name of a preprocessor line ("ifdef", "define"), its length in *len; "" for "#" alone */
const char *ctok_directive(const struct ctoks *t, size_t i, size_t *len);

#endif
