/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that plugin and checker both take, under the same names. */
#ifndef LINEKEEPER_RULES_OPTION_H
#define LINEKEEPER_RULES_OPTION_H

#include "rules.h"

/* bytes of a line: a power of two from 16 to 256; 0: text is none */
unsigned int line_size_parse(const char *text);

/*
 * line-size=N, placements=any|aligned, only=ID,..., no-ID: what stands on each side of the "=", value NULL where there is
 * none. False: unknown, or a wrong value.
 */
bool rules_option(struct rules *rules, const char *key, const char *value);

#endif
