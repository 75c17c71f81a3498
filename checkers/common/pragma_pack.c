/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "symbol.h"
#include "expression.h"
#include "scope.h"

#include "arena.h"
#include "pragma_pack.h"

#define WATCH	"linekeeper_watch_pragma"	/* a directive of ours */

/* from this line of the stream on; a stream is one inclusion of a file */
struct change {
	int stream;
	unsigned int line;
	unsigned int pack;		/* bytes */
};

struct saved {
	const char *name;		/* NULL: pushed without one */
	unsigned int pack;
};

static struct {
	int (*next)(struct stream *stream, struct token **line, struct token *token);
	unsigned int pack;		/* where the preprocessor is */
	struct change *changes;		/* in the order of the text */
	size_t nr, room;
	struct saved *stack;
	size_t depth, stack_room;
} state;

/* the arguments of one pragma: pack([push|pop] [, name] [, number]) */
struct request {
	bool push, pop, has_number;
	const char *name;
	unsigned int number;
};

static bool read_word(struct request *req, struct token *token)
{
	const char *word = show_ident(token->ident);

	if (!strcmp(word, "push"))
		req->push = true;
	else if (!strcmp(word, "pop"))
		req->pop = true;
	else if (req->push || req->pop)
		req->name = arena_strdup(word);
	else
		return false;
	return true;
}

static bool read_request(struct request *req, struct token *token)
{
	if (!match_op(token, '('))
		return false;
	for (token = token->next; !match_op(token, ')'); token = token->next) {
		if (token_type(token) == TOKEN_NUMBER) {
			req->has_number = true;
			req->number = strtoul(token->number, NULL, 0);
		} else if (token_type(token) == TOKEN_IDENT) {
			if (!read_word(req, token))
				return false;
		} else if (!match_op(token, ',')) {
			return false;
		}
	}
	return true;
}

/* down to the entry of that name, or the topmost one */
static void pop(const char *name)
{
	for (size_t i = state.depth; i--; ) {
		const char *has = state.stack[i].name;

		if (name && (!has || strcmp(has, name)))
			continue;
		state.pack = state.stack[i].pack;
		state.depth = i;
		return;
	}
}

/* for the rest of this stream, and of those that include it */
static void keep_change(struct position pos)
{
	for (;;) {
		struct change change = { pos.stream, pos.line, state.pack };

		*ARENA_PUSH(state.changes, state.nr, state.room) = change;
		pos = input_streams[pos.stream].pos;
		if ((int)pos.stream >= input_stream_nr)
			return;
	}
}

static int on_pragma(struct stream *stream, struct token **line, struct token *token)
{
	struct request req = { 0 };
	struct position pos = token->pos;
	struct token *what = token->next;

	if (token_type(what) == TOKEN_IDENT && !strcmp(show_ident(what->ident), "pack") &&
	    read_request(&req, what->next)) {
		if (req.push)
			*ARENA_PUSH(state.stack, state.depth, state.stack_room) =
				(struct saved) { req.name, state.pack };
		if (req.pop)
			pop(req.name);
		if (req.has_number || (!req.push && !req.pop))
			state.pack = req.number;
		keep_change(pos);
	}
	return state.next(stream, line, token);
}

/* the preprocessor makes its directives anew for each list of tokens: replace one when it is at work */
static int on_watch(struct stream *stream, struct token **line, struct token *token)
{
	struct symbol *sym = lookup_symbol(built_in_ident("pragma"), NS_PREPROCESSOR);

	(void)stream, (void)line, (void)token;
	if (!sym || !sym->handler)
		fatal("this sparse library has no #pragma");
	state.next = sym->handler;
	sym->handler = on_pragma;
	return 1;
}

struct token *pragma_pack_watch(struct token *list)
{
	static char text[] = "#" WATCH "\n";
	struct token *begin, *end;

	if (!lookup_symbol(built_in_ident(WATCH), NS_PREPROCESSOR)) {
		struct symbol *sym = alloc_symbol(list->pos, SYM_PREPROCESSOR);

		sym->handler = on_watch;
		sym->normal = 1;
		bind_symbol(sym, built_in_ident(WATCH), NS_PREPROCESSOR);
	}
	begin = tokenize_buffer(text, sizeof(text) - 1, &end);
	end->next = list;
	return begin;
}

unsigned int pragma_pack_at(struct position pos)
{
	while ((int)pos.stream < input_stream_nr) {
		for (size_t i = state.nr; i--; )
			if (state.changes[i].stream == (int)pos.stream && state.changes[i].line < pos.line)
				return state.changes[i].pack;
		pos = input_streams[pos.stream].pos;
	}
	return 0;
}
