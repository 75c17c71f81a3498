/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib.h"
#include "token.h"
#include "symbol.h"

#include "arena.h"
#include "sparse_hook.h"

const struct symbol_op *sparse_hook(const char *word, enum namespace ns, struct symbol_op *ours)
{
	struct symbol *sym = lookup_symbol(built_in_ident(word), ns);
	const struct symbol_op *theirs;

	if (!sym || !sym->op)
		fatal("this sparse library has no keyword '%s'", word);
	theirs = sym->op;
	*ours = *theirs;
	sym->op = ours;
	return theirs;
}

void sparse_hook_new(const char *word, struct symbol_op *ours)
{
	struct symbol *sym = create_symbol(0, word, SYM_KEYWORD, NS_KEYWORD);

	sym->ident->keyword = 1;
	sym->op = ours;
}
