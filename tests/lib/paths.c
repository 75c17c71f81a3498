// SPDX-License-Identifier: GPL-2.0-only
/* What a path reaches, and with what chance. */
#include "paths.h"
#include "tap.h"

static size_t add(struct paths *p, const char *name, const char *file, bool leads)
{
	bool known;

	return paths_function(p, name, file, leads, &known);
}

static bool reaches(const struct paths *p, size_t function, double wanted)
{
	double off = paths_reached(p, function) - wanted;

	return off < 1e-4 && off > -1e-4;
}

/* send() -> half() -> twice(), and a call of one of two functions by a member */
static void follows_calls(void)
{
	struct paths *p = paths_create();
	size_t send = add(p, "send", "", true), half = add(p, "half", "a.c", true), twice = add(p, "twice", "", true);
	size_t other_half = add(p, "half", "b.c", true), one = add(p, "one", "a.c", true), two = add(p, "two", "", true);
	bool known;

	paths_call(p, send, "half", "a.c", 0.5);
	paths_call(p, half, "twice", "", 0.5);
	paths_call(p, send, "twice", "", 0.25);
	paths_call(p, twice, "struct ops.run", "", 3);
	paths_call(p, send, "nowhere", "", 1);
	paths_handler(p, "struct ops.run", "one", "a.c");
	paths_handler(p, "struct ops.run", "two", "");
	paths_handler(p, "struct ops.run", "two", "");
	paths_handler(p, "struct ops.run", "nowhere", "");
	ok(paths_function(p, "twice", "", true, &known) == twice && known, "a function is the same when it is defined again");
	ok(!paths_enter(p, "nowhere") && !paths_enter(p, "struct ops.run"), "no path begins at what is not defined");
	ok(paths_enter(p, "send"), "one begins at a function");
	paths_follow(p);
	ok(reaches(p, send, 1) && reaches(p, half, 0.5), "a call is made as often as guessed");
	ok(reaches(p, twice, 0.5), "the chances of callers add up");
	ok(reaches(p, one, 0.25) && reaches(p, two, 0.25), "the functions of a member share its calls, once at most, those that are defined");
	ok(reaches(p, other_half, 0), "a function of that name in another file is another one");
}

static void ends(void)
{
	struct paths *p = paths_create();
	size_t even = add(p, "even", "", true), odd = add(p, "odd", "", true), make = add(p, "make", "", false);
	size_t behind = add(p, "behind", "", true);

	paths_call(p, even, "odd", "", 0.5);
	paths_call(p, odd, "even", "", 0.5);
	paths_call(p, odd, "odd", "", 1);
	paths_call(p, even, "make", "", 1);
	paths_call(p, make, "behind", "", 1);
	paths_enter(p, "even");
	paths_follow(p);
	ok(reaches(p, even, 1) && reaches(p, odd, 1), "recursion: once at most");
	ok(reaches(p, make, 0) && reaches(p, behind, 0), "what sets up is left out");
	p = paths_create();
	make = add(p, "make", "", false);
	behind = add(p, "behind", "", true);
	paths_call(p, make, "behind", "", 1);
	paths_enter(p, "make");
	paths_follow(p);
	ok(reaches(p, make, 1) && reaches(p, behind, 1), "unless a path begins there");
}

int main(void)
{
	follows_calls();
	ends();
	return done();
}
