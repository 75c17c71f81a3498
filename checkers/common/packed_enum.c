/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "symbol.h"
#include "expression.h"

#include "packed_enum.h"

/* the bits that an enumerator needs, with a sign if there is a negative one; sparse has cut it to base's size */
static int bits_of_value(unsigned long long value, const struct symbol *base, bool with_sign)
{
	int bits = 0;

	if (base->bit_size < 64 && !(base->ctype.modifiers & MOD_UNSIGNED))
		value = (unsigned long long)((long long)(value << (64 - base->bit_size)) >> (64 - base->bit_size));
	if (with_sign && (long long)value < 0)
		value = ~value;
	while (bits < 64 && value >> bits)
		bits++;
	return bits + with_sign;
}

static bool has_negative(struct symbol *type, const struct symbol *base)
{
	struct symbol *sym;
	bool found = false;

	FOR_EACH_PTR(type->symbol_list, sym) {
		found |= sym->initializer->value >> (base->bit_size - 1) & 1;
	} END_FOR_EACH_PTR(sym);
	return found && !(base->ctype.modifiers & MOD_UNSIGNED);
}

/* sparse's own examination would not go below an int */
void packed_enum_set_type(struct symbol *type, struct symbol *base)
{
	type->ctype.base_type = base;
	type->ctype.modifiers &= ~MOD_SIGNEDNESS;
	type->ctype.modifiers |= base->ctype.modifiers & MOD_SIGNEDNESS;
	type->bit_size = base->bit_size;
	type->ctype.alignment = base->ctype.alignment;
	type->examined = 1;
}

void packed_enum_shrink(struct symbol *type)
{
	static struct symbol *const sizes[] = { &schar_ctype, &short_ctype, &int_ctype, &long_ctype, &llong_ctype };
	static struct symbol *const unsigned_sizes[] = {
		&uchar_ctype, &ushort_ctype, &uint_ctype, &ulong_ctype, &ullong_ctype
	};
	struct symbol *base = type->ctype.base_type, *sym;
	bool with_sign;
	int bits = 0;

	if (!base || base == &bad_ctype || base->bit_size <= 0)
		return;
	with_sign = has_negative(type, base);
	FOR_EACH_PTR(type->symbol_list, sym) {
		int needed = bits_of_value(sym->initializer->value, base, with_sign);

		bits = needed > bits ? needed : bits;
	} END_FOR_EACH_PTR(sym);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (sizes[i]->bit_size >= bits) {
			packed_enum_set_type(type, with_sign ? sizes[i] : unsigned_sizes[i]);
			return;
		}
	}
}
