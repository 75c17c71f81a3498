/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a struct says about its cache lines, for the compiler to hold it to.
 *
 *	struct counter {
 *		atomic_long_t usage __cacheline_isolated;
 *		unsigned long max __cacheline_read_mostly;
 *		struct counter *parent __cacheline_read_mostly;
 *	} ____cacheline_aligned_in_smp __cacheline_budget(192);
 *
 * The macros are empty unless linekeeper's GCC plugin (-DCACHELINE_LAYOUT_PLUGIN) or its checker reads the file; they
 * never change a layout or an instruction. F is the name of another member of the same struct, or a path
 * through its members: mmap_lock.count. G is any word.
 */
#ifndef _CACHELINE_LAYOUT_H
#define _CACHELINE_LAYOUT_H

/* genksyms would have the attributes in its checksums */
#if (defined(CACHELINE_LAYOUT_PLUGIN) && !defined(__GENKSYMS__)) || defined(CACHELINE_LAYOUT_CHECKER)
#define __cacheline_layout(...)	__attribute__((cacheline_layout(__VA_ARGS__)))
#else
#define __cacheline_layout(...)
#endif

/* behind a member: nothing else is on its lines, no other member and nothing outside of the struct */
#define __cacheline_isolated	__cacheline_layout("isolated")

/* behind a member: its access class; the two classes are never on one line */
#define __cacheline_read_mostly	__cacheline_layout("read-mostly")
#define __cacheline_written	__cacheline_layout("written")

/* behind a member: on its lines are only members that say the same */
#define __cacheline_in(G)	__cacheline_layout("in", #G)

/* behind a member: never on a line with F, always on a line with F, wherever the struct starts */
#define __cacheline_apart(F)	__cacheline_layout("apart", #F)
#define __cacheline_with(F)	__cacheline_layout("with", #F)

/* behind the closing brace: the struct has no more bytes than N */
#define __cacheline_budget(N)	__cacheline_layout("budget", N)

#endif
