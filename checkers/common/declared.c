/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <string.h>

#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"

#include "annotation.h"
#include "arena.h"
#include "body_asserts.h"
#include "declared.h"
#include "sparse_hook.h"
#include "sparse_place.h"
#include "sparse_records.h"

static struct unit *unit;		/* sparse's hooks take no argument of ours */
static struct symbol_op context_op, error_op, assert_op, layout_op;
static const struct symbol_op *sparse_error_attr, *sparse_assert;

/*
 * What an annotation says travels in a ctype's list of lock contexts: sparse carries it from the specifiers to each
 * declarator, and on_context() keeps contexts themselves out.
 */
struct written_annotation {
	struct position pos;
	const char *word, *arg;
	unsigned long long bytes;
};

static void wrong_annotation(struct position pos, const char *why)
{
	struct place at = place_of(pos);

	fprintf(stderr, "%s:%u:%u: error: 'cacheline_layout': %s\n", at.file, at.line, at.col, why);
	unit->wrong = true;
}

/* the same words as the plugin's */
static bool is_misplaced(struct position pos, const char *word, bool on_type)
{
	if (on_type == !strcmp(word, "budget"))
		return false;
	wrong_annotation(pos, arena_printf("'%s' belongs %s", word,
					   on_type ? "behind a member" : "behind a struct's closing brace"));
	return true;
}

static const struct annotation *annotations_of(struct ctype *ctype, const struct annotation *list, bool on_type)
{
	struct context *context;
	const char *why;

	/* the first that is written is to be the first in the list, as GCC has it */
	FOR_EACH_PTR_REVERSE(ctype->contexts, context) {
		const struct written_annotation *a = (const struct written_annotation *)context;

		if (!is_misplaced(a->pos, a->word, on_type))
			list = annotation_add(list, a->word, a->arg, a->bytes, &why);
	} END_FOR_EACH_PTR_REVERSE(context);
	return list;
}

/* sparse leaves what stands before the "*" with what is pointed to */
const struct annotation *declared_of_member(struct symbol *decl)
{
	const struct annotation *list = NULL;

	do {
		list = annotations_of(&decl->ctype, list, false);
		decl = decl->ctype.base_type;
	} while (decl && decl->type == SYM_PTR);
	return list;
}

const struct annotation *declared_of_type(struct symbol *type)
{
	return annotations_of(&type->ctype, NULL, true);
}

/* behind the closing bracket of the opening one that token is */
static struct token *behind_brackets(struct token *token)
{
	int depth = 0;

	do {
		depth += match_op(token, '(') - match_op(token, ')');
		token = token->next;
	} while (depth && !eof_token(token));
	return token;
}

/* its arguments name parameters that are not in scope yet; no layout depends on them */
static struct token *on_context(struct token *token, struct symbol *attr, struct decl_state *ctx)
{
	(void)attr, (void)ctx;
	return behind_brackets(token);
}

const char *declared_text(const struct token *token)
{
	const char *text = NULL;

	for (; token_type(token) == TOKEN_STRING; token = token->next)
		text = arena_printf("%s%.*s", text ? text : "", (int)token->string->length - 1, token->string->data);
	return text;
}

/* cacheline_layout("word"), ("word", "name") or ("word", number) */
static struct token *on_layout(struct token *token, struct symbol *attr, struct decl_state *ctx)
{
	struct written_annotation *a = arena_alloc(sizeof(*a));
	struct token *behind = behind_brackets(token), *second;
	struct expression *expr = NULL;
	const char *why = "its first argument is no string";

	(void)attr;
	a->pos = token->pos;
	a->word = match_op(token, '(') ? declared_text(token->next) : NULL;
	second = a->word ? token->next->next : token;
	if (match_op(second, ',')) {
		a->arg = declared_text(second->next);
		if (!a->arg)
			conditional_expression(second->next, &expr);
		a->bytes = expr ? const_expression_value(expr) : 0;
	}
	if (!a->word || !annotation_add(NULL, a->word, a->arg, a->bytes, &why))
		wrong_annotation(a->pos, why);
	else if (!(ctx->storage_class & MOD_USERTYPE))		/* a typedef's are nobody's */
		__add_ptr_list((void *)&ctx->ctype.contexts, a);	/* the macro looks into a list that is not there yet */
	return behind;
}

static bool is_group_assert(const struct token *message)
{
	struct group_assert found;
	const char *text = declared_text(message);

	if (!text || !group_assert_parse(text, &found))
		return false;
	found.place = place_of(message->pos);
	*ARENA_PUSH(unit->asserts, unit->nr_asserts, unit->asserts_room) = found;
	return true;
}

void declared_message(const struct token *message)
{
	bool is_of_group = is_group_assert(message) && unit->asserts[unit->nr_asserts - 1].group;

	if (!is_of_group && unit->with_asserts)
		body_assert_error(message);
}

/* BUILD_BUG_ON() declares a function with it, whose message is the condition */
static struct token *on_error(struct token *token, struct symbol *attr, struct decl_state *ctx)
{
	if (match_op(token, '('))
		declared_message(token->next);
	return sparse_error_attr->attribute(token, attr, ctx);
}

/* what it says of a group is for the rules to judge: for sparse it would be an error, and the unit lost */
static struct token *on_assert(struct token *token, struct symbol_list **list)
{
	struct token *behind = behind_brackets(token->next);
	bool is_judged = false;

	for (struct token *t = token; t != behind && !eof_token(t); t = t->next)
		is_judged |= match_op(t, ',') && is_group_assert(t->next);
	is_judged |= unit->with_asserts && body_assert_static(token);
	if (is_judged)
		return match_op(behind, ';') ? behind->next : behind;
	return sparse_assert->toplevel(token, list);
}

void declared_watch(struct unit *u)
{
	unit = u;
	if (u->with_asserts)
		body_asserts_watch(&u->failed_asserts);
	sparse_hook("context", NS_KEYWORD, &context_op);
	sparse_error_attr = sparse_hook("error", NS_KEYWORD, &error_op);
	sparse_hook("__error__", NS_KEYWORD, &error_op);
	sparse_assert = sparse_hook("_Static_assert", NS_KEYWORD, &assert_op);
	sparse_hook_new("cacheline_layout", &layout_op);
	context_op.attribute = on_context;
	error_op.attribute = on_error;
	assert_op.toplevel = on_assert;
	layout_op.attribute = on_layout;
}
