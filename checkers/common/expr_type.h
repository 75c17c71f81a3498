/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types of expressions of sparse's tree as parsed, without evaluating it: enough to know which struct a member belongs to.
 * A scalar may come out as another scalar. sparse's headers are to be included first.
 */
#ifndef LINEKEEPER_EXPR_TYPE_H
#define LINEKEEPER_EXPR_TYPE_H

#include <stdbool.h>

#include "record.h"

/* expressions in expressions; what is deeper is not followed */
#define MAX_DEPTH	1000

/* without names, typeof, qualifiers; never NULL: &bad_ctype for what is not understood */
struct symbol *bare_type(struct symbol *type);
struct symbol *type_of(struct expression *e);
struct symbol *pointed_at(struct symbol *pointer);

/* the member of that name, those of anonymous structs and unions too; NULL: none */
struct symbol *member_of(struct symbol *type, struct ident *name);

/* what unit_parse() made of a struct or union; NULL for other types */
struct record *record_of_type(struct symbol *type);

bool is_array(const struct symbol *type);
bool is_pointer(const struct symbol *type);		/* or an array, which is one when its value is taken */
bool is_pointer_to_const(struct symbol *param);

/* a variable on the stack, a parameter too */
bool is_local(const struct symbol *sym);

struct expression *without_parens(struct expression *e);

/* the & expression behind a pointer: through casts, and local variables that keep it, as macros make them; or NULL */
struct expression *address_in(struct expression *e);

/* that a statement expression has, or NULL */
struct expression *last_value(struct statement *s);

/* what _Generic is taken to choose */
struct expression *chosen_generic(struct expression *e);

/* the name that is called, a _Generic's too; NULL: it is computed */
struct expression *callee_of(struct expression *fn);

/* __builtin_constant_p() and its kin do not evaluate their arguments */
bool is_unevaluated(const struct ident *callee);

bool ident_is(const struct ident *id, const char *s);
bool ident_has(const struct ident *id, const char *part);

#endif
