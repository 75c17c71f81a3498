/* SPDX-License-Identifier: GPL-2.0-only */
/* enum { ... } __attribute__((packed)), or with a mode: smaller than an int, which sparse leaves it. */
#ifndef LINEKEEPER_PACKED_ENUM_H
#define LINEKEEPER_PACKED_ENUM_H

struct symbol;

/* type is a packed SYM_ENUM whose body was just parsed: gives it the smallest integer type that holds its values */
void packed_enum_shrink(struct symbol *type);

/* the same for a type that the source names, __attribute__((mode(byte))) */
void packed_enum_set_type(struct symbol *type, struct symbol *base);

#endif
