/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "} ____cacheline_aligned;" declares a variable of that name where nobody included linux/cache.h. It links, with one
 * unit, and the alignment is gone (linux-arch, 2022-01: dentry_operations).
 */
#ifndef LINEKEEPER_LOST_ATTRIBUTE_H
#define LINEKEEPER_LOST_ATTRIBUTE_H

#include "rules.h"

/* adds a finding when the name of a variable without initialiser, declared at place, is one that was to be an attribute */
void lost_attribute(struct rules *rules, const char *variable, struct place place);

#endif
