/* SPDX-License-Identifier: GPL-2.0-only */
/* What the source says of its structs besides their members: annotations, and asserts of upstream's groups. */
#ifndef LINEKEEPER_DECLARED_H
#define LINEKEEPER_DECLARED_H

#include <stdbool.h>

struct annotation;
struct symbol;
struct token;
struct unit;

/* from here on asserts are added to u, and wrong annotations told; after sparse_initialize(), before the parse */
void declared_watch(struct unit *u);

/* of a member, before it is examined, and of a struct or union; NULL: none */
const struct annotation *declared_of_member(struct symbol *decl);
const struct annotation *declared_of_type(struct symbol *type);

/*
 * The first token of an attribute error's text, whatever it is: an assert of a group that it holds is added, and of others
 * one that fails, if they are asked for.
 */
void declared_message(const struct token *message);

/* adjacent strings as one; NULL: token is none */
const char *declared_text(const struct token *token);

#endif
