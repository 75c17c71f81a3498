/* SPDX-License-Identifier: GPL-2.0-only */
/* A layout as a person reads it: one row a member, lines, holes and padding named. */
#ifndef LINEKEEPER_SHOW_H
#define LINEKEEPER_SHOW_H

#include <stdio.h>

#include "record.h"
#include "span.h"

/* colour: line numbers and holes stand out, for a terminal */
void show_record(const struct record *r, unsigned int line_size, bool colour, FILE *out);

/* "a and b may share a line at 3 of 8 placements (0, 48, 56)" and the like, without a newline */
void show_verdict(const char *a, const char *b, const struct verdict *v, FILE *out);

/* "struct address_space", "union x", "rwlock_t", "a nameless struct" */
const char *record_title(const struct record *r);

#endif
