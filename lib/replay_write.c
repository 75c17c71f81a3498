/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The new text of a body. Between two items lies white space, the gap. Items that leave take a gap with them; what
 * comes is put into a gap on lines of its own.
 */
#include <string.h>

#include "arena.h"
#include "replay_out.h"

void put_bytes(struct out *o, const char *s, size_t len)
{
	if (!len)
		return;
	while (o->room < o->len + len + 1)
		o->s = arena_grow(o->s, 1, o->room, &o->room);
	memcpy(o->s + o->len, s, len);
	o->len += len;
}

void put_string(struct out *o, const char *s)
{
	put_bytes(o, s, strlen(s));
}

static const char *source(const struct tree *t)
{
	return t->orig.st->toks.text;
}

void put_source(const struct tree *t, struct out *o, uint32_t start, uint32_t end)
{
	put_bytes(o, source(t) + start, end - start);
}

uint32_t tok_start(const struct side *s, size_t i)
{
	return s->st->toks.tok[i].start;
}

uint32_t tok_end(const struct side *s, size_t i)
{
	return s->st->toks.tok[i].end;
}

const struct text_declarator *declarator_of(const struct side *s, const struct node *n,
					    const struct text_item **item)
{
	const struct alternative *a = &s->alts[n->alt];

	*item = &s->containers[n->container].body->items[a->item];
	return (*item)->nr_declarators ? &(*item)->declarators[a->declarator < 0 ? 0 : a->declarator] : NULL;
}

/* white space of the original, or cut out of it */
struct gap {
	const char *s;
	size_t len;
};

static unsigned int newlines(struct gap g)
{
	unsigned int n = 0;

	for (size_t i = 0; i < g.len; i++)
		n += g.s[i] == '\n';
	return n;
}

/* up to and with the last newline */
static struct gap gap_head(struct gap g)
{
	while (g.len && g.s[g.len - 1] != '\n')
		g.len--;
	return g;
}

/* what follows the last newline: the indentation of the next line */
static struct gap gap_tail(struct gap g)
{
	size_t head = gap_head(g).len;

	return (struct gap){ g.s + head, g.len - head };
}

static struct gap gap_of(struct out *o)
{
	return (struct gap){ o->s ? o->s : "", o->len };
}

static struct gap join(struct gap a, struct gap b)
{
	struct out o = { 0 };

	put_bytes(&o, a.s, a.len);
	put_bytes(&o, b.s, b.len);
	return gap_of(&o);
}

static struct gap one_newline(struct tree *t, struct gap last)
{
	return join((struct gap){ t->job->newline, strlen(t->job->newline) }, gap_tail(last));
}

struct writer {
	struct tree *t;
	struct container *c;
	uint32_t container;
	struct out out;
	struct gap gap;			/* that lies in front of the next item */
	bool at_start;			/* nothing but the brace is written */
	bool after_comment;		/* the last thing written is a comment that is no member's */
	bool *gone, *lead_stays;
	const char **instead;		/* of an #if line */
	size_t *stuff;			/* units and the like in items before this one that remain */
	size_t *units;			/* units before this one in the original */
};

/* the gap that is left when what stood between two gaps is taken out */
static struct gap without(const struct writer *w, struct gap before, struct gap behind, bool at_end)
{
	unsigned int nb = newlines(before), na = newlines(behind);

	if (!nb)
		return na || !before.len ? behind : before;
	if (!na)
		return before;
	/* no blank line is left behind the opening brace, nor in front of the closing one */
	if (w->at_start && nb == 1)
		return one_newline(w->t, behind);
	if (at_end && na == 1)
		return w->after_comment ? join(gap_head(before), gap_tail(behind)) : behind;
	if (nb == 1 || na >= nb)
		return behind;
	return join(gap_head(before), gap_tail(behind));
}

void put_edited(struct tree *t, struct out *o, uint32_t start, uint32_t end)
{
	const struct job *job = t->job;
	const char *text = source(t);
	size_t low = 0, high = job->nr_edits;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (job->edits[mid].start < start)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < job->nr_edits && job->edits[low].start <= end; low++) {
		struct edit *e = &job->edits[low];
		char *built;
		size_t len;

		if (e->start < start || e->end > end)
			continue;
		put_bytes(o, text + start, e->start - start);
		start = e->end;
		if (!e->tree) {
			put_bytes(o, e->text, e->len);
			continue;
		}
		container_write(e->tree, e->container, &built, &len);
		put_bytes(o, built, len);
	}
	put_bytes(o, text + start, end - start);
}

/* white space in front of what starts a line; false: something else stands before it on the line */
static bool line_indent(const char *text, uint32_t start, struct gap *out)
{
	uint32_t i = start;

	while (i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t'))
		i--;
	*out = (struct gap){ text + i, start - i };
	return i == 0 || text[i - 1] == '\n';
}

/* what stands in an #if that moves as a whole, without the #if */
static void write_unwrapped(struct tree *t, struct out *o, const struct node *n)
{
	const struct text_body *body = t->orig.containers[n->container].body;
	struct gap indent;

	for (uint32_t i = n->first; i <= n->last; i++) {
		const struct text_item *item = &body->items[i];
		struct text_range r = item->kind == TEXT_IF ? item->lead : item->range;

		if (r.start == r.end || item->kind == TEXT_ENDIF)
			continue;
		if (o->len) {
			put_string(o, t->job->newline);
			line_indent(source(t), r.start, &indent);
			put_bytes(o, indent.s, indent.len);
		}
		put_edited(t, o, r.start, r.end);
	}
}

static void write_node(struct tree *t, struct out *o, const struct placed *p)
{
	const struct node *n;
	const struct text_body *body;
	const struct text_item *item;

	if (p->target->node == NONE) {
		n = &t->after.nodes[p->target->inserted];
		item = &t->after.containers[n->container].body->items[n->first];
		put_bytes(o, t->after.st->toks.text + tok_start(&t->after, item->toks.first),
			  tok_end(&t->after, item->toks.end - 1) - tok_start(&t->after, item->toks.first));
		fingerprint_toks(&t->job->delta, t->after.st, item->toks, 1);
		return;
	}
	n = &t->orig.nodes[p->target->node];
	body = t->orig.containers[n->container].body;
	if (p->unwrapped)
		write_unwrapped(t, o, n);
	else if (body->items[n->first].nr_declarators > 1 && n->first == n->last && !p->whole_unit)
		write_split(t, o, n, p->carries);
	else
		put_edited(t, o, body->items[n->first].range.start, body->items[n->last].range.end);
}

static struct gap container_indent(const struct tree *t, uint32_t container)
{
	const struct container *c = &t->orig.containers[container];
	struct gap indent;

	for (size_t i = 0; i < c->body->nr_items; i++) {
		const struct text_item *item = &c->body->items[i];

		if (text_is_unit(item) && line_indent(source(t), item->range.start, &indent))
			return indent;
	}
	/* all on the brace's line, or nothing there */
	return (struct gap){ "\t\t\t\t\t\t\t\t", c->body->depth < 7 ? c->body->depth + 1 : 8 };
}

/* lines of text that came from another depth */
static void write_reindented(struct out *o, const char *s, size_t len, struct gap from, struct gap to)
{
	const char *end = s + len, *line = s;

	while (line < end) {
		const char *nl = memchr(line, '\n', end - line), *next = nl ? nl + 1 : end;

		if (line > s && (size_t)(next - line) > from.len && !memcmp(line, from.s, from.len)) {
			put_bytes(o, to.s, to.len);
			line += from.len;
		}
		put_bytes(o, line, next - line);
		line = next;
	}
}

/* a placed unit's text, and the indentation of its first line */
static void unit_text(const struct writer *w, const struct placed *p, struct out *text, struct gap *indent)
{
	struct tree *t = w->t;
	struct gap here = container_indent(t, w->container), there;
	struct out o = { 0 };
	const struct node *n;
	uint32_t start;

	write_node(t, &o, p);
	*indent = here;
	*text = o;
	if (p->target->node == NONE)
		return;
	n = &t->orig.nodes[p->target->node];
	start = t->orig.containers[n->container].body->items[n->first].range.start;
	if (p->unwrapped)
		return;
	if (n->container == w->container) {
		if (line_indent(source(t), start, &there))
			*indent = there;
		return;
	}
	/* an #if that moves as a whole starts where it started */
	if (n->first != n->last && line_indent(source(t), start, &there))
		*indent = there;
	*text = (struct out){ 0 };
	write_reindented(text, o.s, o.len, container_indent(t, n->container), here);
}

static bool is_one_call(const char *condition, const char *start)
{
	size_t len = strlen(start);

	return !strncmp(condition, start, len) && strchr(condition, ')') == condition + strlen(condition) - 1;
}

/* the line that asks for a condition, without what else stands on the branch's own */
static char *condition_line(const char *condition)
{
	int len = strlen(condition);

	if (is_one_call(condition, "!defined("))
		return arena_printf("#ifndef %.*s", len - 10, condition + 9);
	if (is_one_call(condition, "defined("))
		return arena_printf("#ifdef %.*s", len - 9, condition + 8);
	return arena_printf("#if %s", condition);
}

/* the line that asks for a branch's condition; an expression as it is written */
static char *branch_line(const struct writer *w, const struct text_branch *b)
{
	const struct struct_text *st = w->t->orig.st;
	const struct ctok *tok = &st->toks.tok[b->block->branches[0]->tok];
	const char *word, *end = st->toks.text + tok->end;
	size_t len;

	if (!b->nr)
		return ctok_text(&st->toks, b->tok);
	word = ctok_directive(&st->toks, b->block->branches[0]->tok, &len);
	if (len != 2 || memmem(word, end - word, "/*", 2) || memmem(word, end - word, "//", 2) ||
	    b->condition[1] != '(')
		return condition_line(b->condition);
	for (word += len; word < end && (*word == ' ' || *word == '\t'); word++)
		;
	return arena_printf("#if !(%.*s)", (int)(end - word), word);
}

struct lines {
	struct gap *list;
	size_t nr, room;
};

static void add_line(struct lines *l, struct gap indent, const char *s, size_t len)
{
	*ARENA_PUSH(l->list, l->nr, l->room) = join(indent, (struct gap){ s, len });
}

static void open_guard(const struct writer *w, struct lines *l, const struct text_branch *b)
{
	char *line = branch_line(w, b);

	add_line(l, (struct gap){ "", 0 }, line, strlen(line));
}

static void close_guard(const struct writer *w, struct lines *l, const struct text_branch *b)
{
	const char *line = b->nr ? "#endif" : ctok_text(&w->t->orig.st->toks, b->block->last_tok);

	add_line(l, (struct gap){ "", 0 }, line, strlen(line));
}

static bool same_guard(const struct text_branch *a, const struct text_branch *b)
{
	return a == b || !strcmp(a->condition, b->condition);
}

/* what a slot holds, line by line; neighbours with the same guards share them */
static struct lines slot_lines(struct writer *w, const struct slot *slot)
{
	struct lines l = { 0 };
	const struct placed *last = NULL;
	size_t shared, i;

	for (const struct placed *p = slot->first; p; p = p->next) {
		struct out text = { 0 };
		struct gap indent;

		shared = 0;
		while (last && shared < last->nr_guards && shared < p->nr_guards &&
		       same_guard(last->guards[shared], p->guards[shared]))
			shared++;
		for (i = last ? last->nr_guards : 0; i > shared; i--)
			close_guard(w, &l, last->guards[i - 1]);
		for (i = shared; i < p->nr_guards; i++)
			open_guard(w, &l, p->guards[i]);
		unit_text(w, p, &text, &indent);
		add_line(&l, indent, text.s, text.len);
		last = p;
	}
	for (i = last ? last->nr_guards : 0; i > 0; i--)
		close_guard(w, &l, last->guards[i - 1]);
	return l;
}

/* may stand on one line with others */
static bool is_inline(struct lines l)
{
	for (size_t i = 0; i < l.nr; i++) {
		const char *s = l.list[i].s;

		if (memchr(s, '\n', l.list[i].len) || memmem(s, l.list[i].len, "//", 2) ||
		    memchr(s, '#', l.list[i].len))
			return false;
	}
	return true;
}

static void put_gap(struct writer *w)
{
	put_bytes(&w->out, w->gap.s, w->gap.len);
	w->gap.len = 0;
}

static struct gap unindented(struct gap line)
{
	while (line.len && (*line.s == ' ' || *line.s == '\t')) {
		line.s++;
		line.len--;
	}
	return line;
}

/* behind what is written; w->gap is what follows */
static void write_behind(struct writer *w, const struct slot *slot)
{
	struct lines l = slot_lines(w, slot);
	bool fits = !newlines(w->gap) && is_inline(l);

	for (size_t i = 0; i < l.nr; i++) {
		struct gap line = fits ? unindented(l.list[i]) : l.list[i];

		put_string(&w->out, fits ? " " : w->t->job->newline);
		put_bytes(&w->out, line.s, line.len);
		w->at_start = w->after_comment = false;
	}
	/* what stood behind on the same line starts a line of its own */
	if (l.nr && !fits && !newlines(w->gap))
		w->gap = join((struct gap){ w->t->job->newline, strlen(w->t->job->newline) },
			      container_indent(w->t, w->container));
}

/* in front of the next item, or of the closing brace; w->gap lies before it */
static void write_before(struct writer *w, const struct slot *slot, bool end)
{
	struct lines l = slot_lines(w, slot);
	struct gap head = gap_head(w->gap), tail = gap_tail(w->gap);

	if (!l.nr)
		return;
	if (!newlines(w->gap) && is_inline(l)) {
		for (size_t i = 0; i < l.nr; i++) {
			put_string(&w->out, " ");
			l.list[i] = unindented(l.list[i]);
			put_bytes(&w->out, l.list[i].s, l.list[i].len);
		}
		w->gap = w->gap.len ? w->gap : (struct gap){ " ", 1 };
		return;
	}
	if (!newlines(w->gap)) {
		head = (struct gap){ w->t->job->newline, strlen(w->t->job->newline) };
		tail = end ? (struct gap){ "", 0 } : container_indent(w->t, w->container);
	}
	put_bytes(&w->out, head.s, head.len);
	for (size_t i = 0; i < l.nr; i++) {
		put_bytes(&w->out, l.list[i].s, l.list[i].len);
		put_string(&w->out, w->t->job->newline);
	}
	w->gap = tail;
	w->at_start = w->after_comment = false;
}

static bool leaves(const struct node *n)
{
	return n->moved || n->removed;
}

/* tokens and comments of a removed node are not missing */
static void account_removed(struct tree *t, const struct node *n, const struct text_item *item, bool all)
{
	const struct struct_text *st = t->orig.st;
	const struct text_item *unused;

	if (item->nr_declarators > 1 && !all) {
		fingerprint_toks(&t->job->delta, st, declarator_of(&t->orig, n, &unused)->toks, -1);
		fingerprint_text(&t->job->delta, ",", -1);
		return;
	}
	fingerprint_toks(&t->job->delta, st, item->toks, -1);
	fingerprint_comments(&t->job->comments, st, item->trail, 1);
	if (!n->space)
		fingerprint_comments(&t->job->comments, st, item->lead, 1);
}

/* consecutive nodes of one item: its declarators */
static size_t mark_item(struct writer *w, size_t i)
{
	const struct container *c = w->c;
	struct node *n = &w->t->orig.nodes[c->nodes[i]];
	const struct text_item *item = &c->body->items[n->first];
	size_t nr = n->first == n->last && item->nr_declarators > 1 ? item->nr_declarators : 1, left = 0, removed = 0;

	for (size_t k = 0; k < nr; k++) {
		left += leaves(&n[k]);
		removed += n[k].removed;
	}
	for (size_t k = 0; k < nr; k++) {
		if (n[k].removed && (k == 0 || removed < nr))
			account_removed(w->t, &n[k], item, removed == nr);
	}
	if (left < nr)
		return nr;
	for (size_t k = n->first; k <= n->last; k++)
		w->gone[k] = true;
	w->lead_stays[n->first] = n->removed && n->space && item->lead.end > item->lead.start;
	return nr;
}

static void mark_gone(struct writer *w)
{
	for (size_t i = 0; i < w->c->nr;)
		i += mark_item(w, i);
}

static void count_stuff(struct writer *w)
{
	const struct text_body *body = w->c->body;

	for (size_t i = 0; i < body->nr_items; i++) {
		bool unit = text_is_unit(&body->items[i]), line = body->items[i].kind == TEXT_LINE;

		w->units[i + 1] = w->units[i] + unit;
		w->stuff[i + 1] = w->stuff[i] + ((unit || line) && !w->gone[i]);
		if (w->c->slots)
			w->stuff[i + 1] += (w->c->slots[2 * i].first != NULL) +
					   (w->c->slots[2 * i + 1].first != NULL);
	}
}

static bool lost_all(const struct writer *w, size_t first, size_t end)
{
	return w->units[end] > w->units[first] && w->stuff[end] == w->stuff[first];
}

/* an #if without members is taken out; without those of its first branch it is turned round */
static void clean_block(struct writer *w, const struct text_block *b)
{
	size_t middle = b->nr_branches == 2 ? b->branches[1]->item : b->last;

	if (lost_all(w, b->first + 1, b->last)) {
		for (size_t i = 0; i < b->nr_branches; i++)
			w->gone[b->branches[i]->item] = true;
		w->gone[b->last] = true;
	} else if (b->nr_branches == 2 && lost_all(w, middle + 1, b->last)) {
		w->gone[middle] = true;
	} else if (b->nr_branches == 2 && b->branches[1]->condition && lost_all(w, b->first + 1, middle)) {
		w->instead[b->first] = branch_line(w, b->branches[1]);
		w->gone[middle] = true;
	}
}

static void clean_blocks(struct writer *w)
{
	const struct text_body *body = w->c->body;

	for (size_t i = 0; i < body->nr_items; i++) {
		if (body->items[i].kind == TEXT_IF && !w->gone[i])
			clean_block(w, body->items[i].block);
	}
}

static struct gap gap_before(const struct writer *w, size_t i)
{
	const struct text_body *body = w->c->body;
	uint32_t start = i ? body->items[i - 1].range.end : tok_end(&w->t->orig, body->open);
	uint32_t end = i < body->nr_items ? body->items[i].range.start : tok_start(&w->t->orig, body->close);

	return (struct gap){ source(w->t) + start, end - start };
}

static void write_item(struct writer *w, size_t i, uint32_t node)
{
	const struct text_item *item = &w->c->body->items[i];
	bool split = false;

	for (size_t k = 0; node != NONE && item->nr_declarators > 1 && k < item->nr_declarators; k++)
		split |= !declarator_stays(w->t, node, k);
	put_gap(w);
	if (w->instead[i])
		put_string(&w->out, w->instead[i]);
	else if (split)
		write_rest(w->t, &w->out, item, node);
	else
		put_edited(w->t, &w->out, item->range.start, item->range.end);
	w->at_start = false;
	w->after_comment = item->kind == TEXT_COMMENT;
}

static void leave_item(struct writer *w, size_t i)
{
	const struct text_item *item = &w->c->body->items[i];
	struct gap before = w->gap, behind = gap_before(w, i + 1);

	if (w->lead_stays[i]) {
		put_gap(w);
		put_bytes(&w->out, source(w->t) + item->lead.start, item->lead.end - item->lead.start);
		w->at_start = false;
		w->after_comment = true;
		before = (struct gap){ source(w->t) + item->lead.end,
				       tok_start(&w->t->orig, item->toks.first) - item->lead.end };
	}
	w->gap = without(w, before, behind, i + 1 == w->c->body->nr_items);
}

static bool is_of_brace(const struct writer *w, size_t i)
{
	const struct text_body *body = w->c->body;
	const struct ctok *tok = w->t->orig.st->toks.tok;

	return i < body->nr_items && body->items[i].kind == TEXT_COMMENT &&
	       tok[body->open].line == body->items[i].line;
}

/* the first node of each item that has several declarators */
static uint32_t *nodes_of_items(const struct writer *w)
{
	uint32_t *nodes = arena_alloc((w->c->body->nr_items + 1) * sizeof(*nodes));

	memset(nodes, 0xff, (w->c->body->nr_items + 1) * sizeof(*nodes));
	for (size_t i = w->c->nr; i-- > 0;)
		nodes[w->t->orig.nodes[w->c->nodes[i]].first] = w->c->nodes[i];
	return nodes;
}

static void write_items(struct writer *w)
{
	const struct text_body *body = w->c->body;
	const struct slot *slots = w->c->slots, *start = &slots[2 * body->nr_items];
	const uint32_t *nodes = nodes_of_items(w);

	w->gap = gap_before(w, 0);
	w->at_start = true;
	if (!is_of_brace(w, 0))
		write_behind(w, start);
	for (size_t i = 0; i < body->nr_items; i++) {
		if (w->gone[i]) {
			leave_item(w, i);
			continue;
		}
		write_before(w, &slots[2 * i], false);
		write_item(w, i, nodes[i]);
		w->gap = gap_before(w, i + 1);
		write_behind(w, &slots[2 * i + 1]);
		if (is_of_brace(w, i)) {
			w->at_start = true;
			if (!is_of_brace(w, i + 1))
				write_behind(w, start);
		}
	}
	write_before(w, &slots[2 * body->nr_items + 1], true);
	put_gap(w);
}

void container_write(struct tree *t, uint32_t container, char **text, size_t *len)
{
	struct writer w = { .t = t, .c = &t->orig.containers[container], .container = container };
	size_t nr = w.c->body->nr_items + 1;
	struct built *b;

	if (!t->built)
		t->built = arena_alloc(t->orig.nr_containers * sizeof(*t->built));
	b = &t->built[container];
	if (b->busy)
		replay_refuse(t->job, w.c->body->line, "the anonymous structs of %s would lie inside each other",
			      t->name);
	if (!b->done) {
		b->busy = true;
		w.gone = arena_alloc(nr * sizeof(*w.gone));
		w.lead_stays = arena_alloc(nr * sizeof(*w.lead_stays));
		w.instead = arena_alloc(nr * sizeof(*w.instead));
		w.stuff = arena_alloc(nr * sizeof(*w.stuff));
		w.units = arena_alloc(nr * sizeof(*w.units));
		mark_gone(&w);
		count_stuff(&w);
		clean_blocks(&w);
		put_string(&w.out, "{");
		write_items(&w);
		put_string(&w.out, "}");
		*b = (struct built){ w.out.s, w.out.len, true, false };
	}
	*text = b->text;
	*len = b->len;
}
