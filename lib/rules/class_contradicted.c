/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A member whose annotation says another class than its group; and one that is declared read-mostly, and code that
 * writes it while the object is in use: evidence.h tells which code that is. One finding a member and file that writes it,
 * with its functions: what a header's do is the same in each unit.
 */
#include <string.h>

#include "access.h"
#include "annotation.h"
#include "arena.h"
#include "evidence.h"
#include "rules.h"

#define NAMED 3				/* functions that the text names */

/* functions of one file */
struct writers {
	const char *file;
	const struct use *first;
	size_t last_code;
	unsigned int nr;
	const char *names;
};

struct writers_list {
	struct writers *by_file;
	size_t nr, room;
};

static const struct code *code_of(const struct judged *j, const struct use *u)
{
	return &j->rules->evidence->codes[u->code];
}

/*
 * Of an annotation each write is told. Upstream's groups and tables take a plain store lightly, which may be a setting or an
 * event: what is changed in place, by ++ or atomic_add(), is there to be counted.
 */
static bool contradicts(const struct judged *j, const struct use *u, bool annotated)
{
	return u->record == j->record && use_writes(u) && (annotated || u->does & DOES_READ) && code_of(j, u)->phase == PHASE_RUN;
}

/* the member, or a part of it */
static bool is_path_of(const char *path, const char *member)
{
	size_t len = strlen(member);

	return !strncmp(path, member, len) && (!path[len] || path[len] == '.');
}

static struct writers *writers_in(struct writers_list *list, const char *file)
{
	struct writers *w;

	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->by_file[i].file, file))
			return &list->by_file[i];
	w = ARENA_PUSH(list->by_file, list->nr, list->room);
	*w = (struct writers) { .file = file };
	return w;
}

static void add_writer(struct writers *w, const struct judged *j, const struct use *u)
{
	if (w->first && w->last_code == u->code)
		return;
	if (!w->first)
		w->first = u;
	w->last_code = u->code;
	if (w->nr++ < NAMED)
		w->names = arena_printf("%s%s%s()", w->names ? w->names : "", w->names ? ", " : "", code_of(j, u)->name);
}

static void report(struct judged *j, const struct member *m, const char *from, const struct writers *w)
{
	struct finding *f;

	rule_report(j, m, NULL, NULL, "'%s' is read-mostly (%s), but %s%s it: move it to the written ones", m->name, from, w->names,
		    w->nr > NAMED ? arena_printf(" and %u more functions write", w->nr - NAMED) : w->nr > 1 ? " write" : " writes");
	f = &j->rules->findings[j->rules->nr - 1];
	f->note_place = w->first->place;
	f->note = arena_printf("'%s' is written here%s%s", m->name, w->first->via ? ", by " : "", w->first->via ? w->first->via : "");
}

static void judge_member(struct judged *j, const struct member *m, const char *from)
{
	const struct evidence *e = j->rules->evidence;
	bool annotated = annotation_find(m->annotations, ANNOTATION_READ_MOSTLY);
	struct writers_list list = { 0 };

	for (size_t i = 0; i < e->nr_uses; i++) {
		const struct use *u = &e->uses[i];

		if (contradicts(j, u, annotated) && is_path_of(u->path, m->name))
			add_writer(writers_in(&list, code_of(j, u)->place.file), j, u);
	}
	for (size_t i = 0; i < list.nr; i++)
		report(j, m, from, &list.by_file[i]);
}

/* an embedded struct that says itself which of its members are read is judged on its own */
static bool has_groups(const struct member *m)
{
	size_t nr;
	const struct flat *flat = m->record ? record_flatten(m->record, &nr) : NULL;

	for (size_t i = 0; flat && i < nr; i++)
		if (flat[i].member->annotations || group_begun_by(flat[i].member) || has_groups(flat[i].member))
			return true;
	return false;
}

static void judge_annotation(struct judged *j, const struct member *m, const struct access *a)
{
	const char *group = a->nr_groups ? a->groups[a->nr_groups - 1] : "";
	enum access_class said = access_class_of_group(group);

	if (a->class == said || said == CLASS_NONE || !a->class_from || strcmp(a->class_from, "annotation"))
		return;
	rule_report(j, m, NULL, NULL, "'%s' is %s (annotation), but stands in the %s group '%s': move it, or take one of the two back",
		    m->name, access_class_name(a->class), access_class_name(said), group);
}

void rule_class_contradicted(struct judged *j)
{
	const struct access *access = access_of_members(j->flat, j->nr);

	for (size_t i = 0; i < j->nr; i++)
		if (j->flat[i].member->name)
			judge_annotation(j, j->flat[i].member, &access[i]);
	for (size_t i = 0; j->rules->evidence && j->record->name && i < j->nr; i++) {
		const struct member *m = j->flat[i].member;

		if (m->name && m->bit_size && access[i].class == CLASS_READ_MOSTLY && access[i].declared && !has_groups(m))
			judge_member(j, m, access[i].class_from);
	}
}
