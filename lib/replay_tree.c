/* SPDX-License-Identifier: GPL-2.0-only */
/* The nodes of both sides of a tree, and which is which. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "declaration.h"
#include "replay_plan.h"

/* same names beyond this many are not told apart: no struct has them */
#define MAX_SAME	256

void replay_refuse(struct job *job, unsigned int line, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		fatal("out of memory");
	va_end(ap);
	job->r->refusal = arena_strdup(s);
	free(s);
	job->r->line = line;
	longjmp(job->refused, 1);
}

static const struct text_item *alt_item(const struct side *s, const struct alternative *a)
{
	return &s->containers[s->nodes[a->node].container].body->items[a->item];
}

unsigned int node_line(const struct side *s, uint32_t node)
{
	const struct alternative *a = &s->alts[s->nodes[node].alt];
	const struct text_item *item = alt_item(s, a);

	return a->declarator >= 0 ? item->declarators[a->declarator].line : item->line;
}

static const char *spell_width(const struct struct_text *st, const struct text_declarator *d)
{
	for (size_t i = d->toks.first; d->bitfield && i < d->toks.end; i++) {
		if (ctok_is(&st->toks, i, ":"))
			return struct_text_spell(st, (struct text_toks){ i, d->toks.end });
	}
	return "";
}

static void spell_alternative(const struct side *s, const struct text_item *item, const struct text_declarator *d,
			      struct alternative *a)
{
	struct text_toks toks = item->toks;

	if (item->kind == TEXT_ANONYMOUS)
		return;
	if (!d || item->kind == TEXT_MACRO || item->kind == TEXT_PADDING) {
		while (toks.end > toks.first + 1 && ctok_is(&s->st->toks, toks.end - 1, ";"))
			toks.end--;
		a->spelt = struct_text_spell(s->st, toks);
		a->key = d && d->name ? d->name : a->spelt;
		return;
	}
	a->spelt = arena_printf("%s%s", d->type, spell_width(s->st, d));
	a->key = d->name ? d->name : a->spelt;
}

static struct alternative *add_alternative(struct side *s, uint32_t node, uint32_t item, int declarator)
{
	struct alternative *a = ARENA_PUSH(s->alts, s->nr_alts, s->alts_room);
	const struct text_item *it = &s->containers[s->nodes[node].container].body->items[item];
	const struct text_declarator *d = it->nr_declarators ? &it->declarators[declarator < 0 ? 0 : declarator]
							     : NULL;
	struct node *n = &s->nodes[node];

	a->node = node;
	a->item = item;
	a->declarator = declarator;
	a->mate = NONE;
	spell_alternative(s, it, d, a);
	n->space |= it->kind == TEXT_PADDING || it->kind == TEXT_MARKER;
	n->marker |= it->kind == TEXT_MARKER;
	n->bitfield |= d && d->bitfield;
	n->zero_width |= d && d->zero_width;
	n->flexible |= d && d->flexible;
	if (!n->name)
		n->name = d && d->name ? d->name : it->name ? it->name : a->spelt;
	n->nr_alts++;
	return a;
}

static uint32_t add_node(struct side *s, uint32_t container, uint32_t first, uint32_t last)
{
	struct node *n = ARENA_PUSH(s->nodes, s->nr_nodes, s->nodes_room);
	struct container *c = &s->containers[container];

	n->container = container;
	n->first = first;
	n->last = last;
	n->alt = s->nr_alts;
	n->inner = NONE;
	n->mate = NONE;
	n->branch = c->body->items[first].branch;
	*ARENA_PUSH(c->nodes, c->nr, c->room) = s->nr_nodes - 1;
	return s->nr_nodes - 1;
}

static void add_unit(struct side *s, uint32_t container, uint32_t node, uint32_t i, bool wholes)
{
	struct text_item *item = &s->containers[container].body->items[i];
	uint32_t inner;

	if (item->kind == TEXT_ANONYMOUS) {
		add_alternative(s, node, i, -1);
		inner = side_add(s, item->bodies[0], container, node, wholes);
		s->nodes[node].inner = inner;
		return;
	}
	if (item->nr_declarators <= 1) {
		add_alternative(s, node, i, -1);
		return;
	}
	for (size_t k = 0; k < item->nr_declarators; k++) {
		if (k)
			node = add_node(s, container, i, i);
		add_alternative(s, node, i, k);
	}
}

/* an #if that moves as a whole is one node, with its units as alternatives; returns its last item */
static uint32_t add_whole(struct side *s, uint32_t container, const struct text_block *block)
{
	uint32_t node = add_node(s, container, block->first, block->last);
	const struct text_body *body = s->containers[container].body;

	s->nodes[node].branch = block->outer;
	for (uint32_t i = block->first; i <= block->last; i++) {
		if (text_is_unit(&body->items[i]))
			add_unit(s, container, node, i, true);
	}
	return block->last;
}

uint32_t side_add(struct side *s, struct text_body *body, uint32_t parent, uint32_t node, bool wholes)
{
	struct container *c = ARENA_PUSH(s->containers, s->nr_containers, s->containers_room);
	uint32_t index = s->nr_containers - 1;

	c->body = body;
	c->parent = parent;
	c->node = node;
	c->mate = NONE;
	struct_text_read(s->st, body);
	for (uint32_t i = 0; i < body->nr_items; i++) {
		if (body->items[i].kind == TEXT_IF && wholes && body->items[i].block->whole)
			i = add_whole(s, index, body->items[i].block);
		else if (text_is_unit(&body->items[i]))
			add_unit(s, index, add_node(s, index, i, i), i, wholes);
	}
	return index;
}

static const char *key_before(const struct side *s, uint32_t alt)
{
	return alt && s->alts[alt - 1].key ? s->alts[alt - 1].key : "{";
}

/* pass 0: same spelling behind the same member; 1: same spelling; 2: same name */
static bool fits(const struct tree *t, uint32_t orig, uint32_t after, int pass)
{
	const struct alternative *a = &t->orig.alts[orig], *b = &t->after.alts[after];

	if (a->mate != NONE)
		return false;
	if (pass < 2 && strcmp(a->spelt, b->spelt))
		return false;
	return pass > 0 || !strcmp(key_before(&t->orig, orig), key_before(&t->after, after));
}

static void match_alternatives(struct tree *t)
{
	struct strmap keys = { 0 };

	for (uint32_t i = 0; i < t->orig.nr_alts; i++) {
		const char *key = t->orig.alts[i].key;

		if (key)
			strmap_add(&keys, key, strlen(key), i);
	}
	for (int pass = 0; pass < 3; pass++) {
		for (uint32_t i = 0; i < t->after.nr_alts; i++) {
			struct alternative *b = &t->after.alts[i];
			struct strmap_entry *e = b->key && b->mate == NONE
							 ? strmap_get(&keys, b->key, strlen(b->key))
							 : NULL;

			for (size_t k = 0; e && k < e->nr && k < MAX_SAME; k++) {
				if (!fits(t, e->values[k], i, pass))
					continue;
				b->mate = e->values[k];
				t->orig.alts[e->values[k]].mate = i;
				break;
			}
		}
	}
}

struct vote {
	uint32_t orig, after, votes;
};

struct votes {
	struct vote *list;
	size_t nr, room;
	struct strmap index;
};

static void add_vote(struct votes *v, uint32_t orig, uint32_t after)
{
	uint32_t pair[2] = { orig, after };
	char *key = arena_strndup((char *)pair, sizeof(pair));
	struct strmap_entry *e = strmap_get(&v->index, key, sizeof(pair));

	if (e) {
		v->list[e->values[0]].votes++;
		return;
	}
	strmap_add(&v->index, key, sizeof(pair), v->nr);
	*ARENA_PUSH(v->list, v->nr, v->room) = (struct vote){ orig, after, 1 };
}

static uint32_t distance(const struct vote *v)
{
	return v->orig > v->after ? v->orig - v->after : v->after - v->orig;
}

static int compare_votes(const void *x, const void *y)
{
	const struct vote *a = x, *b = y;

	if (a->votes != b->votes)
		return a->votes > b->votes ? -1 : 1;
	if (distance(a) != distance(b))
		return distance(a) < distance(b) ? -1 : 1;
	return a->after < b->after ? -1 : a->after > b->after;
}

/* as many anonymous structs in the same order, each with one of its members at least (case A13) */
static bool in_place(const struct tree *t, const struct votes *v)
{
	size_t nr = t->orig.nr_containers;
	bool *shares = arena_alloc(nr * sizeof(*shares));

	if (nr != t->after.nr_containers)
		return false;
	for (size_t i = 0; i < v->nr; i++) {
		if (v->list[i].orig == v->list[i].after)
			shares[v->list[i].orig] = true;
	}
	for (size_t i = 1; i < nr; i++) {
		if (!shares[i] || t->orig.containers[i].body->kind != t->after.containers[i].body->kind)
			return false;
	}
	return true;
}

/* anonymous structs have no name to match them by: their members say which is which (case D08) */
static void match_containers(struct tree *t)
{
	struct votes v = { 0 };

	for (uint32_t i = 0; i < t->after.nr_alts; i++) {
		const struct alternative *b = &t->after.alts[i];
		uint32_t after, orig;

		if (b->mate == NONE)
			continue;
		after = t->after.nodes[b->node].container;
		orig = t->orig.nodes[t->orig.alts[b->mate].node].container;
		while (after && orig) {
			add_vote(&v, orig, after);
			after = t->after.containers[after].parent;
			orig = t->orig.containers[orig].parent;
		}
	}
	t->orig.containers[0].mate = t->after.containers[0].mate = 0;
	if (in_place(t, &v)) {
		for (uint32_t i = 1; i < t->orig.nr_containers; i++)
			t->orig.containers[i].mate = t->after.containers[i].mate = i;
		return;
	}
	if (v.nr)
		qsort(v.list, v.nr, sizeof(*v.list), compare_votes);
	for (size_t i = 0; i < v.nr; i++) {
		struct container *a = &t->orig.containers[v.list[i].orig];
		struct container *b = &t->after.containers[v.list[i].after];

		if (a->mate != NONE || b->mate != NONE || a->body->kind != b->body->kind)
			continue;
		a->mate = v.list[i].after;
		b->mate = v.list[i].orig;
	}
}

static void match_nodes(struct tree *t)
{
	struct side *o = &t->orig, *s = &t->after;

	for (uint32_t i = 0; i < s->nr_nodes; i++) {
		struct node *n = &s->nodes[i];

		if (n->inner != NONE && s->containers[n->inner].mate != NONE)
			n->mate = o->containers[s->containers[n->inner].mate].node;
		else if (n->inner == NONE && s->alts[n->alt].mate != NONE)
			n->mate = o->alts[s->alts[n->alt].mate].node;
		if (n->mate != NONE)
			o->nodes[n->mate].mate = i;
	}
}

static const char *record_word(const struct container *c)
{
	return c->body->kind == TEXT_UNION ? "union" : "struct";
}

/*
 * spatch misprints what it moves: "(*x)[2]" as "*x[2]", what is left of "**a, **b" as "***b". The original's
 * text is what stays, so these do no harm.
 */
static bool same_but_misprinted(const char *a, const char *b, bool shared)
{
	const char *ignored = shared ? "()* " : "() ";

	for (;;) {
		a += strspn(a, ignored);
		b += strspn(b, ignored);
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

static void check_matches(struct tree *t)
{
	struct side *o = &t->orig, *s = &t->after;

	for (uint32_t i = 0; i < s->nr_alts; i++) {
		const struct alternative *b = &s->alts[i];
		const struct container *c = &s->containers[s->nodes[b->node].container];

		if (b->mate != NONE && c->mate == NONE)
			replay_refuse(t->job, node_line(o, o->alts[b->mate].node),
				      "the rule puts %s into a new anonymous %s of %s, which replay cannot do",
				      b->key, record_word(c), t->name);
		if (b->mate != NONE && !same_but_misprinted(b->spelt, o->alts[b->mate].spelt,
							    o->alts[b->mate].declarator >= 0))
			replay_refuse(t->job, node_line(o, o->alts[b->mate].node),
				      "the declaration of %s.%s would change from '%s' to '%s', which is no relayout",
				      t->tag, b->key, o->alts[b->mate].spelt, b->spelt);
	}
	for (uint32_t i = 0; i < o->nr_alts; i++) {
		const struct alternative *a = &o->alts[i];
		const struct container *c = &o->containers[o->nodes[a->node].container];

		if (a->mate != NONE && c->mate == NONE)
			replay_refuse(t->job, node_line(o, a->node),
				      "the anonymous %s of %s would be left without a member", record_word(c),
				      t->name);
	}
}

/* structs inside a matched member that are no part of this tree */
static void add_inner_trees(struct tree *t)
{
	for (uint32_t i = 0; i < t->orig.nr_alts; i++) {
		const struct alternative *a = &t->orig.alts[i];
		const struct text_item *x, *y;

		if (a->mate == NONE || a->declarator > 0)
			continue;
		x = alt_item(&t->orig, a);
		y = alt_item(&t->after, &t->after.alts[a->mate]);
		if (x->kind != TEXT_MEMBER)
			continue;
		if (x->nr_bodies != y->nr_bodies)
			replay_refuse(t->job, x->line, "the structs inside %s.%s would change, which is no relayout",
				      t->tag, a->key);
		for (size_t k = 0; k < x->nr_bodies; k++)
			tree_create(t->job, x->bodies[k], y->bodies[k]);
	}
}

static bool same_tokens(const struct job *job, const struct text_body *x, const struct text_body *y)
{
	const struct ctoks *a = &job->before->toks, *b = &job->after->toks;
	size_t i = x->open, k = y->open;

	for (;; i++, k++) {
		uint32_t len;

		while (i < x->close && a->tok[i].kind == CTOK_COMMENT)
			i++;
		while (k < y->close && b->tok[k].kind == CTOK_COMMENT)
			k++;
		if (i == x->close || k == y->close)
			return i == x->close && k == y->close;
		len = a->tok[i].end - a->tok[i].start;
		if (len != b->tok[k].end - b->tok[k].start ||
		    memcmp(a->text + a->tok[i].start, b->text + b->tok[k].start, len))
			return false;
	}
}

static void refuse_broken(struct job *job, const struct text_body *body, const char *name, unsigned int line)
{
	if (body->broken)
		replay_refuse(job, line, "%s cannot be changed: %s", name, body->broken);
}

static const char *tree_name(const struct text_body *body)
{
	const char *word = body->kind == TEXT_UNION ? "union" : "struct";

	if (body->name)
		return body->by_typedef ? body->name : arena_printf("%s %s", word, body->name);
	return arena_printf("the unnamed %s", word);
}

struct tree *tree_create(struct job *job, struct text_body *before, struct text_body *after)
{
	struct tree *t;

	if (same_tokens(job, before, after))
		return NULL;
	t = arena_alloc(sizeof(*t));
	t->job = job;
	t->name = tree_name(before);
	t->tag = before->name ? before->name : "-";
	t->orig.st = job->before;
	t->after.st = job->after;
	struct_text_read(job->before, before);
	struct_text_read(job->after, after);
	refuse_broken(job, before, t->name, before->line);
	refuse_broken(job, after, t->name, before->line);
	if (before->kind != after->kind)
		replay_refuse(job, before->line, "%s would become a %s", t->name,
			      after->kind == TEXT_UNION ? "union" : "struct");
	side_add(&t->orig, before, NONE, NONE, true);
	side_add(&t->after, after, NONE, NONE, false);
	match_alternatives(t);
	match_containers(t);
	match_nodes(t);
	check_matches(t);
	add_inner_trees(t);
	*job->last_tree = t;
	job->last_tree = &t->next;
	return t;
}
