/* SPDX-License-Identifier: GPL-2.0-only */
/* "int a, *b, c[4];" when its declarators part. */
#include "replay_out.h"

/*
 * A declarator of several, with its own comments:
 *
 *	int a,		// behind the comma, the next one starts a line
 *	    b,
 *	    c;		// the unit's, or c's when c has a line of its own
 */
struct segment {
	uint32_t start, end;		/* bytes: with a comment in front on its line */
	uint32_t separator_end;		/* behind its comma or semicolon */
	uint32_t trail_end;		/* behind the comments there */
};

static bool has_comment(const struct struct_text *st, size_t first, size_t end)
{
	for (; first < end; first++) {
		if (st->toks.tok[first].kind == CTOK_COMMENT || st->toks.tok[first].kind == CTOK_LINE)
			return true;
	}
	return false;
}

static void refuse_comments(struct tree *t, const struct text_item *item, size_t first, size_t end)
{
	if (has_comment(t->orig.st, first, end))
		replay_refuse(t->job, item->line,
			      "the declaration of %s and others has comments in it: split it by hand first",
			      item->declarators[0].name);
}

static struct segment segment_of(struct tree *t, const struct text_item *item, size_t k)
{
	const struct ctok *tok = t->orig.st->toks.tok;
	const struct text_declarator *d = &item->declarators[k];
	size_t before = k ? d[-1].toks.end : item->specifiers.end, first = d->toks.first, after = d->toks.end;
	struct segment s;

	/* a comment in front of it on its line is its own, one that is not is its predecessor's */
	while (first > before && tok[first - 1].kind == CTOK_COMMENT &&
	       tok[first - 1].line == tok[d->toks.first].line)
		first--;
	s.start = tok[first].start;
	s.end = tok[d->toks.end - 1].end;
	refuse_comments(t, item, d->toks.first, d->toks.end + 1);
	s.separator_end = s.trail_end = tok[after].end;
	if (k + 1 == item->nr_declarators) {
		if (k && tok[d[-1].toks.end].last_line < tok[d->toks.first].line &&
		    item->trail.end > item->trail.start)
			s.trail_end = item->trail.end;
		return s;
	}
	while (tok[after + 1].kind == CTOK_COMMENT && tok[after + 1].line == tok[d->toks.end].line &&
	       tok[after + 1].last_line < tok[d[1].toks.first].line)
		s.trail_end = tok[++after].end;
	for (; after + 1 < d[1].toks.first; after++) {
		if (tok[after + 1].line != tok[d[1].toks.first].line)
			refuse_comments(t, item, after + 1, after + 2);
	}
	return s;
}

static void write_specifiers(struct tree *t, struct out *o, const struct text_item *item)
{
	uint32_t behind = tok_end(&t->orig, item->specifiers.end - 1);

	refuse_comments(t, item, item->specifiers.first, item->specifiers.end);
	put_edited(t, o, tok_start(&t->orig, item->specifiers.first), behind);
	put_source(t, o, behind, segment_of(t, item, 0).start);
}

/* what stands behind the semicolon and belongs to no declarator alone */
static void write_unit_trail(struct tree *t, struct out *o, const struct text_item *item)
{
	struct segment last = segment_of(t, item, item->nr_declarators - 1);

	put_source(t, o, last.trail_end, item->range.end);
}

void write_split(struct tree *t, struct out *o, const struct node *n, bool carries)
{
	const struct text_item *item;
	const struct text_declarator *d = declarator_of(&t->orig, n, &item);
	struct text_toks semicolon = { item->toks.end - 1, item->toks.end };
	struct segment s = segment_of(t, item, d - item->declarators);

	if (carries)
		put_source(t, o, item->range.start, tok_start(&t->orig, item->toks.first));
	write_specifiers(t, o, item);
	put_edited(t, o, s.start, s.end);
	put_string(o, ";");
	put_source(t, o, s.separator_end, s.trail_end);
	if (carries) {
		write_unit_trail(t, o, item);
		return;
	}
	/* its own specifiers and semicolon, less a comma */
	fingerprint_toks(&t->job->delta, t->orig.st, item->specifiers, 1);
	fingerprint_toks(&t->job->delta, t->orig.st, semicolon, 1);
	fingerprint_text(&t->job->delta, ",", -1);
}

bool declarator_stays(const struct tree *t, uint32_t node, size_t k)
{
	return !t->orig.nodes[node + k].moved && !t->orig.nodes[node + k].removed;
}

void write_rest(struct tree *t, struct out *o, const struct text_item *item, uint32_t node)
{
	struct segment last = { 0 };

	put_source(t, o, item->range.start, tok_start(&t->orig, item->toks.first));
	write_specifiers(t, o, item);
	for (size_t k = 0; k < item->nr_declarators; k++) {
		struct segment s = segment_of(t, item, k);

		if (!declarator_stays(t, node, k))
			continue;
		if (last.end) {
			put_string(o, ",");
			put_source(t, o, last.separator_end, last.trail_end);
			put_source(t, o, segment_of(t, item, k - 1).trail_end, s.start);
		}
		put_edited(t, o, s.start, s.end);
		last = s;
	}
	put_string(o, ";");
	put_source(t, o, last.separator_end, last.trail_end);
	write_unit_trail(t, o, item);
}
