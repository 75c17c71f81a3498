/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions run on a path through the kernel, and how often: a path begins at functions that somebody names
 * (tcp_sendmsg(), napi_gro_receive()), each entered once, and goes where they call, through pointers in members of structs too. How
 * often a call is made is guessed (checkers/common/often.h); a function is reached with the chance that one of its callers is and calls
 * it, 1 at most. A pointer's functions share its calls evenly.
 */
#ifndef LINEKEEPER_PATHS_H
#define LINEKEEPER_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct paths;

/* how often something is done, as the chance that it is done at all: 1 at most */
static inline double chance(double often)
{
	return often < 1 ? often : 1;
}

/* none yet; from the arena, as all that is added; names of functions must stay */
struct paths *paths_create(void);

/*
 * A function: its number, the same for each of its definitions. file: of one that only its file knows, else "". leads: paths go on from
 * it; those that set up or administer are left out unless a path begins there.
 * *known: it has been defined before (a header's in other units, by other macros), its calls need not be added again.
 */
size_t paths_function(struct paths *p, const char *name, const char *file, bool leads, bool *known);

/* function number from calls to, of that file, or whatever the member to ("struct proto.sendmsg", file "") points to, so often */
void paths_call(struct paths *p, size_t from, const char *to, const char *file, double often);

/* a function whose address the member is given */
void paths_handler(struct paths *p, const char *member, const char *function, const char *file);

/* a path begins at the functions of that name; false: there are none */
bool paths_enter(struct paths *p, const char *name);

/* after all of these: finds what is reached */
void paths_follow(struct paths *p);

/* the chance that a path comes by the function, 0 to 1 */
double paths_reached(const struct paths *p, size_t function);

#endif
