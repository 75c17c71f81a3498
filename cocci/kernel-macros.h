/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Coccinelle 1.2 or newer must know of a kernel's macros to read its structs.
 *
 *	spatch --macro-file-builtins kernel-macros.h ...
 *
 * It takes the place of Coccinelle's own standard.h. spatch expands nothing else: what is not
 * listed here it reads as it stands. MACROANNOTATION says: an attribute, skip it.
 */

/* Attributes. */
#define ____cacheline_aligned MACROANNOTATION
#define ____cacheline_aligned_in_smp MACROANNOTATION
#define ____cacheline_internodealigned_in_smp MACROANNOTATION
#define __aligned(x) MACROANNOTATION
#define __packed MACROANNOTATION
#define __percpu MACROANNOTATION
#define __randomize_layout MACROANNOTATION
#define __rcu MACROANNOTATION
#define __user MACROANNOTATION

/* Members that a macro declares. */
#define DECLARE_BITMAP(x) YACFE_DECLARATOR
