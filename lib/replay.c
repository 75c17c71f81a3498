/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "declaration.h"
#include "replay.h"
#include "replay_out.h"

#define MAX_CHANGED	1024		/* structs of one file; more is no relayout but an attack on memory */

static char *body_key(const struct text_body *b)
{
	return arena_printf("%d%d%s", b->kind, b->file_scope, b->name ? b->name : "");
}

static bool is_top(const struct text_body *b)
{
	return !b->parent;
}

/* the n-th struct of a name is the n-th of that name on the other side */
static void pair_bodies(struct job *job)
{
	struct strmap before = { 0 }, seen = { 0 };

	for (size_t i = 0; i < job->before->nr; i++) {
		const char *key = body_key(job->before->bodies[i]);

		if (is_top(job->before->bodies[i]))
			strmap_add(&before, key, strlen(key), i);
	}
	for (size_t i = 0; i < job->after->nr; i++) {
		struct text_body *b = job->after->bodies[i];
		struct strmap_entry *all, *used;
		struct pair *p;
		const char *key;

		if (!is_top(b))
			continue;
		key = body_key(b);
		all = strmap_get(&before, key, strlen(key));
		strmap_add(&seen, key, strlen(key), i);
		used = strmap_get(&seen, key, strlen(key));
		p = ARENA_PUSH(job->pairs, job->nr_pairs, job->pairs_room);
		p->after = b;
		if (all && used->nr <= all->nr)
			p->before = job->before->bodies[all->values[used->nr - 1]];
	}
}

static void check_pairs(struct job *job)
{
	size_t paired = 0, top = 0;

	for (size_t i = 0; i < job->nr_pairs; i++)
		paired += job->pairs[i].before != NULL;
	for (size_t i = 0; i < job->before->nr; i++)
		top += is_top(job->before->bodies[i]);
	if (paired < top)
		replay_refuse(job, 0, "a struct is no longer there after the rule, which is no relayout");
}

/* two definitions under different conditions, of which spatch changed one: which one was meant? */
static void check_ambiguous(struct job *job)
{
	struct strmap unchanged = { 0 };

	for (size_t i = 0; i < job->nr_pairs; i++) {
		const struct pair *p = &job->pairs[i];
		const char *key;

		if (!p->before || !p->before->name || !p->before->file_scope || p->tree)
			continue;
		key = body_key(p->before);
		strmap_add(&unchanged, key, strlen(key), i);
	}
	for (size_t i = 0; i < job->nr_pairs; i++) {
		const struct pair *p = &job->pairs[i];
		struct strmap_entry *e;
		const char *key;

		if (!p->tree || !p->before->name || !p->before->file_scope)
			continue;
		key = body_key(p->before);
		e = strmap_get(&unchanged, key, strlen(key));
		if (e)
			replay_refuse(job, job->pairs[e->values[0]].before->line,
				      "%s is ambiguous: it is defined under different conditions, "
				      "and the rule changes the one of line %u only",
				      p->tree->name, p->before->line);
	}
}

static int compare_edits(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static void add_body_edits(struct job *job, struct tree *t)
{
	const struct ctok *tok = job->before->toks.tok;

	for (uint32_t k = 0; k < t->orig.nr_containers; k++) {
		const struct text_body *b = t->orig.containers[k].body;
		struct edit *e = ARENA_PUSH(job->edits, job->nr_edits, job->edits_room);

		e->start = tok[b->open].start;
		e->end = tok[b->close].end;
		e->tree = t;
		e->container = k;
	}
}

static void plan(struct job *job)
{
	size_t changed = 0;

	pair_bodies(job);
	check_pairs(job);
	for (size_t i = 0; i < job->nr_pairs; i++) {
		struct pair *p = &job->pairs[i];

		if (p->before)
			p->tree = tree_create(job, p->before, p->after);
		changed += p->tree != NULL;
		if (changed > MAX_CHANGED)
			replay_refuse(job, p->before->line, "the rule changes more than %d structs of one file",
				      MAX_CHANGED);
	}
	check_ambiguous(job);
	for (struct tree *t = job->trees; t; t = t->next) {
		tree_plan(t);
		add_body_edits(job, t);
	}
	if (job->nr_edits)
		qsort(job->edits, job->nr_edits, sizeof(*job->edits), compare_edits);
}

/* words outside of structs that the file did not have must stand in the rule */
static void check_frame(struct job *job)
{
	const struct ctoks *a = &job->before->toks, *b = &job->after->toks;
	struct strmap words = { 0 };
	size_t next = 0;

	if (!job->r->rule)
		return;
	for (size_t i = 0; i < a->nr; i++) {
		if (a->tok[i].kind != CTOK_COMMENT)
			strmap_add(&words, a->text + a->tok[i].start, a->tok[i].end - a->tok[i].start, 0);
	}
	for (size_t i = 0; i < b->nr; i++) {
		while (next < job->nr_pairs && job->pairs[next].after->close < i)
			next++;
		if (next < job->nr_pairs && i >= job->pairs[next].after->open && job->pairs[next].before)
			continue;
		if (b->tok[i].kind != CTOK_IDENT ||
		    strmap_get(&words, b->text + b->tok[i].start, b->tok[i].end - b->tok[i].start))
			continue;
		if (!smpl_adds_words(job->r->rule, job->after, (struct text_toks){ i, i + 1 }))
			replay_refuse(job, 0, "'%s' would come into the file, which no + line of the rule says",
				      ctok_text(b, i));
	}
}

/* attributes between a closing brace and what follows, each spelt; *nr of them */
static char **brace_attributes(const struct struct_text *st, const struct text_body *b, size_t *nr)
{
	size_t end = st->toks.nr, i = skip_silent(st, b->close + 1, end), to, room = 0;
	char **list = NULL;

	for (*nr = 0; i < end; i = skip_silent(st, to, end)) {
		const struct ctok *tok = &st->toks.tok[i];

		to = attribute_end(st, i, end);
		if (to == i && tok->kind == CTOK_IDENT &&
		    is_attribute_name(st->toks.text + tok->start, tok->end - tok->start))
			to = i + 1;
		if (to == i)
			break;
		*ARENA_PUSH(list, *nr, room) = struct_text_spell(st, (struct text_toks){ i, to });
	}
	return list;
}

static bool has_string(char **list, size_t nr, const char *s)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(list[i], s))
			return true;
	}
	return false;
}

static void note_attribute(struct job *job, const struct pair *p, const char *sign, const char *attribute)
{
	struct replay *r = job->r;
	const char *name = p->before->name ? p->before->name : "-";

	*ARENA_PUSH(r->changes, r->nr_changes, r->room) =
		(struct replay_change){ name, "attribute", "}", job->before->toks.tok[p->before->close].line,
					arena_printf("%s%s", sign, attribute) };
}

/* what stands behind a brace is spatch's; an attribute that it loses there is no better than one lost within */
static void check_brace(struct job *job, const struct pair *p)
{
	size_t nr, nr_after;
	char **list = brace_attributes(job->before, p->before, &nr);
	char **after = brace_attributes(job->after, p->after, &nr_after);

	for (size_t i = 0; i < nr_after; i++) {
		if (!has_string(list, nr, after[i]))
			note_attribute(job, p, "+", after[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		struct struct_text *one;

		if (has_string(after, nr_after, list[i]))
			continue;
		one = struct_text_parse(list[i], strlen(list[i]));
		if (job->r->rule && !smpl_removes_words(job->r->rule, one, (struct text_toks){ 0, one->toks.nr }))
			replay_refuse(job, job->before->toks.tok[p->before->close].line,
				      "%s would be lost behind the brace of %s, which no - line of the rule says", list[i],
				      p->before->name ? p->before->name : "a struct");
		note_attribute(job, p, "-", list[i]);
	}
}

/* the next comment from token i on that stands in no paired struct; pair: the first one that ends behind it */
static size_t next_comment(const struct job *job, bool before, size_t i, size_t *pair)
{
	const struct ctoks *t = before ? &job->before->toks : &job->after->toks;

	for (; i < t->nr; i++) {
		const struct text_body *b = NULL;

		for (; *pair < job->nr_pairs; ++*pair) {
			b = before ? job->pairs[*pair].before : job->pairs[*pair].after;
			if (job->pairs[*pair].before && b->close > i)
				break;
		}
		if (*pair < job->nr_pairs && i > b->open)
			i = b->close;
		else if (t->tok[i].kind == CTOK_COMMENT)
			break;
	}
	return i;
}

static bool same_comment(const struct job *job, size_t i, size_t k)
{
	const struct ctoks *a = &job->before->toks, *b = &job->after->toks;
	struct fingerprint x = { 0 }, y = { 0 };

	if (i == a->nr || k == b->nr)
		return i == a->nr && k == b->nr;
	fingerprint_comments(&x, job->before, (struct text_range){ a->tok[i].start, a->tok[i].end }, 1);
	fingerprint_comments(&y, job->after, (struct text_range){ b->tok[k].start, b->tok[k].end }, 1);
	return x.a == y.a && x.b == y.b;
}

/* outside of structs the text is spatch's: what it loses there is lost */
static void check_comments(struct job *job)
{
	size_t i = 0, k = 0, pair_i = 0, pair_k = 0;

	for (;; i++, k++) {
		i = next_comment(job, true, i, &pair_i);
		k = next_comment(job, false, k, &pair_k);
		if (!same_comment(job, i, k))
			replay_refuse(job, i < job->before->toks.nr ? job->before->toks.tok[i].line : 0,
				      "a comment outside of structs would be lost or changed");
		if (i == job->before->toks.nr)
			return;
	}
}

static void put_body(struct job *job, struct out *o, const struct pair *p)
{
	const struct ctoks *a = &job->before->toks;
	char *text;
	size_t len;

	if (p->tree) {
		container_write(p->tree, 0, &text, &len);
		put_bytes(o, text, len);
		return;
	}
	put_bytes(o, a->text + a->tok[p->before->open].start, a->tok[p->before->close].end - a->tok[p->before->open].start);
}

/* "}__packed": spatch puts an attribute right behind the brace */
static bool touches_word(const struct ctoks *t, size_t brace)
{
	return t->tok[brace + 1].kind == CTOK_IDENT && t->tok[brace + 1].start == t->tok[brace].end;
}

/* spatch's text around the structs, ours within them */
static void compose(struct job *job, struct out *o)
{
	const struct ctoks *b = &job->after->toks;
	size_t at = 0;

	for (size_t i = 0; i < job->nr_pairs; i++) {
		const struct pair *p = &job->pairs[i];
		struct edit doc;

		if (!p->before)
			continue;
		if (p->tree && doc_reorder(p->tree, p->after, &doc)) {
			put_bytes(o, b->text + at, doc.start - at);
			put_bytes(o, doc.text, doc.len);
			at = doc.end;
		}
		put_bytes(o, b->text + at, b->tok[p->after->open].start - at);
		put_body(job, o, p);
		at = b->tok[p->after->close].end;
		if (touches_word(b, p->after->close) && !touches_word(&job->before->toks, p->before->close))
			put_bytes(o, " ", 1);
	}
	put_bytes(o, b->text + at, b->len - at);
}

/* "\r\n" when the first line ends so */
static const char *newline_of(const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len);

	return nl && nl > text && nl[-1] == '\r' ? "\r\n" : "\n";
}

static enum replay_status run(struct job *job)
{
	struct replay *r = job->r;
	struct out out = { .s = arena_strdup("") };

	job->before = struct_text_parse(r->before, r->before_len);
	job->after = struct_text_parse(r->after, r->after_len);
	if (!job->before || !job->after)
		replay_refuse(job, 0, "the file is longer than 2 GiB");
	if (job->before->balanced && !job->after->balanced)
		replay_refuse(job, 0, "in what spatch printed, line %u, a brace or #if has lost its other half",
			      job->after->unbalanced_line);
	plan(job);
	check_frame(job);
	check_comments(job);
	for (size_t i = 0; i < job->nr_pairs; i++) {
		if (job->pairs[i].before)
			check_brace(job, &job->pairs[i]);
	}
	compose(job, &out);
	replay_prove(job, out.s, out.len);
	if (out.len == r->before_len && !memcmp(out.s, r->before, out.len))
		return REPLAY_SAME;
	r->text = out.s;
	r->len = out.len;
	return REPLAY_DONE;
}

enum replay_status replay(struct replay *r)
{
	struct job *job = arena_alloc(sizeof(*job));

	job->r = r;
	job->newline = newline_of(r->before, r->before_len);
	job->last_tree = &job->trees;
	if (setjmp(job->refused))
		return REPLAY_REFUSED;
	return run(job);
}
