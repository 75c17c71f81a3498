#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cacheline-symbols: which Kconfig symbols a layout may hang on."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "tests")
from tap import check, done, run  # noqa: E402

HEADER = """
#ifdef CONFIG_AROUND_HEADER_BODY
struct small { int a; };
#else
struct small { long a; };
#endif
#define ONLY_POINTED CONFIG_NOT_MET
"""
CODE = """
#if defined(CONFIG_AT_INCLUDE) || 1
#include "small.h"
#endif
#include "other.h"
#if CONFIG_SHIFT > 4
#define SLOTS (1 << CONFIG_SLOTS_SHIFT)
#else
#define SLOTS 2
#endif
#define DEEP SLOTS
enum kinds {
	KIND_A,
#if IS_ENABLED(CONFIG_IN_ENUM)
	KIND_B = 7,
#endif
	NR_KINDS
};
enum { ELSEWHERE = CONFIG_OTHER_ENUM };
struct pointed {
#ifdef CONFIG_NOT_MET
	int x;
#endif
};
typedef struct small small_t;
typedef struct {
#ifdef CONFIG_IN_TYPEDEF
	int x;
#endif
	int y;
} counted_t;
#ifdef CONFIG_NEVER_ON
struct hidden {
#ifdef CONFIG_IN_HIDDEN
	int x;
#endif
};
#endif
struct all {
	small_t s;
	counted_t array[DEEP];
	struct pointed *p, **q;
	void (*call)(struct pointed *, counted_t);
	int kinds[NR_KINDS];
	unsigned flags : 3;
#ifdef CONFIG_MEMBER_MODULE
	struct hidden h;
#elif defined(CONFIG_ELIF)
	int e;
#endif
	struct {
#ifdef CONFIG_NESTED
		int n;
#endif
		int m;
	} inner;
} __attribute__((aligned(1 << CONFIG_ALIGN_SHIFT)));
#define context_lock_struct(name) struct name
context_lock_struct(held) {
#ifdef CONFIG_IN_LOCK
	int x;
#endif
	int y;
};
typedef unsigned long bits_t[TO_LONGS(CONFIG_BITS)];
#ifdef CONFIG_ABOUT_ALIGN
#define ALIGN 64
#else
#define ALIGN 8
#endif
typedef long aligned_t __attribute__((aligned(ALIGN)));
typedef __typeof__(bits_t) __aligned(ALIGN) more_t, others_t[1];
typedef int called_t(struct pointed *p, char text[CONFIG_NOT_MET]);
typedef int (braced_t)(char text[CONFIG_NOT_MET]);
typedef counted_t *pointer_t;
struct typed { bits_t b; called_t *c; braced_t *d; pointer_t p; };
struct typed_too { aligned_t a; };
struct typed_more { others_t a; };
#define HAS 1
#ifdef CONFIG_TAKES_OUT
#undef HAS
#endif
struct undefined {
	long a;
#ifdef HAS
	long b;
#endif
};
struct asserted { long a; };
static inline void asserts(void)
{
#ifdef CONFIG_ABOUT_ASSERT
	CACHELINE_ASSERT_GROUP_SIZE(struct asserted, all, 8 + CONFIG_IN_LIMIT);
#else
	CACHELINE_ASSERT_GROUP_MEMBER(struct asserted, all, a);
#endif
}
struct plain { int ELSEWHERE_TOO; struct pointed *p; };
struct tag_user { struct other o; };
"""
OTHER = "struct other { long l[1 + CONFIG_IN_OTHER]; };\n"
BOUNDS = "int main(void) { DEFINE(NR_THINGS, NR_KINDS); return 0; }\n"
ALL = ["ALIGN_SHIFT", "AROUND_HEADER_BODY", "AT_INCLUDE", "ELIF", "IN_ENUM", "IN_HIDDEN", "IN_TYPEDEF", "MEMBER", "NESTED", "NEVER_ON",
       "SHIFT", "SLOTS_SHIFT"]
FLAGS = ["-DCONFIG_SHIFT=6", "-DCONFIG_SLOTS_SHIFT=1", "-DCONFIG_ALIGN_SHIFT=4", "-DCONFIG_OTHER_ENUM=1", "-DCONFIG_IN_OTHER=1",
         "-DIS_ENABLED(x)=0", "-DCONFIG_BITS=3", "-DTO_LONGS(x)=(x)", "-D__aligned(x)=__attribute__((aligned(x)))",
         "-DCACHELINE_ASSERT_GROUP_MEMBER(a,b,c)=", "-m64"]
TYPED = {"typed": ["BITS"], "typed_too": ["ABOUT_ALIGN"], "typed_more": ["ABOUT_ALIGN", "BITS"], "undefined": ["TAKES_OUT"]}

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for file, text in (("small.h", HEADER), ("other.h", OTHER), ("a.c", CODE), ("bounds.c", BOUNDS)):
        (folder / file).write_text(text, encoding="utf-8")
    program = os.path.abspath(os.path.join(os.environ["BUILD"], "cacheline-symbols"))
    out = run(program, "--also", "bounds.c", "all", "struct plain", "tag_user", "NR_THINGS", "no_such", "counted_t", "held", *TYPED, "asserted", "--", *FLAGS, "a.c", cwd=folder)
    rows = [line.split("\t") for line in out.stdout.splitlines()]
    found = {row[1]: row[2:] for row in rows if row[0] == "symbols"}
    check([row[1] for row in rows if row[0] == "read"] == ["a.c", "small.h", "other.h"], "the files that it has read", rows)
    check(out.returncode == 0 and not out.stderr, "it answers", out.stderr)
    check(found.get("all") == ALL, "members, types by value, sizes, enumerators, alignments, conditions, #include", found.get("all"))
    check(found.get("struct plain") == [], "not what is only pointed to", found)
    check(found.get("tag_user") == ["IN_OTHER"], "a struct of another header", found)
    check(found.get("NR_THINGS") == ["IN_ENUM"], "a constant that the build computes", found)
    check(found.get("no_such") == [] and found.get("counted_t") == ["IN_TYPEDEF"], "other names", found)
    check(found.get("held") == ["IN_LOCK"], "a lock of 7.0 and newer", found)
    check({name: found.get(name) for name in TYPED} == TYPED, "typedefs with arrays and attributes, and #undef", {name: found.get(name) for name in TYPED})
    check(found.get("asserted") == ["ABOUT_ASSERT", "IN_LIMIT"], "the limits of asserts, and the conditions around them", found.get("asserted"))
    (folder / "b.c").write_text("struct x {\n#if\n\tint a[\n#elif\n#endif\n#endif\n#define\n#define 9\nenum {\ntypedef\nDEFINE(", encoding="utf-8")
    out = run(program, "x", "--also", "b.c", "--", *FLAGS, "other.h", cwd=folder)
    check(out.returncode == 0 and out.stdout.endswith("symbols\tx\n"), "text that is none of C", out.stdout + out.stderr)
    check(run(program, "x", "--", "b.c", cwd=folder).returncode == 1, "a unit that does not parse is no answer")
sys.exit(done())
