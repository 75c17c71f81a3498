/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "symbol.h"
#include "parse.h"
#include "expression.h"
#include "scope.h"

#include "arena.h"
#include "body_asserts.h"
#include "declared.h"
#include "sparse_hook.h"
#include "sparse_place.h"
#include "sparse_quiet.h"

#define PLAIN	"BUILD_BUG_ON failed: "		/* how the message begins that BUILD_BUG_ON() makes */

static struct failed_asserts *asserts;
static struct ident *own_assert;	/* what a _Static_assert in a function is for the parser, which asks nobody what that is */

/* the other bracket of the round one that token is; NULL: it is none, or has none */
static struct token *other_bracket(struct token *token)
{
	int depth = 0;

	for (; match_op(token, '(') || depth; token = token->next) {
		if (eof_token(token))
			return NULL;
		depth += match_op(token, '(') - match_op(token, ')');
		if (!depth)
			return token;
	}
	return NULL;
}

/* the comma behind the type of an offsetof(), in whose member names nobody looks anything up, or behind a condition; else end */
static struct token *comma_of(struct token *token, struct token *end)
{
	int depth = 0;

	for (; token != end && (depth || !match_op(token, ',')); token = token->next)
		depth += match_op(token, '(') - match_op(token, ')');
	return token;
}

static bool is_complete(struct token *tag)
{
	struct symbol *type = token_type(tag) == TOKEN_IDENT ? lookup_symbol(tag->ident, NS_STRUCT) : NULL;

	return type && type->symbol_list;
}

static bool is_known(struct token *name)
{
	return name->ident->reserved || lookup_symbol(name->ident, NS_TYPEDEF | NS_SYMBOL);
}

static bool is_typedef(struct token *token)
{
	return token_type(token) == TOKEN_IDENT && !token->ident->reserved && lookup_symbol(token->ident, NS_TYPEDEF);
}

static bool is_layout(struct token *type)
{
	return match_ident(type, &struct_ident) || match_ident(type, &union_ident) || is_typedef(type);
}

/*
 * Does an expression ask for a layout? is_plain: sizeof() of anything is taken for one. It is not in an assert of a macro's own, with a
 * text of its own, as READ_ONCE() has it for every variable that it reads.
 */
static bool asks_layout(struct token *token, const struct token *end, bool is_plain)
{
	for (; token != end; token = token->next) {
		if (match_ident(token, &__builtin_offsetof_ident))
			return true;
		if (match_ident(token, &sizeof_ident) && (is_plain || (match_op(token->next, '(') && is_layout(token->next->next))))
			return true;
	}
	return false;
}

/* A name that is known to nobody would be an error for sparse, and the unit lost. */
static bool is_understood(struct token *token, const struct token *end)
{
	bool is_member = false;

	for (; token != end; token = token->next) {
		if (eof_token(token) || match_op(token, '{') || token_type(token) == TOKEN_STRING)
			return false;
		if (token_type(token) == TOKEN_IDENT && !is_member) {
			if (token->ident == &struct_ident || token->ident == &union_ident) {
				token = token->next;
				if (!is_complete(token))
					return false;
			} else if (token->ident == &__builtin_offsetof_ident) {
				struct token *close = other_bracket(token->next), *comma = close ? comma_of(token->next->next, close) : NULL;

				if (comma == close || !is_understood(token->next->next, comma))
					return false;
				token = close;
			} else if (!is_known(token)) {
				return false;
			}
		}
		is_member = match_op(token, '.') || match_op(token, SPECIAL_DEREFERENCE);
	}
	return true;
}

/* the value of the expression from token up to end; false: it has none that counts */
static bool value_of(struct token *token, const struct token *end, long long *out)
{
	struct expression *expr = NULL;
	struct sparse_quiet quiet;
	bool has_value = false;

	if (!is_understood(token, end))
		return false;
	sparse_quiet_begin(&quiet);
	if (conditional_expression(token, &expr) == end && expr) {
		*out = get_expression_value_silent(expr);
		has_value = expr->type == EXPR_VALUE;
	}
	return !sparse_quiet_end(&quiet) && has_value;
}

static void add(const struct token *at, const char *text)
{
	*ARENA_PUSH(asserts->list, asserts->nr, asserts->room) = (struct failed_assert) { place_of(at->pos), text };
}

/* the bracket in front of the condition of a compile-time error; NULL: message is none of one */
static struct token *condition_of(const struct token *message)
{
	struct token *token = message->next;

	while (match_op(token, ')') || token_type(token) == TOKEN_STRING)
		token = token->next;
	return match_op(token, ';') && match_ident(token->next, &if_ident) ? token->next->next : NULL;
}

static bool is_plain(const struct token *message)
{
	const char *text = declared_text(message);

	return text && !strncmp(text, PLAIN, sizeof(PLAIN) - 1);
}

static bool is_static_assert(const struct token *token)
{
	return token_type(token) == TOKEN_IDENT && (token->ident == &_Static_assert_ident || token->ident == own_assert);
}

/* an assert on a layout: a message or a _Static_assert; the brackets around its condition */
static bool is_on_layout(const struct token *token, struct token **open, struct token **close)
{
	bool is_static = is_static_assert(token);

	*open = is_static ? token->next : token_type(token) == TOKEN_STRING ? condition_of(token) : NULL;
	*close = *open ? other_bracket(*open) : NULL;
	return *close && asks_layout(*open, *close, is_static || is_plain(token));
}

bool body_asserts_layout(struct token *token, const struct token *end)
{
	struct token *open, *close;
	bool found = false;

	for (; token != end; token = token->next) {
		if (!is_on_layout(token, &open, &close))
			continue;
		found = true;
		if (is_static_assert(token))
			token->ident = own_assert;
	}
	return found;
}

void body_assert_error(const struct token *message)
{
	struct token *open, *close;
	long long value;

	if (toplevel(block_scope) || !is_on_layout(message, &open, &close))
		return;
	if (value_of(open->next, close, &value) && value)
		add(message, declared_text(message));
}

bool body_assert_static(const struct token *keyword)
{
	struct token *open, *close, *comma;
	long long value;

	if (!is_on_layout(keyword, &open, &close))
		return false;
	comma = comma_of(open->next, close);
	if (!value_of(open->next, comma, &value))
		return false;
	if (!value)
		add(keyword, arena_printf("static assertion failed: %s", comma == close ? "it does not say what" : declared_text(comma->next)));
	return true;
}

static struct token *on_assert(struct token *keyword, struct statement *stmt __attribute__((unused)))
{
	struct token *close = other_bracket(keyword->next);

	body_assert_static(keyword);
	return match_op(close->next, ';') ? close->next->next : close->next;
}

void body_asserts_watch(struct failed_asserts *out)
{
	static struct symbol_op op = { .statement = on_assert };

	asserts = out;
	own_assert = built_in_ident("cacheline_static_assert");
	sparse_hook_new("cacheline_static_assert", &op);
}
