/* SPDX-License-Identifier: GPL-2.0-only */
/* A layout as a person reads it: one row a member, lines, holes and padding named. */
#ifndef LINEKEEPER_SHOW_H
#define LINEKEEPER_SHOW_H

#include <stdio.h>

#include "record.h"

/* colour: line numbers and holes stand out, for a terminal */
void show_record(const struct record *r, unsigned int line_size, bool colour, FILE *out);

/* "struct address_space", "union x", "rwlock_t", "a nameless struct" */
const char *record_title(const struct record *r);

#endif
