/* SPDX-License-Identifier: GPL-2.0-only */
#include "cacheline_layout.h"
#define line_aligned __attribute__((aligned(64)))

struct good {
	long max __cacheline_read_mostly;
	long high __cacheline_read_mostly;
	long usage __cacheline_written line_aligned;
	long failcnt __cacheline_written;
} good;

typedef const struct {
	long max __cacheline_read_mostly; /* expect: note: 'max' is here */
	long neither;
	volatile long usage __cacheline_written; /* expect: warning: 'usage' is written, but shares a 64-byte line with the read-mostly 'max', at 6 of 8 placements (0, 8, 16, 24, 32, 40): move it to the written ones [-Wcacheline-class-mix] */
} mixed_t;
mixed_t mixed;

/* where an annotation can stand, and whose it is */
struct one_of_three { long a __cacheline_read_mostly, b, c __cacheline_written; } one_of_three; /* expect: warning: 'c' is written, but shares a 64-byte line with the read-mostly 'a', at 6 of 8 placements (0, 8, 16, 24, 32, 40): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
struct array { long a[2] __cacheline_read_mostly; long *p __cacheline_written; } array; /* expect: warning: 'p' is written, but shares a 64-byte line with the read-mostly 'a', at 7 of 8 placements (0, 8, 16, 24, 32, 40, 56): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
struct in_front { __cacheline_read_mostly long a, b; __cacheline_written long *c; } in_front; /* expect: warning: 'c' is written, but shares a 64-byte line with the read-mostly 'a', at 6 of 8 placements (0, 8, 16, 24, 32, 40): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
struct behind_type { long __cacheline_read_mostly a; long b __cacheline_written; } behind_type; /* expect: warning: 'b' is written, but shares a 64-byte line with the read-mostly 'a', at 7 of 8 placements (0, 8, 16, 24, 32, 40, 48): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
struct pointers { int (*f)(int) __cacheline_read_mostly; int *const q __cacheline_written; } pointers; /* expect: warning: 'q' is written, but shares a 64-byte line with the read-mostly 'f', at 7 of 8 placements (0, 8, 16, 24, 32, 40, 48): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'f' is here */
struct bits { int a:3 __cacheline_read_mostly; int b:5 __cacheline_written; } bits; /* expect: warning: 'b' is written, but shares a 64-byte line with the read-mostly 'a', always: move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
union overlap { long a __cacheline_read_mostly; int b __cacheline_written; } overlap;	/* one or the other: nothing parts them */
struct named { struct inner { long a __cacheline_read_mostly; long b __cacheline_written; } in; } named; /* expect: warning: 'b' is written, but shares a 64-byte line with the read-mostly 'a', at 7 of 8 placements (0, 8, 16, 24, 32, 40, 48): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
struct across { long a __cacheline_read_mostly; struct across_n { long pad; long w __cacheline_written; } n; } across; /* expect: warning: 'n.w' is written, but shares a 64-byte line with the read-mostly 'a', at 6 of 8 placements (0, 8, 16, 24, 32, 40): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
struct side_by_side { struct side_a { long a __cacheline_read_mostly; } x; struct side_w { long w __cacheline_written; } y; } side_by_side; /* expect: warning: 'y.w' is written, but shares a 64-byte line with the read-mostly 'x.a', at 7 of 8 placements (0, 8, 16, 24, 32, 40, 48): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'x.a' is here */
struct parted { struct side_a x; struct side_w y line_aligned; } line_aligned parted;
struct opened { union { struct { long a __cacheline_read_mostly; }; long z; }; struct { long b; } n __cacheline_written; } opened; /* expect: warning: 'n' is written, but shares a 64-byte line with the read-mostly 'a', at 7 of 8 placements (0, 8, 16, 24, 32, 40, 48): move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
typedef long of_a_typedef __cacheline_read_mostly;	/* nobody's */
struct by_typedef { of_a_typedef a; long b __cacheline_written; } by_typedef;
struct by_typeof { typeof(array.a) a; long b __cacheline_written; } by_typeof;

/* cases F03, F05: an alignment behind the brace counts without a variable; that of an anonymous struct is not its members' */
struct no_variable { long a __cacheline_read_mostly; long b __cacheline_written; } line_aligned; /* expect: warning: 'b' is written, but shares a 64-byte line with the read-mostly 'a', always: move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
struct qualified { const struct { long a __cacheline_read_mostly; } line_aligned; volatile struct { long b __cacheline_written; }; } qualified;

/* struct_group(), as the kernel has it, declares its members twice: they are judged once, in the struct around them */
#define struct_group(NAME, ...) union { struct { __VA_ARGS__ }; struct { __VA_ARGS__ } NAME; }
#define struct_group_tagged(TAG, NAME, ...) union { struct { __VA_ARGS__ }; struct TAG { __VA_ARGS__ } NAME; }
struct grouped {
	struct_group(config, long a __cacheline_read_mostly; struct { long b __cacheline_written; };); /* expect: note: 'a' is here */ /* expect: warning: 'b' is written, but shares a 64-byte line with the read-mostly 'a', always: move it to the written ones [-Wcacheline-class-mix] */ /* expect: note: 'a' is here */
	struct_group_tagged(stats, stats, long hits __cacheline_written; long misses;); /* expect: warning: 'hits' is written, but shares a 64-byte line with the read-mostly 'a', always: move it to the written ones [-Wcacheline-class-mix] */
} line_aligned grouped;
