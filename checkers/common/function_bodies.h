/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Function bodies are a third of what the parse of a unit costs, and say nothing about layouts: they can be taken out of
 * the tokens before the parser comes to them. A body that defines a struct or union stays, and one that somebody wants.
 */
#ifndef LINEKEEPER_FUNCTION_BODIES_H
#define LINEKEEPER_FUNCTION_BODIES_H

#include <stdbool.h>

struct token;

/*
 * declaration begins an external declaration. If it is a function with a body that may go, "{ }" is left of it, and
 * on_message is called with each string that an attribute "error" has in it, on_assert with each _Static_assert. keeps is asked
 * whether the body, from its opening brace to its closing one, is to stay. False: a bracket is not closed to the end of the file,
 * it is of no use to go on.
 */
bool body_take_out(struct token *declaration, bool (*keeps)(struct token *open, const struct token *close),
		   void (*on_message)(const struct token *), bool (*on_assert)(const struct token *));

#endif
