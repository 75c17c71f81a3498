/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "symbol.h"

#include "function_bodies.h"

static bool opens(struct token *token)
{
	return match_op(token, '(') || match_op(token, '[') || match_op(token, '{');
}

static bool closes(struct token *token)
{
	return match_op(token, ')') || match_op(token, ']') || match_op(token, '}');
}

/* the other half of the bracket that token is, or the end of the file */
static struct token *closing(struct token *token)
{
	int depth = 0;

	for (; !eof_token(token); token = token->next) {
		depth += opens(token) - closes(token);
		if (!depth)
			break;
	}
	return token;
}

static bool is_record_keyword(struct token *token)
{
	return match_ident(token, &struct_ident) || match_ident(token, &union_ident);
}

/* behind the keyword struct, union or enum: the brace that opens its body, or NULL */
static struct token *brace_of_tag(struct token *token)
{
	while (match_ident(token, &__attribute___ident) || match_ident(token, &__attribute_ident)) {
		token = closing(token->next);
		if (!eof_token(token))
			token = token->next;
	}
	if (token_type(token) == TOKEN_IDENT)
		token = token->next;
	return match_op(token, '{') ? token : NULL;
}

/* of a function; NULL: the declaration is none, or is not understood here; *balanced: is the end of the file not met */
static struct token *brace_of_body(struct token *token, bool *balanced)
{
	bool has_arguments = false;

	*balanced = true;
	for (; !eof_token(token) && !match_op(token, ';') && !match_op(token, '='); token = token->next) {
		struct token *brace = NULL;

		if (match_op(token, '{'))
			return has_arguments ? token : NULL;
		if (is_record_keyword(token) || match_ident(token, &enum_ident))
			brace = brace_of_tag(token->next);
		has_arguments |= match_op(token, '(');
		if (brace || opens(token))
			token = closing(brace ? brace : token);
		*balanced = !eof_token(token);
		if (!*balanced)
			return NULL;
	}
	return NULL;
}

bool body_find(struct token *declaration, struct body *out)
{
	bool balanced;
	struct token *open = brace_of_body(declaration, &balanced), *token = open;
	int depth = 0;

	*out = (struct body) { NULL, NULL };
	if (!open)
		return balanced;
	for (; ; token = token->next) {
		if (eof_token(token) || (is_record_keyword(token) && brace_of_tag(token->next)))
			return !eof_token(token);
		depth += opens(token) - closes(token);
		if (!depth)
			break;
	}
	*out = (struct body) { open, token };
	return true;
}

void body_take_out(const struct body *body, void (*on_message)(const struct token *))
{
	static struct ident *error, *error_too;

	if (!error) {
		error = built_in_ident("error");
		error_too = built_in_ident("__error__");
	}
	for (struct token *token = body->open; token != body->close; token = token->next) {
		if ((match_ident(token, error) || match_ident(token, error_too)) && match_op(token->next, '('))
			on_message(token->next->next);
	}
	body->open->next = body->close;
}
