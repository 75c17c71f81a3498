/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a relayout rule promises, one a line in its head, and whether a layout keeps it:
 *   apart(S.a, S.b)      the two never share a line, wherever an S can start
 *   with(S.a, S.b)       they always do
 *   isolated(S.a)        nothing else is on its lines: no other member, nothing outside the struct
 *   growth(S) <= N       bytes that an S grows by; also < and ==
 * Members may be paths (S.lock.count).
 */
#ifndef LINEKEEPER_PROMISE_H
#define LINEKEEPER_PROMISE_H

#include <stdbool.h>

#include "record.h"
#include "span.h"

enum promise_kind { PROMISE_APART, PROMISE_WITH, PROMISE_ISOLATED, PROMISE_GROWTH };

struct promise {
	enum promise_kind kind;
	const char *text;		/* as written */
	const char *record;		/* the tag or typedef */
	const char *a, *b;		/* paths, without the record; NULL where the kind has none */
	char op;			/* '<', '=' or 'l' for <= */
	long long bound;		/* bytes */
};

enum outcome {
	PROMISE_KEPT,
	PROMISE_MAY_FAIL,		/* at some placements only */
	PROMISE_BROKEN,
	PROMISE_UNKNOWN,		/* no such struct or member */
};

/* false: text is no promise */
bool promise_parse(const char *text, struct promise *out);

/*
 * before may be NULL. *why is one sentence on how the layouts answer, with the placements that decide;
 * it is there for every outcome.
 */
enum outcome promise_judge(const struct promise *p, const struct dump *before, const struct dump *after,
			   const char **why);

/*
 * Can anything but the member f of r touch a line of f? At each placement that says yes out->at has it;
 * *other is the member that does, or NULL for what lies outside the struct.
 */
void isolation_of(const struct record *r, const struct flat *f, const struct placements *all, struct verdict *out,
		  const struct member **other);

#endif
