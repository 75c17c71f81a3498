/* SPDX-License-Identifier: GPL-2.0-only */
/* For the unit tests of lib: records of a few members, to be laid out when all are there. */
#ifndef LINEKEEPER_RECORDS_H
#define LINEKEEPER_RECORDS_H

#include "arena.h"
#include "record.h"

static inline struct record *new_record(const char *name, bool is_union)
{
	struct record *r = arena_alloc(sizeof(*r));

	r->name = name;
	r->is_union = is_union;
	return r;
}

/* a member of that record, or, type NULL, a scalar */
static inline struct member *add_member(struct record *r, const char *name, enum scalar scalar, struct record *type)
{
	struct member *m = record_add(r);

	m->name = name;
	m->record = type;
	m->scalar = type ? SCALAR_NONE : scalar;
	m->count = 1;
	return m;
}

#endif
