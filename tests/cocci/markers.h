/* SPDX-License-Identifier: GPL-2.0-only */
/* Members that macros declare, markers with and without a semicolon. Cases E01, E04. */
struct markers {
	int before;
	randomized_struct_fields_start
	int a;
	char *b;
	randomized_struct_fields_end
	KABI_RESERVE(1)
	KABI_RESERVE(2)
	int c;
	__cacheline_group_begin(hot);
	int d;
	int e;
	__cacheline_group_end(hot);
	DECLARE_BITMAP(map, 128);
	struct_group(addrs,
		int saddr;
		int daddr;
	);
	CACHELINE_PADDING(_pad1_);
	int f;
	GUEST_HANDLE(void) handle;
	unsigned int old __deprecated;
	int last;
} ____cacheline_aligned_in_smp;

struct flexible {
	int n;
	int m;
	DECLARE_FLEX_ARRAY(u8, data);
};
