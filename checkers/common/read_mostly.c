/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib.h"
#include "token.h"
#include "symbol.h"

#include "access.h"
#include "arena.h"
#include "read_mostly.h"

static struct ident **names;
static size_t nr_names, room;

static bool declares_classes(const struct record *r)
{
	for (size_t i = 0; i < r->nr_members; i++)
		if (r->members[i].annotations || group_begun_by(&r->members[i]))
			return true;
	return false;
}

void read_mostly_note(const struct record *r)
{
	size_t nr;
	struct flat *flat = declares_classes(r) ? record_flatten(r, &nr) : NULL;
	struct access *access = flat ? access_of_members(flat, nr) : NULL;

	for (size_t i = 0; flat && i < nr; i++)
		if (access[i].class == CLASS_READ_MOSTLY && flat[i].member->name)
			*ARENA_PUSH(names, nr_names, room) = built_in_ident(flat[i].member->name);
}

size_t read_mostly_known(void)
{
	return nr_names;
}

static bool is_noted(const struct ident *ident)
{
	for (size_t i = 0; i < nr_names; i++)
		if (names[i] == ident)
			return true;
	return false;
}

bool read_mostly_named_in(struct token *token, const struct token *end)
{
	for (; nr_names && token != end && !eof_token(token); token = token->next)
		if ((match_op(token, SPECIAL_DEREFERENCE) || match_op(token, '.')) && token_type(token->next) == TOKEN_IDENT &&
		    is_noted(token->next->ident))
			return true;
	return false;
}
