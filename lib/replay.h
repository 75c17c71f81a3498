/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replay: takes from what spatch printed only the order of members and what it inserted or removed, and
 * applies that to the original text, so that comments, attributes and conditionals stay with their
 * members. DESIGN.md, "A relayout".
 *
 * In the words of struct_text.h, a unit that moves goes
 *
 *	- directly behind its new predecessor, below that one's trailing comment and #define lines;
 *	- directly in front of its successor, above that one's own comment, when the predecessor is padding
 *	  or a marker, or nothing but the closing brace follows (and no comment
 *	  stands directly above that);
 *	- directly behind the opening brace, when it becomes the first.
 *
 * It keeps its conditions: an #if that holds nothing else moves as a whole; otherwise the unit gets a copy of
 * the #if at its new place, which is behind the #endif that the predecessor stands in unless both have the
 * same condition. An #if that became empty is taken out.
 *
 * Padding or a marker that is inserted goes directly behind its predecessor, or directly below
 * a detached comment between its neighbours. Padding that is removed leaves its comment where it is.
 *
 * What spatch changes outside of structs is kept as it is; a struct whose tokens it did not change stays as it
 * was, to the byte. What spatch changed without a + or - line that says so is a refusal, and
 * so is whatever the result cannot be proved for: tokens, comments, order and conditions are read again from it.
 */
#ifndef LINEKEEPER_REPLAY_H
#define LINEKEEPER_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "smpl.h"

struct replay_change {
	const char *struct_name;	/* tag or typedef; "-": neither */
	const char *what;		/* "moved", "inserted", "removed", "attribute" */
	const char *member;		/* "}": an attribute of the struct itself */
	unsigned int line;		/* in the original; 0: it was not there */
	const char *behind;		/* member, "{" for none; the attribute, with + or -, for "attribute" */
};

enum replay_status { REPLAY_DONE, REPLAY_SAME, REPLAY_REFUSED };

struct replay {
	/* in */
	const char *before, *after;	/* texts: the original, and what spatch printed */
	size_t before_len, after_len;
	const struct smpl *rule;	/* NULL: every insertion, and removal of padding and markers, was announced */
	bool force_first;		/* the first member of a struct may change */

	/* out */
	char *text;			/* REPLAY_DONE */
	size_t len;
	struct replay_change *changes;	/* REPLAY_DONE */
	size_t nr_changes, room;
	const char *refusal;		/* REPLAY_REFUSED: one sentence */
	unsigned int line;		/* in the original, that it speaks of */
};

enum replay_status replay(struct replay *r);

#endif
