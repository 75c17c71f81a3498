/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record_layout() for every ABI, on the records of tests/abi/cases.h: the numbers are the
 * compilers' (tests/abi/expected.h).
 */
#include "abi.h"
#include "arena.h"
#include "record.h"
#include "tap.h"
#include "tests/abi/rows.h"

struct attributes {
	bool packed;
	unsigned int align;		/* bytes; 0: none */
};

/* the records of one ABI while they are put together */
struct builder {
	const struct abi *abi;
	struct record **records;
	size_t nr, room;
	struct record *open[4];		/* the record, and the anonymous ones that are open in it */
	unsigned int depth;
	unsigned int pack;
};

static struct record *find(const struct builder *b, const char *tag)
{
	for (size_t i = 0; i < b->nr; i++)
		if (!strcmp(b->records[i]->name, tag))
			return b->records[i];
	return NULL;
}

static void open_record(struct builder *b, const char *kind, const char *tag, struct attributes a)
{
	struct record *r = arena_alloc(sizeof(*r));

	r->name = tag;
	r->is_union = !strcmp(kind, "union");
	r->packed = a.packed;
	r->user_align = a.align;
	r->pack = b->pack;
	b->open[b->depth++] = r;
}

static struct member *add(struct builder *b, const char *name, struct attributes a)
{
	struct member *m = record_add(b->open[b->depth - 1]);

	m->name = name;
	m->packed = a.packed;
	m->user_align = a.align;
	return m;
}

static struct member *add_bits(struct builder *b, enum scalar scalar, const char *name, unsigned int width,
			       struct attributes a)
{
	struct member *m = add(b, name, a);

	m->scalar = scalar;
	m->bitfield = true;
	m->width = width;
	return m;
}

static struct member *add_array(struct builder *b, enum scalar scalar, const char *name, struct attributes a,
				unsigned int count)
{
	struct member *m = add(b, name, a);

	m->scalar = scalar;
	m->array = true;
	m->count = count;
	return m;
}

/* align: of the typedef that it is declared with */
static void add_typed(struct builder *b, enum scalar scalar, const char *name, unsigned int align)
{
	struct member *m = add(b, name, (struct attributes) { 0 });

	m->scalar = scalar;
	m->type_align = align;
}

static void close_anonymous(struct builder *b)
{
	struct record *r = b->open[--b->depth];

	add(b, NULL, (struct attributes) { 0 })->record = r;
}

static void close_record(struct builder *b)
{
	struct record *r = b->open[--b->depth];

	record_layout(r, b->abi);
	*ARENA_PUSH(b->records, b->nr, b->room) = r;
}

#define ATTRIBUTES(packed, align)	((struct attributes) { packed, align })
#define NONE				ATTRIBUTES(false, 0)
#define PACKED				ATTRIBUTES(true, 0)
#define ALIGNED(n)			ATTRIBUTES(false, n)
#define PACKED_ALIGNED(n)		ATTRIBUTES(true, n)
#define ALIGNED_BIGGEST			ATTRIBUTES(false, b->abi->biggest_align)

#define RECORD(kind, tag, attributes)			open_record(b, #kind, #tag, attributes);
#define FIELD(kind, tag, type, name, attributes)	add(b, #name, attributes)->scalar = SCALAR_##type;
#define ARRAY(kind, tag, type, name, attributes, count)	add_array(b, SCALAR_##type, #name, attributes, count);
#define FLEXIBLE(kind, tag, type, name, attributes)	add_array(b, SCALAR_##type, #name, attributes, 0);
#define BITS(kind, tag, type, name, width, attributes)	add_bits(b, SCALAR_##type, #name, width, attributes);
#define UNNAMED(type, width)				add_bits(b, SCALAR_##type, NULL, width, NONE);
#define TYPED(kind, tag, type, align, name)		add_typed(b, SCALAR_##type, #name, align);
#define TYPED_BITS(kind, tag, type, align, name, width, attributes) \
	add_bits(b, SCALAR_##type, #name, width, attributes)->type_align = align;
#define SUB(kind, tag, of, sub, name, attributes)	add(b, #name, attributes)->record = find(b, #sub);
#define SUBARRAY(kind, tag, of, sub, name, attributes, count) \
	add_array(b, SCALAR_NONE, #name, attributes, count)->record = find(b, #sub);
#define OPEN(kind, attributes)				open_record(b, #kind, NULL, attributes);
#define CLOSE						close_anonymous(b);
#define END(kind, tag)					close_record(b);
#define PACK(n)						b->pack = n;
#define PACK_END					b->pack = 0;

static void build(struct builder *b)
{
#include "tests/abi/cases.h"
}

/* what lib says for one row: the record's size and alignment, or a member's first bit and bits */
static bool answer(const struct record *r, const char *member, unsigned long long *value)
{
	struct flat flat;

	if (!*member) {
		value[0] = r->size;
		value[1] = r->align;
		return true;
	}
	if (record_find(r, member, &flat))
		return false;
	value[0] = flat.bit_offset;
	value[1] = flat.member->bit_size;
	return true;
}

static bool row_is_right(const struct builder *b, size_t column, const struct expected *row)
{
	const unsigned long long *value = row->value[column];
	const struct record *r = find(b, row->tag);
	unsigned long long got[2] = { 0 };

	if (!value[0] && !value[1] && !strncmp(row->tag, "gcc_", 4))
		return true;		/* no compiler that can be asked */
	if (r && answer(r, row->member, got) && got[0] == value[0] && got[1] == value[1])
		return true;
	printf("# %s, %s%s%s: %llu, %llu; the compiler: %llu, %llu\n", columns[column], row->tag,
	       *row->member ? "." : "", row->member, got[0], got[1], value[0], value[1]);
	return false;
}

/* one test for each record, over all its rows and all ABIs */
static void check_records(const struct builder *builders)
{
	for (size_t i = 0; i < NR_EXPECTED; ) {
		const char *tag = expected[i].tag;
		bool right = true;

		for (; i < NR_EXPECTED && !strcmp(expected[i].tag, tag); i++)
			for (size_t c = 0; c < NR_COLUMNS && strcmp(tag, "scalar"); c++)
				right &= row_is_right(&builders[c], c, &expected[i]);
		if (strcmp(tag, "scalar"))
			ok(right, "%s", tag);
	}
}

/* a cycle can only come from broken input, and must end */
static void check_cycle(void)
{
	struct record r = { .name = "cycle" };

	record_add(&r)->record = &r;
	record_layout(&r, abi_find("x86-64"));
	ok(r.laid_out, "a record that holds itself comes to an end");
}

int main(void)
{
	struct builder builders[NR_COLUMNS] = { 0 };

	for (size_t i = 0; i < NR_COLUMNS; i++) {
		builders[i].abi = abi_find(columns[i]);
		build(&builders[i]);
	}
	ok(NR_EXPECTED > 150, "there are numbers to compare with");
	check_records(builders);
	check_cycle();
	return done();
}
