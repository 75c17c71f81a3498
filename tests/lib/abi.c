/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of ABIs: names, and the scalar types as the compilers have them (tests/abi/expected.h). */
#include "abi.h"
#include "tap.h"
#include "tests/abi/rows.h"

static const struct {
	const char *name;
	enum scalar scalar;
} scalars[] = {
	{ "BOOL", SCALAR_BOOL }, { "CHAR", SCALAR_CHAR }, { "SHORT", SCALAR_SHORT }, { "INT", SCALAR_INT },
	{ "LONG", SCALAR_LONG }, { "LLONG", SCALAR_LLONG }, { "INT128", SCALAR_INT128 }, { "FLOAT", SCALAR_FLOAT },
	{ "DOUBLE", SCALAR_DOUBLE }, { "LDOUBLE", SCALAR_LDOUBLE }, { "POINTER", SCALAR_POINTER },
};

static enum scalar scalar_named(const char *name)
{
	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
		if (!strcmp(scalars[i].name, name))
			return scalars[i].scalar;
	return SCALAR_NONE;
}

/* value is size and __alignof__; 0, 0 for a type that the ABI does not have */
static bool scalar_is_right(const struct abi *abi, const char *name, const unsigned long long *value)
{
	enum scalar scalar = scalar_named(name);

	if (!value[0] && !value[1])
		return true;
	if (scalar == SCALAR_NONE)
		return !strcmp(name, "biggest") && abi->biggest_align == value[1];
	return abi->size[scalar] == value[0] && abi->align[scalar] == value[1];
}

static void check_scalars(size_t column)
{
	const struct abi *abi = abi_find(columns[column]);
	bool right = true;

	for (size_t i = 0; i < NR_EXPECTED; i++) {
		if (strcmp(expected[i].tag, "scalar") || scalar_is_right(abi, expected[i].member, expected[i].value[column]))
			continue;
		printf("# %s: the compiler has %llu, %llu\n", expected[i].member, expected[i].value[column][0],
		       expected[i].value[column][1]);
		right = false;
	}
	ok(right, "%s: sizes and alignments of the scalar types", columns[column]);
}

int main(void)
{
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		const struct abi *abi = abi_find(columns[i]);

		if (!ok(abi && !strcmp(abi->name, columns[i]), "%s is known", columns[i]))
			continue;
		ok(strstr(abi_names(), columns[i]), "%s is among the names", columns[i]);
		ok(abi->line_size >= 16 && !(abi->line_size & (abi->line_size - 1)), "%s: a line is a power of two", columns[i]);
		check_scalars(i);
	}
	ok(!abi_find("vax"), "an unknown ABI is none");
	ok(!abi_find(""), "no name is no ABI");
	return done();
}
