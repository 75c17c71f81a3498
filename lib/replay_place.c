/* SPDX-License-Identifier: GPL-2.0-only */
/* Into which gap each moved or inserted unit goes, and which conditions it must bring along. */
#include <string.h>

#include "arena.h"
#include "replay_plan.h"

/* index of a slot: two for each item, then the start and the end of the body */
static struct slot *slot_at(struct container *c, size_t item, int which)
{
	return &c->slots[2 * item + which];
}

static struct slot *slot_start(struct container *c)
{
	return &c->slots[2 * c->body->nr_items];
}

static struct slot *slot_end(struct container *c)
{
	return &c->slots[2 * c->body->nr_items + 1];
}

struct path path_of(const struct text_branch *branch)
{
	struct path p = { 0 };
	size_t i;

	for (const struct text_branch *b = branch; b; b = b->block->outer)
		p.nr++;
	p.branches = arena_alloc((p.nr + 1) * sizeof(*p.branches));
	i = p.nr;
	for (const struct text_branch *b = branch; b; b = b->block->outer)
		p.branches[--i] = b;
	return p;
}

struct path path_join(struct path a, struct path b)
{
	struct path p = { .nr = a.nr + b.nr };

	p.branches = arena_alloc((p.nr + 1) * sizeof(*p.branches));
	if (a.nr)
		memcpy(p.branches, a.branches, a.nr * sizeof(*p.branches));
	if (b.nr)
		memcpy(p.branches + a.nr, b.branches, b.nr * sizeof(*p.branches));
	return p;
}

/* the conditions that an anonymous struct stands under, with those of the ones around it */
struct path container_path(const struct side *s, uint32_t container)
{
	const struct container *c = &s->containers[container];
	const struct alternative *a;
	struct path outer, own;

	if (c->parent == NONE)
		return (struct path){ 0 };
	outer = container_path(s, c->parent);
	a = &s->alts[s->nodes[c->node].alt];
	own = path_of(s->containers[c->parent].body->items[a->item].branch);
	return path_join(outer, own);
}

const char *path_spell(const struct struct_text *st, struct path p)
{
	const char *s = "";

	for (size_t i = 0; i < p.nr; i++) {
		const char *condition = p.branches[i]->condition;

		if (!condition)
			condition = arena_printf("%s of %s", ctok_text(&st->toks, p.branches[i]->tok),
						 p.branches[i]->block->branches[0]->condition);
		s = arena_printf("%s%s\n", s, condition);
	}
	return s;
}

const char *condition_of(const struct side *s, const struct alternative *a)
{
	uint32_t container = s->nodes[a->node].container;
	struct path own = path_of(s->containers[container].body->items[a->item].branch);

	return path_spell(s->st, path_join(container_path(s, container), own));
}

static bool same_condition(const struct text_branch *a, const struct text_branch *b)
{
	return a == b || (a->condition && b->condition && !strcmp(a->condition, b->condition));
}

static size_t common(struct path a, struct path b)
{
	size_t i = 0;

	while (i < a.nr && i < b.nr && same_condition(a.branches[i], b.branches[i]))
		i++;
	return i;
}

/* what a node must still ask for inside a container that it comes into */
static struct path path_inside(struct tree *t, uint32_t node, uint32_t container)
{
	const struct side *o = &t->orig;
	const struct node *n = &o->nodes[node];
	struct path own = path_of(n->branch), there;

	if (n->container == container)
		return own;
	own = path_join(container_path(o, n->container), own);
	there = container_path(o, container);
	if (common(own, there) < there.nr)
		replay_refuse(t->job, node_line(o, node),
			      "%s would come under '#if %s' of the anonymous struct that it moves into", n->name,
			      there.branches[common(own, there)]->condition);
	own.branches += there.nr;
	own.nr -= there.nr;
	return own;
}

static void check_guards(struct tree *t, uint32_t node, struct path p)
{
	for (size_t i = 0; i < p.nr; i++) {
		if (p.branches[i]->nr && p.branches[i]->block->has_elif)
			replay_refuse(t->job, node_line(&t->orig, node),
				      "%s stands in an #if with #elif, whose condition cannot be copied",
				      t->orig.nodes[node].name);
	}
}

static struct placed *put(struct slot *slot, struct target *target, struct path guards)
{
	struct placed *p = arena_alloc(sizeof(*p));

	p->target = target;
	p->guards = guards.branches;
	p->nr_guards = guards.nr;
	*slot->end = p;
	slot->end = &p->next;
	return p;
}

/* orders what stands in and between the items: an item, then what is behind it, then what is in front of the next */
static uint64_t place_of_item(size_t item, size_t turn)
{
	return (((uint64_t)item * 3 + 2) << 32) + turn;
}

static uint64_t place_in_slot(const struct container *c, const struct slot *slot, size_t turn)
{
	size_t i = slot - c->slots, nr = c->body->nr_items;

	if (i == 2 * nr)
		return turn;		/* start */
	if (i == 2 * nr + 1)
		return (((uint64_t)nr * 3 + 3) << 32) + turn;
	return (((uint64_t)(i / 2) * 3 + (i % 2 == SLOT_BEFORE ? 1 : 3)) << 32) + turn;
}

/* a run of targets that do not stay, and the ones that stay on both sides of it */
struct run {
	struct tree *tree;
	uint32_t container;
	struct container *c;
	struct target *prev, *next;	/* NULL: the braces */
	size_t first, last;		/* targets */
};

static struct path target_path(const struct run *run, struct target *target)
{
	const struct side *o = &run->tree->orig;
	struct path a = { 0 }, b = { 0 };
	size_t i = 0;

	if (target->node != NONE)
		return path_inside(run->tree, target->node, run->container);
	/* what is inserted stands under the conditions that both neighbours share */
	if (run->prev)
		a = path_of(o->nodes[run->prev->node].branch);
	if (run->next)
		b = path_of(o->nodes[run->next->node].branch);
	while (i < a.nr && i < b.nr && a.branches[i] == b.branches[i])
		i++;
	a.nr = i;
	target->path = a.branches;
	target->nr_path = i;
	return a;
}

static struct path drop(struct path p, size_t n)
{
	if (n)		/* nothing to drop from may be NULL */
		p.branches += n;
	p.nr -= n;
	return p;
}

static bool is_space(const struct tree *t, const struct target *target)
{
	return target->node != NONE ? t->orig.nodes[target->node].space : t->after.nodes[target->inserted].space;
}

/* "int a, b;" that moves as it is needs no splitting */
static size_t whole_unit(const struct run *run, size_t i, size_t last)
{
	const struct side *o = &run->tree->orig;
	const struct node *n;
	const struct text_item *item;

	if (run->c->targets[i].node == NONE)
		return 1;
	n = &o->nodes[run->c->targets[i].node];
	item = &o->containers[n->container].body->items[n->first];
	if (n->first != n->last || item->nr_declarators < 2 || o->alts[n->alt].declarator != 0)
		return 1;
	for (size_t k = 1; k < item->nr_declarators; k++) {
		if (i + k > last || run->c->targets[i + k].node != run->c->targets[i].node + k)
			return 1;
	}
	return item->nr_declarators;
}

/* all declarators leave, but not together: the first takes the comments */
static bool carries(const struct tree *t, const struct target *target)
{
	const struct side *o = &t->orig;
	const struct node *n;
	const struct text_item *item;

	if (target->node == NONE)
		return false;
	n = &o->nodes[target->node];
	item = &o->containers[n->container].body->items[n->first];
	if (item->nr_declarators < 2 || o->alts[n->alt].declarator != 0)
		return false;
	for (size_t k = 1; k < item->nr_declarators; k++) {
		if (!o->nodes[target->node + k].moved)
			return false;
	}
	return true;
}

/* puts target i into a slot where the first depth conditions of its path are in force; returns how many targets */
static size_t put_one(struct run *run, struct slot *slot, size_t i, size_t last, struct path own, size_t depth)
{
	struct target *target = &run->c->targets[i];
	struct path guards = drop(own, depth);
	size_t width = whole_unit(run, i, last);
	struct placed *p;

	if (target->node != NONE)
		check_guards(run->tree, target->node, guards);
	for (size_t k = 0; k < width; k++)
		target[k].place = place_in_slot(run->c, slot, i + k);
	p = put(slot, target, guards);
	p->whole_unit = width > 1;
	p->carries = width == 1 && carries(run->tree, target);
	return width;
}

/* outside of those #ifs around the anchor that the target does not share */
static size_t climb(const struct path *anchor, size_t shared, size_t item, bool behind)
{
	const struct text_block *block;

	if (shared == anchor->nr)
		return item;
	block = anchor->branches[shared]->block;
	return behind ? block->last : block->first;
}

/* the last detached comment between the run's neighbours, for padding to stand below it */
static bool find_comment(const struct run *run, struct path under, size_t *found)
{
	const struct side *o = &run->tree->orig;
	const struct text_body *body = run->c->body;
	const struct text_branch *branch = under.nr ? under.branches[under.nr - 1] : NULL;
	size_t i = run->prev ? o->nodes[run->prev->node].last + 1 : 0;
	size_t end = run->next ? o->nodes[run->next->node].first : body->nr_items;
	bool any = false;

	for (; i < end; i++) {
		if (body->items[i].kind != TEXT_COMMENT || !body->items[i].detached ||
		    body->items[i].branch != branch)
			continue;
		*found = i;
		any = true;
	}
	return any;
}

/* one spelling of the unit that something is placed next to, and the conditions in force there */
struct anchor {
	size_t item;
	struct path path;
};

/* of a member in several branches, the one whose conditions are nearest to own */
static struct anchor find_anchor(const struct run *run, const struct target *target, struct path own)
{
	const struct side *o = &run->tree->orig;
	const struct node *n = &o->nodes[target->node];
	struct anchor best = { 0 };

	for (uint32_t a = n->alt; a < n->alt + n->nr_alts; a++) {
		struct path p = path_of(run->c->body->items[o->alts[a].item].branch);

		if (a == n->alt || common(p, own) > common(best.path, own))
			best = (struct anchor){ o->alts[a].item, p };
	}
	return best;
}

/* the conditions of a node in an #if that moves as a whole, that #if included; false: it has other branches */
static bool inner_path(const struct run *run, const struct target *target, struct path own, struct path *out)
{
	const struct side *o = &run->tree->orig;
	const struct node *n = target->node != NONE ? &o->nodes[target->node] : NULL;
	struct path all;

	if (!n || n->first == n->last || n->nr_alts > 1 || n->container != run->container)
		return false;
	all = path_of(run->c->body->items[o->alts[n->alt].item].branch);
	for (size_t i = own.nr; i < all.nr; i++) {
		if (all.branches[i]->block->nr_branches > 1)
			return false;
	}
	*out = all;
	return true;
}

/* how deep into the conditions of a neighbour a target may go, and whether it leaves its own #if behind */
struct depth {
	struct path own;
	struct anchor anchor;
	size_t shared;
	bool unwrapped;
};

static struct depth depth_of(struct run *run, const struct target *neighbour, size_t i)
{
	struct target *target = &run->c->targets[i];
	struct depth d = { .own = target_path(run, target) };
	struct path inner;

	if (inner_path(run, target, d.own, &inner)) {
		d.anchor = find_anchor(run, neighbour, inner);
		d.shared = common(d.anchor.path, inner);
		d.unwrapped = d.anchor.path.nr == inner.nr && d.shared == inner.nr;
		if (d.unwrapped)
			return d;
	}
	d.anchor = find_anchor(run, neighbour, d.own);
	d.shared = common(d.anchor.path, d.own);
	return d;
}

/* no deeper than another one of the run, which would else come out on its other side */
static void limit_depth(struct run *run, const struct target *neighbour, size_t i, struct depth *d, size_t *limit)
{
	*d = depth_of(run, neighbour, i);
	if (d->shared > *limit && d->unwrapped) {
		d->unwrapped = false;
		d->anchor = find_anchor(run, neighbour, d->own);
		d->shared = common(d->anchor.path, d->own);
	}
	if (d->shared > *limit)
		d->shared = *limit;
	*limit = d->shared;
}

static size_t place_next_to(struct run *run, const struct depth *d, size_t i, size_t last, bool behind)
{
	int which = behind ? SLOT_BEHIND : SLOT_BEFORE;
	size_t item = climb(&d->anchor.path, d->shared, d->anchor.item, behind);

	struct slot *slot = slot_at(run->c, item, which);

	if (!d->unwrapped)
		return put_one(run, slot, i, last, d->own, d->shared);
	run->c->targets[i].place = place_in_slot(run->c, slot, i);
	put(slot, &run->c->targets[i], (struct path){ 0 })->unwrapped = true;
	return 1;
}

static void place_behind_prev(struct run *run, size_t first, size_t last)
{
	size_t i = first, item, limit = SIZE_MAX;

	while (i <= last) {
		struct target *target = &run->c->targets[i];
		struct depth d;

		limit_depth(run, run->prev, i, &d, &limit);
		if (i == last && target->node == NONE && is_space(run->tree, target) &&
		    find_comment(run, d.own, &item))
			i += put_one(run, slot_at(run->c, item, SLOT_BEHIND), i, last, d.own, d.own.nr);
		else
			i += place_next_to(run, &d, i, last, true);
	}
}

static void place_before_next(struct run *run, size_t first, size_t last)
{
	struct depth *depths = arena_alloc((last - first + 1) * sizeof(*depths));
	size_t limit = SIZE_MAX;

	for (size_t i = last + 1; i-- > first;)
		limit_depth(run, run->next, i, &depths[i - first], &limit);
	for (size_t i = first; i <= last;)
		i += place_next_to(run, &depths[i - first], i, last, false);
}

static void place_in(struct run *run, struct slot *slot, size_t first, size_t last)
{
	for (size_t i = first; i <= last;)
		i += put_one(run, slot, i, last, target_path(run, &run->c->targets[i]), 0);
}

/* the same condition as the last member: in its #if, not in a copy behind it */
static bool joins_prev(struct run *run, size_t i)
{
	struct path own;
	struct anchor anchor;

	if (!run->prev || is_space(run->tree, run->prev))
		return false;
	own = target_path(run, &run->c->targets[i]);
	inner_path(run, &run->c->targets[i], own, &own);
	anchor = find_anchor(run, run->prev, own);
	return anchor.path.nr && common(anchor.path, own) == anchor.path.nr;
}

/* a comment directly above the closing brace would seem to speak of what comes in between */
static bool ends_with_comment(const struct run *run)
{
	const struct text_body *body = run->c->body;
	const struct ctok *tok = run->tree->orig.st->toks.tok;
	const struct text_item *last;

	if (!body->nr_items || !run->prev || is_space(run->tree, run->prev))
		return false;
	last = &body->items[body->nr_items - 1];
	return last->kind == TEXT_COMMENT && tok[last->toks.end - 1].last_line + 1 >= tok[body->close].line;
}

static void place_tail(struct run *run, size_t first, bool behind_space)
{
	if (!run->prev && !behind_space)
		place_in(run, slot_start(run->c), first, run->last);
	else if (!run->next && (behind_space || !(joins_prev(run, first) || ends_with_comment(run))))
		place_in(run, slot_end(run->c), first, run->last);
	else if (run->next && (behind_space || is_space(run->tree, run->prev)))
		place_before_next(run, first, run->last);
	else
		place_behind_prev(run, first, run->last);
}

static void place_run(struct run *run)
{
	size_t tail = run->first;

	for (size_t i = run->first; i <= run->last; i++) {
		if (is_space(run->tree, &run->c->targets[i]))
			tail = i + 1;
	}
	if (tail > run->first) {
		if (run->prev)
			place_behind_prev(run, run->first, tail - 1);
		else
			place_in(run, slot_start(run->c), run->first, tail - 1);
	}
	if (tail <= run->last)
		place_tail(run, tail, tail > run->first);
}

static void make_slots(struct container *c)
{
	size_t nr = 2 * c->body->nr_items + 2;

	c->slots = arena_alloc(nr * sizeof(*c->slots));
	for (size_t i = 0; i < nr; i++)
		c->slots[i].end = &c->slots[i].first;
}

static void place_container(struct tree *t, uint32_t index)
{
	struct container *c = &t->orig.containers[index];
	struct run run = { .tree = t, .container = index, .c = c };
	size_t i = 0;

	make_slots(c);
	while (i < c->nr_targets) {
		if (c->targets[i].stays) {
			run.prev = &c->targets[i++];
			continue;
		}
		run.first = i;
		while (i < c->nr_targets && !c->targets[i].stays)
			i++;
		run.last = i - 1;
		run.next = i < c->nr_targets ? &c->targets[i] : NULL;
		place_run(&run);
	}
}

/* of members under one condition, where the last one stands */
struct last_place {
	struct strmap index;
	uint64_t *places;
	size_t nr, room;
};

static void refuse_order(struct tree *t, const struct target *target) __attribute__((noreturn));
static void refuse_order(struct tree *t, const struct target *target)
{
	replay_refuse(t->job, target->node != NONE ? node_line(&t->orig, target->node) : 0,
		      "the order that the rule wants would split the #if in front of %s", node_name(t, target));
}

static void check_place(struct tree *t, struct last_place *last, const char *condition, uint64_t place,
			const struct target *target)
{
	struct strmap_entry *e = strmap_get(&last->index, condition, strlen(condition));

	if (!e) {
		strmap_add(&last->index, condition, strlen(condition), last->nr);
		*ARENA_PUSH(last->places, last->nr, last->room) = place;
		return;
	}
	if (place < last->places[e->values[0]])
		refuse_order(t, target);
	last->places[e->values[0]] = place;
}

/* behind an #endif a unit may pass others of its own condition: not what the rule wants */
static void check_places(struct tree *t, uint32_t index)
{
	const struct side *o = &t->orig;
	const struct container *c = &o->containers[index];
	struct last_place last = { 0 };

	for (size_t i = 0; i < c->nr_targets; i++) {
		const struct target *target = &c->targets[i];
		const struct node *n = target->node != NONE ? &o->nodes[target->node] : NULL;
		struct path own = { target->path, target->nr_path };

		if (!n) {
			check_place(t, &last, path_spell(o->st, path_join(container_path(o, index), own)),
				    target->place, target);
			continue;
		}
		for (uint32_t a = n->alt; a < n->alt + n->nr_alts; a++) {
			const struct alternative *alt = &o->alts[a];
			size_t turn = alt->declarator < 0 ? 0 : alt->declarator;

			check_place(t, &last, condition_of(o, alt),
				    target->stays ? place_of_item(alt->item, turn) : target->place, target);
		}
	}
}

/* 0: it stands in several branches */
static uint64_t place_of(const struct tree *t, const struct target *target)
{
	const struct node *n = target->node != NONE ? &t->orig.nodes[target->node] : NULL;
	const struct alternative *a;

	if (n && n->nr_alts > 1)
		return 0;
	if (!target->stays)
		return target->place;
	a = &t->orig.alts[n->alt];
	return place_of_item(a->item, a->declarator < 0 ? 0 : a->declarator);
}

/* what moves stands behind its predecessor, or before its successor when that is space, whatever their conditions */
static void check_neighbours(struct tree *t, uint32_t index)
{
	const struct container *c = &t->orig.containers[index];

	for (size_t i = 1; i < c->nr_targets; i++) {
		const struct target *target = &c->targets[i], *prev = target - 1, *next = target + 1;
		uint64_t own = place_of(t, target), other;

		if (target->stays || !own)
			continue;
		if (!is_space(t, prev)) {
			if (place_of(t, prev) > own)
				refuse_order(t, target);
			continue;
		}
		other = i + 1 < c->nr_targets ? place_of(t, next) : 0;
		if (other && own > other)
			refuse_order(t, next);
	}
}

void tree_place(struct tree *t)
{
	for (uint32_t k = 0; k < t->orig.nr_containers; k++) {
		place_container(t, k);
		check_places(t, k);
		check_neighbours(t, k);
	}
}
