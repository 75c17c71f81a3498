/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small records for the layout of each ABI. Read twice: probe.c makes C of it for the real
 * compilers, tests/lib/layout.c makes lib's records of it. No include guard. The reader defines:
 *
 *   RECORD(kind, tag, attributes) ... END(kind, tag)
 *   FIELD(kind, tag, type, name, attributes), ARRAY(..., count), FLEXIBLE(...)
 *   BITS(kind, tag, type, name, width, attributes), UNNAMED(type, width)
 *   TYPED(kind, tag, type, align, name), TYPED_BITS(..., width, attributes)
 *					declared with a typedef that is aligned
 *   SUB(kind, tag, kind, tag, name, attributes), SUBARRAY(..., count)
 *   OPEN(kind, attributes) ... CLOSE		an anonymous struct or union
 *   PACK(n) ... PACK_END			#pragma pack
 *
 * Attributes are NONE, PACKED, ALIGNED(n), PACKED_ALIGNED(n) or ALIGNED_BIGGEST.
 */

/* 64-bit members: 4 on i386, 8 elsewhere */
RECORD(struct, hole, NONE)
	FIELD(struct, hole, CHAR, c, NONE)
	FIELD(struct, hole, LLONG, ll, NONE)
END(struct, hole)

RECORD(struct, real, NONE)
	FIELD(struct, real, CHAR, c, NONE)
	FIELD(struct, real, DOUBLE, d, NONE)
	FIELD(struct, real, FLOAT, f, NONE)
	ARRAY(struct, real, DOUBLE, a, NONE, 2)
END(struct, real)

RECORD(struct, wide_real, NONE)
	FIELD(struct, wide_real, CHAR, c, NONE)
	FIELD(struct, wide_real, LDOUBLE, d, NONE)
END(struct, wide_real)

RECORD(struct, words, NONE)
	FIELD(struct, words, SHORT, s, NONE)
	FIELD(struct, words, LONG, l, NONE)
	FIELD(struct, words, BOOL, b, NONE)
	FIELD(struct, words, POINTER, p, NONE)
	FIELD(struct, words, CHAR, c, NONE)
END(struct, words)

RECORD(struct, nothing, NONE)
END(struct, nothing)

RECORD(struct, holds_nothing, NONE)
	FIELD(struct, holds_nothing, INT, i, NONE)
	SUB(struct, holds_nothing, struct, nothing, n, NONE)
	SUB(struct, holds_nothing, struct, nothing, aligned_n, ALIGNED(16))
	FIELD(struct, holds_nothing, CHAR, c, NONE)
END(struct, holds_nothing)

/* packed and aligned, on the type and on members */
RECORD(struct, packed_type, PACKED)
	FIELD(struct, packed_type, CHAR, c, NONE)
	FIELD(struct, packed_type, LLONG, ll, NONE)
	FIELD(struct, packed_type, INT, aligned_i, ALIGNED(4))
	FIELD(struct, packed_type, SHORT, s, NONE)
END(struct, packed_type)

RECORD(struct, packed_aligned_type, PACKED_ALIGNED(4))
	FIELD(struct, packed_aligned_type, LLONG, ll, NONE)
	FIELD(struct, packed_aligned_type, INT, i, NONE)
	FIELD(struct, packed_aligned_type, CHAR, c, NONE)
END(struct, packed_aligned_type)

/* what was said of the type is not said of the member: bvec_iter in bio_integrity_payload */
RECORD(struct, holds_packed_aligned, NONE)
	FIELD(struct, holds_packed_aligned, SHORT, s, NONE)
	SUB(struct, holds_packed_aligned, struct, packed_aligned_type, p, NONE)
	SUBARRAY(struct, holds_packed_aligned, struct, packed_type, a, NONE, 2)
END(struct, holds_packed_aligned)

RECORD(struct, packed_members, NONE)
	FIELD(struct, packed_members, CHAR, c, NONE)
	FIELD(struct, packed_members, INT, i, PACKED)
	FIELD(struct, packed_members, LLONG, ll, PACKED_ALIGNED(2))
	FIELD(struct, packed_members, SHORT, s, NONE)
END(struct, packed_members)

RECORD(struct, aligned_type, ALIGNED(64))
	FIELD(struct, aligned_type, CHAR, c, NONE)
END(struct, aligned_type)

RECORD(struct, aligned_members, NONE)
	FIELD(struct, aligned_members, CHAR, c, NONE)
	FIELD(struct, aligned_members, INT, lower, ALIGNED(2))
	FIELD(struct, aligned_members, CHAR, higher, ALIGNED(32))
	FIELD(struct, aligned_members, CHAR, biggest, ALIGNED_BIGGEST)
	SUB(struct, aligned_members, struct, aligned_type, t, NONE)
	FIELD(struct, aligned_members, CHAR, last, NONE)
END(struct, aligned_members)

RECORD(struct, packs_aligned, PACKED)
	FIELD(struct, packs_aligned, CHAR, c, NONE)
	SUB(struct, packs_aligned, struct, aligned_type, t, NONE)
	FIELD(struct, packs_aligned, CHAR, last, NONE)
END(struct, packs_aligned)

/* case F01: an outer alignment below a member's */
RECORD(struct, outer_lower, ALIGNED(8))
	FIELD(struct, outer_lower, INT, m, ALIGNED(64))
END(struct, outer_lower)

RECORD(struct, typedefs, NONE)
	FIELD(struct, typedefs, CHAR, c, NONE)
	TYPED(struct, typedefs, LLONG, 4, low)
	FIELD(struct, typedefs, CHAR, c2, NONE)
	TYPED(struct, typedefs, INT, 16, high)
	FIELD(struct, typedefs, CHAR, last, NONE)
END(struct, typedefs)

/* bit-fields */
RECORD(struct, bits, NONE)
	BITS(struct, bits, INT, a, 3, NONE)
	BITS(struct, bits, INT, b, 29, NONE)
	BITS(struct, bits, INT, c, 1, NONE)
	FIELD(struct, bits, CHAR, d, NONE)
END(struct, bits)

/* case D05 */
RECORD(struct, mixed_bits, NONE)
	BITS(struct, mixed_bits, LLONG, a, 3, NONE)
	FIELD(struct, mixed_bits, INT, b, NONE)
	BITS(struct, mixed_bits, CHAR, c, 2, NONE)
	FIELD(struct, mixed_bits, SHORT, d, NONE)
END(struct, mixed_bits)

/* where sparse opens a new unit: dev_pm_info, block_device */
RECORD(struct, joined_bits, NONE)
	BITS(struct, joined_bits, INT, b, 4, NONE)
	BITS(struct, joined_bits, SHORT, s, 5, NONE)
	BITS(struct, joined_bits, BOOL, q, 1, NONE)
	BITS(struct, joined_bits, CHAR, c, 7, NONE)
	BITS(struct, joined_bits, LONG, l, 20, NONE)
	BITS(struct, joined_bits, LLONG, ll, 33, NONE)
END(struct, joined_bits)

RECORD(struct, full_bits, NONE)
	BITS(struct, full_bits, CHAR, c, 8, NONE)
	BITS(struct, full_bits, SHORT, s, 16, NONE)
	BITS(struct, full_bits, INT, i, 32, NONE)
	BITS(struct, full_bits, LLONG, ll, 64, NONE)
END(struct, full_bits)

RECORD(struct, bools, NONE)
	BITS(struct, bools, BOOL, a, 1, NONE)
	BITS(struct, bools, BOOL, b, 1, NONE)
	BITS(struct, bools, INT, c, 8, NONE)
	BITS(struct, bools, BOOL, d, 1, NONE)
END(struct, bools)

/* unnamed and of no width: they align the record on arm and arm64 */
RECORD(struct, unnamed_bits, NONE)
	FIELD(struct, unnamed_bits, CHAR, c, NONE)
	UNNAMED(INT, 5)
	FIELD(struct, unnamed_bits, CHAR, d, NONE)
END(struct, unnamed_bits)

RECORD(struct, zero_bits, NONE)
	FIELD(struct, zero_bits, CHAR, c, NONE)
	UNNAMED(INT, 0)
	FIELD(struct, zero_bits, CHAR, d, NONE)
END(struct, zero_bits)

RECORD(struct, zero_between, NONE)
	BITS(struct, zero_between, CHAR, a, 3, NONE)
	UNNAMED(LLONG, 0)
	BITS(struct, zero_between, CHAR, b, 3, NONE)
	UNNAMED(CHAR, 0)
	BITS(struct, zero_between, CHAR, c, 3, NONE)
END(struct, zero_between)

RECORD(struct, packed_zero, PACKED)
	FIELD(struct, packed_zero, CHAR, c, NONE)
	UNNAMED(INT, 0)
	FIELD(struct, packed_zero, CHAR, d, NONE)
END(struct, packed_zero)

RECORD(struct, packed_bits, PACKED)
	BITS(struct, packed_bits, INT, a, 3, NONE)
	BITS(struct, packed_bits, CHAR, b, 7, NONE)
	BITS(struct, packed_bits, LLONG, c, 40, NONE)
	FIELD(struct, packed_bits, SHORT, d, NONE)
END(struct, packed_bits)

RECORD(struct, packed_one_bits, NONE)
	BITS(struct, packed_one_bits, CHAR, a, 5, NONE)
	BITS(struct, packed_one_bits, INT, b, 30, PACKED)
	BITS(struct, packed_one_bits, CHAR, c, 5, PACKED)
END(struct, packed_one_bits)

RECORD(struct, aligned_bits, NONE)
	BITS(struct, aligned_bits, INT, a, 3, NONE)
	BITS(struct, aligned_bits, INT, b, 3, ALIGNED(16))
	BITS(struct, aligned_bits, SHORT, c, 3, PACKED_ALIGNED(2))
END(struct, aligned_bits)

RECORD(union, bits_union, NONE)
	BITS(union, bits_union, INT, a, 9, NONE)
	BITS(union, bits_union, LLONG, b, 33, NONE)
	FIELD(union, bits_union, CHAR, c, NONE)
END(union, bits_union)

/* unions, and records in records */
RECORD(union, plain_union, NONE)
	ARRAY(union, plain_union, CHAR, c, NONE, 5)
	FIELD(union, plain_union, SHORT, s, NONE)
END(union, plain_union)

RECORD(union, packed_union, PACKED)
	FIELD(union, packed_union, LLONG, ll, NONE)
	ARRAY(union, packed_union, CHAR, c, NONE, 9)
END(union, packed_union)

RECORD(struct, nested, NONE)
	FIELD(struct, nested, CHAR, c, NONE)
	SUB(struct, nested, union, plain_union, u, NONE)
	SUB(struct, nested, union, packed_union, p, NONE)
	SUBARRAY(struct, nested, struct, hole, h, NONE, 3)
	SUB(struct, nested, struct, mixed_bits, m, ALIGNED(16))
END(struct, nested)

RECORD(struct, anonymous, NONE)
	FIELD(struct, anonymous, CHAR, c, NONE)
	OPEN(struct, NONE)
		FIELD(struct, anonymous, CHAR, d, NONE)
		OPEN(union, NONE)
			FIELD(struct, anonymous, LLONG, ll, NONE)
			FIELD(struct, anonymous, SHORT, s, NONE)
		CLOSE
		BITS(struct, anonymous, INT, b, 3, NONE)
	CLOSE
	OPEN(struct, ALIGNED(32))
		FIELD(struct, anonymous, INT, e, NONE)
		FIELD(struct, anonymous, INT, f, NONE)
	CLOSE
	OPEN(struct, PACKED)
		FIELD(struct, anonymous, CHAR, g, NONE)
		FIELD(struct, anonymous, INT, h, NONE)
	CLOSE
	FIELD(struct, anonymous, CHAR, last, NONE)
END(struct, anonymous)

RECORD(struct, flexible, NONE)
	FIELD(struct, flexible, INT, nr, NONE)
	FIELD(struct, flexible, CHAR, c, NONE)
	FLEXIBLE(struct, flexible, SHORT, data, NONE)
END(struct, flexible)

RECORD(struct, flexible_wide, NONE)
	FIELD(struct, flexible_wide, CHAR, c, NONE)
	FLEXIBLE(struct, flexible_wide, LLONG, data, NONE)
END(struct, flexible_wide)

/* case D01 */
RECORD(struct, flexible_aligned, NONE)
	FIELD(struct, flexible_aligned, INT, ref, NONE)
	ARRAY(struct, flexible_aligned, CHAR, offset, NONE, 4)
	FIELD(struct, flexible_aligned, CHAR, chunks, NONE)
	FLEXIBLE(struct, flexible_aligned, CHAR, data, ALIGNED(8))
END(struct, flexible_aligned)

/* markers of groups: no bytes, but an alignment (cases B14, D01) */
RECORD(struct, markers, NONE)
	FIELD(struct, markers, INT, y, NONE)
	ARRAY(struct, markers, CHAR, begin, ALIGNED(64), 0)
	FIELD(struct, markers, INT, z, NONE)
	ARRAY(struct, markers, CHAR, end, ALIGNED(8), 0)
	ARRAY(struct, markers, CHAR, pad, ALIGNED(64), 0)
	FIELD(struct, markers, INT, w, NONE)
END(struct, markers)

/* #pragma pack: limits every member, not the attribute on the type */
PACK(1)
RECORD(struct, pack1, NONE)
	FIELD(struct, pack1, CHAR, c, NONE)
	FIELD(struct, pack1, LLONG, ll, NONE)
	FIELD(struct, pack1, INT, i, ALIGNED(16))
END(struct, pack1)
PACK_END

PACK(2)
RECORD(struct, pack2, ALIGNED(8))
	FIELD(struct, pack2, CHAR, c, NONE)
	FIELD(struct, pack2, LLONG, ll, NONE)
	SUB(struct, pack2, struct, hole, h, NONE)
	BITS(struct, pack2, INT, b, 30, NONE)
	BITS(struct, pack2, CHAR, b2, 7, NONE)
	FIELD(struct, pack2, CHAR, last, NONE)
END(struct, pack2)
PACK_END

PACK(4)
RECORD(struct, pack4_packed, PACKED)
	BITS(struct, pack4_packed, CHAR, a, 3, NONE)
	BITS(struct, pack4_packed, INT, b, 30, NONE)
	UNNAMED(SHORT, 0)
	FIELD(struct, pack4_packed, CHAR, c, NONE)
END(struct, pack4_packed)
PACK_END

/*
 * A bit-field of a typedef that is aligned: an ordinary field when it fills an integer mode and is
 * aligned for it; otherwise no unit of its type can hold it, and the next one is counted from the last
 * multiple of the biggest alignment.
 */
RECORD(struct, gcc_fills_mode, NONE)
	FIELD(struct, gcc_fills_mode, LLONG, ll, NONE)
	TYPED_BITS(struct, gcc_fills_mode, INT, 16, b, 32, NONE)
END(struct, gcc_fills_mode)

RECORD(struct, gcc_no_mode, NONE)
	FIELD(struct, gcc_no_mode, LLONG, ll, NONE)
	TYPED_BITS(struct, gcc_no_mode, INT, 16, b, 31, NONE)
	FIELD(struct, gcc_no_mode, CHAR, last, NONE)
END(struct, gcc_no_mode)

RECORD(struct, gcc_beyond_biggest, NONE)
	ARRAY(struct, gcc_beyond_biggest, CHAR, c, NONE, 20)
	TYPED_BITS(struct, gcc_beyond_biggest, INT, 32, b, 5, NONE)
	TYPED_BITS(struct, gcc_beyond_biggest, INT, 32, d, 5, ALIGNED(16))
	FIELD(struct, gcc_beyond_biggest, CHAR, last, NONE)
END(struct, gcc_beyond_biggest)

RECORD(struct, gcc_low_typedef, NONE)
	FIELD(struct, gcc_low_typedef, INT, i, NONE)
	TYPED_BITS(struct, gcc_low_typedef, LLONG, 4, b, 33, NONE)
END(struct, gcc_low_typedef)

RECORD(struct, gcc_low_typedef_fills, NONE)
	TYPED_BITS(struct, gcc_low_typedef_fills, LLONG, 4, b, 64, NONE)
	FIELD(struct, gcc_low_typedef_fills, INT, i, NONE)
END(struct, gcc_low_typedef_fills)
