/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "abi.h"

/* what all of them agree on */
#define SMALL \
	[SCALAR_BOOL] = 1, [SCALAR_CHAR] = 1, [SCALAR_SHORT] = 2, [SCALAR_INT] = 4, [SCALAR_FLOAT] = 4

#define LP64_SIZES \
	.size = { SMALL, [SCALAR_LONG] = 8, [SCALAR_LLONG] = 8, [SCALAR_INT128] = 16, \
		  [SCALAR_DOUBLE] = 8, [SCALAR_LDOUBLE] = 16, [SCALAR_POINTER] = 8 }

#define LP64_ALIGNS(wide) \
	.align = { SMALL, [SCALAR_LONG] = 8, [SCALAR_LLONG] = 8, [SCALAR_INT128] = (wide), \
		   [SCALAR_DOUBLE] = 8, [SCALAR_LDOUBLE] = (wide), [SCALAR_POINTER] = 8 }

#define ILP32_SIZES(ldouble) \
	.size = { SMALL, [SCALAR_LONG] = 4, [SCALAR_LLONG] = 8, [SCALAR_INT128] = 16, \
		  [SCALAR_DOUBLE] = 8, [SCALAR_LDOUBLE] = (ldouble), [SCALAR_POINTER] = 4 }

#define ILP32_ALIGNS(wide, ldouble) \
	.align = { SMALL, [SCALAR_LONG] = 4, [SCALAR_LLONG] = (wide), [SCALAR_INT128] = 16, \
		   [SCALAR_DOUBLE] = (wide), [SCALAR_LDOUBLE] = (ldouble), [SCALAR_POINTER] = 4 }

static const struct abi abis[] = {
	{ "arm", "arm", 64, ILP32_SIZES(8), ILP32_ALIGNS(8, 8),
	  .align_anon_bitfield = true, .biggest_align = 8 },
	{ "arm64", "arm64", 64, LP64_SIZES, LP64_ALIGNS(16),
	  .align_anon_bitfield = true, .biggest_align = 16 },
	{ "i386", "x86", 64, ILP32_SIZES(12), ILP32_ALIGNS(8, 4),
	  .max_field_align = 4, .biggest_align = 16 },
	{ "ppc32", "powerpc", 32, ILP32_SIZES(16), ILP32_ALIGNS(8, 16), .biggest_align = 16 },
	{ "ppc64", "powerpc", 128, LP64_SIZES, LP64_ALIGNS(16), .biggest_align = 16 },
	{ "riscv64", "riscv", 64, LP64_SIZES, LP64_ALIGNS(16), .biggest_align = 16 },
	{ "s390", "s390", 256, LP64_SIZES, LP64_ALIGNS(8), .biggest_align = 8 },
	{ "x86-64", "x86", 64, LP64_SIZES, LP64_ALIGNS(16), .biggest_align = 16 },
};

#define NR_ABIS (sizeof(abis) / sizeof(abis[0]))

const struct abi *abi_find(const char *name)
{
	for (size_t i = 0; i < NR_ABIS; i++)
		if (!strcmp(abis[i].name, name))
			return &abis[i];
	return NULL;
}

const char *abi_names(void)
{
	return "arm, arm64, i386, ppc32, ppc64, riscv64, s390, x86-64";
}
