/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model: a struct or union, what a front end (sparse, GCC, a dump file) says of its members,
 * and where they lie. The front end fills in the first part of each struct; record_layout()
 * fills in the second, for records without one.
 *
 * All memory is the arena's. Strings are never written to.
 */
#ifndef LINEKEEPER_RECORD_H
#define LINEKEEPER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "abi.h"
#include "span.h"
#include "strmap.h"

struct annotation;
struct inference;

struct place {
	const char *file;		/* as the compiler was given it; NULL: nowhere */
	unsigned int line, col;		/* from 1; 0: not known */
	unsigned int cookie;		/* the front end's own name for the place */
};

struct member {
	const char *name;		/* NULL: anonymous struct or union, or unnamed bit-field */
	const char *type;		/* as a person reads it: "unsigned long", "struct inode *", "char[16]" */
	struct place place;
	enum scalar scalar;		/* of the member, or of its array's elements */
	unsigned int scalar_size;	/* bytes; 0: what the ABI says (set for a packed enum) */
	struct record *record;		/* of the member, or of its array's elements; NULL: a scalar */
	bool array;			/* count elements, all dimensions multiplied */
	bool flexible;			/* [] at the end: count is 0 */
	unsigned long long count;	/* 1 for what is no array */
	bool bitfield;
	unsigned int width;		/* bits, of a bit-field; 0 closes a storage unit */
	bool packed;			/* the attribute on the member itself */
	unsigned int user_align;	/* bytes, aligned(N) on the member itself; 0: none */
	unsigned int type_align;	/* bytes, aligned(N) of a typedef it is declared with; 0: none */
	const struct annotation *annotations;	/* annotation.h; NULL: none */
	const struct inference *inferred;	/* access.h; NULL: nothing is known of what is done with it */

	/* set by record_layout() */
	unsigned long long bit_offset;	/* from the start of the record that directly holds it */
	unsigned long long bit_size;
	unsigned int align;		/* bytes; what the record's alignment gets from it */
};

struct record {
	const char *name;		/* tag, or the typedef of a struct without one; NULL: neither */
	bool is_union;
	bool by_typedef;		/* name is a typedef's */
	bool packed;
	bool randomized;		/* __randomize_layout, or only function pointers: order may change */
	unsigned int user_align;	/* bytes, aligned(N) on the type; 0: none */
	unsigned int pack;		/* bytes, #pragma pack(N) at its closing brace; 0: none */
	const struct annotation *annotations;
	struct place place;
	struct member *members;
	size_t nr_members, room;

	/* set by record_layout() */
	bool laid_out;
	unsigned long long size;	/* bytes */
	unsigned int align;		/* bytes */

	unsigned int id;		/* of the dump; a front end may use it as it likes */

	/* what was found out of it and all that it embeds: to walk them again each time has no end where each holds two of the next */
	enum answer { NOT_ASKED, NO, YES } watched, holds_cpumask, shuffled, ends_open;
};

/* a new zeroed member at the end of r; valid until the next call for r */
struct member *record_add(struct record *r);

/*
 * Offsets, sizes and alignments as GCC computes them for abi: gcc/stor-layout.cc
 * (layout_decl, place_field, update_alignment_for_field, finalize_record_size). Records that r
 * embeds are laid out first. Does nothing for a record that has a layout.
 */
void record_layout(struct record *r, const struct abi *abi);

/*
 * A member as a user of the record sees it: members of anonymous structs and unions have offsets
 * from the outermost record. depth is 0 for a direct member; the anonymous struct or union itself
 * comes before its members.
 */
struct flat {
	const struct member *member;
	unsigned long long bit_offset;	/* from the start of the outermost record */
	unsigned int depth;
	bool in_union;			/* an anonymous union lies between it and the record */
};

/* all members, in order of declaration; *nr elements */
struct flat *record_flatten(const struct record *r, size_t *nr);

/* the bytes that it touches, from the start of the outermost record */
struct span flat_span(const struct flat *f);

/* for a flattened record: who can be near whom, without looking at all of them */
struct flat_reach {
	unsigned long long *ends;	/* bytes, the highest end of those up to each */
	unsigned long long *starts;	/* bytes, the lowest start of those from each on */
	size_t nr;
};

struct flat_reach flat_reach(const struct flat *flat, size_t nr);

/* all that may share a line with the span, wherever the record starts, are in [*first, *end) */
void flat_near(const struct flat_reach *reach, struct span s, unsigned int line_size, size_t *first, size_t *end);

/*
 * A path from r: "i_mmap_rwsem", "mmap_lock.count", "lru_zone_size[1]", names inside anonymous members
 * without their dots. On success *out holds the last member with its offset from r and 0 comes back;
 * otherwise the number of characters of path that were understood (0: the first name is not there), negated, minus 1.
 */
int record_find(const struct record *r, const char *path, struct flat *out);

/* a dump holds every record of a translation unit */
struct dump {
	const struct abi *abi;		/* NULL: of a dump that does not say */
	unsigned int line_size;		/* bytes */
	struct record **records;	/* each behind those that it embeds */
	size_t nr, room;
	struct strmap names;		/* of tags and typedefs, for dump_find(): dump_index() sets it */
};

/* to be called when all records are there */
void dump_index(struct dump *d);

/*
 * Text, one record or member a line, fields separated by tabs: written by one process, read by the
 * next. dump_read() returns NULL and prints what is wrong with it on stderr.
 */
void dump_write(const struct dump *d, FILE *out);
struct dump *dump_read(const char *path);

/* the record of that tag or typedef, or NULL; kind is "struct ", "union " in front of it or nothing */
struct record *dump_find(const struct dump *d, const char *name);

#endif
