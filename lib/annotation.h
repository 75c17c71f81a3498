/* SPDX-License-Identifier: GPL-2.0-only */
/* What include/cacheline_layout.h lets a struct say, as a front end found it. */
#ifndef LINEKEEPER_ANNOTATION_H
#define LINEKEEPER_ANNOTATION_H

#include <stdbool.h>

#include "record.h"

enum annotation_kind {
	ANNOTATION_APART,
	ANNOTATION_BUDGET,
	ANNOTATION_IN,
	ANNOTATION_ISOLATED,
	ANNOTATION_READ_MOSTLY,
	ANNOTATION_WITH,
	ANNOTATION_WRITTEN,
};

struct annotation {
	enum annotation_kind kind;
	const char *arg;		/* of apart and with: a path; of in: the group; else NULL */
	unsigned long long bytes;	/* of budget */
	const struct annotation *next;
};

/*
 * The attribute's arguments: word is the first one, arg the second as a string, or NULL. A new annotation in front of
 * list, or NULL when it is none: *why is then a sentence. For budget arg is NULL and bytes counts.
 */
const struct annotation *annotation_add(const struct annotation *list, const char *word, const char *arg,
					unsigned long long bytes, const char **why);

/* the first one of that kind, or NULL */
const struct annotation *annotation_find(const struct annotation *list, enum annotation_kind kind);

/* does the struct, or a member of it, say something of its lines? Upstream's markers of groups do. */
bool record_is_annotated(const struct record *r);

#endif
