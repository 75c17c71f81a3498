/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "access.h"
#include "annotation.h"
#include "arena.h"

#define BEGIN_PREFIX	"__cacheline_group_begin__"
#define END_PREFIX	"__cacheline_group_end__"

static const char *behind(const char *prefix, const struct member *m)
{
	size_t len = strlen(prefix);

	if (!m->name || m->bit_size || strncmp(m->name, prefix, len))
		return NULL;
	return m->name + len;
}

const char *group_begun_by(const struct member *m)
{
	return behind(BEGIN_PREFIX, m);
}

const char *group_ended_by(const struct member *m)
{
	return behind(END_PREFIX, m);
}

struct group_extent *group_extents(const struct flat *flat, size_t nr, unsigned int line_size, size_t *nr_groups)
{
	struct group_extent *list = NULL;
	size_t room = 0;

	*nr_groups = 0;
	for (size_t i = 0; i < nr; i++) {
		const char *name = group_begun_by(flat[i].member);
		size_t end = i + 1;

		while (name && end < nr && !(group_ended_by(flat[end].member) && !strcmp(group_ended_by(flat[end].member), name)))
			end++;
		if (!name || end == nr)
			continue;
		*ARENA_PUSH(list, *nr_groups, room) = (struct group_extent) {
			.name = name, .begin = flat[i].member, .class = access_class_of_group(name),
			.span = { flat[i].bit_offset / 8, (flat[end].bit_offset - flat[i].bit_offset) / 8 },
			.aligned = flat[i].member->align >= line_size,
		};
	}
	return list;
}

bool is_cacheline_padding(const struct member *m)
{
	return m->record && m->record->name && !m->bit_size && !strcmp(m->record->name, "cacheline_padding");
}

/* a lock is there to be written too, but many of them only at set-up */
bool is_counter(const struct member *m)
{
	static const char *const types[] = { "atomic64_t", "atomic_long_t", "atomic_t", "refcount_struct" };

	for (size_t i = 0; m->record && m->record->name && i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(m->record->name, types[i]))
			return true;
	return false;
}

static const char *const class_names[] = {
	[CLASS_READ_MOSTLY] = "read-mostly", [CLASS_WRITTEN] = "written", [CLASS_COLD] = "cold",
};

const char *access_class_name(enum access_class c)
{
	return class_names[c];
}

enum access_class access_class_named(const char *name)
{
	for (enum access_class c = CLASS_READ_MOSTLY; c <= CLASS_COLD; c++)
		if (!strcmp(class_names[c], name))
			return c;
	return CLASS_NONE;
}

/* is word in name, with an underscore or an end on both sides? */
static bool has_word(const char *name, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = name; (s = strstr(s, word)); s++)
		if ((s == name || s[-1] == '_') && (!s[len] || s[len] == '_'))
			return true;
	return false;
}

enum access_class access_class_of_group(const char *group)
{
	if (has_word(group, "write"))		/* read_write too */
		return CLASS_WRITTEN;
	if (has_word(group, "read"))
		return CLASS_READ_MOSTLY;
	if (has_word(group, "cold"))
		return CLASS_COLD;
	return CLASS_NONE;
}

struct open_groups {
	const char **names;
	size_t nr, room;
};

/* a marker opens or closes its group; an end without a begin is ignored */
static void follow_markers(struct open_groups *open, const struct member *m)
{
	const char *name = group_begun_by(m);

	if (name)
		*ARENA_PUSH(open->names, open->nr, open->room) = name;
	name = group_ended_by(m);
	for (size_t i = open->nr; name && i > 0; i--) {
		if (strcmp(open->names[i - 1], name))
			continue;
		memmove(&open->names[i - 1], &open->names[i], (open->nr - i) * sizeof(*open->names));
		open->nr--;
		break;
	}
}

/* those around the member, and those that it is annotated to be in */
static void set_groups(struct access *a, const struct open_groups *open, const struct annotation *annotations)
{
	size_t room = 0;

	for (size_t i = 0; i < open->nr; i++)
		*ARENA_PUSH(a->groups, a->nr_groups, room) = open->names[i];
	for (; annotations; annotations = annotations->next)
		if (annotations->kind == ANNOTATION_IN)
			*ARENA_PUSH(a->groups, a->nr_groups, room) = annotations->arg;
	if (a->nr_groups)
		a->class = access_class_of_group(a->groups[a->nr_groups - 1]);
}

static void set_class(struct access *a, const struct member *m)
{
	enum access_class annotated = annotation_find(m->annotations, ANNOTATION_WRITTEN) ? CLASS_WRITTEN :
				      annotation_find(m->annotations, ANNOTATION_READ_MOSTLY) ? CLASS_READ_MOSTLY : CLASS_NONE;

	a->declared = annotated != CLASS_NONE || a->class != CLASS_NONE;
	if (annotated != CLASS_NONE) {
		a->class = annotated;
		a->class_from = "annotation";
	} else if (a->class != CLASS_NONE) {
		a->class_from = "group";
	} else if (m->inferred) {
		a->class = m->inferred->class;
		a->class_from = m->inferred->from;
		a->declared = !m->inferred->readers && !m->inferred->writers;
	}
}

struct access *access_of_members(const struct flat *flat, size_t nr)
{
	struct access *list = arena_alloc((nr + 1) * sizeof(*list));
	struct open_groups open = { 0 };

	for (size_t i = 0; i < nr; i++) {
		const struct member *m = flat[i].member;

		follow_markers(&open, m);
		if (group_begun_by(m))
			continue;
		set_groups(&list[i], &open, m->annotations);
		set_class(&list[i], m);
	}
	return list;
}
