/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One member's declaration, from its tokens: specifiers, declarators, names, types as they are spelt,
 * attributes. Which identifier is a type, a name or an attribute macro is told by position and
 * by the kernel's own names, for no preprocessor and no typedef is seen.
 */
#ifndef LINEKEEPER_DECLARATION_H
#define LINEKEEPER_DECLARATION_H

#include "struct_text.h"

/* fills in what follows from item->toks: kind, name, specifiers, declarators */
void declaration_read(const struct struct_text *st, struct text_item *item);

/*
 * An attribute that starts at token i: __attribute__((x)), __aligned(8), ____cacheline_aligned. Returns the token
 * behind it, i when there is none. Qualifiers (const, __rcu) belong to the type, they are none.
 */
size_t attribute_end(const struct struct_text *st, size_t i, size_t end);

/* an attribute's name, or one by the look of it: what follows a brace or a name */
bool is_attribute_name(const char *s, size_t len);

/* the attributes of an item, or of one declarator of it, each spelt without blanks; *nr of them */
struct text_toks *declaration_attributes(const struct struct_text *st, const struct text_item *item,
					 const struct text_declarator *d, size_t *nr);

/* does a member macro stand here that needs no semicolon? The token behind it, or i */
size_t bare_macro_end(const struct struct_text *st, size_t i, size_t end);

/* the first token in [i, end) that is neither comment nor preprocessor line, or end */
size_t skip_silent(const struct struct_text *st, size_t i, size_t end);

/* the token in front of i that is neither comment nor preprocessor line; false: there is none */
bool previous_token(const struct struct_text *st, size_t i, size_t *out);

/* the token behind the bracket's other half; i + 1 for what is no opening bracket or has no other half */
size_t skip_bracket(const struct struct_text *st, size_t i, size_t end);

/* of struct_group() and its kin, how many arguments stand before the members; -1: another name */
int group_arguments(const char *s, size_t len);

bool is_kind(const struct struct_text *st, size_t i, enum ctok_kind kind);

#endif
