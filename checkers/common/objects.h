/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where objects of a struct come from, and which of them are initialised by position. For access_walk.h, which walks; code is
 * the function, as in struct evidence. sparse's headers are to be included first.
 */
#ifndef LINEKEEPER_OBJECTS_H
#define LINEKEEPER_OBJECTS_H

#include "evidence.h"

/* a call of callee: an allocator with a sizeof a struct among its arguments? Before anything asks for types in them. */
void objects_allocated(struct evidence *e, size_t code, struct ident *callee, struct expression *call);

/* a variable that is no function's name */
void objects_declared(struct evidence *e, size_t code, struct symbol *sym);

/* an initialiser of that type, those that it holds too; variable NULL: a compound literal's */
void objects_positional(struct evidence *e, size_t code, struct ident *variable, struct symbol *type, struct expression *init);

#endif
