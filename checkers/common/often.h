/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often what stands in a function runs, for one call of it: guessed from the source, as compilers do where they have no
 * profile. A branch is taken as often as others of its form are, by the rates that GCC measured on SPEC (predict.def); what speaks for
 * and against one branch is combined as by Wu and Larus, "Static branch frequency and program profile analysis" (MICRO 1994).
 * sparse's headers are to be included first.
 */
#ifndef LINEKEEPER_OFTEN_H
#define LINEKEEPER_OFTEN_H

#include <stddef.h>

/* of one function, while its statements are walked in order; starts as { .often = 1 } */
struct flow {
	double often;			/* what is walked now, for one call of the function */
	double a_case;			/* each case of the switch that is walked */
	struct jump *jumps;
	size_t nr, room;
};

/* runs of the body for one of the loop */
double loop_runs(const struct statement *loop);

/* the part of all cases in which the condition holds, 0 to 1 */
double often_true(struct expression *condition);

/* the part in which an if takes its first branch: what its branches end with speaks too */
double often_taken(const struct statement *s);

/* all of the flow goes to the label, for break and continue too; it must be the label of a later statement to be seen there */
void flow_jump(struct flow *f, struct symbol *label);

/* to what gets here by itself, adds what has jumped to the label; NULL: none */
void flow_land(struct flow *f, const struct symbol *label);

#endif
