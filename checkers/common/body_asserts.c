/* SPDX-License-Identifier: GPL-2.0-only */
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
#include "sparse_place.h"

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

/* no variable: one of the function's own may have the name too */
static bool is_known(struct token *name)
{
	struct symbol *sym = name->ident->reserved ? NULL : lookup_symbol(name->ident, NS_TYPEDEF | NS_SYMBOL);

	return name->ident->reserved || (sym && (sym->namespace != NS_SYMBOL || sym->enum_member));
}

/*
 * Does an expression name nothing that only its function knows? A name that is known to nobody would be an error for sparse, and the unit
 * lost. *asks: it asks for a layout.
 */
static bool is_understood(struct token *token, const struct token *end, bool *asks)
{
	bool is_member = false;

	for (; token != end; token = token->next) {
		if (eof_token(token) || match_op(token, '{') || token_type(token) == TOKEN_STRING)
			return false;
		if (token_type(token) == TOKEN_IDENT && !is_member) {
			*asks |= token->ident == &sizeof_ident;
			if (token->ident == &struct_ident || token->ident == &union_ident) {
				token = token->next;
				if (!is_complete(token))
					return false;
			} else if (token->ident == &__builtin_offsetof_ident) {
				struct token *close = other_bracket(token->next), *comma = close ? comma_of(token->next->next, close) : NULL;

				if (comma == close || !is_understood(token->next->next, comma, asks))
					return false;
				token = close;
				*asks = true;
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
	int errors = has_error;
	struct expression *expr = NULL;
	bool asks = false;

	if (!is_understood(token, end, &asks) || !asks || conditional_expression(token, &expr) != end || !expr)
		return false;
	*out = get_expression_value_silent(expr);
	if (has_error == errors)
		return true;
	has_error = errors;
	return false;
}

static void add(struct failed_asserts *out, const struct token *at, const char *text)
{
	*ARENA_PUSH(out->list, out->nr, out->room) = (struct failed_assert) { place_of(at->pos), text };
}

void body_assert_error(struct failed_asserts *out, const struct token *message)
{
	struct token *token = message->next, *close;
	long long value;

	while (match_op(token, ')') || token_type(token) == TOKEN_STRING)
		token = token->next;
	if (!match_op(token, ';') || !match_ident(token->next, &if_ident))
		return;
	token = token->next->next;
	close = other_bracket(token);
	if (close && value_of(token->next, close, &value) && value)
		add(out, message, declared_text(message));
}

bool body_assert_static(struct failed_asserts *out, const struct token *keyword)
{
	struct token *open = keyword->next, *close = other_bracket(open), *comma = close ? comma_of(open->next, close) : NULL;
	long long value;

	if (!comma || !value_of(open->next, comma, &value))
		return false;
	if (!value)
		add(out, keyword, arena_printf("static assertion failed: %s", comma == close ? "it does not say what" : declared_text(comma->next)));
	return true;
}
