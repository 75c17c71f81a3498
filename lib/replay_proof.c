/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result, read again from its text alone. Sets of tokens and of comment lines are compared by the sum of their
 * hashes, which does not depend on their order.
 */
#include <string.h>

#include "arena.h"
#include "declaration.h"
#include "replay_plan.h"

static void add_bytes(struct fingerprint *f, const char *s, size_t len, int sign)
{
	f->a += sign * hash_bytes(s, len, 1);
	f->b += sign * hash_bytes(s, len, 2);
}

void fingerprint_text(struct fingerprint *f, const char *s, int sign)
{
	add_bytes(f, s, strlen(s), sign);
}

void fingerprint_toks(struct fingerprint *f, const struct struct_text *st, struct text_toks toks, int sign)
{
	for (size_t i = toks.first; i < toks.end; i++) {
		const struct ctok *t = &st->toks.tok[i];

		if (t->kind != CTOK_COMMENT && t->kind != CTOK_LINE)
			add_bytes(f, st->toks.text + t->start, t->end - t->start, sign);
	}
}

static void add_comment(struct fingerprint *f, const char *s, const char *end, int sign)
{
	while (s < end) {
		const char *nl = memchr(s, '\n', end - s), *stop = nl ? nl : end, *next = nl ? nl + 1 : end;

		while (s < stop && strchr(" \t\r", *s))
			s++;
		while (s < stop && strchr(" \t\r", stop[-1]))
			stop--;
		add_bytes(f, s, stop - s, sign);
		s = next;
	}
}

void fingerprint_comments(struct fingerprint *f, const struct struct_text *st, struct text_range range, int sign)
{
	size_t low = 0, high = st->toks.nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (st->toks.tok[mid].start < range.start)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < st->toks.nr && st->toks.tok[low].end <= range.end; low++) {
		const struct ctok *t = &st->toks.tok[low];

		if (t->kind == CTOK_COMMENT)
			add_comment(f, st->toks.text + t->start, st->toks.text + t->end, sign);
	}
}

/* preprocessor lines that ask for no condition */
static void fingerprint_lines(struct fingerprint *f, const struct struct_text *st, struct text_toks toks, int sign)
{
	for (size_t i = toks.first; i < toks.end; i++) {
		const struct ctok *t = &st->toks.tok[i];
		const char *word;
		size_t len;

		if (t->kind != CTOK_LINE)
			continue;
		word = ctok_directive(&st->toks, i, &len);
		if (len < 2 || (memcmp(word, "if", 2) && memcmp(word, "el", 2) && memcmp(word, "en", 2)))
			add_bytes(f, st->toks.text + t->start, t->end - t->start, sign);
	}
}

static bool same(struct fingerprint x, struct fingerprint y)
{
	return x.a == y.a && x.b == y.b;
}

static void require(struct job *job, bool holds, const char *what)
{
	if (!holds)
		replay_refuse(job, 0, "replay's own check failed: %s; nothing is written", what);
}

static struct text_toks all_toks(const struct struct_text *st)
{
	return (struct text_toks){ 0, st->toks.nr };
}

static struct text_toks body_toks(const struct text_body *b)
{
	return (struct text_toks){ b->open, b->close + 1 };
}

typedef void (*fingerprint_fn)(struct fingerprint *f, const struct struct_text *st, struct text_toks toks, int sign);

/* what spatch printed, with the original's structs in the place of spatch's */
static struct fingerprint expected(const struct job *job, fingerprint_fn add)
{
	struct fingerprint f = { 0 };

	add(&f, job->after, all_toks(job->after), 1);
	for (size_t i = 0; i < job->nr_pairs; i++) {
		const struct pair *p = &job->pairs[i];

		if (!p->before)
			continue;
		add(&f, job->after, body_toks(p->after), -1);
		add(&f, job->before, body_toks(p->before), 1);
	}
	return f;
}

static void prove_tokens(struct job *job, const struct struct_text *result)
{
	struct fingerprint want = expected(job, fingerprint_toks), got = { 0 };

	want.a += job->delta.a;
	want.b += job->delta.b;
	fingerprint_toks(&got, result, all_toks(result), 1);
	require(job, same(want, got), "a token is lost or invented");
	want = expected(job, fingerprint_lines);
	got = (struct fingerprint){ 0 };
	fingerprint_lines(&got, result, all_toks(result), 1);
	require(job, same(want, got), "a preprocessor line is lost or invented");
}

static void prove_comments(struct job *job, const struct struct_text *result)
{
	struct fingerprint want = { 0 }, got = { 0 };

	fingerprint_comments(&want, job->before, (struct text_range){ 0, job->before->toks.len }, 1);
	fingerprint_comments(&got, result, (struct text_range){ 0, result->toks.len }, 1);
	want.a -= job->comments.a;
	want.b -= job->comments.b;
	require(job, same(want, got), "a comment is lost or invented");
}

/* the members that stand under one condition directly in one struct, in order */
struct class {
	const char *name;
	struct fingerprint order;
};

struct classes {
	struct class *list;
	size_t nr, room;
	struct strmap index;
};

static void add_member(struct classes *c, const char *condition, const char *key, uint64_t where)
{
	const char *name = arena_printf("%llx %s", (unsigned long long)where, condition);
	struct strmap_entry *e = strmap_get(&c->index, name, strlen(name));
	struct class *class;

	if (e) {
		class = &c->list[e->values[0]];
	} else {
		strmap_add(&c->index, name, strlen(name), c->nr);
		class = ARENA_PUSH(c->list, c->nr, c->room);
		class->name = name;
	}
	class->order.a = class->order.a * 0x100000001b3ULL + hash_bytes(key, strlen(key), 1);
	class->order.b = class->order.b * 0x9e3779b97f4a7c15ULL + hash_bytes(key, strlen(key), 2);
}

static uint64_t hash_key(const char *key)
{
	return key ? hash_bytes(key, strlen(key), 3) : 0;
}

static uint64_t sum_of_node(const struct side *s, uint32_t node)
{
	uint64_t sum = 0;

	for (uint32_t a = s->nodes[node].alt; a < s->nodes[node].alt + s->nodes[node].nr_alts; a++)
		sum += hash_key(s->alts[a].key);
	return sum;
}

/* an anonymous struct is known by the members directly in it, in whatever order */
static uint64_t container_sum(const struct side *s, const struct container *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->nr; i++)
		sum += sum_of_node(s, c->nodes[i]);
	return sum;
}

static const char *sum_name(uint64_t sum)
{
	return arena_printf("{%llx}", (unsigned long long)sum);
}

static void walk_side(struct classes *c, const struct side *s, uint32_t container, uint64_t where,
		      const char *condition)
{
	const struct container *k = &s->containers[container];

	for (size_t i = 0; i < k->nr; i++) {
		const struct node *n = &s->nodes[k->nodes[i]];
		uint64_t sum = n->inner != NONE ? container_sum(s, &s->containers[n->inner]) : 0;

		for (uint32_t a = n->alt; a < n->alt + n->nr_alts; a++)
			add_member(c, condition ? condition : condition_of(s, &s->alts[a]),
				   s->alts[a].key ? s->alts[a].key : sum_name(sum), where);
		if (n->inner != NONE)
			walk_side(c, s, n->inner, where * 31 + sum, condition);
	}
}

static uint64_t target_sum(const struct tree *t, const struct container *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->nr_targets; i++) {
		const struct target *target = &c->targets[i];

		sum += target->node != NONE ? sum_of_node(&t->orig, target->node)
					    : sum_of_node(&t->after, target->inserted);
	}
	return sum;
}

static void walk_inserted(struct classes *c, const struct tree *t, uint32_t container, const struct target *target,
			  uint64_t where)
{
	const struct node *n = &t->after.nodes[target->inserted];
	struct path own = { target->path, target->nr_path };
	const char *condition = path_spell(t->orig.st, path_join(container_path(&t->orig, container), own));

	uint64_t sum = n->inner != NONE ? container_sum(&t->after, &t->after.containers[n->inner]) : 0;

	add_member(c, condition, t->after.alts[n->alt].key ? t->after.alts[n->alt].key : sum_name(sum), where);
	if (n->inner != NONE)
		walk_side(c, &t->after, n->inner, where * 31 + sum, condition);
}

/* the plan: what stands in the tree afterwards */
static void walk_targets(struct classes *c, const struct tree *t, uint32_t container, uint64_t where)
{
	const struct container *k = &t->orig.containers[container];

	for (size_t i = 0; i < k->nr_targets; i++) {
		const struct target *target = &k->targets[i];
		const struct node *n;
		uint64_t sum;

		if (target->node == NONE) {
			walk_inserted(c, t, container, target, where);
			continue;
		}
		n = &t->orig.nodes[target->node];
		sum = n->inner != NONE ? target_sum(t, &t->orig.containers[n->inner]) : 0;
		for (uint32_t a = n->alt; a < n->alt + n->nr_alts; a++)
			add_member(c, condition_of(&t->orig, &t->orig.alts[a]),
				   t->orig.alts[a].key ? t->orig.alts[a].key : sum_name(sum), where);
		if (n->inner != NONE)
			walk_targets(c, t, n->inner, where * 31 + sum);
	}
}

/* where the result has each key */
static void find_places(const struct side *s, uint32_t container, struct strmap *places, uint32_t *place)
{
	const struct container *c = &s->containers[container];

	for (size_t i = 0; i < c->nr; i++) {
		const struct node *n = &s->nodes[c->nodes[i]];
		const char *key = s->alts[n->alt].key;

		if (key)
			strmap_add(places, key, strlen(key), ++*place);
		if (n->inner != NONE)
			find_places(s, n->inner, places, place);
	}
}

/* 0: it has no name, or several places */
static uint32_t place_of(const struct tree *t, const struct target *target, const struct strmap *places)
{
	const struct side *s = target->node != NONE ? &t->orig : &t->after;
	const struct node *n = &s->nodes[target->node != NONE ? target->node : target->inserted];
	const char *key = n->nr_alts == 1 ? s->alts[n->alt].key : NULL;
	struct strmap_entry *e = key ? strmap_get(places, key, strlen(key)) : NULL;

	return e && e->nr == 1 ? e->values[0] : 0;
}

static bool is_space(const struct tree *t, const struct target *target)
{
	return target->node != NONE ? t->orig.nodes[target->node].space : t->after.nodes[target->inserted].space;
}

/* what moved stands behind its predecessor, or before its successor when that is space, whatever their conditions */
static void prove_neighbours(struct tree *t, const struct side *result)
{
	struct strmap places = { 0 };
	uint32_t place = 0;

	find_places(result, 0, &places, &place);
	for (size_t k = 0; k < t->orig.nr_containers; k++) {
		const struct container *c = &t->orig.containers[k];

		for (size_t i = 1; i < c->nr_targets; i++) {
			const struct target *prev = &c->targets[i - 1], *target = &c->targets[i];
			const struct target *next = i + 1 < c->nr_targets ? target + 1 : NULL;
			uint32_t own = place_of(t, target, &places), other;

			if (target->stays || !own)
				continue;
			other = place_of(t, prev, &places);
			if (!is_space(t, prev))
				require(t->job, !other || other < own, "members are not in their order");
			other = next ? place_of(t, next, &places) : 0;
			if (is_space(t, prev))
				require(t->job, !other || own < other, "members are not in their order");
		}
	}
}

static void prove_tree(struct tree *t)
{
	const char *word = t->orig.containers[0].body->kind == TEXT_UNION ? "union" : "struct";
	struct classes want = { 0 }, got = { 0 };
	struct side side = { 0 };
	char *text, *built;
	size_t len;

	container_write(t, 0, &built, &len);
	/* there may be zeros in it */
	text = arena_alloc(len + sizeof("struct x ;"));
	memcpy(text, word, strlen(word));
	memcpy(text + strlen(word), " x ", 3);
	memcpy(text + strlen(word) + 3, built, len);
	len += strlen(word) + 3;
	text[len++] = ';';
	side.st = struct_text_parse(text, len);
	require(t->job, side.st && side.st->balanced && side.st->nr && !side.st->bodies[0]->parent,
		"braces or #if do not match");
	side_add(&side, side.st->bodies[0], NONE, NONE, false);
	require(t->job, !side.st->bodies[0]->broken, "its members cannot be read");
	walk_targets(&want, t, 0, 0);
	walk_side(&got, &side, 0, 0, NULL);
	require(t->job, want.nr == got.nr, "a member's condition has changed");
	for (size_t i = 0; i < want.nr; i++) {
		struct strmap_entry *e = strmap_get(&got.index, want.list[i].name, strlen(want.list[i].name));

		require(t->job, e, "a member's condition has changed");
		require(t->job, same(want.list[i].order, got.list[e->values[0]].order),
			"members are not in their order");
	}
	prove_neighbours(t, &side);
}

void replay_prove(struct job *job, const char *text, size_t len)
{
	const struct struct_text *result = struct_text_parse(text, len);

	require(job, result, "it is too long");
	require(job, result->balanced || !job->before->balanced, "braces or #if do not match");
	prove_tokens(job, result);
	prove_comments(job, result);
	for (struct tree *t = job->trees; t; t = t->next)
		prove_tree(t);
}
