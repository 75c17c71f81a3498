/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of replay. A tree is a struct with the anonymous structs and unions in it, whose members may
 * move among each other; a struct within it that has a name or a declarator is a tree of its own.
 */
#ifndef LINEKEEPER_REPLAY_PLAN_H
#define LINEKEEPER_REPLAY_PLAN_H

#include <setjmp.h>

#include "replay.h"
#include "strmap.h"
#include "struct_text.h"

#define NONE UINT32_MAX

/* one spelling of a node: a declarator, or a whole item */
struct alternative {
	uint32_t node, item;
	int declarator;			/* -1: the item */
	const char *key;		/* the name, or the spelling of what has none */
	const char *spelt;		/* declaration without attributes */
	uint32_t mate;			/* alternative of the other side, or NONE */
};

/* what is placed as one: a declarator, a unit, or an #if that moves as a whole (original side only) */
struct node {
	uint32_t container;
	uint32_t first, last;		/* items */
	uint32_t alt, nr_alts;
	uint32_t inner;			/* container, of an anonymous struct or union; or NONE */
	const char *name;		/* for messages */
	const struct text_branch *branch;	/* that it stands in, without an #if that moves with it */
	bool space;			/* padding or a marker: no member */
	bool marker;			/* takes no bytes */
	bool bitfield, zero_width;
	bool flexible;			/* or holds what is */
	uint32_t mate;			/* node of the other side, or NONE */

	/* the plan, original side only */
	bool moved, removed;
	bool placed;			/* seen in the target */
};

struct container {
	struct text_body *body;
	uint32_t parent;		/* NONE: the tree's own */
	uint32_t node;			/* that it belongs to, in parent */
	uint32_t *nodes;		/* in order */
	size_t nr, room;
	uint32_t mate;			/* container of the other side, or NONE */

	/* original side */
	struct target *targets;		/* what stands in it afterwards, in order */
	size_t nr_targets, targets_room;
	struct slot *slots;		/* one in front of each item, one behind each: 2 * nr_items; and start, end */
};

struct side {
	const struct struct_text *st;
	struct container *containers;
	size_t nr_containers, containers_room;
	struct node *nodes;
	size_t nr_nodes, nodes_room;
	struct alternative *alts;
	size_t nr_alts, alts_room;
};

struct target {
	uint32_t node;			/* of the original, or NONE */
	uint32_t inserted;		/* node of spatch's side, or NONE */
	bool stays;
	const struct text_branch **path;	/* of what is inserted: its conditions in the container */
	uint32_t nr_path;
	uint64_t place;			/* of what does not stay: its slot, and its turn in it */
};

/* what is put into a gap, in order */
struct placed {
	struct placed *next;
	struct target *target;
	const struct text_branch **guards;	/* #if lines that it gets, outermost first */
	uint32_t nr_guards;
	bool whole_unit;		/* all declarators of the item, whose target this is */
	bool carries;			/* a declarator that takes the unit's comments along */
	bool unwrapped;			/* an #if that moves as a whole, to where its condition is in force */
};

struct slot {
	struct placed *first, **end;
};

enum { SLOT_BEFORE, SLOT_BEHIND };

struct edit {
	uint32_t start, end;		/* of the original */
	const char *text;
	size_t len;
	struct tree *tree;		/* a body that is written anew: this container's; text NULL */
	uint32_t container;
};

struct tree {
	struct tree *next;
	struct job *job;
	struct side orig, after;
	const char *name;		/* "struct tag" */
	const char *tag;		/* "tag", "-" without one */
	struct built {
		char *text;
		size_t len;
		bool done, busy;
	} *built;			/* one a container, by container_write() */
};

struct pair {
	struct text_body *before, *after;	/* before: NULL for a struct that the rule adds */
	struct tree *tree;		/* NULL: unchanged */
};

struct fingerprint {
	uint64_t a, b;
};

struct job {
	struct replay *r;
	struct struct_text *before, *after;
	struct tree *trees, **last_tree;
	struct edit *edits;		/* sorted before container_write() */
	size_t nr_edits, edits_room;
	const char *newline;
	struct pair *pairs;		/* structs of the file that stand in no other, in spatch's order */
	size_t nr_pairs, pairs_room;
	struct fingerprint delta;	/* tokens that the result has more than the original bodies */
	struct fingerprint comments;	/* lines of comments that went with removed members */
	jmp_buf refused;
};

/* does not return; line in the original, 0: nowhere */
void replay_refuse(struct job *job, unsigned int line, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/* a tree of both sides, all members matched; planned when anything differs */
struct tree *tree_create(struct job *job, struct text_body *before, struct text_body *after);

/* decides what moves, refuses what must not, and tree_place() says where each thing goes */
void tree_plan(struct tree *t);
void tree_place(struct tree *t);

/* adds (sign 1) or takes away (-1) tokens, comments and preprocessor lines left out; or lines of comments */
void fingerprint_toks(struct fingerprint *f, const struct struct_text *st, struct text_toks toks, int sign);
void fingerprint_text(struct fingerprint *f, const char *s, int sign);
void fingerprint_comments(struct fingerprint *f, const struct struct_text *st, struct text_range range, int sign);

/* adds the nodes of a body to a side; node and parent NONE for a tree's own. Returns the container */
uint32_t side_add(struct side *s, struct text_body *body, uint32_t parent, uint32_t node, bool wholes);

/* conditions, outermost first: around a branch and its own; around an anonymous struct */
struct path {
	const struct text_branch **branches;
	size_t nr;
};
struct path path_of(const struct text_branch *branch);
struct path path_join(struct path a, struct path b);
struct path container_path(const struct side *s, uint32_t container);

/* conditions as one string, the same for the same ones; of an alternative where it stands in its side's text */
const char *path_spell(const struct struct_text *st, struct path p);
const char *condition_of(const struct side *s, const struct alternative *a);

/* false, or the edit of spatch's text that puts the entries of the struct's kernel-doc into the new order */
bool doc_reorder(struct tree *t, const struct text_body *after, struct edit *out);

/* refuses a result that cannot be proved */
void replay_prove(struct job *job, const char *text, size_t len);

/* name of a node for a message */
const char *node_name(const struct tree *t, const struct target *target);
unsigned int node_line(const struct side *s, uint32_t node);

/* the new text of a container, braces included */
void container_write(struct tree *t, uint32_t container, char **text, size_t *len);

#endif
