/* SPDX-License-Identifier: GPL-2.0-only */
/* What somebody kept with care, and a change undoes without a word: lines between paddings, members that overlay each other. */
#ifndef LINEKEEPER_KEPT_LINES_H
#define LINEKEEPER_KEPT_LINES_H

#include "fields_since.h"
#include "rules.h"

/*
 * Adds findings: shared-isolated, where a new member is on the line of one that CACHELINE_PADDING() kept alone (page_counter.usage);
 * group-straddle, where one makes what was on one line in front of a padding need more (case B09).
 */
void kept_lines_judge(struct judged *j, const struct fields_since *s);

/*
 * The record need not have another layout. Adds findings: first-member-cast, where a struct in a union no longer begins as the plain
 * member beside it (case C14: io_kiocb).
 */
void overlays_judge(struct rules *rules, const struct record *before, const struct record *after);

#endif
