/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules: one file a rule in lib/rules/, one row a rule in rules.c. A rule looks at one record that has a layout
 * and adds findings; it knows no compiler and prints nothing. GCC plugin and sparse checker hand in what they saw and
 * print what comes out, so a fault has one id and one sentence whoever finds it.
 */
#ifndef LINEKEEPER_RULES_H
#define LINEKEEPER_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "group_assert.h"
#include "record.h"
#include "span.h"

struct doc_table;
struct evidence;
struct struct_text;

struct finding {
	const char *id;			/* "shared-apart" */
	struct place place;
	const char *text;		/* one sentence, lower case, no full stop, without the [-W...] */
	struct place note_place;
	const char *note;		/* about the second place; NULL: none */
	bool error;			/* the annotation itself is wrong, or the build stops */
	unsigned long long rank;	/* of a candidate, which is no fault: the higher the better; else 0 */
};

struct rules {
	unsigned int line_size;		/* bytes */
	bool aligned;			/* every object starts a line, whatever its type says: placements=aligned */
	const char *only;		/* ids, separated by commas; NULL: all */
	const char *without;		/* ids that are left out, or NULL */

	/* what the front end knows of the unit besides the records; each may be left out */
	const struct abi *abi;		/* that the layouts are of; NULL: no size that an assert bounds is judged */
	const struct group_assert *asserts;
	size_t nr_asserts;
	bool stopped;			/* an assert that does not hold for the unit's own machine is an error, as it is for the build */
	const struct doc_table *tables;
	size_t nr_tables;
	const struct evidence *evidence;	/* what the unit's functions do with members; NULL: nobody looked */
	const struct record *(*find_record)(const char *name, void *data);	/* "struct x", "x_t"; NULL: not there */
	const struct struct_text *(*text_of)(const char *file, void *data);	/* NULL: it cannot be read */
	void *find_data;		/* for both */

	struct finding *findings;	/* grows with each record */
	size_t nr, room;
};

/* judges one record; those that it embeds are judged on their own */
void rules_judge(struct rules *rules, const struct record *r);

/* does the choice of rules include that id? */
bool rules_wants(const struct rules *rules, const char *id);

/* was that id named, with only=? */
bool rules_ask_for(const struct rules *rules, const char *id);

/* is there a rule of that id? *len characters of s are looked at */
bool rules_know(const char *s, size_t len);

/* all ids, separated by commas, from the arena */
const char *rules_ids(void);

/* what every rule sees of a record */
struct judged {
	struct rules *rules;
	const struct record *record;
	const struct flat *flat;	/* its members, anonymous ones opened */
	size_t nr;
	struct flat_reach reach;
	struct placements placements;
};

/* for the rules: adds a finding at the member, with a note at other where that is not NULL */
void rule_report(struct judged *j, const struct member *m, const struct member *other, const char *note,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* for the rules: the last finding is of an assert that does not hold on the unit's own machine */
void rule_stops(struct judged *j);

/* for the rules: the path that the annotation of m names, or an error there and false */
bool rule_find(struct judged *j, const struct member *m, const char *path, struct flat *out);

/* for the rules: do the two share a line? false: never; *out tells at which placements */
bool rule_shares(const struct judged *j, const struct flat *a, const struct flat *b, struct verdict *out);

/* for the rules: "at 3 of 8 placements (0, 48, 56)", or "always" */
const char *rule_placements(const struct verdict *v);

/*
 * For the rules on upstream's groups, whose markers and asserts count from the struct's start: what happens only where
 * an object starts elsewhere in a line is not theirs to promise, and is not told.
 */
bool rule_holds_at_start(const struct verdict *v);

/* for the rules: two members of which one holds the other, or that are none with bytes, cannot be parted */
bool rule_separable(const struct flat *a, const struct flat *b);

/* for the rules: is it about the judged struct? */
bool rule_asserted(const struct judged *j, const struct group_assert *a);

typedef void rule_fn(struct judged *j);
rule_fn rule_align_lost, rule_class_contradicted, rule_class_mix, rule_doc_table, rule_group_mix, rule_group_size,
	rule_group_straddle, rule_kfree_rcu_offset, rule_shared_apart, rule_shared_isolated, rule_split_with, rule_struct_budget,
	rule_ungrouped_field, rule_unlisted_member;

#endif
