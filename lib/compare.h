/* SPDX-License-Identifier: GPL-2.0-only */
/* Two layouts of one struct, and what the difference costs those that embed it. */
#ifndef LINEKEEPER_COMPARE_H
#define LINEKEEPER_COMPARE_H

#include "record.h"
#include "span.h"

/* a member of the flattened record, matched by name; NULL on the side where it is not */
struct moved {
	const char *name;
	const struct flat *before, *after;
};

/* two members whose sharing changed */
struct pair {
	const char *a, *b;
	struct verdict before, after;
};

/* a new member and one that was there before, which are on one line at more than half of the placements */
struct company {
	const char *newcomer, *other;
	enum sharing sharing;
	bool was_alone;				/* no other member was on a line with the other one */
};

/* a struct or union that embeds the compared one by value, however deep, or is it itself */
struct enclosing {
	const struct record *before, *after;
};

struct comparison {
	const struct record *before, *after;
	unsigned int line_size;			/* bytes; that of after */
	struct moved *members;			/* each member of either, in order of after, then the lost ones */
	size_t nr_members, members_room;
	struct pair *pairs;
	size_t nr_pairs, pairs_room;
	struct company *company;
	size_t nr_company, company_room;
	struct moved **overlaid;		/* by twos: members that now have bytes in common, as in a union, and had none */
	size_t nr_overlaid, overlaid_room;
	struct enclosing *enclosing;		/* without the struct itself; the ones that changed first */
	size_t nr_enclosing, enclosing_room;
};

/* both dumps hold the struct; members of anonymous structs and unions match by name, wherever they lie (case D08) */
void compare_records(struct comparison *c, const struct dump *before, const struct dump *after,
		     const struct record *old, const struct record *new);

/* looks for more structs that embed c's in the dumps of another unit; the comparison's order is kept */
void compare_enclosing(struct comparison *c, const struct dump *before, const struct dump *after);

/* of a flattened record, from the names of members to their places; of several of a name the first comes first */
struct strmap flat_names(const struct flat *list, size_t nr);

/* the first one of that name, or NULL */
const struct flat *flat_named(const struct flat *list, const struct strmap *names, const char *name);

/* did offset or size of the member change? */
bool is_moved(const struct moved *m);

/* did size, alignment or any member's place change? Records that embed r included in r's layout. */
bool same_layout(const struct record *a, const struct record *b);

/*
 * Which records of a dump hold the struct of that name by value, directly or through what they embed: by their places in
 * d->records.
 */
bool *dump_embedders(const struct dump *d, const char *inner);

#endif
