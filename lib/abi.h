/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a layout needs of an ABI: size and alignment of the scalar types inside a struct, and the
 * places where GCC's bit-field rules differ. Sizes and alignments in bytes.
 *
 * Sources: System V psABI for i386 and x86-64; AAPCS32 and AAPCS64; OpenPOWER ELFv2 and 64-bit
 * ELFv1; ELF ABI s390x; and, where they leave it open, GCC's own answer (tests/lib/abi.c asks the
 * cross compilers).
 */
#ifndef LINEKEEPER_ABI_H
#define LINEKEEPER_ABI_H

#include <stdbool.h>

enum scalar {
	SCALAR_NONE,		/* not a scalar: a record, or an array of records */
	SCALAR_BOOL,
	SCALAR_CHAR,
	SCALAR_SHORT,
	SCALAR_INT,
	SCALAR_LONG,
	SCALAR_LLONG,
	SCALAR_INT128,
	SCALAR_FLOAT,
	SCALAR_DOUBLE,
	SCALAR_LDOUBLE,
	SCALAR_POINTER,
	NR_SCALARS,
};

struct abi {
	const char *name;		/* "x86-64", "i386", "arm", "arm64", "ppc64", "s390", ... */
	const char *srcarch;		/* directory below arch/ of a kernel tree: "x86", "arm", ... */
	unsigned int line_size;		/* bytes, what its usual configuration has */
	unsigned char size[NR_SCALARS];
	unsigned char align[NR_SCALARS];	/* what GCC's __alignof__ says of the type by itself */
	/* bytes; an integer or floating member that no attribute aligns gets at most this: 4 on i386; 0: no limit */
	unsigned char max_field_align;
	/* an unnamed bit-field, a zero-width one too, raises the struct's alignment (AAPCS) */
	bool align_anon_bitfield;
	unsigned char biggest_align;	/* bytes, what __attribute__((aligned)) without a number means */
};

/* by name, or NULL; abi_names() is a list for a message, "arm, arm64, ..." */
const struct abi *abi_find(const char *name);
const char *abi_names(void);

#endif
