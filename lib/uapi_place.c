/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "arena.h"
#include "compare.h"
#include "uapi_place.h"

/* how words begin by which members are named that nobody may use yet; "result" is none of them, "res" is */
static const char *const reserved[] = { "reserve", "resv", "rsv", "pad", "unused", "spare", "fill", "dummy", "mbz", "zero", "future" };

/* "__reserved1", "ndm_pad2" */
static bool is_reserved(const char *name)
{
	for (const char *word = name; *word; word++) {
		if (word > name && isalpha((unsigned char)word[-1]))
			continue;
		if (!strncasecmp(word, "res", 3) && !isalpha((unsigned char)word[3]))
			return true;
		for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
			if (!strncasecmp(word, reserved[i], strlen(reserved[i])))
				return true;
	}
	return false;
}

static unsigned long long end_of(const struct flat *f)
{
	return f->bit_offset + f->member->bit_size;
}

static bool is_member(const struct flat *f)
{
	return f->member->name && (f->member->bit_size || f->member->array);
}

static bool has_place(const struct flat *list, size_t nr, const struct flat *f)
{
	for (size_t i = 0; i < nr; i++)
		if (is_member(&list[i]) && list[i].bit_offset == f->bit_offset && list[i].member->bit_size == f->member->bit_size)
			return true;
	return false;
}

static const char *lost(const struct flat *old, const struct flat *now, bool has_other_name)
{
	const char *name = old->member->name;

	if (!now)
		return has_other_name || is_reserved(name) ? NULL : arena_printf("'%s' is gone", name);
	if (is_reserved(name) && now->bit_offset >= old->bit_offset && end_of(now) <= end_of(old))
		return NULL;
	if (now->bit_offset / 8 != old->bit_offset / 8)
		return arena_printf("'%s' lies at %llu, not at %llu", name, now->bit_offset / 8, old->bit_offset / 8);
	if (flat_span(now).size != flat_span(old).size)
		return arena_printf("'%s' has %llu bytes instead of %llu", name, flat_span(now).size, flat_span(old).size);
	if (now->bit_offset != old->bit_offset || now->member->bit_size != old->member->bit_size)
		return arena_printf("'%s' has other bits", name);
	return NULL;
}

/* does a new member lie behind all that was there? */
static bool is_longer(const struct flat *now, size_t nr, const struct strmap *names, unsigned long long end)
{
	for (size_t i = 0; i < nr; i++)
		if (is_member(&now[i]) && now[i].bit_offset >= end && !strmap_get(names, now[i].member->name, strlen(now[i].member->name)))
			return true;
	return false;
}

const char *uapi_place_lost(const struct record *before, const struct record *after)
{
	size_t nr, nr_old;
	const struct flat *now = record_flatten(after, &nr), *old = record_flatten(before, &nr_old);
	struct strmap names = flat_names(now, nr), old_names = flat_names(old, nr_old);
	unsigned long long end = 0;

	for (size_t i = 0; i < nr_old; i++) {
		const struct flat *same;
		const char *text;

		if (!is_member(&old[i]))
			continue;
		same = flat_named(now, &names, old[i].member->name);
		text = lost(&old[i], same, !same && has_place(now, nr, &old[i]));
		if (text)
			return text;
		if (end_of(&old[i]) > end)
			end = end_of(&old[i]);
	}
	if (before->size == after->size || (after->size > before->size && is_longer(now, nr, &old_names, end)))
		return NULL;
	return arena_printf("it has %llu bytes instead of %llu", after->size, before->size);
}
