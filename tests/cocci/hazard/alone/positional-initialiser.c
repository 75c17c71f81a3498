// SPDX-License-Identifier: GPL-2.0-only
/* One bad list, and none of the others is: what is refused later must not take it along. */
#include "stub.h"

struct pair {
	int a, b;
};

static const struct pair one = { 1, 2 }; /* expect: warning: members of struct pair are given by position: name them [-Wcacheline-positional-initialiser] */
static const struct pair table[] = { { .a = 1 }, { .b = 2 } };
static const struct pair indexed[] = { [1] = { .a = 1 } };

void use(const void *p);

void harmless(void)
{
	use(&(struct pair){ .a = 1 });
	use(&one);
}
