/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is declared of a member's use: the group it stands in and its access class (DESIGN.md,
 * "Words"), and which members are only there to space others apart.
 */
#ifndef LINEKEEPER_ACCESS_H
#define LINEKEEPER_ACCESS_H

#include "record.h"

enum access_class { CLASS_NONE, CLASS_READ_MOSTLY, CLASS_WRITTEN, CLASS_COLD };

/* "read-mostly", "written", "cold", NULL for CLASS_NONE */
const char *access_class_name(enum access_class c);

/* CLASS_NONE for any other name */
enum access_class access_class_named(const char *name);

/*
 * The class that the name of an upstream group gives: its words read_mostly, read; read_write, write;
 * cold, between underscores (include/linux/cache.h and the groups of net/ in 6.12).
 */
enum access_class access_class_of_group(const char *group);

/* the name of the group whose begin (or end) marker the member is; NULL: it is none */
const char *group_begun_by(const struct member *m);
const char *group_ended_by(const struct member *m);

/* what lies between the begin marker and the end marker of one name, in the flattened record */
struct group_extent {
	const char *name;
	const struct member *begin;
	struct span span;
	enum access_class class;
	bool aligned;			/* the marker starts a line: __cacheline_group_begin_aligned() */
};

/* the groups of a flattened record that are begun and ended; *nr_groups of them */
struct group_extent *group_extents(const struct flat *flat, size_t nr, unsigned int line_size, size_t *nr_groups);

/* a zero-sized struct cacheline_padding, as CACHELINE_PADDING(name) declares it */
bool is_cacheline_padding(const struct member *m);

/* of a type that is there to be written: atomic_t and its kin, refcount_t */
bool is_counter(const struct member *m);

/* the class that the documentation, or what code does with a member, gives where none is declared */
struct inference {
	enum access_class class;
	const char *from;		/* "documentation", "inferred, 12 readers, 3 set-up" */
	unsigned int readers, writers;	/* functions that run, of an inference from code */
};

/* the groups around a member of a flattened record, innermost last */
struct access {
	const char **groups;
	size_t nr_groups;
	enum access_class class;
	const char *class_from;		/* "annotation", "group", or an inference's own words; NULL: no class */
	bool declared;			/* the class is none that was inferred from code */
};

/* one for each of the nr elements of flat */
struct access *access_of_members(const struct flat *flat, size_t nr);

#endif
