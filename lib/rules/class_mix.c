/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A written member on a line with one that is declared read-mostly. One finding a written member.
 *
 * Asked for by name, also of structs that declare nothing: by what is inferred from code. How often a function runs is not
 * known, so that is a candidate for those who look for work, with a rank.
 */
#include "access.h"
#include "annotation.h"
#include "arena.h"
#include "rules.h"
#include "show.h"

static void judge_written(struct judged *j, const struct flat *f)
{
	size_t first, end;

	flat_near(&j->reach, flat_span(f), j->rules->line_size, &first, &end);
	for (size_t i = first; i < end; i++) {
		const struct flat *other = &j->flat[i];
		struct verdict v;

		if (!annotation_find(other->member->annotations, ANNOTATION_READ_MOSTLY) || !rule_separable(f, other) ||
		    !rule_shares(j, f, other, &v))
			continue;
		rule_report(j, f->member, other->member, arena_printf("'%s' is here", other->member->name),
			    "'%s' is written, but shares a %u-byte line with the read-mostly '%s', %s: move it to the written ones",
			    f->member->name, j->rules->line_size, other->member->name, rule_placements(&v));
		return;
	}
}

/* rank: of the functions that write, each with each that reads a member on the line, as often as objects are placed so */
static void judge_candidate(struct judged *j, const struct flat *f, const struct access *access)
{
	unsigned long long sum = 0, most = 0;
	const struct flat *best = NULL;
	struct verdict v, best_v;
	unsigned int nr = 0;

	for (size_t i = 0; i < j->nr; i++) {
		const struct flat *other = &j->flat[i];
		unsigned long long weight;

		if (access[i].class != CLASS_READ_MOSTLY || !rule_separable(f, other) || !rule_shares(j, f, other, &v))
			continue;
		weight = (unsigned long long)other->member->inferred->readers * v.nr_sharing;
		sum += weight;
		if (!nr++ || weight > most) {
			most = weight;
			best = other;
			best_v = v;
		}
	}
	if (!nr)
		return;
	rule_report(j, f->member, best->member, arena_printf("'%s' is here", best->member->name),
		    "'%s' of %s is written (%s), but shares a %u-byte line with the read-mostly '%s' (%s)%s, %s: move one of them",
		    f->member->name, record_title(j->record), f->member->inferred->from, j->rules->line_size, best->member->name,
		    best->member->inferred->from, nr > 1 ? arena_printf(" and %u more", nr - 1) : "", rule_placements(&best_v));
	j->rules->findings[j->rules->nr - 1].rank = f->member->inferred->writers * sum / best_v.nr;
}

static void judge_undeclared(struct judged *j)
{
	const struct access *access = access_of_members(j->flat, j->nr);

	for (size_t i = 0; i < j->nr; i++)
		if (access[i].declared)
			return;
	for (size_t i = 0; i < j->nr; i++)
		if (access[i].class == CLASS_WRITTEN)
			judge_candidate(j, &j->flat[i], access);
}

void rule_class_mix(struct judged *j)
{
	if (rules_ask_for(j->rules, "class-mix") && !record_is_annotated(j->record))
		judge_undeclared(j);
	for (size_t i = 0; i < j->nr; i++) {
		const struct member *m = j->flat[i].member;

		if (!annotation_find(m->annotations, ANNOTATION_WRITTEN))
			continue;
		if (annotation_find(m->annotations, ANNOTATION_READ_MOSTLY)) {
			rule_report(j, m, NULL, NULL, "'%s' is annotated as read-mostly and as written", m->name);
			j->rules->findings[j->rules->nr - 1].error = true;
		} else {
			judge_written(j, &j->flat[i]);
		}
	}
}
