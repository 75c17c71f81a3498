/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A group that is larger than its assert allows: as it is, or on a machine that its author did not build for: other
 * lines (cases B07, B14), 32-bit ABIs that align a u64 to 8 or to 4 (B01, B03), 64-bit ones. One finding an assert.
 */
#include <string.h>

#include "access.h"
#include "arena.h"
#include "machine.h"
#include "rules.h"

static const struct target {
	const char *name;		/* behind "has N bytes " */
	const char *abi;		/* NULL: the unit's */
	unsigned int line_size;		/* 0: what is usual for the ABI */
} targets[] = {
	{ "with 128-byte lines", NULL, 128 },
	{ "with 256-byte lines", NULL, 256 },
	{ "on arm", "arm", 0 },
	{ "on i386", "i386", 0 },
	{ "on ppc32", "ppc32", 0 },
	{ "on x86-64", "x86-64", 0 },
};

#define NR_TARGETS	(sizeof(targets) / sizeof(targets[0]))

/* of the judged struct on one machine; made once for all its asserts */
struct layout {
	bool asked;
	const struct record *record;	/* NULL: nobody knows */
	struct flat *flat;
	const struct group_extent *groups;
	size_t nr, nr_groups;
};

struct on_machine {
	const struct rules *rules;
	struct machine from, to;
	struct layout *layouts, *there;	/* the first is the unit's own; that on machine to */
};

/* NULL: nobody knows */
static const struct record *move(const struct on_machine *on, const struct record *r)
{
	if (on->to.abi == on->from.abi && on->to.line_size == on->from.line_size)
		return r;
	return record_on(r, &on->from, &on->to);
}

static unsigned long long size_of(const char *type, void *data)
{
	const struct on_machine *on = data;
	const struct record *r = on->rules->find_record ? on->rules->find_record(type, on->rules->find_data) : NULL;

	r = r ? move(on, r) : NULL;
	return r ? r->size : NOT_KNOWN;
}

static unsigned long long bound_on(const struct group_assert *a, struct on_machine *on)
{
	struct bound_on there = {
		.abi = on->to.abi, .line_size = on->to.line_size, .line_here = on->from.line_size, .size_of = size_of, .data = on,
	};

	return group_assert_bytes(a, &there);
}

/* bytes at the end of an embedded struct that no member of it uses */
static unsigned long long tail_of(const struct member *m)
{
	unsigned long long used = 0;

	if (!m->record || m->array)
		return 0;
	for (size_t i = 0; i < m->record->nr_members; i++) {
		const struct member *inner = &m->record->members[i];

		if (used < inner->bit_offset + inner->bit_size)
			used = inner->bit_offset + inner->bit_size;
	}
	return m->record->size - (used + 7) / 8;
}

/* ", 4 of them a hole before 'x'": where most of the group's bytes that no member uses are; "" when there are none */
static const char *waste_in(const struct flat *flat, size_t nr, const struct group_extent *g)
{
	unsigned long long most = 0, end = g->span.offset, last = g->span.offset + g->span.size;
	const char *text = "";

	for (size_t i = 0; i < nr; i++) {
		const struct member *m = flat[i].member;
		struct span s = flat_span(&flat[i]);
		bool is_end = group_ended_by(m) && !strcmp(group_ended_by(m), g->name);

		if (flat[i].depth || s.offset < g->span.offset || s.offset + s.size > last || (!s.size && !is_end))
			continue;
		if (s.offset > end + most) {
			most = s.offset - end;
			text = arena_printf(", %llu of them a hole before %s%s%s", most, is_end ? "its end marker" : "'",
					    is_end ? "" : m->name ? m->name : "an anonymous member", is_end ? "" : "'");
		}
		if (tail_of(m) > most) {
			most = tail_of(m);
			text = arena_printf(", %llu of them the padding at the end of '%s'", most,
					    m->name ? m->name : "an anonymous member");
		}
		if (end < s.offset + s.size)
			end = s.offset + s.size;
	}
	return text;
}

static const struct layout *layout_there(const struct judged *j, const struct on_machine *on)
{
	struct layout *l = on->there;

	if (l->asked)
		return l;
	l->asked = true;
	l->record = move(on, j->record);
	if (!l->record)
		return l;
	l->flat = record_flatten(l->record, &l->nr);
	l->groups = group_extents(l->flat, l->nr, on->to.line_size, &l->nr_groups);
	return l;
}

static const struct group_extent *find_group(const struct layout *l, const char *name)
{
	for (size_t i = 0; name && i < l->nr_groups; i++)
		if (!strcmp(l->groups[i].name, name))
			return &l->groups[i];
	return NULL;
}

/* "96 bytes, 4 of them a hole before 'x'" and the bound, when it does not hold there; NULL: it does, or who knows */
static const char *broken_on(struct judged *j, const struct group_assert *a, struct on_machine *on, const char *where,
			     unsigned long long *bound)
{
	const struct layout *there = layout_there(j, on);
	const struct group_extent *g = find_group(there, a->group);

	*bound = bound_on(a, on);
	if (*bound == NOT_KNOWN)
		return NULL;
	if (!g || (where || !a->exact ? g->span.size <= *bound : g->span.size == *bound))
		return NULL;
	return arena_printf("%llu bytes%s%s%s", g->span.size, where ? " " : "", where ? where : "", waste_in(there->flat, there->nr, g));
}

static void report(struct judged *j, const struct group_assert *a, const struct on_machine *on, const char *broken, unsigned long long bound,
		   const char *more)
{
	const struct group_extent *g = find_group(&on->layouts[0], a->group);
	struct member at = { .place = a->place };

	rule_report(j, g ? g->begin : NULL, &at, "the assert is here", "%s%s%s has %s, but its assert %s %llu%s",
		    g ? "group '" : "the struct", g ? g->name : "", g ? "'" : "", broken, a->exact ? "says" : "allows", bound, more);
}

static void report_here(struct judged *j, const struct group_assert *a, const struct on_machine *on, const char *broken, unsigned long long bound)
{
	report(j, a, on, broken, bound, "");
	rule_stops(j);
}

/* 64-bit ABIs lay out alike, so one with lines that are not longer has nothing to add */
static bool is_covered(const struct machine *from, const struct machine *to)
{
	bool alike = to->abi == from->abi || (to->abi->size[SCALAR_LONG] == 8 && from->abi->size[SCALAR_LONG] == 8);

	return alike && to->line_size <= from->line_size;
}

static void judge_elsewhere(struct judged *j, const struct group_assert *a, struct on_machine *on)
{
	const char *first = NULL, *more = "";
	unsigned long long bound = 0, other_bound;

	for (size_t i = 0; i < NR_TARGETS; i++) {
		const struct abi *abi = targets[i].abi ? abi_find(targets[i].abi) : on->from.abi;
		const char *broken;

		on->to = (struct machine) { abi, targets[i].line_size ? targets[i].line_size : abi->line_size };
		on->there = &on->layouts[i + 1];
		if (is_covered(&on->from, &on->to))
			continue;
		broken = broken_on(j, a, on, targets[i].name, first ? &other_bound : &bound);
		if (broken && first)
			more = arena_printf("%s, %s too", more, targets[i].name);
		else if (broken)
			first = broken;
	}
	if (first)
		report(j, a, on, first, bound, more);
}

static void judge_group(struct judged *j, const struct group_assert *a, struct on_machine *on)
{
	unsigned long long bound;
	const char *broken = broken_on(j, a, on, NULL, &bound);

	if (broken)
		report_here(j, a, on, broken, bound);
	else
		judge_elsewhere(j, a, on);
}

/* of a struct with groups; what its size is elsewhere, its groups say */
static void judge_struct(struct judged *j, const struct group_assert *a, struct on_machine *on)
{
	unsigned long long bound = bound_on(a, on);

	if (layout_there(j, on)->nr_groups && bound != NOT_KNOWN && (a->exact ? j->record->size != bound : j->record->size > bound))
		report_here(j, a, on, arena_printf("%llu bytes", j->record->size), bound);
}

void rule_group_size(struct judged *j)
{
	struct machine own = { j->rules->abi, j->rules->line_size };
	struct layout layouts[NR_TARGETS + 1] = { 0 };

	for (size_t i = 0; own.abi && i < j->rules->nr_asserts; i++) {
		const struct group_assert *a = &j->rules->asserts[i];
		struct on_machine on = { j->rules, own, own, layouts, layouts };

		if (a->kind == ASSERT_GROUP_MEMBER || !rule_asserted(j, a))
			continue;
		if (a->kind == ASSERT_GROUP_SIZE)
			judge_group(j, a, &on);
		else
			judge_struct(j, a, &on);
	}
}
