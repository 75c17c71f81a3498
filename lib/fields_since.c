/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "annotation.h"
#include "arena.h"
#include "compare.h"
#include "evidence.h"
#include "fields_since.h"
#include "json.h"
#include "kept_lines.h"
#include "open_end.h"
#include "rcu_head.h"
#include "show.h"
#include "uapi_hole.h"
#include "uapi_place.h"

static const char *const change_names[] = {
	[FIELD_NEW] = "new", [FIELD_MOVED] = "moved", [FIELD_RESIZED] = "resized", [FIELD_REGROUPED] = "regrouped",
};

static bool same_groups(const struct access *a, const struct access *b)
{
	if (a->nr_groups != b->nr_groups)
		return false;
	for (size_t i = 0; i < a->nr_groups; i++)
		if (strcmp(a->groups[i], b->groups[i]))
			return false;
	return true;
}

/* groups that annotations give are not the dump's to tell */
static enum field_change change_of(const struct field_since *f, const struct access *before)
{
	if (!f->before)
		return FIELD_NEW;
	if (f->before->bit_offset != f->flat->bit_offset)
		return FIELD_MOVED;
	if (f->before->member->bit_size != f->flat->member->bit_size)
		return FIELD_RESIZED;
	if (!annotation_find(f->flat->member->annotations, ANNOTATION_IN) && !same_groups(before, f->access))
		return FIELD_REGROUPED;
	return FIELD_STAYED;
}

static void set_class(struct field_since *f, enum access_class class, const char *from)
{
	f->overruled = f->access->nr_groups && f->access->class != class;
	f->class = class;
	f->class_from = from;
}

static bool is_by_code(const struct inference *i)
{
	return i && i->readers + i->writers;
}

static bool is_partial(const struct field_since *f)
{
	return f->change != FIELD_NEW && f->class_from && !strncmp(f->class_from, FROM_CHANGE, strlen(FROM_CHANGE));
}

/*
 * Somebody put a new member into a group that was there before: type and code know better what it is. Of one that was there, some of its code
 * tells that it is read, but not that it is read more seldom than written.
 */
static void know(struct field_since *f)
{
	const struct inference *by_code = f->flat->member->inferred;
	bool grouped = f->change == FIELD_NEW && f->access->class_from && !strcmp(f->access->class_from, "group");

	set_class(f, f->access->class, f->access->class_from);
	if (is_partial(f) && (f->class == CLASS_WRITTEN || is_counter(f->flat->member)))
		set_class(f, CLASS_NONE, NULL);
	if (grouped && f->class != CLASS_COLD && is_by_code(by_code))
		set_class(f, by_code->class, by_code->from);
	else if (is_counter(f->flat->member) && (f->class == CLASS_NONE || (grouped && f->class == CLASS_READ_MOSTLY)))
		set_class(f, CLASS_WRITTEN, "type");
}

static bool is_field(const struct flat *f)
{
	return f->member->name && flat_span(f).size;
}

void fields_since(struct fields_since *out, const struct record *before, const struct record *after,
		  unsigned int line_size_then, unsigned int line_size)
{
	size_t nr_old = 0;
	const struct flat *new = record_flatten(after, &out->nr), *old = before ? record_flatten(before, &nr_old) : NULL;
	const struct access *access = access_of_members(new, out->nr), *access_then = access_of_members(old, nr_old);
	struct strmap then = flat_names(old, nr_old), now = flat_names(new, out->nr);

	*out = (struct fields_since) { .before = before, .after = after, .nr = out->nr, .reach = flat_reach(new, out->nr) };
	placements_of_align(&out->now, after->align, line_size);
	if (before)
		placements_of_align(&out->then, before->align, line_size_then);
	out->fields = arena_alloc((out->nr + 1) * sizeof(*out->fields));
	for (size_t i = 0; i < out->nr; i++) {
		struct field_since *f = &out->fields[i];

		*f = (struct field_since) { .flat = &new[i], .access = &access[i] };
		if (before && is_field(f->flat)) {
			f->before = flat_named(old, &then, new[i].member->name);
			f->change = change_of(f, f->before ? &access_then[f->before - old] : NULL);
		}
		know(f);
	}
	for (size_t i = 0; i < nr_old; i++)
		if (is_field(&old[i]) && !flat_named(new, &now, old[i].member->name))
			*ARENA_PUSH(out->gone, out->nr_gone, out->gone_room) = old[i].member->name;
}

static bool share_at_start(const struct flat *a, const struct flat *b, const struct placements *p, struct verdict *v)
{
	span_shares(flat_span(a), flat_span(b), p, v);
	return rule_holds_at_start(v);
}

static bool share_now(const struct fields_since *s, const struct field_since *a, const struct field_since *b, struct verdict *v)
{
	return a != b && is_field(b->flat) && rule_separable(a->flat, b->flat) && share_at_start(a->flat, b->flat, &s->now, v);
}

static bool shared_before(const struct fields_since *s, const struct field_since *a, const struct field_since *b)
{
	struct verdict v;

	return a->before && b->before && share_at_start(a->before, b->before, &s->then, &v);
}

static bool is_annotated(const struct field_since *f)
{
	return f->access->class_from && !strcmp(f->access->class_from, "annotation");
}

/* do the rules that do not know what changed judge the pair? */
static bool is_judged_anyway(const struct field_since *a, const struct field_since *b)
{
	if (a->overruled)
		return false;
	return (is_annotated(a) && is_annotated(b)) || a->access->nr_groups || b->access->nr_groups;
}

static bool is_mixed(const struct fields_since *s, const struct field_since *f, const struct field_since *other, struct verdict *v)
{
	enum access_class class = f->class, against = class == CLASS_WRITTEN ? CLASS_READ_MOSTLY : CLASS_WRITTEN;

	if (other->class != against || is_judged_anyway(f, other))
		return false;
	if ((is_partial(f) && other->change != FIELD_NEW) || (is_partial(other) && f->change != FIELD_NEW))
		return false;
	if (class == CLASS_READ_MOSTLY && other->change != FIELD_STAYED)	/* told of the other */
		return false;
	return share_now(s, f, other, v) && !shared_before(s, f, other);
}

static const char *what_changed(const struct field_since *f)
{
	switch (f->change) {
	case FIELD_NEW:
		return "is new and";
	case FIELD_MOVED:
		return arena_printf("moved from %llu to %llu and is", f->before->bit_offset / 8, f->flat->bit_offset / 8);
	case FIELD_RESIZED:
		return arena_printf("has %llu bytes instead of %llu and is", flat_span(f->flat).size, flat_span(f->before).size);
	default:
		return "is in other groups and is";
	}
}

/* of members that moved together the first is told; told: whom the last finding named besides, NULL: nobody yet */
static void judge_company(struct judged *j, const struct fields_since *s, const struct field_since *f, const struct field_since **told)
{
	size_t first, end;

	flat_near(&s->reach, flat_span(f->flat), s->now.line_size, &first, &end);
	for (size_t i = first; i < end; i++) {
		const struct field_since *other = &s->fields[i];
		const char *name = other->flat->member->name;
		struct verdict v;

		if (!is_mixed(s, f, other, &v))
			continue;
		if (f->change == FIELD_MOVED && *told == other)
			return;
		*told = other;
		rule_report(j, f->flat->member, other->flat->member, arena_printf("'%s' is here", name),
			    "'%s' %s %s (%s), but shares a %u-byte line with the %s '%s' (%s), %s: move it", f->flat->member->name,
			    what_changed(f), access_class_name(f->class), f->class_from, j->rules->line_size,
			    access_class_name(other->class), name, other->class_from, rule_placements(&v));
		j->rules->findings[j->rules->nr - 1].id = "class-mix";
		return;
	}
}

static bool is_told(const struct rules *rules, const struct member *m, const char *id)
{
	for (size_t i = 0; i < rules->nr; i++)
		if (!strcmp(rules->findings[i].id, id) && rules->findings[i].place.line == m->place.line &&
		    rules->findings[i].place.col == m->place.col)
			return true;
	return false;
}

/* at the outer edges of the groups too, for this one was not there before them */
static void judge_outsider(struct judged *j, const struct field_since *f, const struct group_extent *groups, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct verdict v;

		span_shares(groups[i].span, flat_span(f->flat), &j->placements, &v);
		if (!rule_holds_at_start(&v) || is_told(j->rules, f->flat->member, "ungrouped-field"))
			continue;
		rule_report(j, f->flat->member, groups[i].begin, arena_printf("group '%s' begins here", groups[i].name),
			    "'%s' is new and in no group, but shares a %u-byte line with the group '%s', %s: move it into a group, or away from them",
			    f->flat->member->name, j->rules->line_size, groups[i].name, rule_placements(&v));
		j->rules->findings[j->rules->nr - 1].id = "ungrouped-field";
		return;
	}
}

/* the rule of that name speaks of structs that somebody watches; what a change pushes too far lay near enough before */
static void judge_rcu_head(struct judged *j, const struct field_since *f)
{
	if (!f->before || !rcu_head_is_far(f->flat) || rcu_head_is_far(f->before) ||
	    !rules_wants(j->rules, "kfree-rcu-offset") || is_told(j->rules, f->flat->member, "kfree-rcu-offset"))
		return;
	rule_report(j, f->flat->member, NULL, NULL, "'%s' lies at %llu, where kfree_rcu() cannot free the struct: move it to below %u",
		    f->flat->member->name, flat_span(f->flat).offset, KFREE_RCU_LIMIT);
	j->rules->findings[j->rules->nr - 1].id = "kfree-rcu-offset";
}

static void judge_open_ends(struct judged *j, const struct fields_since *s)
{
	for (size_t i = 0; i < s->after->nr_members && rules_wants(j->rules, "flexible-array"); i++) {
		const struct member *m = &s->after->members[i];
		const char *covered = open_end_covers(s->before, s->after, m);

		if (!covered)
			continue;
		rule_report(j, m, NULL, NULL, "'%s' is a flexible array or ends in one, and '%s' lies behind it now: its elements take that room", m->name,
			    covered);
		j->rules->findings[j->rules->nr - 1].id = "flexible-array";
	}
}

void fields_since_judge(struct rules *rules, const struct fields_since *s)
{
	struct judged j = { .rules = rules, .record = s->after, .placements = s->now };
	const struct field_since *told = NULL;
	const struct group_extent *groups;
	size_t nr;

	j.flat = record_flatten(s->after, &j.nr);
	groups = group_extents(j.flat, j.nr, rules->line_size, &nr);
	uapi_hole_judge(&j, s);
	if (s->before) {
		kept_lines_judge(&j, s);
		judge_open_ends(&j, s);
	}
	for (size_t i = 0; i < s->nr; i++) {
		const struct field_since *f = &s->fields[i];
		enum access_class class = f->class;

		if (f->change == FIELD_STAYED)
			continue;
		judge_rcu_head(&j, f);
		if ((class == CLASS_READ_MOSTLY || class == CLASS_WRITTEN) && rules_wants(rules, "class-mix"))
			judge_company(&j, s, f, &told);
		if (f->change == FIELD_NEW && class == CLASS_NONE && !f->access->nr_groups && rules_wants(rules, "ungrouped-field"))
			judge_outsider(&j, f, groups, nr);
	}
}

/* what is known of a member's use; the object is left open */
static void json_use(const struct field_since *f, FILE *out)
{
	fputs("\"name\": ", out);
	json_string(f->flat->member->name, out);
	fputs(", \"class\": ", out);
	json_string(access_class_name(f->class), out);
	fputs(", \"class_from\": ", out);
	json_string(f->class_from, out);
	fputs(", \"groups\": [", out);
	for (size_t i = 0; i < f->access->nr_groups; i++) {
		fputs(i ? ", " : "", out);
		json_string(f->access->groups[i], out);
	}
	fputs("]", out);
}

static void json_span(const char *name, const struct flat *f, unsigned int line_size, FILE *out)
{
	struct span s = f ? flat_span(f) : (struct span) { 0 };

	if (f)
		fprintf(out, ", \"%s\": {\"offset\": %llu, \"size\": %llu, \"line\": %llu}", name, s.offset, s.size, s.offset / line_size);
	else
		fprintf(out, ", \"%s\": null", name);
}

static void json_field(const struct fields_since *s, const struct field_since *f, FILE *out)
{
	const char *sep = "";
	size_t first, end;

	fputs("{", out);
	json_use(f, out);
	fprintf(out, ", \"change\": \"%s\", \"source_line\": %u", change_names[f->change], f->flat->member->place.line);
	json_span("before", f->before, s->then.line_size, out);
	json_span("after", f->flat, s->now.line_size, out);
	fputs(", \"with\": [", out);
	flat_near(&s->reach, flat_span(f->flat), s->now.line_size, &first, &end);
	for (size_t i = first; i < end; i++) {
		const struct field_since *other = &s->fields[i];
		struct verdict v;

		if (!share_now(s, f, other, &v))
			continue;
		fprintf(out, "%s{", sep);
		json_use(other, out);
		fprintf(out, ", \"sharing\": \"%s\", \"before\": %s}", sharing_name(v.sharing), shared_before(s, f, other) ? "true" : "false");
		sep = ", ";
	}
	fputs("]}", out);
}

static void json_size(const char *name, const struct record *r, FILE *out)
{
	if (r)
		fprintf(out, ", \"%s\": {\"size\": %llu, \"align\": %u}", name, r->size, r->align);
	else
		fprintf(out, ", \"%s\": null", name);
}

static const struct flat *next_field(const struct flat *list, size_t nr, size_t *i)
{
	while (*i < nr)
		if (is_field(&list[(*i)++]))
			return &list[*i - 1];
	return NULL;
}

static const struct record *leading(const struct record *r)
{
	return r->nr_members && r->members[0].name && !r->members[0].array ? r->members[0].record : NULL;
}

/* what a list of values, one for each member, has to know; what is first, too, to which a cast goes, and the struct that it was */
static void json_order(const struct fields_since *s, FILE *out)
{
	size_t nr_old, nr_new, i = 0, k = 0, kept = 0;
	const struct flat *old = record_flatten(s->before, &nr_old), *new = record_flatten(s->after, &nr_new);
	const struct flat *first = next_field(old, nr_old, &i), *now = next_field(new, nr_new, &k), *a = first, *b = now;

	for (; a && b && !strcmp(a->member->name, b->member->name); kept++) {
		a = next_field(old, nr_old, &i);
		b = next_field(new, nr_new, &k);
	}
	fprintf(out, ", \"order\": \"%s\", \"kept\": %zu, \"first\": [", a ? "changed" : b ? "longer" : "same", kept);
	json_string(first ? first->member->name : NULL, out);
	fputs(", ", out);
	json_string(now ? now->member->name : NULL, out);
	fputs("], \"leads\": ", out);
	json_string(leading(s->before) ? record_title(leading(s->before)) : NULL, out);
	fputs(", \"lost\": ", out);
	json_string(uapi_place_lost(s->before, s->after), out);
}

void fields_since_json(const struct fields_since *s, FILE *out)
{
	const char *sep = "\n   ";

	fputs("{\"name\": ", out);
	json_string(s->after->name, out);
	fprintf(out, ", \"kind\": \"%s\", \"file\": ", s->after->is_union ? "union" : "struct");
	json_string(s->after->place.file, out);
	fprintf(out, ", \"line\": %u, \"line_size\": %u", s->after->place.line, s->now.line_size);
	json_size("before", s->before, out);
	json_size("after", s->after, out);
	if (s->before)
		json_order(s, out);
	fprintf(out, ", \"randomized\": %s", s->after->randomized ? "true" : "false");
	fputs(", \"changed\": [", out);
	for (size_t i = 0; i < s->nr; i++) {
		if (s->fields[i].change == FIELD_STAYED)
			continue;
		fputs(sep, out);
		json_field(s, &s->fields[i], out);
		sep = ",\n   ";
	}
	fputs("], \"gone\": [", out);
	for (size_t i = 0; i < s->nr_gone; i++) {
		fputs(i ? ", " : "", out);
		json_string(s->gone[i], out);
	}
	fputs("]}", out);
}
