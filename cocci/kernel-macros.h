/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Coccinelle 1.2 or newer must know of a kernel's macros to read its structs:
 *
 *	spatch --macro-file-builtins kernel-macros.h ...
 *
 * This file takes the place of Coccinelle's own standard.h. spatch expands nothing else; what does not
 * stand here it takes as it is. A body that is one of spatch's own words is a hint:
 *
 *	MACROANNOTATION		an attribute: kept where it stands, never in the way of a match
 *	YACFE_DECLARATOR	declares something, like a function call with a semicolon
 *
 * Any other body is what spatch reads in place of the word; in the text the word stays. docs/rules.md says how
 * to add to this file.
 */

/* Attributes of members and of structs. */
#define __acquires(x) MACROANNOTATION
#define __aligned(x) MACROANNOTATION
#define __ARCH_COMPAT_FLOCK64_PACK MACROANNOTATION
#define __ARCH_SI_ATTRIBUTES MACROANNOTATION
#define __ATM_API_ALIGN MACROANNOTATION
#define __bitwise MACROANNOTATION
#define ____cacheline_aligned MACROANNOTATION
#define __cacheline_aligned MACROANNOTATION
#define ____cacheline_aligned_in_smp MACROANNOTATION
#define __cacheline_aligned_in_smp MACROANNOTATION
#define __cacheline_apart(x) MACROANNOTATION
#define __cacheline_budget(x) MACROANNOTATION
#define __cacheline_in(x) MACROANNOTATION
#define ____cacheline_internodealigned_in_smp MACROANNOTATION
#define __cacheline_isolated MACROANNOTATION
#define __cacheline_read_mostly MACROANNOTATION
#define __cacheline_with(x) MACROANNOTATION
#define __cacheline_written MACROANNOTATION
#define __counted_by(x) MACROANNOTATION
#define __counted_by_be(x) MACROANNOTATION
#define __counted_by_le(x) MACROANNOTATION
#define CRYPTO_MINALIGN_ATTR MACROANNOTATION
#define __deprecated MACROANNOTATION
#define __designated_init MACROANNOTATION
#define __ec_align1 MACROANNOTATION
#define __ec_align2 MACROANNOTATION
#define __ec_align4 MACROANNOTATION
#define __ec_align_offset1 MACROANNOTATION
#define __ec_align_offset2 MACROANNOTATION
#define __ec_align_size1 MACROANNOTATION
#define __ec_align_size2 MACROANNOTATION
#define __ec_align_size4 MACROANNOTATION
#define __ec_todo_packed MACROANNOTATION
#define __ec_todo_unpacked MACROANNOTATION
#define __force MACROANNOTATION
#define __iomem MACROANNOTATION
#define __may_alias MACROANNOTATION
#define __must_check MACROANNOTATION
#define __must_hold(x) MACROANNOTATION
#define __no_randomize_layout MACROANNOTATION
#define __nonstring MACROANNOTATION
#define __packed MACROANNOTATION
#define __percpu MACROANNOTATION
#define __printf(a,b) MACROANNOTATION
#define __private MACROANNOTATION
#define __protected_by(x) MACROANNOTATION
#define __randomize_layout MACROANNOTATION
#define __rcu MACROANNOTATION
#define __releases(x) MACROANNOTATION
#define __user MACROANNOTATION

/* Attributes of functions and of objects. */
#define __alias(x) MACROANNOTATION
#define __alloc_size(x) MACROANNOTATION
#define __always_inline MACROANNOTATION
#define __always_unused MACROANNOTATION
#define asmlinkage MACROANNOTATION
#define __attribute_const__ MACROANNOTATION
#define __cold MACROANNOTATION
#define __exit MACROANNOTATION
#define __exitdata MACROANNOTATION
#define __init MACROANNOTATION
#define __init_or_module MACROANNOTATION
#define __initconst MACROANNOTATION
#define __initdata MACROANNOTATION
#define __initdata_or_module MACROANNOTATION
#define __kprobes MACROANNOTATION
#define __latent_entropy MACROANNOTATION
#define __lockfunc MACROANNOTATION
#define __malloc MACROANNOTATION
#define __maybe_unused MACROANNOTATION
#define __meminit MACROANNOTATION
#define __meminitdata MACROANNOTATION
#define __net_exit MACROANNOTATION
#define __net_init MACROANNOTATION
#define __net_initdata MACROANNOTATION
#define __no_kcsan MACROANNOTATION
#define __no_sanitize_address MACROANNOTATION
#define noinline MACROANNOTATION
#define noinline_for_stack MACROANNOTATION
#define noinstr MACROANNOTATION
#define __noreturn MACROANNOTATION
#define notrace MACROANNOTATION
#define __pure MACROANNOTATION
#define __read_mostly MACROANNOTATION
#define __ref MACROANNOTATION
#define __refdata MACROANNOTATION
#define __ro_after_init MACROANNOTATION
#define __scanf(a,b) MACROANNOTATION
#define __sched MACROANNOTATION
#define __section(x) MACROANNOTATION
#define __used MACROANNOTATION
#define __visible MACROANNOTATION
#define __weak MACROANNOTATION
#define nokprobe_inline inline

/* Members that a macro declares. */
#define DECLARE_BITMAP(x) YACFE_DECLARATOR

/* Types that a macro names: what is declared with one can stay or be moved past, but not be moved itself. */
#define GENRADIX(x) struct genradix
#define GUEST_HANDLE(x) void *

/*
 * Members without a semicolon. As members of their own, so that no neighbour takes them along; bit-fields,
 * because any other declaration could be a statement, and spatch would take it for one.
 */
#define __AAL_STAT_ITEMS int aal_stat_items_member:1;
#define __ARCH_COMPAT_FLOCK64_PAD int arch_compat_flock64_pad_member:1;
#define __ARCH_COMPAT_FLOCK_EXTRA_SYSID int arch_compat_flock_extra_sysid_member:1;
#define __ARCH_COMPAT_FLOCK_PAD int arch_compat_flock_pad_member:1;
#define __ARCH_FLOCK64_PAD int arch_flock64_pad_member:1;
#define __ARCH_FLOCK_EXTRA_SYSID int arch_flock_extra_sysid_member:1;
#define __ARCH_FLOCK_PAD int arch_flock_pad_member:1;
#define KABI_RESERVE(n) int kabi_reserve_member:1;
#define randomized_struct_fields_end int randomized_struct_fields_end_member:1;
#define randomized_struct_fields_start int randomized_struct_fields_start_member:1;
#define RH_KABI_RESERVE(n) int rh_kabi_reserve_member:1;
#define RSS_HDR int rss_hdr_member:1;
#define __SONET_ITEMS int sonet_items_member:1;

/* Several members, with a semicolon behind. */
#define __SIGINFO int siginfo_members
#define tc_gen int tc_gen_members

/* Objects that a macro declares. */
#define DECLARE_PER_CPU(x) YACFE_DECLARATOR
#define DEFINE_PER_CPU(x) YACFE_DECLARATOR
#define DEFINE_STATIC_KEY_FALSE(x) YACFE_DECLARATOR
#define DEFINE_STATIC_KEY_TRUE(x) YACFE_DECLARATOR

/* Strings. */
#define KBUILD_MODNAME "module"
#define KERN_ALERT "alert"
#define KERN_CONT "cont"
#define KERN_CRIT "crit"
#define KERN_DEBUG "debug"
#define KERN_EMERG "emerg"
#define KERN_ERR "err"
#define KERN_INFO "info"
#define KERN_NOTICE "notice"
#define KERN_WARNING "warning"

/* Heads of functions. */
#define BPF_CALL_0(name) u64 name(void)
#define BPF_CALL_1(name, t1, a1) u64 name(t1 a1)
#define BPF_CALL_2(name, t1, a1, t2, a2) u64 name(t1 a1, t2 a2)
#define BPF_CALL_3(name, t1, a1, t2, a2, t3, a3) u64 name(t1 a1, t2 a2, t3 a3)
#define BPF_CALL_4(name, t1, a1, t2, a2, t3, a3, t4, a4) u64 name(t1 a1, t2 a2, t3 a3, t4 a4)
#define BPF_CALL_5(name, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5) u64 name(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5)
#define COMPAT_SYSCALL_DEFINE0(name) long name(void)
#define COMPAT_SYSCALL_DEFINE1(name, t1, a1) long name(t1 a1)
#define COMPAT_SYSCALL_DEFINE2(name, t1, a1, t2, a2) long name(t1 a1, t2 a2)
#define COMPAT_SYSCALL_DEFINE3(name, t1, a1, t2, a2, t3, a3) long name(t1 a1, t2 a2, t3 a3)
#define COMPAT_SYSCALL_DEFINE4(name, t1, a1, t2, a2, t3, a3, t4, a4) long name(t1 a1, t2 a2, t3 a3, t4 a4)
#define COMPAT_SYSCALL_DEFINE5(name, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5) long name(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5)
#define COMPAT_SYSCALL_DEFINE6(name, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5, t6, a6) long name(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6)
#define SYSCALL_DEFINE0(name) long name(void)
#define SYSCALL_DEFINE1(name, t1, a1) long name(t1 a1)
#define SYSCALL_DEFINE2(name, t1, a1, t2, a2) long name(t1 a1, t2 a2)
#define SYSCALL_DEFINE3(name, t1, a1, t2, a2, t3, a3) long name(t1 a1, t2 a2, t3 a3)
#define SYSCALL_DEFINE4(name, t1, a1, t2, a2, t3, a3, t4, a4) long name(t1 a1, t2 a2, t3 a3, t4 a4)
#define SYSCALL_DEFINE5(name, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5) long name(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5)
#define SYSCALL_DEFINE6(name, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5, t6, a6) long name(t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6)
