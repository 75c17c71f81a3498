/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Function bodies are a third of what the parse of a unit costs, and say nothing about layouts: they can be taken out of
 * the tokens before the parser comes to them. A body that defines a struct or union stays.
 */
#ifndef LINEKEEPER_FUNCTION_BODIES_H
#define LINEKEEPER_FUNCTION_BODIES_H

#include <stdbool.h>

struct token;

/* a function's, from its opening brace to its closing one */
struct body {
	struct token *open, *close;
};

/*
 * declaration begins an external declaration. *out is its body if it is a function with one that may go, else its braces are
 * NULL. False: a bracket is not closed to the end of the file, it is of no use to go on.
 */
bool body_find(struct token *declaration, struct body *out);

/* leaves "{ }" of it; on_message is called with each string that an attribute "error" has in it */
void body_take_out(const struct body *body, void (*on_message)(const struct token *));

#endif
