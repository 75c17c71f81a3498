/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of cases.h for a real compiler, and sections that tell its layout: see
 * tests/sweep/compilers.py. Needs no header, so that any cross compiler will do.
 */
#define LK(name)	__attribute__((used, section(name)))

typedef _Bool t_BOOL;
typedef char t_CHAR;
typedef short t_SHORT;
typedef int t_INT;
typedef long t_LONG;
typedef long long t_LLONG;
typedef float t_FLOAT;
typedef double t_DOUBLE;
typedef long double t_LDOUBLE;
typedef void *t_POINTER;
#ifdef __SIZEOF_INT128__
typedef __int128 t_INT128;
#endif
typedef long long t_LLONG_4 __attribute__((aligned(4)));
typedef int t_INT_16 __attribute__((aligned(16)));
typedef int t_INT_32 __attribute__((aligned(32)));

#define PRAGMA(text)		_Pragma(#text)
#define NONE
#define PACKED			__attribute__((packed))
#define ALIGNED(n)		__attribute__((aligned(n)))
#define PACKED_ALIGNED(n)	__attribute__((packed, aligned(n)))
#define ALIGNED_BIGGEST		__attribute__((aligned))

/* first the definitions */
#define RECORD(kind, tag, attributes)			kind attributes tag {
#define FIELD(kind, tag, type, name, attributes)	t_##type name attributes;
#define ARRAY(kind, tag, type, name, attributes, count)	t_##type name[count] attributes;
#define FLEXIBLE(kind, tag, type, name, attributes)	t_##type name[] attributes;
#define BITS(kind, tag, type, name, width, attributes)	t_##type name:width attributes;
#define UNNAMED(type, width)				t_##type :width;
#define TYPED(kind, tag, type, align, name)		t_##type##_##align name;
#define TYPED_BITS(kind, tag, type, align, name, width, attributes) t_##type##_##align name:width attributes;
#define SUB(kind, tag, of, sub, name, attributes)	of sub name attributes;
#define SUBARRAY(kind, tag, of, sub, name, attributes, count) of sub name[count] attributes;
#define OPEN(kind, attributes)				kind attributes {
#define CLOSE						};
#define END(kind, tag)					};
#define PACK(n)						PRAGMA(pack(push, n))
#define PACK_END					PRAGMA(pack(pop))
#include "cases.h"

/* then what they are like */
#undef RECORD
#undef FIELD
#undef ARRAY
#undef FLEXIBLE
#undef BITS
#undef UNNAMED
#undef TYPED
#undef TYPED_BITS
#undef SUB
#undef SUBARRAY
#undef OPEN
#undef CLOSE
#undef END
#undef PACK
#undef PACK_END
#define AT(kind, tag, name, size) \
	static const unsigned int at_##tag##_##name[2] LK(".lk.o." #tag "." #name) = \
		{ __builtin_offsetof(kind tag, name), size };
#define PLAIN(kind, tag, name)	AT(kind, tag, name, sizeof(((kind tag *)0)->name))
#define RECORD(kind, tag, attributes) \
	static const unsigned int size_##tag[2] LK(".lk.s." #tag) = { sizeof(kind tag), _Alignof(kind tag) };
#define FIELD(kind, tag, type, name, attributes)	PLAIN(kind, tag, name)
#define ARRAY(kind, tag, type, name, attributes, count)	PLAIN(kind, tag, name)
#define FLEXIBLE(kind, tag, type, name, attributes)	AT(kind, tag, name, 0)
#define BITS(kind, tag, type, name, width, attributes) \
	static const kind tag bits_##tag##_##name LK(".lk.b." #tag "." #name) = { .name = -1 };
#define UNNAMED(type, width)
#define TYPED(kind, tag, type, align, name)		PLAIN(kind, tag, name)
#define TYPED_BITS(kind, tag, type, align, name, width, attributes) BITS(kind, tag, type, name, width, attributes)
#define SUB(kind, tag, of, sub, name, attributes)	PLAIN(kind, tag, name)
#define SUBARRAY(kind, tag, of, sub, name, attributes, count) PLAIN(kind, tag, name)
#define OPEN(kind, attributes)
#define CLOSE
#define END(kind, tag)
#define PACK(n)
#define PACK_END
#include "cases.h"

/* the scalar types by themselves: size and __alignof__ in the section of a "member" */
#define SCALAR(type) \
	static const unsigned int scalar_##type[2] LK(".lk.o.scalar." #type) = \
		{ sizeof(t_##type), __alignof__(t_##type) };
SCALAR(BOOL)
SCALAR(CHAR)
SCALAR(SHORT)
SCALAR(INT)
SCALAR(LONG)
SCALAR(LLONG)
SCALAR(FLOAT)
SCALAR(DOUBLE)
SCALAR(LDOUBLE)
SCALAR(POINTER)
#ifdef __SIZEOF_INT128__
SCALAR(INT128)
#endif
static const unsigned int scalar_biggest[2] LK(".lk.o.scalar.biggest") =
	{ 0, __alignof__(struct { char c __attribute__((aligned)); }) };
