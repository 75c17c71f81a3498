/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "paths.h"
#include "strmap.h"

#define ROUNDS	100		/* chains of calls are no longer; those of recursion die out */
#define ENOUGH	1e-5

struct edge {
	size_t from, to;
	double often;
};

/* a function, or a member that points to some */
struct node {
	bool defined, leads, entered, is_member;
	double reached;
	size_t functions;		/* of a member */
};

struct paths {
	struct strmap by_key;		/* "file\tname" */
	struct strmap by_name;		/* of functions that are defined */
	struct strmap handlers;		/* edges from members */
	struct node *nodes;
	size_t nr, room;
	struct edge *edges;
	size_t nr_edges, edges_room;
};

struct paths *paths_create(void)
{
	return arena_alloc(sizeof(struct paths));
}

static size_t node_of(struct paths *p, const char *name, const char *file)
{
	char *key = arena_printf("%s\t%s", file, name);
	struct strmap_entry *entry = strmap_get(&p->by_key, key, strlen(key));

	if (entry)
		return entry->values[0];
	strmap_add(&p->by_key, key, strlen(key), p->nr);
	*ARENA_PUSH(p->nodes, p->nr, p->room) = (struct node) { 0 };
	return p->nr - 1;
}

size_t paths_function(struct paths *p, const char *name, const char *file, bool leads, bool *known)
{
	size_t nr = node_of(p, name, file);

	*known = p->nodes[nr].defined;
	if (!*known)
		strmap_add(&p->by_name, name, strlen(name), nr);
	p->nodes[nr].defined = true;
	p->nodes[nr].leads = leads;
	return nr;
}

static void add_edge(struct paths *p, size_t from, size_t to, double often)
{
	*ARENA_PUSH(p->edges, p->nr_edges, p->edges_room) = (struct edge) { from, to, chance(often) };
}

void paths_call(struct paths *p, size_t from, const char *to, const char *file, double often)
{
	add_edge(p, from, node_of(p, to, file), often);
}

void paths_handler(struct paths *p, const char *member, const char *function, const char *file)
{
	size_t from = node_of(p, member, ""), to = node_of(p, function, file);
	char *key = arena_printf("%zu %zu", from, to);

	if (strmap_get(&p->handlers, key, strlen(key)))
		return;
	strmap_add(&p->handlers, key, strlen(key), p->nr_edges);
	p->nodes[from].is_member = true;
	add_edge(p, from, to, 1);
}

bool paths_enter(struct paths *p, const char *name)
{
	struct strmap_entry *entry = strmap_get(&p->by_name, name, strlen(name));

	for (size_t i = 0; entry && i < entry->nr; i++)
		p->nodes[entry->values[i]].entered = true;
	return entry;
}

/* a member's functions that are defined share its calls */
static void share_calls(struct paths *p)
{
	for (size_t i = 0; i < p->nr_edges; i++)
		p->nodes[p->edges[i].from].functions += p->nodes[p->edges[i].to].defined;
	for (size_t i = 0; i < p->nr_edges; i++)
		if (p->nodes[p->edges[i].from].is_member && p->nodes[p->edges[i].from].functions)
			p->edges[i].often /= p->nodes[p->edges[i].from].functions;
}

void paths_follow(struct paths *p)
{
	double *next = arena_alloc((p->nr + 1) * sizeof(*next));
	bool changed = true;

	share_calls(p);
	for (int round = 0; round < ROUNDS && changed; round++) {
		changed = false;
		memset(next, 0, p->nr * sizeof(*next));
		for (size_t i = 0; i < p->nr_edges; i++)
			next[p->edges[i].to] += p->nodes[p->edges[i].from].reached * p->edges[i].often;
		for (size_t i = 0; i < p->nr; i++) {
			struct node *n = &p->nodes[i];
			double reached = n->entered ? 1 : n->leads || n->is_member ? chance(next[i]) : 0;

			changed |= reached - n->reached > ENOUGH || n->reached - reached > ENOUGH;
			n->reached = reached;
		}
	}
}

double paths_reached(const struct paths *p, size_t function)
{
	return p->nodes[function].reached;
}
