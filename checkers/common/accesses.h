/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the function bodies of a parsed unit do with the members of its structs: sparse's tree as parsed (AST level,
 * neither evaluated nor linearized). Types are inferred here; dissect() of the library would do most of it, but keeps
 * its own marks where unit_parse() keeps the records, and does not tell whom an address is given to.
 *
 * Seen through: READ_ONCE() and its kin, which are casts of an address; pointers that a macro keeps of its argument;
 * array elements; members of members, which count for each struct that holds them. Structs on the stack are no
 * accesses: nobody else shares their lines.
 */
#ifndef LINEKEEPER_ACCESSES_H
#define LINEKEEPER_ACCESSES_H

#include "evidence.h"

/* adds what the unit's functions do, inline ones of headers too, as far as they have bodies; after unit_parse() */
void accesses_collect(struct evidence *e);

/* before the unit is parsed, after sparse_initialize(): lets sparse remember which functions are in .init.text and .exit.text */
void accesses_watch_sections(void);

#endif
