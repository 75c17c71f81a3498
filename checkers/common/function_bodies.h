/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Function bodies are a third of what the parse of a unit costs, and say nothing about layouts: they can be taken out of
 * the tokens before the parser comes to them. A body that defines a struct or union stays.
 */
#ifndef LINEKEEPER_FUNCTION_BODIES_H
#define LINEKEEPER_FUNCTION_BODIES_H

#include <stdbool.h>

struct ident;
struct token;

struct body_rules {
	bool (*wants)(struct ident *);			/* a body with this name in it stays; NULL: none does */
	void (*on_message)(const struct token *);	/* a string that an attribute "error" has in a body that goes */
};

/* declaration begins an external declaration. If it is a function with a body that may go, "{ }" is left of it. */
void body_take_out(struct token *declaration, const struct body_rules *rules);

#endif
