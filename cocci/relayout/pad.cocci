/* SPDX-License-Identifier: GPL-2.0-only */
/// Put a CACHELINE_PADDING() behind a member: what follows starts a line of its own.
//
// Confidence: High
// Copyright: (C) 2025 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
// -D STRUCT=NAME -D AFTER=NAME, and -D NAME=NAME for another name than _pad_
//
//	struct s {			struct s {
//		atomic_t hits;			atomic_t hits;
//		struct s *up;	->		CACHELINE_PADDING(_pad_);
//	};					struct s *up;
//					};
//
//	-D STRUCT=s -D AFTER=hits

virtual patch, context, org, report

@script:python pad@
given << virtual.NAME = "_pad_";
padding;
@@
coccinelle.padding = cocci.make_ident(given)

@where@
identifier virtual.STRUCT, virtual.AFTER;
type T;
expression E;
declarer D != {__cacheline_group_begin, __cacheline_group_begin_aligned};
field G;
position p;
@@
struct STRUCT {
	...
(
(
	T AFTER@p;
|
	T AFTER@p:E;
|
	D(..., AFTER@p, ...);
)
&
	G
)
	...
}

@there_already@
declarer name CACHELINE_PADDING;
identifier virtual.STRUCT, pad.padding;
@@
struct STRUCT {
	...
	CACHELINE_PADDING(padding);
	...
}

@put depends on patch && !there_already@
declarer name CACHELINE_PADDING;
identifier virtual.STRUCT, pad.padding;
field where.G;
@@
struct STRUCT {
	...
	G
+	CACHELINE_PADDING(padding);
	...
}
