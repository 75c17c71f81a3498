/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk through function bodies behind accesses.h: expressions in access_walk.c, statements in access_statements.c, what is known of calls
 * in access_calls.c. sparse's headers are to be included first.
 */
#ifndef LINEKEEPER_ACCESS_WALK_H
#define LINEKEEPER_ACCESS_WALK_H

#include "evidence.h"
#include "often.h"

/* what is done with an expression's value or object, and, when its value is an address, with what lies there; and by whom */
struct usage {
	unsigned int does, through;
	struct ident *by, *through_by;
	struct symbol *to;		/* the function whose argument nr, from 1, the address is; NULL: none */
	unsigned int nr;
};

static const struct usage unused = { .through = DOES_NOTHING };
static const struct usage read = { .does = DOES_READ, .through = DOES_ADDRESS };
static const struct usage tested = { .does = DOES_READ, .through = DOES_NOTHING };
static const struct usage written = { .does = DOES_WRITE, .through = DOES_NOTHING };
static const struct usage changed = { .does = DOES_READ | DOES_WRITE, .through = DOES_NOTHING };

/* of an expression whose value is read for what is done through it */
static inline struct usage read_for(unsigned int through, struct ident *by)
{
	return (struct usage) { .does = DOES_READ, .through = through, .through_by = by };
}

/* of what lies where an address points that is used like k */
static inline struct usage behind(struct usage k)
{
	k.does = k.through;
	k.by = k.through_by;
	return k;
}

/*
 * A function calls another one or, callee NULL, whatever a member points to; or, caller NO_CODE, it is only named: member
 * is then where its address is put, NULL: elsewhere.
 */
struct call {
	size_t caller;
	struct symbol *callee;
	const struct record *record;
	struct ident *member;
	double often;
	const char *file;		/* in which it stands */
};

/* a use whose address a function got */
struct given {
	size_t use;
	struct symbol *to;
	unsigned int nr;
};

struct walk {
	struct evidence *e;
	size_t code;			/* the function */
	const char *file;		/* of what is walked */
	size_t first_use;		/* of it */
	int depth;			/* expressions around the one that is walked */
	struct flow flow;
	const struct record *into;	/* whose member is given what is walked; NULL: none */
	struct ident *into_member;
	struct call *calls;
	size_t nr_calls, room;
	struct given *given;
	size_t nr_given, given_room;
};

/* e and all that it is made of, its value used like k */
void walk(struct walk *w, struct expression *e, struct usage k);

/* k: what is done with the value, of the last statement of a statement expression */
void walk_statement(struct walk *w, struct statement *s, struct usage k);

/* a variable with its initialiser, on the stack or outside of functions; other declarations are none of ours */
void walk_declaration(struct walk *w, struct symbol *sym);

/* of an object of that type, NULL: not known; name: of the member of outer that it is, NULL: of none */
void walk_initializer(struct walk *w, struct expression *e, struct symbol *type, struct symbol *outer, struct ident *name);

/* a call of callee or, NULL, of a member of r; or, named, that its address is put there */
void add_call(struct walk *w, struct symbol *callee, const struct record *r, struct ident *member, bool named);

/* the file that alone knows the function; NULL: all do */
const char *own_file(const struct symbol *sym);

/* when all bodies were walked: phases of handlers and of who is only called by them, what was done with addresses, and the links of the evidence */
void follow_calls(struct walk *w);

#endif
