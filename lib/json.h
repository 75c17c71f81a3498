/* SPDX-License-Identifier: GPL-2.0-only */
/* Layouts as JSON; the form is DESIGN.md's, "map --format json". */
#ifndef LINEKEEPER_JSON_H
#define LINEKEEPER_JSON_H

#include <stdio.h>

#include "record.h"

/* a JSON string with its quotes, or null; bytes that are no UTF-8 become U+FFFD */
void json_string(const char *s, FILE *out);

/* an array of nr records; NULL among them is null */
void json_records(struct record *const *records, size_t nr, unsigned int line_size, FILE *out);

#endif
