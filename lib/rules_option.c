/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "rules_option.h"

unsigned int line_size_parse(const char *text)
{
	char *end;
	unsigned long size = strtoul(text, &end, 10);

	return *end || size < 16 || size > 256 || (size & (size - 1)) ? 0 : size;
}

static bool set_only(struct rules *rules, const char *value)
{
	for (const char *s = value; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		if (!rules_know(s, strcspn(s, ",")))
			return false;
	rules->only = value;
	return true;
}

bool rules_option(struct rules *rules, const char *key, const char *value)
{
	if (value && !strcmp(key, "line-size"))
		return (rules->line_size = line_size_parse(value));
	if (value && !strcmp(key, "only"))
		return set_only(rules, value);
	if (value && !strcmp(key, "placements")) {
		rules->aligned = !strcmp(value, "aligned");
		return rules->aligned || !strcmp(value, "any");
	}
	if (value || strncmp(key, "no-", 3) || !rules_know(key + 3, strlen(key + 3)))
		return false;
	rules->without = rules->without ? arena_printf("%s,%s", rules->without, key + 3) : key + 3;
	return true;
}
