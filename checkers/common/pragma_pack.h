/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "#pragma pack", which sparse drops. Its preprocessor reads a whole file before the parser sees the first
 * token, so what a pragma sets is kept by position, and asked for by the position of a struct's closing
 * brace. A header that leaves another value behind sets it for the lines after its #include too.
 */
#ifndef LINEKEEPER_PRAGMA_PACK_H
#define LINEKEEPER_PRAGMA_PACK_H

struct position;
struct token;

/* what preprocess() is to get instead of list, so that the pragmas in it are seen */
struct token *pragma_pack_watch(struct token *list);

/* bytes; the largest alignment that a member may have at pos; 0: no limit */
unsigned int pragma_pack_at(struct position pos);

#endif
