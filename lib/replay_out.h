/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of replay: the text that is being written, out of pieces of the original. */
#ifndef LINEKEEPER_REPLAY_OUT_H
#define LINEKEEPER_REPLAY_OUT_H

#include "replay_plan.h"

struct out {
	char *s;			/* with a NUL behind */
	size_t len, room;
};

void put_bytes(struct out *o, const char *s, size_t len);
void put_string(struct out *o, const char *s);

/* bytes [start, end) of the original, as they are; and with what was edited in them */
void put_source(const struct tree *t, struct out *o, uint32_t start, uint32_t end);
void put_edited(struct tree *t, struct out *o, uint32_t start, uint32_t end);

/* bytes of a token */
uint32_t tok_start(const struct side *s, size_t i);
uint32_t tok_end(const struct side *s, size_t i);

/* a node's declarator, or NULL, and its item */
const struct text_declarator *declarator_of(const struct side *s, const struct node *n, const struct text_item **item);

/* does declarator k of an item stay in it? node: that of the first one */
bool declarator_stays(const struct tree *t, uint32_t node, size_t k);

/* one of several declarators as a declaration of its own; carries: with the comments of all */
void write_split(struct tree *t, struct out *o, const struct node *n, bool carries);

/* a unit of several declarators that some have left; node: of the first one */
void write_rest(struct tree *t, struct out *o, const struct text_item *item, uint32_t node);

#endif
