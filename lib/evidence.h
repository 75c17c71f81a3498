/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What code does with the members of structs: who reads, who writes, and when. A front end that sees function
 * bodies fills in struct evidence; the class of a member (access.h) is inferred from it. docs/evidence.md tells what the
 * inference rests on and how often it is right.
 */
#ifndef LINEKEEPER_EVIDENCE_H
#define LINEKEEPER_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "access.h"
#include "primitives.h"
#include "record.h"

/* when a function runs, as its section and its name say */
enum code_phase {
	PHASE_RUN,
	PHASE_CONTROL,		/* when somebody administers: sysctl, ioctl, socket options, netlink, bind, connect, open */
	PHASE_SETUP,		/* when an object or the kernel is set up or torn down */
};

/* "run", "control", "setup"; phase_named() is PHASE_RUN for any other word */
const char *phase_name(enum code_phase p);
enum code_phase phase_named(const char *name);

/* of the function's name alone, len characters */
enum code_phase phase_of_function(const char *name, size_t len);

/* does the call of that function, a parameter of that type, make the caller one that runs when somebody administers? */
bool code_is_control_call(const char *callee, size_t len);
bool code_is_control_type(const char *record);

/*
 * Of a function that the member of a struct with that tag points to: one that serves such requests for a file of cgroupfs or sysfs,
 * a sysctl, a module's parameter; a driver's for a new device. PHASE_RUN: nothing is known.
 */
enum code_phase phase_of_handler(const char *record, const char *member);

/* is it named for setting something, as dev_set_mtu() is? */
bool code_is_setter(const char *name, size_t len);

/* does it return an object that nobody else has seen? */
bool code_makes_object(const char *callee, size_t len);

struct code {
	const char *name;		/* of the function */
	struct place place;
	enum code_phase phase;
	bool own;			/* static or inline: only its file knows it */
};

/* one way in which a function uses one member; the first place of several */
struct use {
	const struct record *record;	/* the struct or union that the path starts from */
	const char *path;		/* "usage", "memory.usage", "" for all of it */
	unsigned int does;		/* DOES_READ, DOES_WRITE, both, or DOES_ADDRESS; DOES_INIT: before anybody else saw it */
	const char *via;		/* the primitive, or the function that got the address; NULL: none */
	struct place place;
	size_t code;			/* index of the function */
	double often;			/* guessed, for one call of the function */
};

/* does it write what others may already see? */
bool use_writes(const struct use *u);

/* a struct whose first members are initialised by position: { a, b } */
struct positional {
	const struct record *record;
	const char *variable;		/* NULL: a compound literal */
	struct place place;
	unsigned int nr;		/* members without a name */
	size_t code;			/* index of the function, NO_CODE: outside */
};

/* where an object of a struct comes from */
struct object {
	const struct record *record;
	const char *kind;		/* "static", "stack", or the function that allocates it */
	const char *variable;		/* NULL for what is allocated */
	struct place place;
	unsigned int align;		/* bytes, as asked for there; 0: nothing, or not known */
	bool hwcache;			/* SLAB_HWCACHE_ALIGN was asked for */
	size_t code;
};

#define NO_CODE	((size_t)-1)

/* a call: of a function, or of whatever a member of a struct points to */
struct link {
	size_t code;			/* of the caller */
	const char *to;			/* "tcp_ack", "struct proto.sendmsg" */
	const char *file;		/* of a function that only its file knows, NULL: another one */
	double often;			/* guessed, for one call of the caller */
};

/*
 * A function whose address a member of a struct is given, by an initialiser or an assignment; of those that a header alone knows also
 * one whose address goes elsewhere.
 */
struct handler {
	const char *member;		/* "struct proto.sendmsg"; NULL: of none */
	const char *function, *function_file;	/* as in struct link */
	const char *file;		/* in which that stands */
};

struct evidence {
	struct code *codes;
	size_t nr_codes, codes_room;
	struct use *uses;		/* in order of their functions */
	size_t nr_uses, uses_room;
	struct positional *positionals;
	size_t nr_positionals, positionals_room;
	struct object *objects;
	size_t nr_objects, objects_room;
	struct link *links;		/* in order of their functions */
	size_t nr_links, links_room;
	struct handler *handlers;
	size_t nr_handlers, handlers_room;
};

/* all that one function does with a member */
struct doing {
	unsigned int does;		/* DOES_ bits */
	double reads, writes, gives;	/* runs of the function in which it does; gives: its address to somebody */
	bool in_place;			/* by ++ or atomic_inc() and the like */
	enum code_phase phase;
};

/* adds a use that is made so often */
void doing_add(struct doing *d, unsigned int does, double often);

/* functions, each counted once: as a writer when it writes at all, else as a reader, else for the address */
struct tally {
	unsigned int readers, writers, addresses;	/* that run */
	unsigned int control;				/* that write when somebody configures */
	unsigned int setup;				/* that read or write at set-up or tear-down */
	unsigned int in_place;				/* of the writers, that change it in place */
	double reads, writes, gives;			/* by those that run, for one run of each */
};

/* reached: how often the function is counted to run, 1 or, on a path, the chance that the path comes by */
void tally_add(struct tally *t, const struct doing *d, double reached);

/* it was of one path: what is read there several times is read once */
void tally_of_path(struct tally *t);

/* CLASS_NONE: nothing is known of it */
enum access_class tally_class(const struct tally *t);

/* the same of a change's code alone, which is too little to know a plain store for no setting: written is what is changed in place */
enum access_class tally_class_of_change(const struct tally *t);

/* how a class begins to be told that is inferred from all code, from that of a path, from files that a change is about alone */
#define FROM_CODE	"inferred"
#define FROM_PATH	"on the path"
#define FROM_CHANGE	"in files of the change"

/* "inferred, 12 readers, 3 writers, 4 set-up", from being one of these: what is not 0 of it; from the arena */
const char *tally_text(const struct tally *t, const char *from);

#endif
