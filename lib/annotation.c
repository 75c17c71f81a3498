/* SPDX-License-Identifier: GPL-2.0-only */
#include <limits.h>
#include <string.h>

#include "access.h"
#include "annotation.h"
#include "arena.h"

static const struct {
	const char *word;
	enum annotation_kind kind;
	bool takes_arg;
} words[] = {
	{ "apart", ANNOTATION_APART, true },
	{ "budget", ANNOTATION_BUDGET, false },
	{ "in", ANNOTATION_IN, true },
	{ "isolated", ANNOTATION_ISOLATED, false },
	{ "read-mostly", ANNOTATION_READ_MOSTLY, false },
	{ "with", ANNOTATION_WITH, true },
	{ "written", ANNOTATION_WRITTEN, false },
};

const struct annotation *annotation_add(const struct annotation *list, const char *word, const char *arg,
					unsigned long long bytes, const char **why)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct annotation *a;

		if (strcmp(words[i].word, word))
			continue;
		if (words[i].takes_arg != (arg && *arg)) {
			*why = arena_printf("cacheline annotation '%s' %s", word,
					    words[i].takes_arg ? "needs a name" : "takes no name");
			return NULL;
		}
		if (words[i].kind == ANNOTATION_BUDGET && (!bytes || bytes > LLONG_MAX)) {
			*why = arena_printf("cacheline annotation '%s' needs a number of bytes", word);
			return NULL;
		}
		a = arena_alloc(sizeof(*a));
		*a = (struct annotation) {
			.kind = words[i].kind, .arg = arg ? arena_strdup(arg) : NULL, .bytes = bytes, .next = list,
		};
		return a;
	}
	*why = arena_printf("there is no cacheline annotation '%s'", word);
	return NULL;
}

const struct annotation *annotation_find(const struct annotation *list, enum annotation_kind kind)
{
	for (; list; list = list->next)
		if (list->kind == kind)
			return list;
	return NULL;
}

bool record_is_annotated(const struct record *r)
{
	size_t nr;
	const struct flat *flat = record_flatten(r, &nr);

	for (size_t i = 0; i < nr; i++)
		if (flat[i].member->annotations || group_begun_by(flat[i].member))
			return true;
	return r->annotations;
}
