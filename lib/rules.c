/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <string.h>

#include "arena.h"
#include "rules.h"

static const struct {
	const char *id;
	rule_fn *judge;
} rules_table[] = {
	{ "align-lost", rule_align_lost },
	{ "class-contradicted", rule_class_contradicted },
	{ "class-mix", rule_class_mix },
	{ "doc-table", rule_doc_table },
	{ "group-mix", rule_group_mix },
	{ "group-size", rule_group_size },
	{ "group-straddle", rule_group_straddle },
	{ "kfree-rcu-offset", rule_kfree_rcu_offset },
	{ "shared-apart", rule_shared_apart },
	{ "shared-isolated", rule_shared_isolated },
	{ "split-with", rule_split_with },
	{ "struct-budget", rule_struct_budget },
	{ "ungrouped-field", rule_ungrouped_field },
	{ "unlisted-member", rule_unlisted_member },
};

/* what is only told of a change */
static const char *const ids_since[] = { "first-member-cast", "flexible-array", "uapi-hole" };

#define NR_RULES (sizeof(rules_table) / sizeof(rules_table[0]))

static bool is_text(const char *text, const char *s, size_t len)
{
	return strlen(text) == len && !strncmp(text, s, len);
}

bool rules_know(const char *s, size_t len)
{
	for (size_t i = 0; i < NR_RULES; i++)
		if (is_text(rules_table[i].id, s, len))
			return true;
	for (size_t i = 0; i < sizeof(ids_since) / sizeof(ids_since[0]); i++)
		if (is_text(ids_since[i], s, len))
			return true;
	return false;
}

const char *rules_ids(void)
{
	const char *text = rules_table[0].id;

	for (size_t i = 1; i < NR_RULES; i++)
		text = arena_printf("%s, %s", text, rules_table[i].id);
	return text;
}

static bool is_listed(const char *list, const char *id)
{
	size_t len = strlen(id);

	for (const char *s = list; s && (s = strstr(s, id)); s += len)
		if ((s == list || s[-1] == ',') && (!s[len] || s[len] == ','))
			return true;
	return false;
}

bool rules_ask_for(const struct rules *rules, const char *id)
{
	return is_listed(rules->only, id);
}

bool rules_wants(const struct rules *rules, const char *id)
{
	return (!rules->only || is_listed(rules->only, id)) && !is_listed(rules->without, id);
}

void rules_judge(struct rules *rules, const struct record *r)
{
	struct judged j = { .rules = rules, .record = r };

	j.flat = record_flatten(r, &j.nr);
	j.reach = flat_reach(j.flat, j.nr);
	placements_of_align(&j.placements, rules->aligned ? rules->line_size : r->align, rules->line_size);
	for (size_t i = 0; i < NR_RULES; i++) {
		size_t first = rules->nr;

		if (!rules_wants(rules, rules_table[i].id))
			continue;
		rules_table[i].judge(&j);
		for (; first < rules->nr; first++)
			rules->findings[first].id = rules_table[i].id;
	}
}

void rule_report(struct judged *j, const struct member *m, const struct member *other, const char *note,
		 const char *fmt, ...)
{
	struct finding *f = ARENA_PUSH(j->rules->findings, j->rules->nr, j->rules->room);
	va_list ap;
	char *text = NULL;

	va_start(ap, fmt);
	text = arena_vprintf(fmt, ap);
	va_end(ap);
	*f = (struct finding) { .place = m ? m->place : j->record->place, .text = text };
	if (other)
		*f = (struct finding) { .place = f->place, .text = text, .note_place = other->place, .note = note };
}

void rule_stops(struct judged *j)
{
	j->rules->findings[j->rules->nr - 1].error = j->rules->stopped;
}

bool rule_find(struct judged *j, const struct member *m, const char *path, struct flat *out)
{
	if (!record_find(j->record, path, out))
		return true;
	rule_report(j, m, NULL, NULL, "the annotation of '%s' names '%s', which is no member of the struct", m->name, path);
	j->rules->findings[j->rules->nr - 1].error = true;
	return false;
}

bool rule_separable(const struct flat *a, const struct flat *b)
{
	unsigned long long end_a = a->bit_offset + a->member->bit_size, end_b = b->bit_offset + b->member->bit_size;

	if (!a->member->bit_size || !b->member->bit_size)
		return false;
	return !(a->bit_offset <= b->bit_offset && end_b <= end_a) && !(b->bit_offset <= a->bit_offset && end_a <= end_b);
}

bool rule_shares(const struct judged *j, const struct flat *a, const struct flat *b, struct verdict *out)
{
	span_shares(flat_span(a), flat_span(b), &j->placements, out);
	return out->sharing != SHARING_NEVER;
}

bool rule_holds_at_start(const struct verdict *v)
{
	return v->sharing == SHARING_ALWAYS || (v->nr_sharing && v->at[0] == 0);
}

bool rule_asserted(const struct judged *j, const struct group_assert *a)
{
	return j->record->name && !strcmp(j->record->name, a->record);
}

const char *rule_placements(const struct verdict *v)
{
	char *text = "";

	if (v->sharing == SHARING_ALWAYS)
		return "always";
	for (unsigned int i = 0; i < v->nr_sharing; i++)
		text = arena_printf("%s%s%u", text, i ? ", " : "", v->at[i]);
	return arena_printf("at %u of %u placements (%s)", v->nr_sharing, v->nr, text);
}
