/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * __attribute__((vector_size(N))), which sparse skips, as a mode of sparse: it applies a mode when the
 * declaration is complete, and only then is the type of the elements known.
 */
#ifndef LINEKEEPER_VECTOR_MODE_H
#define LINEKEEPER_VECTOR_MODE_H

struct symbol_op;

/* what makes of a type the vector of size bytes: an array of its elements; NULL when there is none of that size */
struct symbol_op *vector_mode(unsigned long long size);

#endif
