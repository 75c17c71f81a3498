/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "declaration.h"
#include "smpl.h"
#include "strmap.h"

enum { FALSE, UNKNOWN, TRUE };		/* of `depends on` */

enum sign { CONTEXT, PLUS, MINUS };

enum metavar_kind { VALUE, ONE_TOKEN, SOME_TOKENS };

struct metavar {
	const char *name, *rule;	/* rule: inherited from; NULL: own */
	enum metavar_kind kind;
	const char *value;		/* of a virtual identifier */
};

/* a word of a + or - line: a literal, or a metavariable (literal NULL) */
struct word {
	const char *literal;
	const char *metavar;
	size_t len;
	enum metavar_kind kind;
};

struct chunk {				/* up to a semicolon */
	enum sign sign;
	struct word *words;
	size_t nr, room;
};

struct rule {
	const char *name;
	bool off, script;
	struct metavar *metavars;
	size_t nr, room;
	struct text_range body;
};

struct smpl {
	const char *text;
	size_t len;
	const char *const *defines;
	size_t nr_defines;
	struct strmap virtuals;		/* declared ones */
	struct rule *rules;
	size_t nr_rules, rules_room;
	struct chunk *chunks;
	size_t nr, room;
	struct strmap added, removed;	/* words of + and - lines */
	struct strmap moved;		/* what these lines speak of */
};

/* the value of -D name=value, "" for -D name, or NULL */
static const char *defined(const struct smpl *s, const char *name, size_t len)
{
	for (size_t i = s->nr_defines; i-- > 0;) {
		const char *d = s->defines[i];

		if (strncmp(d, name, len))
			continue;
		if (d[len] == '=')
			return d + len + 1;
		if (!d[len])
			return "";
	}
	return NULL;
}

struct cursor {
	struct smpl *s;
	struct ctoks t;
	size_t i;
};

static struct cursor lex_range(struct smpl *s, struct text_range r)
{
	struct cursor c = { .s = s };

	clex(s->text + r.start, r.end - r.start, &c.t);
	return c;
}

static bool at(const struct cursor *c, const char *word)
{
	return c->i < c->t.nr && ctok_is(&c->t, c->i, word);
}

static bool eat(struct cursor *c, const char *word)
{
	if (!at(c, word))
		return false;
	c->i++;
	return true;
}

static bool at_ident(const struct cursor *c)
{
	return c->i < c->t.nr && c->t.tok[c->i].kind == CTOK_IDENT;
}

static int virtual_state(const struct smpl *s, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(name, "patch"))
		return TRUE;
	if (!strcmp(name, "report") || !strcmp(name, "context") || !strcmp(name, "org"))
		return FALSE;
	if (!strmap_get(&s->virtuals, name, len))
		return UNKNOWN;		/* another rule */
	return defined(s, name, len) ? TRUE : FALSE;
}

static int eval_or(struct cursor *c, int depth);

static int eval_one(struct cursor *c, int depth)
{
	int value = UNKNOWN;

	if (depth > 32)
		return UNKNOWN;
	if (eat(c, "!") || eat(c, "never"))
		return TRUE - eval_one(c, depth + 1);
	if (eat(c, "ever"))
		return eval_one(c, depth + 1);
	if (eat(c, "(")) {
		value = eval_or(c, depth + 1);
		eat(c, ")");
		return value;
	}
	if (at_ident(c))
		value = virtual_state(c->s, ctok_text(&c->t, c->i));
	c->i++;
	return value;
}

static int eval_and(struct cursor *c, int depth)
{
	int value = eval_one(c, depth), right;

	while (eat(c, "&")) {
		eat(c, "&");
		right = eval_one(c, depth);
		value = right < value ? right : value;
	}
	return value;
}

static int eval_or(struct cursor *c, int depth)
{
	int value = eval_and(c, depth), right;

	while (eat(c, "|")) {
		eat(c, "|");
		right = eval_and(c, depth);
		value = right > value ? right : value;
	}
	return value;
}

/* what stands between the @ signs of a rule's head */
static void read_head(struct smpl *s, struct text_range range, struct rule *rule)
{
	struct cursor c = lex_range(s, range);

	if (at(&c, "script") || at(&c, "initialize") || at(&c, "finalize")) {
		rule->script = true;
		c.i++;
		eat(&c, ":");
		c.i++;
	}
	if (at_ident(&c) && !at(&c, "depends"))
		rule->name = ctok_text(&c.t, c.i++);
	while (c.i < c.t.nr && !at(&c, "depends"))
		c.i++;
	if (eat(&c, "depends") && eat(&c, "on"))
		rule->off = eval_or(&c, 0) == FALSE;
}

static const char *const one_token[] = { "attribute", "binary",	    "constant", "declarer",
					 "fresh",     "identifier", "iterator", "local" };

static enum metavar_kind kind_of(const char *word)
{
	for (size_t i = 0; i < sizeof(one_token) / sizeof(one_token[0]); i++) {
		if (!strcmp(word, one_token[i]))
			return ONE_TOKEN;
	}
	return SOME_TOKENS;
}

static void skip_constraint(struct cursor *c)
{
	int depth = 0;

	for (; c->i < c->t.nr; c->i++) {
		if (at(c, "{") || at(c, "("))
			depth++;
		else if (at(c, "}") || at(c, ")"))
			depth--;
		else if (depth <= 0 && (at(c, ",") || at(c, ";")))
			return;
	}
}

static void read_metavar(struct cursor *c, struct rule *rule, enum metavar_kind kind)
{
	const char *name = ctok_text(&c->t, c->i++), *from = NULL, *value;
	struct metavar *m;

	if (eat(c, ".") && at_ident(c)) {
		from = name;
		name = ctok_text(&c->t, c->i++);
	}
	m = ARENA_PUSH(rule->metavars, rule->nr, rule->room);
	m->name = name;
	m->rule = from;
	m->kind = kind;
	if (!from || strcmp(from, "virtual"))
		return;
	value = defined(c->s, name, strlen(name));
	if (value) {
		m->kind = VALUE;
		m->value = value;
	}
}

/* "identifier virtual.f, o != f; declarer name X; type T;" */
static void read_metavars(struct smpl *s, struct text_range range, struct rule *rule)
{
	struct cursor c = lex_range(s, range);

	while (c.i < c.t.nr) {
		enum metavar_kind kind = at_ident(&c) ? kind_of(ctok_text(&c.t, c.i)) : SOME_TOKENS;
		/* "declarer name X", "symbol x" and "typedef x" say that a word is to be taken literally */
		bool literal = at(&c, "typedef") || at(&c, "symbol");

		c.i++;
		if (at(&c, "identifier") || at(&c, "list") || at(&c, "idexpression") || at(&c, "operator"))
			c.i++;
		literal |= eat(&c, "name");
		while (c.i < c.t.nr && !at(&c, ";")) {
			/* pointers and brackets of "expression *e" */
			if (at_ident(&c) && !literal)
				read_metavar(&c, rule, kind);
			else
				c.i++;
			if (!at(&c, "*"))
				skip_constraint(&c);
			eat(&c, ",");
		}
		eat(&c, ";");
	}
}

static size_t line_end(const struct smpl *s, size_t i)
{
	const char *nl = memchr(s->text + i, '\n', s->len - i);

	return nl ? (size_t)(nl - s->text) + 1 : s->len;
}

static void read_virtuals(struct smpl *s, struct text_range range)
{
	struct cursor c = lex_range(s, range);

	if (!eat(&c, "virtual"))
		return;
	for (; at_ident(&c); eat(&c, ",")) {
		const char *name = ctok_text(&c.t, c.i++);

		strmap_add(&s->virtuals, name, strlen(name), 1);
	}
}

/* the position behind the @ that closes a rule's head which starts at i, or len */
static size_t head_end(const struct smpl *s, size_t i)
{
	const char *at_sign = memchr(s->text + i + 1, '@', s->len - i - 1);

	return at_sign ? (size_t)(at_sign - s->text) + 1 : s->len;
}

/* the line that starts with an @, from i on */
static size_t next_at_line(const struct smpl *s, size_t i)
{
	while (i < s->len && s->text[i] != '@')
		i = line_end(s, i);
	return i;
}

static void read_rules(struct smpl *s)
{
	size_t i = 0, end;

	for (; i < s->len && s->text[i] != '@'; i = line_end(s, i))
		read_virtuals(s, (struct text_range){ i, line_end(s, i) });
	while (i < s->len) {
		struct rule *rule = ARENA_PUSH(s->rules, s->nr_rules, s->rules_room);

		end = head_end(s, i);
		read_head(s, (struct text_range){ i + 1, end - 1 }, rule);
		i = line_end(s, end < s->len ? end : s->len);
		end = next_at_line(s, i);
		if (!rule->script)
			read_metavars(s, (struct text_range){ i, end }, rule);
		i = line_end(s, end);
		end = next_at_line(s, i);
		rule->body = (struct text_range){ i, end };
		i = end;
	}
}

static const struct rule *find_rule(const struct smpl *s, const char *name)
{
	for (size_t i = 0; i < s->nr_rules; i++) {
		if (s->rules[i].name && !strcmp(s->rules[i].name, name))
			return &s->rules[i];
	}
	return NULL;
}

static const struct metavar *find_metavar(const struct rule *rule, const struct ctoks *t, size_t i)
{
	for (size_t k = 0; k < rule->nr; k++) {
		if (ctok_is(t, i, rule->metavars[k].name))
			return &rule->metavars[k];
	}
	return NULL;
}

/* everything that a rule's body names: literals and virtual values */
static void note_moved(struct smpl *s, const struct rule *rule)
{
	struct cursor c;

	if (!rule || rule->script)
		return;
	c = lex_range(s, rule->body);
	for (; c.i < c.t.nr; c.i++) {
		const struct metavar *m = find_metavar(rule, &c.t, c.i);
		const char *name = m ? m->value : at_ident(&c) ? ctok_text(&c.t, c.i) : NULL;

		if (name)
			strmap_add(&s->moved, name, strlen(name), 1);
	}
}

static void add_word(struct smpl *s, struct chunk *chunk, const struct rule *rule, const struct ctoks *t, size_t i)
{
	const struct metavar *m = t->tok[i].kind == CTOK_IDENT ? find_metavar(rule, t, i) : NULL;
	struct word *w = ARENA_PUSH(chunk->words, chunk->nr, chunk->room);
	struct strmap *words = chunk->sign == PLUS ? &s->added : &s->removed;

	if (m && m->kind != VALUE) {
		w->kind = m->kind;
		w->metavar = m->name;
		if (m->rule && strcmp(m->rule, "virtual"))
			note_moved(s, find_rule(s, m->rule));
		return;
	}
	w->literal = m ? m->value : t->text + t->tok[i].start;
	w->len = m ? strlen(m->value) : t->tok[i].end - t->tok[i].start;
	strmap_add(words, w->literal, w->len, 1);
	if (t->tok[i].kind == CTOK_IDENT)
		strmap_add(&s->moved, w->literal, w->len, 1);
}

static enum sign sign_of(char c)
{
	return c == '+' ? PLUS : c == '-' ? MINUS : CONTEXT;
}

/* lines of one sign in a row */
static void read_run(struct smpl *s, const struct rule *rule, enum sign sign, char *text)
{
	struct chunk *chunk = NULL;
	struct ctoks t;

	clex(text, strlen(text), &t);
	for (size_t i = 0; i < t.nr; i++) {
		if (t.tok[i].kind == CTOK_COMMENT)
			continue;
		if (ctok_is(&t, i, ";")) {
			chunk = NULL;
			continue;
		}
		if (!chunk) {
			chunk = ARENA_PUSH(s->chunks, s->nr, s->room);
			chunk->sign = sign;
		}
		add_word(s, chunk, rule, &t, i);
	}
}

static void read_body(struct smpl *s, const struct rule *rule)
{
	size_t i = rule->body.start, end, run = 0;
	char *text = arena_alloc(rule->body.end - rule->body.start + 1);
	enum sign sign = CONTEXT;

	for (; i < rule->body.end; i = end) {
		size_t start = i;

		end = line_end(s, i);
		if (sign_of(s->text[i]) != sign) {
			if (sign != CONTEXT)
				read_run(s, rule, sign, arena_strndup(text, run));
			run = 0;
			sign = sign_of(s->text[i]);
		}
		if (sign == CONTEXT)
			continue;
		while (start < end && sign_of(s->text[start]) == sign)
			start++;
		memcpy(text + run, s->text + start, end - start);
		run += end - start;
	}
	if (sign != CONTEXT)
		read_run(s, rule, sign, arena_strndup(text, run));
}

struct smpl *smpl_read(const char *text, size_t len, const char *const *defines, size_t nr)
{
	struct smpl *s = arena_alloc(sizeof(*s));

	s->text = text;
	s->len = len;
	s->defines = defines;
	s->nr_defines = nr;
	read_rules(s);
	for (size_t i = 0; i < s->nr_rules; i++) {
		if (!s->rules[i].script && !s->rules[i].off)
			read_body(s, &s->rules[i]);
	}
	return s;
}

static bool word_is(const struct word *w, const struct struct_text *st, size_t tok)
{
	const struct ctok *t = &st->toks.tok[tok];

	return !w->literal || (w->len == t->end - t->start && !memcmp(w->literal, st->toks.text + t->start, w->len));
}

/* the usual way with wildcards: on a mismatch the last one that takes several tokens takes one more */
static bool chunk_matches(const struct chunk *chunk, const struct struct_text *st, struct text_toks toks)
{
	size_t end = toks.end, w = 0, star = SIZE_MAX, retry = 0;
	size_t i;

	while (end > toks.first && (ctok_is(&st->toks, end - 1, ";") || is_kind(st, end - 1, CTOK_COMMENT)))
		end--;
	for (i = skip_silent(st, toks.first, end); i < end;) {
		if (w < chunk->nr && word_is(&chunk->words[w], st, i)) {
			if (!chunk->words[w].literal && chunk->words[w].kind == SOME_TOKENS) {
				star = w;
				retry = i;
			}
			w++;
		} else if (star != SIZE_MAX) {
			retry = skip_silent(st, retry + 1, end);
			i = retry;
			w = star + 1;
		} else {
			return false;
		}
		i = skip_silent(st, i + 1, end);
	}
	return w == chunk->nr;
}

static bool same_chunk(const struct chunk *a, const struct chunk *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++) {
		const struct word *x = &a->words[i], *y = &b->words[i];

		if (!x->literal != !y->literal || x->len != y->len)
			return false;
		if (x->literal ? memcmp(x->literal, y->literal, x->len) : strcmp(x->metavar, y->metavar))
			return false;
	}
	return true;
}

static bool is_given_back(const struct smpl *s, const struct chunk *minus)
{
	for (size_t i = 0; i < s->nr; i++) {
		if (s->chunks[i].sign == PLUS && same_chunk(&s->chunks[i], minus))
			return true;
	}
	return false;
}

bool smpl_adds(const struct smpl *s, const struct struct_text *st, struct text_toks toks)
{
	for (size_t i = 0; i < s->nr; i++) {
		if (s->chunks[i].sign == PLUS && chunk_matches(&s->chunks[i], st, toks))
			return true;
	}
	return false;
}

bool smpl_removes(const struct smpl *s, const struct struct_text *st, struct text_toks toks)
{
	for (size_t i = 0; i < s->nr; i++) {
		if (s->chunks[i].sign == MINUS && chunk_matches(&s->chunks[i], st, toks) &&
		    !is_given_back(s, &s->chunks[i]))
			return true;
	}
	return false;
}

static bool all_words(const struct strmap *in, const struct strmap *not_in, const struct struct_text *st,
		      struct text_toks toks)
{
	for (size_t i = toks.first; i < toks.end; i++) {
		const struct ctok *t = &st->toks.tok[i];
		const char *word = st->toks.text + t->start;

		if (t->kind != CTOK_IDENT && t->kind != CTOK_NUMBER)
			continue;
		if (!strmap_get(in, word, t->end - t->start) ||
		    (not_in && strmap_get(not_in, word, t->end - t->start)))
			return false;
	}
	return true;
}

bool smpl_adds_words(const struct smpl *s, const struct struct_text *st, struct text_toks toks)
{
	return all_words(&s->added, NULL, st, toks);
}

bool smpl_removes_words(const struct smpl *s, const struct struct_text *st, struct text_toks toks)
{
	return all_words(&s->removed, &s->added, st, toks);
}

bool smpl_moves(const struct smpl *s, const char *name)
{
	return strmap_get(&s->moved, name, strlen(name));
}
