/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "lost_attribute.h"

#define PREFIX	"____cacheline_"	/* ..aligned, ..aligned_in_smp, ..internodealigned_in_smp */

void lost_attribute(struct rules *rules, const char *variable, struct place place)
{
	if (strncmp(variable, PREFIX, strlen(PREFIX)) || !rules_wants(rules, "align-lost"))
		return;
	*ARENA_PUSH(rules->findings, rules->nr, rules->room) = (struct finding) {
		.id = "align-lost", .place = place,
		.text = arena_printf("'%s' is a variable here, no attribute: include linux/cache.h", variable),
	};
}
