/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "record.h"

typedef unsigned long long u64;

static u64 round_up_to(u64 value, u64 align)
{
	return (value + align - 1) / align * align;
}

static unsigned int max_of(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

struct member *record_add(struct record *r)
{
	struct member *m = ARENA_PUSH(r->members, r->nr_members, r->room);

	m->count = 1;
	return m;
}

/* bytes, of the member without its array dimensions */
static u64 element_size(const struct member *m, const struct abi *abi)
{
	if (m->record)
		return m->record->size;
	return m->scalar_size ? m->scalar_size : abi->size[m->scalar];
}

/* bytes, TYPE_ALIGN() of the type the member is declared with, limited as ADJUST_FIELD_ALIGN does */
static unsigned int declared_align(const struct member *m, const struct abi *abi)
{
	unsigned int align;

	if (m->type_align)
		return m->type_align;
	if (m->record)
		return m->record->align ? m->record->align : 1;
	align = m->scalar_size ? m->scalar_size : abi->align[m->scalar];
	if (abi->max_field_align && align > abi->max_field_align)
		align = abi->max_field_align;
	return align ? align : 1;
}

/* DECL_PACKED(); a type that is aligned to a byte is never marked */
static bool is_packed(const struct record *r, const struct member *m)
{
	return r->packed || m->packed;
}

/* #pragma pack is a limit for what attributes ask of a member, too */
static unsigned int limited(const struct record *r, unsigned int align)
{
	return r->pack && align > r->pack ? r->pack : align;
}

/* bytes, DECL_ALIGN() of a field that is no bit-field */
static unsigned int field_align(const struct record *r, const struct member *m, const struct abi *abi)
{
	if (is_packed(r, m))
		return limited(r, m->user_align ? m->user_align : 1);
	return limited(r, max_of(m->user_align, declared_align(m, abi)));
}

/* bits; alignment of the integer mode that has just the bit-field's width, 0: there is none */
static u64 mode_align(const struct member *m, const struct abi *abi)
{
	static const enum scalar modes[] = { SCALAR_CHAR, SCALAR_SHORT, SCALAR_INT, SCALAR_LLONG, SCALAR_INT128 };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (m->width == 8u * abi->size[modes[i]])
			return 8ULL * abi->align[modes[i]];
	return 0;
}

/* layout_decl() makes it an ordinary field, DECL_BIT_FIELD() is cleared: it fills a mode and is aligned for it */
static bool is_ordinary(const struct record *r, const struct member *m, const struct abi *abi, u64 bitpos)
{
	u64 align = mode_align(m, abi);

	if (!align || (align > 8 && is_packed(r, m)))
		return false;
	return bitpos % align == 0;
}

/* bits, DECL_ALIGN() of a bit-field */
static u64 bitfield_decl_align(const struct record *r, const struct member *m, const struct abi *abi, u64 bitpos)
{
	u64 align = m->user_align ? 8ULL * m->user_align : 1;

	if (is_ordinary(r, m, abi, bitpos) && align < mode_align(m, abi)) {
		align = mode_align(m, abi);
		if (abi->max_field_align && !m->user_align && align > 8ULL * abi->max_field_align)
			align = 8ULL * abi->max_field_align;
	}
	return r->pack && align > 8ULL * r->pack ? 8ULL * r->pack : align;
}

/*
 * Bits; where a bit-field goes when the record is filled up to bitpos. A zero-width one takes its
 * type's alignment even in a packed record. One that fits in no unit of its type from here on
 * starts at the next one: PCC_BITFIELD_TYPE_MATTERS, which all ABIs of Linux here have.
 */
static u64 place_bitfield(const struct record *r, const struct member *m, const struct abi *abi, u64 bitpos)
{
	u64 align = 8ULL * declared_align(m, abi);
	u64 unit = 8 * element_size(m, abi);
	u64 biggest = 8ULL * max_of(r->user_align, abi->biggest_align);
	u64 wanted = bitfield_decl_align(r, m, abi, bitpos);
	u64 base = bitpos / biggest * biggest;		/* rli->offset: the next unit is counted from it */
	bool ordinary = is_ordinary(r, m, abi, bitpos);

	bitpos = round_up_to(bitpos, wanted);
	if (wanted >= biggest)
		base = bitpos;
	if (!m->width)
		return round_up_to(bitpos, align);
	if (ordinary || is_packed(r, m) || r->pack)
		return bitpos;
	if ((bitpos % align + m->width + align - 1) / align > unit / align)
		bitpos = base + round_up_to(bitpos - base, align);
	return bitpos;
}

/* bytes; what a bit-field adds to its record's alignment. #pragma pack has the say before packed. */
static unsigned int bitfield_align(const struct record *r, const struct member *m, const struct abi *abi, u64 bitpos)
{
	unsigned int align = declared_align(m, abi);

	if (!m->name && !abi->align_anon_bitfield)
		return 1;
	if (m->width && r->pack)
		align = limited(r, align);
	else if (m->width && is_packed(r, m))
		align = 1;
	return max_of(align, (bitfield_decl_align(r, m, abi, bitpos) + 7) / 8);
}

static void place_member(struct record *r, struct member *m, const struct abi *abi, u64 *bitpos)
{
	u64 start = r->is_union ? 0 : *bitpos;

	if (m->record)
		record_layout(m->record, abi);
	if (m->bitfield) {
		m->bit_offset = place_bitfield(r, m, abi, start);
		m->bit_size = m->width;
		m->align = bitfield_align(r, m, abi, start);
	} else {
		m->align = field_align(r, m, abi);
		m->bit_offset = round_up_to(start, 8ULL * m->align);
		m->bit_size = 8 * m->count * element_size(m, abi);
	}
	if (*bitpos < m->bit_offset + m->bit_size)
		*bitpos = m->bit_offset + m->bit_size;
}

void record_layout(struct record *r, const struct abi *abi)
{
	u64 bitpos = 0;

	if (r->laid_out)
		return;
	r->laid_out = true;		/* also ends a cycle that broken input may hold */
	r->align = max_of(1, r->user_align);
	for (size_t i = 0; i < r->nr_members; i++) {
		place_member(r, &r->members[i], abi, &bitpos);
		r->align = max_of(r->align, r->members[i].align);
	}
	r->size = round_up_to(bitpos, 8ULL * r->align) / 8;
}

struct flattening {
	struct flat *list;
	size_t nr, room;
};

/* does the member open an anonymous struct or union, whose members are its record's own? */
static bool is_transparent(const struct member *m)
{
	return !m->name && m->record && !m->array && !m->bitfield;
}

static void flatten(struct flattening *f, const struct record *r, u64 at, unsigned int depth, bool in_union)
{
	for (size_t i = 0; i < r->nr_members; i++) {
		const struct member *m = &r->members[i];

		*ARENA_PUSH(f->list, f->nr, f->room) = (struct flat) {
			.member = m, .bit_offset = at + m->bit_offset, .depth = depth, .in_union = in_union,
		};
		if (is_transparent(m))
			flatten(f, m->record, at + m->bit_offset, depth + 1, in_union || m->record->is_union);
	}
}

struct flat *record_flatten(const struct record *r, size_t *nr)
{
	struct flattening f = { 0 };

	flatten(&f, r, 0, 0, r->is_union);
	*nr = f.nr;
	return f.list;
}

struct span flat_span(const struct flat *f)
{
	unsigned long long first = f->bit_offset / 8;

	return (struct span) { first, (f->bit_offset + f->member->bit_size + 7) / 8 - first };
}

struct flat_reach flat_reach(const struct flat *flat, size_t nr)
{
	struct flat_reach reach = { arena_alloc((nr + 1) * sizeof(u64)), arena_alloc((nr + 1) * sizeof(u64)), nr };

	for (size_t i = 0; i < nr; i++) {
		struct span s = flat_span(&flat[i]);
		u64 before = i ? reach.ends[i - 1] : 0;

		reach.ends[i] = s.offset + s.size > before ? s.offset + s.size : before;
	}
	reach.starts[nr] = ~0ULL;
	for (size_t i = nr; i-- > 0; ) {
		u64 start = flat_span(&flat[i]).offset;

		reach.starts[i] = start < reach.starts[i + 1] ? start : reach.starts[i + 1];
	}
	return reach;
}

/* of the first of nr ascending numbers that is at least value; nr: none is */
static size_t lower_bound(const u64 *list, size_t nr, u64 value)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void flat_near(const struct flat_reach *reach, struct span s, unsigned int line_size, size_t *first, size_t *end)
{
	*first = lower_bound(reach->ends, reach->nr, s.offset > line_size ? s.offset - line_size : 0);
	*end = lower_bound(reach->starts, reach->nr, s.offset + s.size + line_size);
}

/* without a list of all: some rules look for thousands of names */
static bool find_name(const struct record *r, const char *name, size_t len, struct flat *out)
{
	for (size_t i = 0; i < r->nr_members; i++) {
		const struct member *m = &r->members[i];

		if (m->name && !strncmp(m->name, name, len) && !m->name[len]) {
			*out = (struct flat) { .member = m, .bit_offset = m->bit_offset, .in_union = r->is_union };
			return true;
		}
		if (is_transparent(m) && find_name(m->record, name, len, out)) {
			out->bit_offset += m->bit_offset;
			out->depth++;
			out->in_union |= r->is_union;
			return true;
		}
	}
	return false;
}

/* "[3]" behind a member's name: moves *out to that element; NULL when it is not right */
static const char *find_element(const char *s, struct flat *out)
{
	struct member *element;
	u64 index, size = out->member->count ? out->member->bit_size / out->member->count : 0;
	char *end;

	index = strtoull(s + 1, &end, 10);
	if (!isdigit((unsigned char)s[1]) || *end != ']' || !out->member->array || index >= out->member->count)
		return NULL;
	element = arena_alloc(sizeof(*element));
	*element = *out->member;
	element->array = false;
	element->count = 1;
	element->bit_size = size;
	out->bit_offset += index * size;
	out->member = element;
	return end + 1;
}

int record_find(const struct record *r, const char *path, struct flat *out)
{
	const char *s = path;
	u64 at = 0;

	for (;;) {
		size_t len = strcspn(s, ".[");

		if (!len || !find_name(r, s, len, out))
			return -(int)(s - path) - 1;
		s += len;
		out->bit_offset += at;
		if (*s == '[') {
			const char *end = find_element(s, out);

			if (!end)
				return -(int)(s - path) - 1;
			s = end;
		}
		if (!*s)
			return 0;
		if (*s != '.' || !out->member->record)
			return -(int)(s - path) - 1;
		at = out->bit_offset;
		r = out->member->record;
		s++;
	}
}
