/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a tree moves, and what must not. Where it goes is replay_place.c. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "declaration.h"
#include "replay_plan.h"

const char *node_name(const struct tree *t, const struct target *target)
{
	const struct side *s = target->node != NONE ? &t->orig : &t->after;
	const struct node *n = &s->nodes[target->node != NONE ? target->node : target->inserted];
	const struct container *c;
	const char *first = NULL, *word;

	if (n->name)
		return n->name;
	word = n->inner != NONE && s->containers[n->inner].body->kind == TEXT_UNION ? "union" : "struct";
	while (n->inner != NONE && !first) {
		c = &s->containers[n->inner];
		if (!c->nr)
			break;
		n = &s->nodes[c->nodes[0]];
		first = n->name;
	}
	return first ? arena_printf("%s {%s ...}", word, first) : arena_printf("%s {}", word);
}

static const char *name_of(const struct tree *t, uint32_t node)
{
	struct target target = { .node = node, .inserted = NONE };

	return node_name(t, &target);
}

static struct text_range item_range(const struct side *s, const struct node *n)
{
	return s->containers[n->container].body->items[n->first].range;
}

/* the rule says that it moves: 0; spatch printed it anew, or took its comments: 1; else 2 */
static uint32_t settled(const struct tree *t, uint32_t node)
{
	const struct node *n = &t->orig.nodes[node];
	struct text_range a = item_range(&t->orig, n), b = item_range(&t->after, &t->after.nodes[n->mate]);

	if (t->job->r->rule && n->name && smpl_moves(t->job->r->rule, n->name))
		return 0;
	if (a.end - a.start != b.end - b.start ||
	    memcmp(t->orig.st->toks.text + a.start, t->after.st->toks.text + b.start, a.end - a.start))
		return 1;
	return 2;
}

/* the best chain that ends at or before a position, for all positions: a Fenwick tree of maxima */
struct chain {
	uint64_t weight;
	uint32_t last;			/* target, plus 1; 0: none */
};

static struct chain best_up_to(const struct chain *best, size_t i)
{
	struct chain found = { 0 };

	for (; i > 0; i &= i - 1) {
		if (best[i].weight > found.weight)
			found = best[i];
	}
	return found;
}

static void improve(struct chain *best, size_t nr, size_t i, struct chain c)
{
	for (; i <= nr; i += i & -i) {
		if (c.weight > best[i].weight)
			best[i] = c;
	}
}

/* most targets that keep their order stay; of equal choices the one that moves what the rule speaks of */
static void choose_staying(struct tree *t, uint32_t index)
{
	struct container *c = &t->orig.containers[index];
	struct chain *best = arena_alloc((c->nr + 1) * sizeof(*best));
	uint32_t *before = arena_alloc((c->nr_targets + 1) * sizeof(*before));
	struct strmap position = { 0 };
	uint32_t i;

	for (i = 0; i < c->nr; i++)
		strmap_add(&position, (char *)&c->nodes[i], sizeof(c->nodes[i]), i + 1);
	for (i = 0; i < c->nr_targets; i++) {
		struct target *target = &c->targets[i];
		struct strmap_entry *e;
		struct chain chain;

		if (target->node == NONE || t->orig.nodes[target->node].container != index)
			continue;
		e = strmap_get(&position, (char *)&target->node, sizeof(target->node));
		chain = best_up_to(best, e->values[0] - 1);
		before[i] = chain.last;
		chain.weight += ((uint64_t)1 << 32) + settled(t, target->node);
		chain.last = i + 1;
		improve(best, c->nr, e->values[0], chain);
	}
	for (i = best_up_to(best, c->nr).last; i; i = before[i - 1])
		c->targets[i - 1].stays = true;
}

/* "int a, b;" with something new between them: b becomes a declaration of its own */
static void split_apart(struct tree *t, uint32_t index)
{
	struct container *c = &t->orig.containers[index];
	size_t last = 0;		/* target, plus 1, of the last declarator that stays */

	for (size_t i = 0; i < c->nr_targets; i++) {
		struct target *target = &c->targets[i];
		const struct node *n;

		if (!target->stays)
			continue;
		n = &t->orig.nodes[target->node];
		if (last && t->orig.nodes[c->targets[last - 1].node].first == n->first && last != i)
			target->stays = false;
		else
			last = i + 1;
	}
}

/*
 * A member that stands once in each branch of an #if has several places in what spatch printed, of which
 * one may be new: that one counts.
 */
static bool is_chosen(const struct tree *t, uint32_t after_node)
{
	const struct side *o = &t->orig, *s = &t->after;
	const struct node *n = &o->nodes[s->nodes[after_node].mate];
	uint32_t chosen = NONE;

	if (n->nr_alts == 1)
		return true;
	for (uint32_t i = n->alt; i < n->alt + n->nr_alts; i++) {
		uint32_t mate = o->alts[i].mate, other;
		const char *x, *y;

		if (mate == NONE)
			replay_refuse(t->job, node_line(o, o->alts[i].node),
				      "%s.%s would be lost in one branch of its #if", t->tag, n->name);
		if (chosen == NONE)
			chosen = s->alts[mate].node;
		other = mate;
		while (other > 0 && s->alts[other - 1].mate != NONE &&
		       o->alts[s->alts[other - 1].mate].node == o->alts[i].node)
			other--;
		x = n->alt ? o->alts[n->alt - 1].key : NULL;
		y = other ? s->alts[other - 1].key : NULL;
		if (!x != !y || (x && strcmp(x, y)))
			return s->alts[mate].node == after_node;
	}
	return chosen == after_node;
}

static void fill_targets(struct tree *t)
{
	const struct side *s = &t->after;

	for (size_t k = 0; k < s->nr_containers; k++) {
		struct container *c;

		if (s->containers[k].mate == NONE)
			continue;
		c = &t->orig.containers[s->containers[k].mate];
		for (size_t i = 0; i < s->containers[k].nr; i++) {
			uint32_t node = s->containers[k].nodes[i];
			struct target *target;

			if (s->nodes[node].mate != NONE && !is_chosen(t, node))
				continue;
			target = ARENA_PUSH(c->targets, c->nr_targets, c->targets_room);
			target->node = s->nodes[node].mate;
			target->inserted = target->node == NONE ? node : NONE;
		}
	}
}

static void check_inserted(struct tree *t, const struct container *c, const struct target *target)
{
	const struct side *s = &t->after;
	const struct node *n = &s->nodes[target->inserted];
	const struct text_item *item = &s->containers[n->container].body->items[n->first];
	const char *key = s->alts[n->alt].key;

	for (size_t i = item->toks.first; i < item->toks.end; i++) {
		if (is_kind(s->st, i, CTOK_COMMENT) || is_kind(s->st, i, CTOK_LINE))
			replay_refuse(t->job, c->body->line,
				      "%s would get comments or preprocessor lines that it did not have", t->name);
	}
	if (t->job->r->rule && !smpl_adds(t->job->r->rule, s->st, item->toks))
		replay_refuse(t->job, c->body->line, "%s would get '%s', which no + line of the rule says",
			      t->name, struct_text_spell(s->st, item->toks));
	for (uint32_t i = 0; key && i < t->orig.nr_alts; i++) {
		if (t->orig.alts[i].key && !strcmp(t->orig.alts[i].key, key))
			replay_refuse(t->job, node_line(&t->orig, t->orig.alts[i].node), "%s would have %s twice",
				      t->name, key);
	}
}

static void check_removed(struct tree *t, uint32_t node)
{
	const struct side *o = &t->orig;
	const struct node *n = &o->nodes[node];
	const struct text_item *item = &o->containers[n->container].body->items[o->alts[n->alt].item];
	const struct smpl *rule = t->job->r->rule;

	if (n->first != n->last)
		replay_refuse(t->job, node_line(o, node), "%s.%s would be removed together with its #if", t->tag,
			      name_of(t, node));
	if (rule ? !smpl_removes(rule, o->st, item->toks) : !n->space)
		replay_refuse(t->job, node_line(o, node), "%s would lose %s, which no - line of the rule says",
			      t->name, name_of(t, node));
}

/* removed nodes inside a removed anonymous struct go with it */
static bool goes_with_parent(const struct side *o, const struct node *n)
{
	return n->container && o->containers[n->container].mate == NONE;
}

static void settle_nodes(struct tree *t)
{
	struct side *o = &t->orig;

	for (size_t k = 0; k < o->nr_containers; k++) {
		struct container *c = &o->containers[k];

		for (size_t i = 0; i < c->nr_targets; i++) {
			if (c->targets[i].node == NONE) {
				check_inserted(t, c, &c->targets[i]);
				continue;
			}
			o->nodes[c->targets[i].node].placed = true;
			o->nodes[c->targets[i].node].moved = !c->targets[i].stays;
		}
	}
	for (uint32_t i = 0; i < o->nr_nodes; i++) {
		if (o->nodes[i].placed || goes_with_parent(o, &o->nodes[i]))
			continue;
		check_removed(t, i);
		o->nodes[i].removed = true;
	}
}

/* the members that may be the first, by conditions: up to the first one that is always there */
static size_t first_members(const struct tree *t, bool afterwards, struct target *out, size_t room)
{
	const struct side *o = &t->orig;
	const struct container *c = &o->containers[0];
	size_t nr = 0, i = 0;

	while (nr < room && i < (afterwards ? c->nr_targets : c->nr)) {
		struct target target = { .node = NONE, .inserted = NONE };
		const struct node *n;

		if (afterwards)
			target = c->targets[i];
		else
			target.node = c->nodes[i];
		i++;
		n = target.node != NONE ? &o->nodes[target.node] : &t->after.nodes[target.inserted];
		if (n->marker)
			continue;
		if (n->inner != NONE && n->first == n->last && target.node != NONE &&
		    o->containers[n->inner].body->kind == TEXT_STRUCT) {
			c = &o->containers[n->inner];
			i = 0;
			continue;
		}
		target.stays = false;
		out[nr++] = target;
		if (target.node == NONE || (!n->branch && n->first == n->last))
			break;
	}
	return nr;
}

static void check_first(struct tree *t)
{
	struct target before[64], after[64];
	size_t nr = first_members(t, false, before, 64), nr_after = first_members(t, true, after, 64), i = 0;
	const char *role = "a role that casts and container_of rely on (--force-first to insist)";

	if (t->job->r->force_first || t->orig.containers[0].body->kind == TEXT_UNION)
		return;
	while (i < nr && i < nr_after && before[i].node == after[i].node && before[i].inserted == after[i].inserted)
		i++;
	if (i == nr && i == nr_after)
		return;
	if (i < nr && (t->orig.nodes[before[i].node].moved || t->orig.nodes[before[i].node].removed))
		replay_refuse(t->job, node_line(&t->orig, before[i].node), "%s is the first member of %s, %s",
			      name_of(t, before[i].node), t->name, role);
	if (i < nr_after)
		replay_refuse(t->job, t->orig.containers[0].body->line, "%s would become the first member of %s, %s",
			      node_name(t, &after[i]), t->name, role);
	replay_refuse(t->job, t->orig.containers[0].body->line, "another member would become the first of %s, %s",
		      t->name, role);
}

static void find_flexible(struct tree *t)
{
	struct side *o = &t->orig;

	/* children come behind their parents */
	for (size_t k = o->nr_containers; k-- > 0;) {
		struct container *c = &o->containers[k];
		struct node *n = c->nr ? &o->nodes[c->nodes[c->nr - 1]] : NULL;
		const struct text_item *item = n ? &c->body->items[o->alts[n->alt].item] : NULL;
		bool flexible = n && (n->flexible || (item->nr_declarators == 1 && item->declarators[0].zero_length));

		if (n)
			n->flexible = flexible;
		for (size_t i = 0; c->body->kind == TEXT_UNION && i < c->nr; i++)
			flexible |= o->nodes[c->nodes[i]].flexible;
		if (k && flexible)
			o->nodes[c->node].flexible = true;
	}
}

static void check_flexible(struct tree *t)
{
	const struct side *o = &t->orig;

	find_flexible(t);
	for (size_t k = 0; k < o->nr_containers; k++) {
		const struct container *c = &o->containers[k];
		uint32_t node = c->nr ? c->nodes[c->nr - 1] : NONE;
		const struct target *last = c->nr_targets ? &c->targets[c->nr_targets - 1] : NULL;

		if (c->body->kind == TEXT_UNION || node == NONE || !o->nodes[node].flexible || !last)
			continue;
		if (o->nodes[node].moved)
			replay_refuse(t->job, node_line(o, node),
				      "%s is the flexible array of %s and stays its last member", name_of(t, node),
				      t->name);
		if (last->node != node)
			replay_refuse(t->job, node_line(o, node), "%s would stand behind the flexible array %s of %s",
				      node_name(t, last), name_of(t, node), t->name);
	}
}

static bool is_union(const struct side *s, uint32_t container)
{
	return s->containers[container].body->kind == TEXT_UNION;
}

static uint32_t depth_of(const struct side *s, uint32_t container)
{
	return s->containers[container].body->depth;
}

/* moving out of a union, into one, or between its members, changes what overlaps */
static bool crosses_union(const struct side *s, uint32_t from, uint32_t to)
{
	bool crosses = false;

	if (from == to)
		return false;
	while (from != to) {
		uint32_t *deeper = depth_of(s, from) >= depth_of(s, to) ? &from : &to;

		crosses |= is_union(s, *deeper);
		*deeper = s->containers[*deeper].parent;
	}
	return crosses || is_union(s, from);
}

static void check_unions(struct tree *t)
{
	const struct side *o = &t->orig;

	for (uint32_t k = 0; k < o->nr_containers; k++) {
		for (size_t i = 0; i < o->containers[k].nr_targets; i++) {
			const struct target *target = &o->containers[k].targets[i];

			if (target->node == NONE || target->stays)
				continue;
			if (crosses_union(o, o->nodes[target->node].container, k))
				replay_refuse(t->job, node_line(o, target->node),
					      "%s would move into or out of a union of %s", node_name(t, target),
					      t->name);
		}
	}
}

struct spot {
	uint32_t container, target;
};

static const char *bitfield_type(const struct side *s, const struct node *n)
{
	const struct alternative *a = &s->alts[n->alt];

	const struct text_item *item = &s->containers[n->container].body->items[a->item];

	return item->declarators[a->declarator < 0 ? 0 : a->declarator].type;
}

static bool same_run(const struct side *s, const struct node *a, const struct node *b)
{
	return a->bitfield && b->bitfield && !a->zero_width && !strcmp(bitfield_type(s, a), bitfield_type(s, b));
}

static void check_bitfields(struct tree *t)
{
	const struct side *o = &t->orig;
	struct spot *spots = arena_alloc((o->nr_nodes + 1) * sizeof(*spots));

	for (uint32_t k = 0; k < o->nr_containers; k++) {
		for (uint32_t i = 0; i < o->containers[k].nr_targets; i++) {
			uint32_t node = o->containers[k].targets[i].node;

			if (node != NONE)
				spots[node] = (struct spot){ k, i };
		}
	}
	for (uint32_t k = 0; k < o->nr_containers; k++) {
		const struct container *c = &o->containers[k];

		for (size_t i = 1; i < c->nr; i++) {
			uint32_t a = c->nodes[i - 1], b = c->nodes[i];

			if (!same_run(o, &o->nodes[a], &o->nodes[b]) || !o->nodes[a].placed || !o->nodes[b].placed)
				continue;
			if (spots[a].container == spots[b].container && spots[a].target + 1 == spots[b].target)
				continue;
			replay_refuse(t->job, node_line(o, b), "bit-field out of its run: %s.%s directly follows %s",
				      t->tag, name_of(t, b), name_of(t, a));
		}
	}
}

static void add_edit(struct job *job, uint32_t start, uint32_t end, const char *text)
{
	struct edit *e = ARENA_PUSH(job->edits, job->nr_edits, job->edits_room);

	e->start = start;
	e->end = end;
	e->text = text;
	e->len = strlen(text);
}

static void note_change(struct tree *t, const char *what, const char *member, unsigned int line, const char *behind)
{
	struct replay *r = t->job->r;

	*ARENA_PUSH(r->changes, r->nr_changes, r->room) = (struct replay_change){ t->tag, what, member, line,
										  behind };
}

struct attribute_list {
	struct text_toks *toks;
	char **spelt;
	size_t nr;
};

static struct attribute_list attributes_of(const struct side *s, const struct alternative *a,
					   const struct text_item **item)
{
	const struct text_item *it = &s->containers[s->nodes[a->node].container].body->items[a->item];
	const struct text_declarator *d = it->nr_declarators
						  ? &it->declarators[a->declarator < 0 ? 0 : a->declarator]
						  : NULL;
	struct attribute_list list;

	list.toks = declaration_attributes(s->st, it, d, &list.nr);
	list.spelt = arena_alloc((list.nr + 1) * sizeof(*list.spelt));
	for (size_t i = 0; i < list.nr; i++)
		list.spelt[i] = struct_text_spell(s->st, list.toks[i]);
	*item = it;
	return list;
}

/* index of an attribute, taken out of the list; or -1 */
static bool take_attribute(struct attribute_list *list, const char *spelt)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (!list->spelt[i] || strcmp(list->spelt[i], spelt))
			continue;
		list->spelt[i] = NULL;
		return true;
	}
	return false;
}

static void remove_attribute(struct tree *t, struct text_toks toks, const struct text_item *item)
{
	const struct ctoks *c = &t->orig.st->toks;
	uint32_t start = c->tok[toks.first].start, end = c->tok[toks.end - 1].end;

	if (toks.first == item->toks.first)
		end = c->tok[toks.end].start;
	else
		start = c->tok[toks.first - 1].end;
	add_edit(t->job, start, end, "");
	fingerprint_toks(&t->job->delta, t->orig.st, toks, -1);
}

static void append_attribute(struct tree *t, const struct alternative *a, const struct text_item *item,
			     struct text_toks toks)
{
	const struct ctoks *c = &t->orig.st->toks;
	uint32_t at;

	if (item->nr_declarators && item->kind != TEXT_MACRO) {
		at = c->tok[item->declarators[a->declarator < 0 ? 0 : a->declarator].toks.end - 1].end;
	} else {
		uint32_t last = item->toks.end - 1;

		while (last > item->toks.first && item->has_semicolon && !ctok_is(c, last, ";"))
			last--;
		at = c->tok[item->has_semicolon ? last - 1 : last].end;
	}
	add_edit(t->job, at, at, arena_printf(" %s", struct_text_spell(t->after.st, toks)));
	fingerprint_toks(&t->job->delta, t->after.st, toks, 1);
}

/* spatch loses attributes of what it moves: only what the rule says in so many words is taken over */
static void replay_attributes(struct tree *t, const struct alternative *a)
{
	const struct smpl *rule = t->job->r->rule;
	const struct alternative *b;
	const struct text_item *x, *y;
	struct attribute_list mine, theirs;
	uint32_t line = node_line(&t->orig, a->node);
	const char *name = name_of(t, a->node);

	if (a->mate != NONE) {
		b = &t->after.alts[a->mate];
	} else {
		uint32_t mate = t->orig.nodes[a->node].mate;

		if (mate == NONE || t->orig.nodes[a->node].inner == NONE)
			return;
		b = &t->after.alts[t->after.nodes[mate].alt];
	}
	mine = attributes_of(&t->orig, a, &x);
	theirs = attributes_of(&t->after, b, &y);
	for (size_t i = 0; i < theirs.nr; i++) {
		if (take_attribute(&mine, theirs.spelt[i]))
			continue;
		if (rule && !smpl_adds_words(rule, t->after.st, theirs.toks[i]))
			replay_refuse(t->job, line, "%s.%s would get %s, which no + line of the rule says",
				      t->tag, name, theirs.spelt[i]);
		append_attribute(t, a, x, theirs.toks[i]);
		note_change(t, "attribute", name, line, arena_printf("+%s", theirs.spelt[i]));
	}
	for (size_t i = 0; rule && i < mine.nr; i++) {
		if (!mine.spelt[i] || !smpl_removes_words(rule, t->orig.st, mine.toks[i]))
			continue;
		remove_attribute(t, mine.toks[i], x);
		note_change(t, "attribute", name, line, arena_printf("-%s", mine.spelt[i]));
	}
}

static void note_changes(struct tree *t)
{
	const struct side *o = &t->orig;

	for (size_t k = 0; k < o->nr_containers; k++) {
		const struct container *c = &o->containers[k];

		for (size_t i = 0; i < c->nr_targets; i++) {
			const struct target *target = &c->targets[i];
			const char *behind = i ? node_name(t, target - 1) : "{";

			if (target->node == NONE)
				note_change(t, "inserted", node_name(t, target), 0, behind);
			else if (!target->stays)
				note_change(t, "moved", node_name(t, target), node_line(o, target->node), behind);
		}
		for (size_t i = 0; i < c->nr; i++) {
			if (o->nodes[c->nodes[i]].removed)
				note_change(t, "removed", name_of(t, c->nodes[i]), node_line(o, c->nodes[i]),
					    i ? name_of(t, c->nodes[i - 1]) : "{");
		}
	}
}

void tree_plan(struct tree *t)
{
	fill_targets(t);
	for (uint32_t k = 0; k < t->orig.nr_containers; k++) {
		choose_staying(t, k);
		split_apart(t, k);
	}
	settle_nodes(t);
	check_first(t);
	check_flexible(t);
	check_unions(t);
	check_bitfields(t);
	note_changes(t);
	for (size_t i = 0; i < t->orig.nr_alts; i++)
		replay_attributes(t, &t->orig.alts[i]);
	tree_place(t);
}
