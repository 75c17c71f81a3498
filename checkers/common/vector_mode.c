/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"

#include "vector_mode.h"

/* a vector of size bytes as an array of its elements; of an array it is the element that becomes one */
static struct symbol *vector_of(struct symbol *type, unsigned long size)
{
	struct symbol *array;
	struct expression *count;

	if (type->type == SYM_ARRAY) {
		type->ctype.base_type = vector_of(type->ctype.base_type, size);
		return type;
	}
	examine_symbol_type(type);
	if (type->type == SYM_PTR || type->type == SYM_FN || type->bit_size < 8)
		return type;
	count = alloc_expression(type->pos, EXPR_VALUE);
	count->ctype = &ulong_ctype;
	count->value = size / (type->bit_size / 8);
	array = alloc_symbol(type->pos, SYM_ARRAY);
	array->ctype.base_type = type;
	array->array_size = count;
	return array;
}

/* sparse applies a mode when the declaration is complete: so are these */
#define VECTOR_MODE(size) \
	static struct symbol *to_vector_##size(struct symbol *type) { return vector_of(type, size); }
VECTOR_MODE(8)
VECTOR_MODE(16)
VECTOR_MODE(32)
VECTOR_MODE(64)

static struct symbol_op modes[] = {
	{ .type = KW_MODE, .to_mode = to_vector_8 }, { .type = KW_MODE, .to_mode = to_vector_16 },
	{ .type = KW_MODE, .to_mode = to_vector_32 }, { .type = KW_MODE, .to_mode = to_vector_64 },
};

struct symbol_op *vector_mode(unsigned long long size)
{
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (size == 8ULL << i)
			return &modes[i];
	return NULL;
}
