/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two dumps of cacheline-map: what moved, who shares a line now, what it costs the structs around;
 * and whether a relayout's promises hold. Knows layouts only, no source.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "arena.h"
#include "compare.h"
#include "covered.h"
#include "json.h"
#include "open_end.h"
#include "promise.h"
#include "rcu_head.h"
#include "show.h"
#include "slab.h"

static const char usage_text[] =
"usage: cacheline-diff [--json] [--verbose] [--few N] [--focus NAME]... [--promise TEXT]... [--accept-may] [--relayout]\n"
"                      [--range THEN NOW]...\n"
"                      --struct NAME [--struct NAME]... [--also BEFORE AFTER]... BEFORE.dump AFTER.dump\n"
"\n"
"--few N: so many enclosing structs that grew are shown without --verbose\n"
"--focus NAME: show pairs of this member, count the others\n"
"--also: dumps of another unit, to look for structs that embed NAME\n"
"--range THEN NOW: with --json, what these ranges of NAME cover (lib/covered.h)\n"
"--relayout: a member lost or changed, or a struct touched that embeds none of NAME, is refused\n";

#define FEW		6	/* as --few N */
#define MAX_COMPANY	12	/* members that a new one has on its line are named without --verbose */
#define MANY		6	/* members that moved as far as the one before them are told in one line */

struct request {
	bool json, verbose, relayout, accept_may;
	size_t few;
	const char **structs;
	size_t nr_structs, structs_room;
	struct promise *promises;
	size_t nr_promises, promises_room;
	const char **focus;
	size_t nr_focus, focus_room;
	struct covered *ranges;
	size_t nr_ranges, ranges_room;
	const char **also;
	size_t nr_also, also_room;
	const char *paths[2];
	struct dump *before, *after;
	unsigned int refusals;
};

static void __attribute__((noreturn)) usage(void)
{
	fputs(usage_text, stderr);
	exit(2);
}

static void add_promise(struct request *req, const char *text)
{
	struct promise *p = ARENA_PUSH(req->promises, req->nr_promises, req->promises_room);

	if (!promise_parse(text, p))
		fatal("'%s' is no promise: apart(S.a, S.b), with(S.a, S.b), isolated(S.a) or growth(S) <= N", text);
}

/* the two dumps behind argv[i]; the index of the last argument that it took comes back */
static int add_also(struct request *req, char **argv, int i)
{
	*ARENA_PUSH(req->also, req->nr_also, req->also_room) = argv[i + 1];
	*ARENA_PUSH(req->also, req->nr_also, req->also_room) = argv[i + 2];
	return i + 2;
}

/* the two ranges behind argv[i], as add_also() */
static int add_range(struct request *req, char **argv, int i)
{
	struct covered *c = ARENA_PUSH(req->ranges, req->nr_ranges, req->ranges_room);

	*c = covered_parse(argv[i + 1], argv[i + 2]);
	if (!c->record)
		fatal("'%s' and '%s' are no ranges of one struct: STRUCT FROM TO", argv[i + 1], argv[i + 2]);
	return i + 2;
}

static void parse_options(struct request *req, int argc, char **argv)
{
	int nr = 0;

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(arg, "--json"))
			req->json = true;
		else if (!strcmp(arg, "--verbose"))
			req->verbose = true;
		else if (!strcmp(arg, "--relayout"))
			req->relayout = true;
		else if (!strcmp(arg, "--accept-may"))
			req->accept_may = true;
		else if (!strcmp(arg, "--struct") && value)
			*ARENA_PUSH(req->structs, req->nr_structs, req->structs_room) = argv[++i];
		else if (!strcmp(arg, "--focus") && value)
			*ARENA_PUSH(req->focus, req->nr_focus, req->focus_room) = argv[++i];
		else if (!strcmp(arg, "--also") && i + 2 < argc)
			i = add_also(req, argv, i);
		else if (!strcmp(arg, "--range") && i + 2 < argc)
			i = add_range(req, argv, i);
		else if (!strcmp(arg, "--few") && value)
			req->few = strtoul(argv[++i], NULL, 10);
		else if (!strcmp(arg, "--promise") && value)
			add_promise(req, argv[++i]);
		else if (arg[0] == '-' || nr == 2)
			usage();
		else
			req->paths[nr++] = arg;
	}
	if (nr != 2 || !req->nr_structs)
		usage();
}

static void __attribute__((format(printf, 2, 3))) refuse(struct request *req, const char *fmt, ...)
{
	va_list ap;

	req->refusals++;
	fflush(stdout);
	fputs("refused: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static const char *change(unsigned long long then, unsigned long long now)
{
	return then == now ? arena_printf("%llu", now) : arena_printf("%llu -> %llu", then, now);
}

/* "1", "1-2": the lines of a placement 0 */
static const char *lines_of(const struct flat *f, unsigned int line_size)
{
	unsigned long long first, last;

	if (!f)
		return "-";
	first = f->bit_offset / 8 / line_size;
	last = f->member->bit_size ? (f->bit_offset + f->member->bit_size - 1) / 8 / line_size : first;
	return last > first ? arena_printf("%llu-%llu", first, last) : arena_printf("%llu", first);
}

static const char *offset_of(const struct flat *f)
{
	if (!f)
		return "-";
	return f->member->bitfield ? arena_printf("%llu.%llu", f->bit_offset / 8, f->bit_offset % 8) :
				     arena_printf("%llu", f->bit_offset / 8);
}

static const char *kmalloc_name(unsigned long long size)
{
	unsigned int bucket = kmalloc_bucket(size);

	if (!bucket)
		return "the page allocator";
	return bucket < 1024 ? arena_printf("kmalloc-%u", bucket) : arena_printf("kmalloc-%uk", bucket / 1024);
}

/* the larger of two needs more pages */
static unsigned int slab_of(const struct record *old, const struct record *new)
{
	return slab_size_for(old->size > new->size ? old->size : new->size);
}

/* how many fit into a slab, "none" */
static const char *objects_text(const struct record *r, unsigned int slab)
{
	unsigned long long nr = slab_objects(r->size, r->align, slab);

	return nr ? arena_printf("%llu", nr) : "none";
}

/* "192 -> 256 bytes, aligned to 8 -> 64; 21 -> 16 objects per 4 KiB slab; kmalloc-192 -> kmalloc-256" */
static const char *cost_text(const struct record *old, const struct record *new)
{
	unsigned int slab = slab_of(old, new);
	const char *then = objects_text(old, slab), *now = objects_text(new, slab), *text;

	if (old->size == new->size && old->align == new->align)
		return arena_printf("%llu bytes, as before", new->size);
	if (new->place.file && strstr(new->place.file, "include/uapi/"))	/* user space allocates it */
		return arena_printf("%s bytes, aligned to %s", change(old->size, new->size), change(old->align, new->align));
	text = arena_printf("%s bytes, aligned to %s; %s%s%s objects per %u KiB slab", change(old->size, new->size),
			    change(old->align, new->align), then, strcmp(then, now) ? " -> " : "",
			    strcmp(then, now) ? now : "", slab / 1024);
	if (kmalloc_bucket(old->size) == kmalloc_bucket(new->size))
		return text;
	return arena_printf("%s; %s -> %s", text, kmalloc_name(old->size), kmalloc_name(new->size));
}

static long long shift_of(const struct moved *m)
{
	return (long long)(m->after->bit_offset - m->before->bit_offset);
}

/* structs and arrays are at times read as words: one that is no longer at a word's start is told on whatever line */
static bool leaves_word(const struct moved *m)
{
	return m->before && m->after && m->after->member->bit_size >= 64 && !(m->before->bit_offset % 64) && m->after->bit_offset % 64;
}

/* how many members at once behind the i-th moved as far as it did, and need no line of their own */
static size_t same_shift(const struct comparison *c, size_t i)
{
	const struct moved *first = &c->members[i];
	size_t nr = 0;

	for (size_t k = i + 1; first->before && first->after && k < c->nr_members; k++, nr++) {
		const struct moved *m = &c->members[k];

		if (!m->before || !m->after || shift_of(m) != shift_of(first) || leaves_word(m) ||
		    m->before->member->bit_size != m->after->member->bit_size)
			break;
	}
	return nr;
}

/* the ones behind the i-th, which is shown, if they are many: how many they are */
static size_t show_run(const struct comparison *c, size_t i)
{
	size_t nr = same_shift(c, i);
	long long shift = shift_of(&c->members[i]) / 8;

	if (nr < MANY)
		return 0;
	printf("  and %zu behind it, to %s: %lld bytes %s too\n", nr, c->members[i + nr].name, shift < 0 ? -shift : shift,
	       shift < 0 ? "lower" : "higher");
	return nr;
}

static void show_moves(const struct comparison *c, bool verbose)
{
	unsigned int width = 12, shown = 0, shifted = 0;

	for (size_t i = 0; i < c->nr_members; i++)
		if (is_moved(&c->members[i]) && strlen(c->members[i].name) > width)
			width = strlen(c->members[i].name);
	for (size_t i = 0; i < c->nr_members; i++) {
		const struct moved *m = &c->members[i];
		const char *then = lines_of(m->before, c->line_size), *now = lines_of(m->after, c->line_size);
		bool other_line = strcmp(then, now);

		if (!is_moved(m))
			continue;
		if (!other_line && !verbose && !leaves_word(m)) {
			shifted++;
			continue;
		}
		if (!shown++)
			printf("  %-*s  %8s  %8s  %s\n", width, "member", "from", "to", "line");
		printf("  %-*s  %8s  %8s  %s%s%s%s\n", width, m->name, offset_of(m->before), offset_of(m->after), then,
		       other_line ? " -> " : "", other_line ? now : "", leaves_word(m) ? "  no longer at a multiple of 8" : "");
		if (!verbose && m->before && m->after)
			i += show_run(c, i);
	}
	if (shifted)
		printf("  %u more moved within %s line\n", shifted, shifted == 1 ? "its" : "their");
	for (size_t i = 0; i < c->nr_overlaid; i += 2)
		printf("  %s and %s: now at the same place\n", c->overlaid[i]->name, c->overlaid[i + 1]->name);
}

static const char *groups_text(const struct access *a)
{
	char *text = "";

	for (size_t i = 0; i < a->nr_groups; i++)
		text = arena_printf("%s%s%s", text, i ? ", " : "", a->groups[i]);
	return text;
}

/* members that stand in other groups than before: what an assert elsewhere may speak of */
static void show_groups(const struct comparison *c)
{
	size_t nr_old, nr_new;
	struct flat *old = record_flatten(c->before, &nr_old), *new = record_flatten(c->after, &nr_new);
	struct access *then = access_of_members(old, nr_old), *now = access_of_members(new, nr_new);
	struct strmap names = flat_names(old, nr_old);

	for (size_t i = 0; i < nr_new; i++) {
		const char *name = new[i].member->name, *was, *is = groups_text(&now[i]);
		const struct flat *before = name ? flat_named(old, &names, name) : NULL;

		if (!before)
			continue;
		was = groups_text(&then[before - old]);
		if (strcmp(was, is))
			printf("  %s: group %s -> %s\n", name, *was ? was : "none", *is ? is : "none");
	}
}

static bool is_same_change(const struct pair *a, const struct pair *b)
{
	return a->before.sharing == b->before.sharing && a->after.sharing == b->after.sharing;
}

static bool is_shown(const struct request *req, const struct pair *pair)
{
	for (size_t i = 0; i < req->nr_focus; i++)
		if (!strcmp(req->focus[i], pair->a) || !strcmp(req->focus[i], pair->b))
			return true;
	return !req->nr_focus || req->verbose;
}

/* one row for each member and kind of change: "i_mmap_rwsem: may -> never with i_mmap, gfp_mask" */
static void show_pairs(const struct request *req, const struct comparison *c)
{
	bool *done = arena_alloc(c->nr_pairs + 1);
	size_t hidden = 0;

	for (size_t i = 0; i < c->nr_pairs; i++) {
		const struct pair *first = &c->pairs[i];

		hidden += !is_shown(req, first);
		if (done[i] || !is_shown(req, first))
			continue;
		printf("  %s: %s -> %s on a line with ", first->a, sharing_name(first->before.sharing),
		       sharing_name(first->after.sharing));
		for (size_t k = i; k < c->nr_pairs && c->pairs[k].a == first->a; k++) {	/* those of a member stand together */
			if (!is_same_change(&c->pairs[k], first) ||
			    !is_shown(req, &c->pairs[k]))
				continue;
			done[k] = true;
			printf("%s%s", k == i ? "" : ", ", c->pairs[k].b);
		}
		putchar('\n');
	}
	if (hidden)
		printf("  %zu more pairs changed (--verbose)\n", hidden);
}

/* a row for each new member and kind of company: "memcg: new, always on a line with usage (alone before)" */
static void show_company(const struct request *req, const struct comparison *c)
{
	bool *done = arena_alloc(c->nr_company + 1);

	for (size_t i = 0; i < c->nr_company; i++) {
		const struct company *first = &c->company[i];
		size_t shown = 0, hidden = 0;

		if (done[i])
			continue;
		printf("  %s: new, %s on a line with ", first->newcomer, first->sharing == SHARING_ALWAYS ? "always" : "mostly");
		for (size_t k = i; k < c->nr_company && !strcmp(c->company[k].newcomer, first->newcomer); k++) {
			if (c->company[k].sharing != first->sharing)
				continue;
			done[k] = true;
			if (shown >= MAX_COMPANY && !c->company[k].was_alone && !req->verbose)
				hidden++;
			else
				printf("%s%s%s", shown++ ? ", " : "", c->company[k].other, c->company[k].was_alone ? " (alone before)" : "");
		}
		if (hidden)
			printf(" and %zu more", hidden);
		putchar('\n');
	}
}

static bool costs(const struct enclosing *e)
{
	return e->before->size != e->after->size || e->before->align != e->after->align;
}

static void show_enclosing(const struct request *req, const struct comparison *c)
{
	size_t same = 0, hidden = 0;

	for (size_t i = 0; i < c->nr_enclosing; i++) {
		const struct enclosing *e = &c->enclosing[i];

		if (!costs(e))
			same++;
		else if (i >= req->few && !req->verbose)
			hidden++;
		else
			printf("  %s, which embeds it: %s\n", e->after->name, cost_text(e->before, e->after));
	}
	if (hidden)
		printf("  %zu more that embed it grew or shrank (--verbose)\n", hidden);
	if (same)
		printf("  %s%zu that embed%s it: size as before\n", same < c->nr_enclosing ? "the other " : "", same,
		       same == 1 ? "s" : "");
}

static void show_comparison(const struct request *req, const struct comparison *c)
{
	bool unmoved = same_layout(c->before, c->after);

	printf("%s   %s   %s:%u\n", record_title(c->after), cost_text(c->before, c->after),
	       c->after->place.file ? c->after->place.file : "-", c->after->place.line);
	if (unmoved)
		puts("  every member lies where it lay");
	show_moves(c, req->verbose);
	show_groups(c);
	show_company(req, c);
	show_pairs(req, c);
	show_enclosing(req, c);
}

static void json_verdict(const char *key, const struct verdict *v)
{
	printf(", \"%s\": {\"sharing\": \"%s\", \"placements\": [", key, sharing_name(v->sharing));
	for (unsigned int i = 0; i < v->nr_sharing; i++)
		printf("%s%u", i ? ", " : "", v->at[i]);
	printf("], \"of\": %u}", v->nr);
}

static void json_cost(const char *key, const struct record *r, unsigned int slab)
{
	printf(", \"%s\": {\"size\": %llu, \"align\": %u, \"slab_size\": %u, \"objects_per_slab\": %llu, \"kmalloc\": %u}", key,
	       r->size, r->align, slab, slab_objects(r->size, r->align, slab), kmalloc_bucket(r->size));
}

static void json_moves(const struct comparison *c)
{
	const char *sep = "";

	fputs(", \"moved\": [", stdout);
	for (size_t i = 0; i < c->nr_members; i++) {
		const struct moved *m = &c->members[i];

		if (!is_moved(m))
			continue;
		printf("%s\n  {\"name\": ", sep);
		json_string(m->name, stdout);
		printf(", \"before\": ");
		m->before ? printf("%llu", m->before->bit_offset / 8) : printf("null");
		printf(", \"after\": ");
		m->after ? printf("%llu}", m->after->bit_offset / 8) : printf("null}");
		sep = ",";
	}
	fputs("]", stdout);
}

static void json_paths(const char *key, const struct paths *paths)
{
	printf(", \"%s\": [", key);
	for (size_t i = 0; i < paths->nr; i++) {
		fputs(i ? ", " : "", stdout);
		json_string(paths->list[i], stdout);
	}
	putchar(']');
}

static void json_ranges(const struct request *req, const struct comparison *c)
{
	const char *sep = "";

	fputs(", \"ranges\": [", stdout);
	for (size_t i = 0; i < req->nr_ranges; i++) {
		const struct covered *range = &req->ranges[i];
		struct covering covering;

		if (strcmp(range->record, c->after->name) || !covered_compare(range, c->before, c->after, &covering))
			continue;
		printf("%s\n  {\"then\": ", sep);
		json_string(range->then, stdout);
		fputs(", \"now\": ", stdout);
		json_string(range->now, stdout);
		json_paths("before", &covering.then);
		json_paths("after", &covering.now);
		json_paths("left", &covering.left);
		json_paths("entered", &covering.entered);
		json_paths("fresh", &covering.fresh);
		putchar('}');
		sep = ",";
	}
	putchar(']');
}

static void json_comparison(const struct request *req, const struct comparison *c)
{
	struct record *before = (struct record *)c->before, *after = (struct record *)c->after;

	fputs("{\"before\": ", stdout);
	json_records(&before, 1, c->line_size, stdout);
	fputs(", \"after\": ", stdout);
	json_records(&after, 1, c->line_size, stdout);
	json_moves(c);
	fputs(", \"pairs\": [", stdout);
	for (size_t i = 0; i < c->nr_pairs; i++) {
		printf("%s\n  {\"a\": ", i ? "," : "");
		json_string(c->pairs[i].a, stdout);
		printf(", \"b\": ");
		json_string(c->pairs[i].b, stdout);
		json_verdict("before", &c->pairs[i].before);
		json_verdict("after", &c->pairs[i].after);
		putchar('}');
	}
	fputs("], \"enclosing\": [", stdout);
	for (size_t i = 0; i < c->nr_enclosing; i++) {
		unsigned int slab = slab_of(c->enclosing[i].before, c->enclosing[i].after);

		printf("%s\n  {\"name\": ", i ? "," : "");
		json_string(c->enclosing[i].after->name, stdout);
		json_cost("before", c->enclosing[i].before, slab);
		json_cost("after", c->enclosing[i].after, slab);
		putchar('}');
	}
	putchar(']');
	if (req->nr_ranges)
		json_ranges(req, c);
	putchar('}');
}

/* each promise has its line; what does not hold is one refusal, which names the first */
static void judge_promises(struct request *req)
{
	static const char *const answers[] = {
		[PROMISE_KEPT] = "yes", [PROMISE_MAY_FAIL] = "not surely", [PROMISE_BROKEN] = "no",
		[PROMISE_UNKNOWN] = "cannot tell",
	};
	const char *first = NULL;
	size_t nr = 0;
	bool may = true;

	for (size_t i = 0; i < req->nr_promises; i++) {
		const struct promise *p = &req->promises[i];
		const char *why;
		enum outcome outcome = promise_judge(p, req->before, req->after, &why);

		if (!req->json)
			printf("%s: %s: %s\n", p->text, answers[outcome], why);
		if (outcome == PROMISE_KEPT || (outcome == PROMISE_MAY_FAIL && req->accept_may))
			continue;
		if (!nr++)
			first = arena_printf("the rule promises %s: %s", p->text, why);
		may &= outcome == PROMISE_MAY_FAIL;
	}
	if (nr)
		refuse(req, "%s%s%s", first, nr > 1 ? arena_printf(", and %zu more of its promises do not hold", nr - 1) : "",
		       may ? " (--accept-may to apply it all the same)" : "");
}

static void check_members(struct request *req, const struct comparison *c)
{
	for (size_t i = 0; i < c->nr_members; i++) {
		const struct moved *m = &c->members[i];
		const struct flat *one = m->before ? m->before : m->after;

		if (m->before && m->after && m->before->member->bit_size != m->after->member->bit_size)
			refuse(req, "%s.%s changed its size from %llu to %llu bits, which no relayout does",
			       c->after->name, m->name, m->before->member->bit_size, m->after->member->bit_size);
		else if ((!m->before || !m->after) && one->member->bit_size)
			refuse(req, "%s.%s is there only %s the change, which no relayout does", c->after->name, m->name,
			       m->before ? "before" : "after");
	}
}

/* an rcu_head that kfree_rcu() could be given before, and can no longer */
static void check_kfree_rcu(struct request *req, const struct record *old, const struct record *new)
{
	size_t nr;
	struct flat *flat = record_flatten(new, &nr), was;

	for (size_t i = 0; i < nr; i++) {
		if (!rcu_head_is_far(&flat[i]) || record_find(old, flat[i].member->name, &was) || rcu_head_is_far(&was))
			continue;
		refuse(req, "%s.%s would lie at %llu, where kfree_rcu() cannot free it: it must be below %u "
		       "[-Wcacheline-kfree-rcu-offset]", new->name, flat[i].member->name, flat[i].bit_offset / 8, KFREE_RCU_LIMIT);
	}
}

static void check_open_ends(struct request *req, const struct record *old, const struct record *new)
{
	for (size_t i = 0; i < new->nr_members; i++) {
		const char *covered = open_end_covers(old, new, &new->members[i]);

		if (covered)
			refuse(req, "%s.%s would lie behind %s, which ends in a flexible array: its elements take that room",
			       new->name, covered, new->members[i].name);
	}
}

/* for each record of before: is it one of those that the rule is about, or does it embed one? */
static bool *announced(const struct request *req)
{
	bool *found = arena_alloc(req->before->nr + 1);

	for (size_t i = 0; i < req->nr_structs; i++) {
		const bool *embeds = dump_embedders(req->before, req->structs[i]);

		for (size_t k = 0; k < req->before->nr; k++)
			found[k] |= embeds[k] || (req->before->records[k]->name && !strcmp(req->before->records[k]->name, req->structs[i]));
	}
	return found;
}

static void check_others(struct request *req)
{
	const bool *is_announced = announced(req);

	for (size_t i = 0; i < req->before->nr; i++) {
		const struct record *old = req->before->records[i];
		const struct record *new = old->name ? dump_find(req->after, old->name) : NULL;

		if (!new || same_layout(old, new) || dump_find(req->before, old->name) != old)
			continue;
		if (is_announced[i]) {
			check_kfree_rcu(req, old, new);
			check_open_ends(req, old, new);
		} else {
			refuse(req, "the layout of %s changes too, which the rule did not announce", record_title(old));
		}
	}
}

static void compare_struct(struct request *req, const char *name, bool first)
{
	struct record *old = dump_find(req->before, name), *new = dump_find(req->after, name);
	struct comparison c;

	if (!old || !new) {
		refuse(req, "the parse of the tree %s knows no struct or union %s", old ? "after the change" : "before it",
		       name);
		return;
	}
	compare_records(&c, req->before, req->after, old, new);
	for (size_t i = 0; i < req->nr_also; i += 2) {
		struct dump *before = dump_read(req->also[i]), *after = dump_read(req->also[i + 1]);

		if (before && after)
			compare_enclosing(&c, before, after);
	}
	if (req->json)
		fputs(first ? "" : ",\n", stdout);
	req->json ? json_comparison(req, &c) : show_comparison(req, &c);
	if (req->relayout)
		check_members(req, &c);
}

int main(int argc, char **argv)
{
	struct request req = { .few = FEW };

	parse_options(&req, argc, argv);
	req.before = dump_read(req.paths[0]);
	req.after = dump_read(req.paths[1]);
	if (!req.before || !req.after)
		return 2;
	fputs(req.json ? "[" : "", stdout);
	for (size_t i = 0; i < req.nr_structs; i++)
		compare_struct(&req, req.structs[i], !i);
	fputs(req.json ? "]\n" : "", stdout);
	if (req.relayout)
		check_others(&req);
	judge_promises(&req);
	finish_stdout();
	return req.refusals ? 1 : 0;
}
