/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The members of a struct that are new since an older layout of it, or not where they were, and in whose company that puts
 * them. Members share a line here when they do so in an object that starts one.
 */
#ifndef LINEKEEPER_FIELDS_SINCE_H
#define LINEKEEPER_FIELDS_SINCE_H

#include <stdio.h>

#include "access.h"
#include "record.h"
#include "rules.h"

enum field_change { FIELD_STAYED, FIELD_NEW, FIELD_MOVED, FIELD_RESIZED, FIELD_REGROUPED };

/* a member as it is now, with what is known of its use, and as it was */
struct field_since {
	const struct flat *flat, *before;	/* before NULL: it was not there */
	const struct access *access;
	enum field_change change;
	enum access_class class;		/* what is declared, or else what code or the type says, which of a new member is more than its group says */
	const char *class_from;			/* as of struct access, or "type" */
	bool overruled;				/* it is another than that of the group that somebody put it in */
};

struct fields_since {
	const struct record *before, *after;	/* before NULL: the struct was not there, and no member of it is told */
	struct placements then, now;
	struct field_since *fields;		/* all that are there now, in order; those without a name or bytes have not changed */
	size_t nr;
	struct flat_reach reach;		/* of fields */
	const char **gone;			/* names of those that are no more */
	size_t nr_gone, gone_room;
};

/* before NULL: there was none; line_size in bytes, then and now */
void fields_since(struct fields_since *out, const struct record *before, const struct record *after,
		  unsigned int line_size_then, unsigned int line_size);

/*
 * Adds findings: class-mix, where a member that changed is on a line with one of the other class, and they were on none
 * before, whatever the classes are from (access.h, or for want of one the type), of several that moved beside one the first; ungrouped-field, where a new
 * member of which nothing is known stands beside a group; kfree-rcu-offset, where an rcu_head came to lie too far in; flexible-array, where a
 * member came to lie behind one; and those of kept_lines.h and uapi_hole.h. Not what is in rules->findings of the member already, nor what
 * class-mix, group-mix and ungrouped-field judge without knowing what changed.
 */
void fields_since_judge(struct rules *rules, const struct fields_since *s);

/* an object; its form is docs/check.md's, "Since another state" */
void fields_since_json(const struct fields_since *s, FILE *out);

#endif
