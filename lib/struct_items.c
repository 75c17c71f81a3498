/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The items of one body. First its pieces in order (declarations, comments, preprocessor lines), then what
 * belongs to what, then the items.
 */
#include <string.h>

#include "arena.h"
#include "declaration.h"
#include "strmap.h"
#include "struct_text.h"

#define MAX_DEPTH	64		/* of nested bodies, and of nested #ifs in one */
/* of one body, and of one declaration; the largest in a kernel have some 400, and 10 */
#define MAX_PIECES	(1 << 16)
#define MAX_DECLARATORS	256

enum piece_kind { PIECE_DECLARATION, PIECE_COMMENT, PIECE_LINE };

struct piece {
	enum piece_kind kind;
	struct text_toks toks;
	struct text_item item;		/* of a declaration or line; its kind, names, branch */
	uint32_t lead;			/* first piece that belongs to it; itself: none in front */
	uint32_t after;			/* behind the last piece that belongs to it */
	uint32_t trail;			/* behind the last trailing comment */
	bool taken;			/* by another piece */
	bool of_brace;			/* a comment behind the opening brace, on its line */
	struct text_block *block;	/* of an #if line */
	uint32_t index;			/* of the item */
};

struct reader {
	const struct struct_text *st;
	struct text_body *body;
	struct piece *pieces;
	size_t nr, room;
	struct strmap names;		/* of members, to pieces */
};

static uint32_t first_line(const struct reader *r, const struct piece *p)
{
	return r->st->toks.tok[p->toks.first].line;
}

static uint32_t last_line(const struct reader *r, const struct piece *p)
{
	return r->st->toks.tok[p->toks.end - 1].last_line;
}

static struct piece *add_piece(struct reader *r, enum piece_kind kind, size_t first, size_t end)
{
	struct piece *p = ARENA_PUSH(r->pieces, r->nr, r->room);

	p->kind = kind;
	p->toks = (struct text_toks){ first, end };
	return p;
}

static bool is_line_comment(const struct reader *r, const struct piece *p)
{
	return p->kind == PIECE_COMMENT && r->st->toks.text[r->st->toks.tok[p->toks.first].start + 1] == '/';
}

/* "//" lines below each other are one comment */
static bool joins_comment(const struct reader *r, size_t tok)
{
	const struct piece *last = r->nr ? &r->pieces[r->nr - 1] : NULL;
	const struct ctok *t = &r->st->toks.tok[tok];
	uint32_t above;

	if (!last || !is_line_comment(r, last) || r->st->toks.text[t->start + 1] != '/')
		return false;
	above = r->nr > 1 ? last_line(r, last - 1) : r->st->toks.tok[r->body->open].line;
	return above < first_line(r, last) && last_line(r, last) + 1 == t->line;
}

static void add_comment(struct reader *r, size_t tok)
{
	const struct struct_text *st = r->st;
	bool of_brace;

	if (joins_comment(r, tok)) {
		r->pieces[r->nr - 1].toks.end = tok + 1;
		return;
	}
	of_brace = st->toks.tok[tok].line == st->toks.tok[r->body->open].line &&
		   (!r->nr || r->pieces[r->nr - 1].of_brace);
	add_piece(r, PIECE_COMMENT, tok, tok + 1)->of_brace = of_brace;
}

static enum text_kind line_kind(const struct struct_text *st, size_t tok)
{
	size_t len;
	const char *word = ctok_directive(&st->toks, tok, &len);

	if (len >= 2 && !memcmp(word, "if", 2))
		return TEXT_IF;
	if (len >= 2 && !memcmp(word, "el", 2))
		return TEXT_ELSE;
	return len == 5 && !memcmp(word, "endif", 5) ? TEXT_ENDIF : TEXT_LINE;
}

static void break_at(struct reader *r, const char *why)
{
	if (!r->body->broken)
		r->body->broken = why;
}

/* the token behind the declaration that starts at i */
static size_t declaration_end(struct reader *r, size_t i)
{
	const struct struct_text *st = r->st;
	size_t close = r->body->close, end = bare_macro_end(st, i, close);

	if (end != i)
		return end;
	for (; i < close; i = skip_bracket(st, i, close)) {
		if (is_kind(st, i, CTOK_LINE))
			break_at(r, "a preprocessor line cuts a declaration");
		if (ctok_is(&st->toks, i, ";"))
			return i + 1;
	}
	return close;
}

static void collect_pieces(struct reader *r)
{
	const struct struct_text *st = r->st;
	size_t close = r->body->close, end;

	for (size_t i = r->body->first; i < close && r->nr < MAX_PIECES; i = end) {
		struct piece *last = r->nr ? &r->pieces[r->nr - 1] : NULL;

		end = i + 1;
		if (is_kind(st, i, CTOK_COMMENT)) {
			add_comment(r, i);
		} else if (is_kind(st, i, CTOK_LINE)) {
			add_piece(r, PIECE_LINE, i, end)->item.kind = line_kind(st, i);
		} else if (last && last->kind == PIECE_DECLARATION && ctok_is(&st->toks, i, ";")) {
			last->toks.end = end;	/* one semicolon too many */
		} else {
			end = declaration_end(r, i);
			add_piece(r, PIECE_DECLARATION, i, end);
		}
	}
	if (r->nr >= MAX_PIECES)
		break_at(r, "it has too many members");
}

/* index of the first body whose brace lies behind token i */
static size_t first_body_behind(const struct struct_text *st, size_t i)
{
	size_t low = 0, high = st->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (st->bodies[mid]->open > i)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void add_names(struct reader *r, struct text_body *body, uint32_t piece);

static void add_item_names(struct reader *r, struct text_item *item, uint32_t piece)
{
	if (item->name)
		strmap_add(&r->names, item->name, strlen(item->name), piece);
	for (size_t i = 0; i < item->nr_declarators; i++) {
		const char *name = item->declarators[i].name;

		if (name)
			strmap_add(&r->names, name, strlen(name), piece);
	}
	for (size_t i = 0; i < item->nr_bodies; i++) {
		if (item->bodies[i]->anonymous)
			add_names(r, item->bodies[i], piece);
	}
}

static void add_names(struct reader *r, struct text_body *body, uint32_t piece)
{
	for (size_t i = 0; i < body->nr_items; i++)
		add_item_names(r, &body->items[i], piece);
}

static void read_declarations(struct reader *r)
{
	const struct struct_text *st = r->st;
	size_t next = first_body_behind(st, r->body->open);

	for (size_t i = 0; i < r->nr; i++) {
		struct piece *p = &r->pieces[i];
		size_t room = 0;

		if (p->kind != PIECE_DECLARATION)
			continue;
		p->item.toks = p->toks;
		while (next < st->nr && st->bodies[next]->open < p->toks.end) {
			struct text_body *inner = st->bodies[next];

			*ARENA_PUSH(p->item.bodies, p->item.nr_bodies, room) = inner;
			struct_text_read(st, inner);
			if (inner->broken)
				break_at(r, inner->broken);
			while (next < st->nr && st->bodies[next]->open < inner->close)
				next++;
		}
		declaration_read(st, &p->item);
		if (p->item.nr_declarators > MAX_DECLARATORS)
			break_at(r, "a declaration in it has too many declarators");
		add_item_names(r, &p->item, i);
	}
}

/* what an #if line asks for, spelt the same whatever blanks and comments stand in it */
static char *condition_of(const struct reader *r, size_t tok)
{
	const struct ctok *t = &r->st->toks.tok[tok];
	size_t len;
	const char *word = ctok_directive(&r->st->toks, tok, &len);
	const char *rest = word + len, *end = r->st->toks.text + t->end;
	struct struct_text line = { 0 };
	char *s;

	if (!clex(rest, end - rest, &line.toks))
		return NULL;
	s = struct_text_spell(&line, (struct text_toks){ 0, line.toks.nr });
	if (len == 5)
		return arena_printf("defined(%s)", s);
	return len == 6 ? arena_printf("!defined(%s)", s) : s;
}

static char *inverted(const char *condition)
{
	bool plain = !strncmp(condition, "defined(", 8) &&
		     strchr(condition, ')') == condition + strlen(condition) - 1;

	if (plain)
		return arena_printf("!%s", condition);
	if (!strncmp(condition, "!defined(", 9) && strchr(condition, ')') == condition + strlen(condition) - 1)
		return arena_strdup(condition + 1);
	return arena_printf("!(%s)", condition);
}

struct open_block {
	struct open_block *up;
	unsigned int depth;
	struct text_block *block;
	struct text_branch *branch;
	const char *condition;		/* of the #if */
	unsigned int units;		/* in this branch; a block that is whole counts as one */
	const char *name;		/* of its only unit */
	bool whole;			/* so far: at most one unit a branch, of one name */
	unsigned int branches_with_units, all_units;
	const char *common_name;
};

static struct text_branch *new_branch(struct text_block *block, size_t piece, size_t tok, const char *condition)
{
	struct text_branch *b = arena_alloc(sizeof(*b));

	b->block = block;
	b->nr = block->nr_branches;
	b->item = piece;
	b->tok = tok;
	b->condition = condition;
	*ARENA_PUSH(block->branches, block->nr_branches, block->room) = b;
	return b;
}

static struct open_block *open_block(struct reader *r, struct open_block *up, size_t piece)
{
	struct open_block *o = arena_alloc(sizeof(*o));

	o->up = up;
	o->depth = up ? up->depth + 1 : 1;
	o->block = arena_alloc(sizeof(*o->block));
	o->block->outer = up ? up->branch : NULL;
	o->block->first = piece;
	o->condition = condition_of(r, r->pieces[piece].toks.first);
	o->branch = new_branch(o->block, piece, r->pieces[piece].toks.first, o->condition);
	o->whole = true;
	return o;
}

static void close_branch(struct open_block *o)
{
	o->all_units += o->units;
	o->branches_with_units += o->units != 0;
	if (o->units > 1)
		o->whole = false;
	if (o->units == 1) {
		if (o->branches_with_units > 1 && (!o->name || !o->common_name || strcmp(o->name, o->common_name)))
			o->whole = false;
		o->common_name = o->name;
	}
	o->units = 0;
}

static void else_block(struct reader *r, struct open_block *o, size_t piece)
{
	size_t len;
	const char *word = ctok_directive(&r->st->toks, r->pieces[piece].toks.first, &len);
	bool is_else = len == 4 && !memcmp(word, "else", 4);

	close_branch(o);
	if (is_else)
		o->block->has_else = true;
	else
		o->block->has_elif = true;
	o->branch = new_branch(o->block, piece, r->pieces[piece].toks.first,
			       is_else && !o->block->has_elif && o->condition ? inverted(o->condition) : NULL);
}

static struct open_block *close_block(struct open_block *o, size_t piece)
{
	struct open_block *up = o->up;
	struct text_block *b = o->block;

	close_branch(o);
	b->last = piece;
	b->whole = o->whole && o->all_units &&
		   (o->all_units == 1 || (b->has_else && o->branches_with_units == b->nr_branches));
	if (up) {
		up->units += b->whole ? 1 : o->all_units;
		up->name = o->common_name;
	}
	return up;
}

static const char *only_name(const struct text_item *item)
{
	return item->nr_declarators == 1 ? item->declarators[0].name : item->nr_declarators ? NULL : item->name;
}

static void find_blocks(struct reader *r)
{
	struct open_block *o = NULL;

	for (size_t i = 0; i < r->nr; i++) {
		struct piece *p = &r->pieces[i];

		p->item.branch = o ? o->branch : NULL;
		if (p->kind == PIECE_DECLARATION && o && text_is_unit(&p->item)) {
			/* "int a, b;" may have to be split */
			o->units += p->item.nr_declarators > 1 ? 2 : 1;
			o->name = only_name(&p->item);
		}
		if (p->kind != PIECE_LINE)
			continue;
		if (p->item.kind == TEXT_IF) {
			o = open_block(r, o, i);
			p->block = o->block;
			if (o->depth > MAX_DEPTH)
				break_at(r, "an #if in it is nested too deep");
		} else if (p->item.kind == TEXT_LINE) {
			size_t len;
			const char *word = ctok_directive(&r->st->toks, p->toks.first, &len);

			if (o && !(len == 6 && !memcmp(word, "define", 6)))
				o->whole = false;
		} else if (!o) {
			break_at(r, "an #else or #endif in it has no #if");
		} else if (p->item.kind == TEXT_ELSE) {
			else_block(r, o, i);
			p->item.branch = o->block->outer;
		} else {
			p->item.branch = o->block->outer;
			o->block->last_tok = p->toks.first;
			o = close_block(o, i);
		}
	}
	if (o)
		break_at(r, "an #if in it has no #endif");
}

/* of the token, tabs counted as eight */
static size_t column(const struct struct_text *st, size_t tok)
{
	uint32_t start = st->toks.tok[tok].start, i = start;
	size_t col = 0;

	while (i > 0 && st->toks.text[i - 1] != '\n')
		i--;
	for (; i < start; i++)
		col = st->toks.text[i] == '\t' ? (col / 8 + 1) * 8 : col + 1;
	return col;
}

static bool is_define(const struct reader *r, size_t i)
{
	size_t len;
	const char *word;

	if (i >= r->nr || r->pieces[i].kind != PIECE_LINE)
		return false;
	word = ctok_directive(&r->st->toks, r->pieces[i].toks.first, &len);
	return (len == 6 && !memcmp(word, "define", 6)) || (len == 5 && !memcmp(word, "undef", 5));
}

static bool is_comment(const struct reader *r, size_t i)
{
	return i < r->nr && r->pieces[i].kind == PIECE_COMMENT && !r->pieces[i].of_brace;
}

static bool follows(const struct reader *r, size_t above, size_t below)
{
	return below < r->nr && last_line(r, &r->pieces[above]) + 1 == first_line(r, &r->pieces[below]);
}

/* far to the right of a declaration: not in front of another one */
static bool is_far_right(const struct reader *r, size_t comment, size_t declaration)
{
	return column(r->st, r->pieces[comment].toks.first) >= column(r->st, r->pieces[declaration].toks.first) + 16;
}

/* behind the #define lines, with their comments, that start directly below piece i - 1, of a declaration */
static size_t behind_defines(const struct reader *r, size_t i, size_t declaration)
{
	size_t end = i;

	for (; i < r->nr && follows(r, i - 1, i) && (is_comment(r, i) || is_define(r, i)); i++) {
		if (is_define(r, i) || (i == end && is_far_right(r, i, declaration)))
			end = i + 1;
	}
	return end;
}

static void take(struct reader *r, size_t first, size_t end)
{
	for (; first < end; first++)
		r->pieces[first].taken = true;
}

/*
 * Does a comment line below a declaration go on with what stands behind it? Its column is nearer to the trailing
 * comment's than to the declaration's; without a trailing comment, far to the right.
 */
static bool stands_under(const struct reader *r, size_t comment, size_t declaration)
{
	size_t at = column(r->st, r->pieces[comment].toks.first);
	size_t left = column(r->st, r->pieces[declaration].toks.first);
	size_t right = column(r->st, r->pieces[declaration + 1].toks.first);

	if (comment == declaration + 1)
		return is_far_right(r, comment, declaration);
	return at >= right || (at > left && right - at < at - left);
}

static bool is_alone(const struct reader *r, size_t i)
{
	return i + 1 >= r->nr || first_line(r, &r->pieces[i + 1]) > last_line(r, &r->pieces[i]);
}

static void find_trail(struct reader *r, size_t i)
{
	struct piece *p = &r->pieces[i];
	size_t k = i + 1;

	while (is_comment(r, k) && first_line(r, &r->pieces[k]) == last_line(r, &r->pieces[k - 1]))
		k++;
	while (is_comment(r, k) && follows(r, k - 1, k) && is_alone(r, k) && stands_under(r, k, i))
		k++;
	p->trail = k;
	p->after = behind_defines(r, k, i);
	take(r, i + 1, p->after);
}

/* behind the last unit that a comment above the one that ends with piece last may speak of; *units of them */
static size_t scope_end(const struct reader *r, size_t last, unsigned int *units)
{
	size_t above = last, k = last + 1;

	*units = 1;
	for (; k < r->nr && (follows(r, above, k) ||
			     last_line(r, &r->pieces[above]) == first_line(r, &r->pieces[k])); k++) {
		const struct piece *p = &r->pieces[k];

		if (p->kind == PIECE_COMMENT && !p->taken)
			break;
		if (p->kind == PIECE_LINE && (p->item.kind == TEXT_ELSE || p->item.kind == TEXT_ENDIF) &&
		    p->item.branch != r->pieces[last].item.branch)
			break;
		*units += p->kind == PIECE_DECLARATION;
		above = k;
	}
	return k;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct owner {
	size_t first, last;		/* pieces: the unit, or the #if and #endif around it */
	size_t scope;			/* behind the last piece of the paragraph */
	unsigned int units;		/* in the paragraph */
	bool starts_paragraph;
};

/* names a member of the owner, and none of its neighbours */
static bool names_just(const struct reader *r, const struct piece *comment, const struct owner *o)
{
	const char *p = r->st->toks.text + r->st->toks.tok[comment->toks.first].start;
	const char *end = r->st->toks.text + r->st->toks.tok[comment->toks.end - 1].end;
	bool own = false;

	while (p < end) {
		const char *word = p;
		struct strmap_entry *e;

		while (p < end && is_word(*p))
			p++;
		e = p > word ? strmap_get(&r->names, word, p - word) : NULL;
		/* as many of one name are no kernel's */
		for (size_t k = 0; e && k < e->nr && k < 16; k++) {
			if (e->values[k] >= o->first && e->values[k] <= o->last)
				own = true;
			else if (e->values[k] > o->last && e->values[k] < o->scope)
				return false;
		}
		p += p == word;
	}
	return own;
}

static bool is_kernel_doc(const struct reader *r, const struct piece *p)
{
	const struct ctok *t = &r->st->toks.tok[p->toks.first];

	return t->end - t->start > 4 && !memcmp(r->st->toks.text + t->start, "/**", 3);
}

static bool owns(const struct reader *r, const struct owner *o, const struct piece *comment)
{
	return is_kernel_doc(r, comment) || o->units == 1 || !o->starts_paragraph || names_just(r, comment, o);
}

/* the first piece of the comment lines that stand directly above piece i, without a blank line between */
static size_t group_above(const struct reader *r, size_t i)
{
	while (i > 0 && is_comment(r, i - 1) && !r->pieces[i - 1].taken &&
	       last_line(r, &r->pieces[i - 1]) + 1 >= first_line(r, &r->pieces[i]))
		i--;
	return i;
}

static void find_lead(struct reader *r, size_t first, size_t last)
{
	struct owner o = { .first = first, .last = last };
	size_t top = group_above(r, first), k = first;
	const struct piece *above = top ? &r->pieces[top - 1] : NULL;

	r->pieces[first].lead = first;
	if (top == first)
		return;
	o.starts_paragraph = !above || last_line(r, above) + 1 < first_line(r, &r->pieces[top]) || above->of_brace ||
			     (above->kind == PIECE_LINE && !above->taken && above->item.kind != TEXT_ENDIF);
	o.scope = scope_end(r, last, &o.units);
	while (k > top && (first_line(r, &r->pieces[k]) == last_line(r, &r->pieces[k - 1]) ||
			   owns(r, &o, &r->pieces[k - 1])))
		k--;
	r->pieces[first].lead = k;
	take(r, k, first);
}

static void attach_comments(struct reader *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		if (r->pieces[i].kind == PIECE_DECLARATION)
			find_trail(r, i);
	}
	for (size_t i = 0; i < r->nr; i++) {
		struct piece *p = &r->pieces[i];

		p->lead = i;
		if (p->kind == PIECE_DECLARATION)
			find_lead(r, i, p->after - 1);
		else if (p->kind == PIECE_LINE && p->item.kind == TEXT_IF && p->block->whole)
			find_lead(r, i, p->block->last);
	}
}

static uint32_t start_of(const struct reader *r, size_t piece)
{
	return r->st->toks.tok[r->pieces[piece].toks.first].start;
}

static uint32_t end_of(const struct reader *r, size_t piece)
{
	return r->st->toks.tok[r->pieces[piece].toks.end - 1].end;
}

static void make_item(struct reader *r, size_t i, struct text_item *item)
{
	struct piece *p = &r->pieces[i];
	const struct text_branch *branch = p->item.branch;

	*item = p->item;
	item->toks = p->toks;
	item->line = first_line(r, p);
	item->branch = branch;
	item->block = p->block;
	item->range = (struct text_range){ start_of(r, i), end_of(r, i) };
	item->lead = (struct text_range){ item->range.start, item->range.start };
	item->trail = (struct text_range){ item->range.end, item->range.end };
	if (p->kind == PIECE_COMMENT) {
		item->kind = TEXT_COMMENT;
		item->detached = !p->of_brace && !(i + 1 < r->nr && follows(r, i, i + 1));
		return;
	}
	if (p->lead < i) {
		item->range.start = start_of(r, p->lead);
		item->lead = (struct text_range){ item->range.start, end_of(r, i - 1) };
	}
	if (p->kind != PIECE_DECLARATION)
		return;
	if (p->trail > i + 1)
		item->trail = (struct text_range){ start_of(r, i + 1), end_of(r, p->trail - 1) };
	item->range.end = end_of(r, p->after - 1);
}

static void make_items(struct reader *r)
{
	struct text_body *body = r->body;
	size_t nr = 0;

	for (size_t i = 0; i < r->nr; i++)
		nr += !r->pieces[i].taken;
	body->items = arena_alloc((nr + 1) * sizeof(*body->items));
	for (size_t i = 0; i < r->nr; i++) {
		if (r->pieces[i].taken)
			continue;
		r->pieces[i].index = body->nr_items;
		make_item(r, i, &body->items[body->nr_items++]);
	}
}

/* branches know the piece that starts them; now they know the item */
static void number_branches(struct reader *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		struct piece *p = &r->pieces[i];

		if (p->kind != PIECE_LINE || p->item.kind != TEXT_IF)
			continue;
		for (unsigned int k = 0; k < p->block->nr_branches; k++)
			p->block->branches[k]->item = r->pieces[p->block->branches[k]->item].index;
		p->block->first = p->index;
		p->block->last = r->pieces[p->block->last].index;
	}
}

void struct_text_read(const struct struct_text *st, struct text_body *body)
{
	struct reader r = { .st = st, .body = body };

	if (body->read)
		return;
	body->read = true;
	if (body->depth > MAX_DEPTH) {
		break_at(&r, "it is nested too deep");
		return;
	}
	collect_pieces(&r);
	read_declarations(&r);
	find_blocks(&r);
	attach_comments(&r);
	make_items(&r);
	number_branches(&r);
}
