/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "primitives.h"

#define R	DOES_READ
#define W	DOES_WRITE
#define RW	(DOES_READ | DOES_WRITE)
#define I	(DOES_WRITE | DOES_INIT)

/*
 * Sorted by name. Written without leading underscores and without what plain_name() takes off; a * at the end stands for
 * any rest, and of several rows that fit the longest counts. Two arguments are two rows.
 */
static const struct primitive {
	const char *name;
	unsigned int arg, does;
} primitives[] = {
	{ "INIT_HLIST_HEAD", 1, I },
	{ "INIT_HLIST_NODE", 1, W },
	{ "INIT_LIST_HEAD", 1, W },
	{ "INIT_LIST_HEAD_RCU", 1, W },
	{ "add_timer*", 1, RW },
	{ "add_wait_queue*", 1, RW },
	{ "add_wait_queue*", 2, RW },
	{ "assign_bit", 2, RW },
	{ "atomic_add_unless", 1, RW },
	{ "atomic_add*", 2, RW },
	{ "atomic_andnot*", 2, RW },
	{ "atomic_and*", 2, RW },
	{ "atomic_cmpxchg*", 1, RW },
	{ "atomic_dec*", 1, RW },
	{ "atomic_fetch_add_unless", 1, RW },
	{ "atomic_fetch_dec", 1, RW },
	{ "atomic_fetch_inc", 1, RW },
	{ "atomic_fetch_*", 2, RW },
	{ "atomic_inc*", 1, RW },
	{ "atomic_or*", 2, RW },
	{ "atomic_read*", 1, R },
	{ "atomic_set*", 1, W },
	{ "atomic_sub*", 2, RW },
	{ "atomic_try_cmpxchg*", 1, RW },
	{ "atomic_try_cmpxchg*", 2, RW },
	{ "atomic_xchg*", 1, RW },
	{ "atomic_xor*", 2, RW },
	{ "bit_spin_is_locked", 2, R },
	{ "bit_spin_*lock*", 2, RW },
	{ "bit_waitqueue", 1, DOES_NOTHING },
	{ "bitmap_and*", 1, W },
	{ "bitmap_clear*", 1, RW },
	{ "bitmap_copy*", 1, W },
	{ "bitmap_fill", 1, W },
	{ "bitmap_or", 1, W },
	{ "bitmap_set*", 1, RW },
	{ "bitmap_xor", 1, W },
	{ "bitmap_zero", 1, W },
	{ "cancel_delayed_work*", 1, RW },
	{ "cancel_work*", 1, RW },
	{ "change_bit", 2, RW },
	{ "clear_and_wake_up_bit", 2, RW },
	{ "clear_bit*", 2, RW },
	{ "complete*", 1, RW },
	{ "completion_done", 1, R },
	{ "copy_from_user", 1, W },
	{ "cpumask_first*", 1, R },
	{ "cpumask_test_cpu", 2, R },
	{ "del_timer*", 1, RW },
	{ "do_raw_write_seqcount_*", 1, RW },
	{ "do_raw_*lock*", 1, RW },
	{ "do_read_seqcount_retry", 1, R },
	{ "do_write_seqcount_*", 1, RW },
	{ "down*", 1, RW },
	{ "ether_addr_copy", 1, W },
	{ "file_ref_init", 1, I },
	{ "file_ref_read", 1, R },
	{ "file_ref_*", 1, RW },
	{ "finish_wait", 1, RW },
	{ "flush_*work", 1, R },
	{ "hlist_add_*", 1, W },
	{ "hlist_add_*", 2, RW },
	{ "hlist_bl_add_*", 1, W },
	{ "hlist_bl_add_*", 2, RW },
	{ "hlist_bl_del*", 1, RW },
	{ "hlist_bl_empty", 1, R },
	{ "hlist_bl_first*", 1, R },
	{ "hlist_bl_set_first*", 1, W },
	{ "hlist_bl_unhashed", 1, R },
	{ "hlist_bl_*lock", 1, RW },
	{ "hlist_del*", 1, RW },
	{ "hlist_empty", 1, R },
	{ "hlist_move_list", 1, RW },
	{ "hlist_move_list", 2, RW },
	{ "hlist_nulls_add_*", 1, W },
	{ "hlist_nulls_add_*", 2, RW },
	{ "hlist_nulls_del*", 1, RW },
	{ "hlist_nulls_first_rcu", 1, R },
	{ "hlist_replace_rcu", 1, RW },
	{ "hlist_replace_rcu", 2, RW },
	{ "hlist_unhashed*", 1, R },
	{ "hrtimer_active", 1, R },
	{ "hrtimer_callback_running*", 1, R },
	{ "hrtimer_get_*", 1, R },
	{ "hrtimer_init", 1, I },
	{ "hrtimer_is_queued", 1, R },
	{ "hrtimer_setup", 1, I },
	{ "hrtimer_*", 1, RW },
	{ "ida_alloc*", 1, RW },
	{ "ida_destroy", 1, I },
	{ "ida_free", 1, RW },
	{ "ida_init", 1, I },
	{ "ida_is_empty", 1, R },
	{ "idr_alloc*", 1, RW },
	{ "idr_destroy", 1, I },
	{ "idr_find", 1, R },
	{ "idr_for_each", 1, R },
	{ "idr_get_next*", 1, R },
	{ "idr_init*", 1, I },
	{ "idr_is_empty", 1, R },
	{ "idr_remove", 1, RW },
	{ "idr_replace", 1, RW },
	{ "init_completion", 1, I },
	{ "init_rwsem", 1, I },
	{ "init_swait_queue_head", 1, I },
	{ "init_timer*", 1, I },
	{ "init_waitqueue_head", 1, I },
	{ "init_work", 1, I },
	{ "instrument_*", 1, DOES_NOTHING },
	{ "kasan_*", 1, DOES_NOTHING },
	{ "kcsan_*", 1, DOES_NOTHING },
	{ "kref_get*", 1, RW },
	{ "kref_init", 1, I },
	{ "kref_put*", 1, RW },
	{ "kref_read", 1, R },
	{ "ktime_get_*ts64", 1, W },
	{ "list_add*", 1, W },
	{ "list_add*", 2, RW },
	{ "list_bulk_move_tail", 1, RW },
	{ "list_cut_*", 2, RW },
	{ "list_del*", 1, RW },
	{ "list_empty*", 1, R },
	{ "list_is_head", 1, DOES_NOTHING },
	{ "list_is_head", 2, DOES_NOTHING },
	{ "list_is_*", 1, R },
	{ "list_is_*", 2, R },
	{ "list_lru_add*", 1, RW },
	{ "list_lru_add*", 2, RW },
	{ "list_lru_count*", 1, R },
	{ "list_lru_del*", 1, RW },
	{ "list_lru_del*", 2, RW },
	{ "list_move*", 1, RW },
	{ "list_move*", 2, RW },
	{ "list_replace*", 1, RW },
	{ "list_replace*", 2, RW },
	{ "list_rotate_*", 1, RW },
	{ "list_splice*", 1, RW },
	{ "list_splice*", 2, RW },
	{ "list_swap", 1, RW },
	{ "list_swap", 2, RW },
	{ "llist_add*", 1, W },
	{ "llist_add*", 2, RW },
	{ "llist_del_*", 1, RW },
	{ "llist_empty", 1, R },
	{ "local_add*", 2, RW },
	{ "local_dec*", 1, RW },
	{ "local_inc*", 1, RW },
	{ "local_read", 1, R },
	{ "local_set", 1, W },
	{ "local_sub*", 2, RW },
	{ "lockref_init", 1, I },
	{ "lockref_*", 1, RW },
	{ "memcmp", 1, R },
	{ "memcpy", 1, W },
	{ "memcpy", 2, R },
	{ "memmove", 1, W },
	{ "memmove", 2, R },
	{ "memset", 1, W },
	{ "memzero_explicit", 1, W },
	{ "mod_delayed_work*", 2, RW },
	{ "mod_timer*", 1, RW },
	{ "mutex_destroy", 1, I },
	{ "mutex_init*", 1, I },
	{ "mutex_is_locked", 1, R },
	{ "mutex_*lock*", 1, RW },
	{ "percpu_counter_compare", 1, R },
	{ "percpu_counter_destroy*", 1, I },
	{ "percpu_counter_initialized", 1, R },
	{ "percpu_counter_init*", 1, I },
	{ "percpu_counter_read*", 1, R },
	{ "percpu_counter_sum*", 1, R },
	{ "percpu_counter_*", 1, RW },
	{ "percpu_down_read*", 1, R },
	{ "percpu_down_write", 1, RW },
	{ "percpu_free_rwsem", 1, I },
	{ "percpu_init_rwsem", 1, I },
	{ "percpu_ref_exit", 1, I },
	{ "percpu_ref_init", 1, I },
	{ "percpu_ref_kill*", 1, RW },
	{ "percpu_ref_re*", 1, RW },
	{ "percpu_ref_switch_*", 1, RW },
	{ "percpu_ref_*", 1, R },
	{ "percpu_up_read", 1, R },
	{ "percpu_up_write", 1, RW },
	{ "poll_wait", 2, RW },
	{ "prepare_to_swait*", 1, RW },
	{ "prepare_to_wait*", 1, RW },
	{ "prepare_to_wait*", 2, RW },
	{ "queue_delayed_work_on", 3, RW },
	{ "queue_delayed_work*", 2, RW },
	{ "queue_rcu_work", 2, RW },
	{ "queue_work", 2, RW },
	{ "queue_work_on", 3, RW },
	{ "radix_tree_delete*", 1, RW },
	{ "radix_tree_gang_*", 1, R },
	{ "radix_tree_insert", 1, RW },
	{ "radix_tree_lookup*", 1, R },
	{ "radix_tree_tag_*", 1, RW },
	{ "rb_add*", 1, W },
	{ "rb_add*", 2, RW },
	{ "rb_erase*", 1, RW },
	{ "rb_erase*", 2, RW },
	{ "rb_first*", 1, R },
	{ "rb_insert_*", 1, RW },
	{ "rb_insert_*", 2, RW },
	{ "rb_last*", 1, R },
	{ "rb_link_node*", 1, W },
	{ "rb_link_node*", 3, W },
	{ "rb_next*", 1, R },
	{ "rb_prev*", 1, R },
	{ "rb_replace_node*", 1, RW },
	{ "rb_replace_node*", 2, RW },
	{ "rb_replace_node*", 3, RW },
	{ "rcuref_init", 1, I },
	{ "rcuref_read", 1, R },
	{ "rcuref_*", 1, RW },
	{ "read_lock*", 1, RW },
	{ "read_seqbegin*", 1, R },
	{ "read_seqlock_excl*", 1, RW },
	{ "read_seqretry*", 1, R },
	{ "read_sequnlock_excl*", 1, RW },
	{ "read_trylock*", 1, RW },
	{ "read_unlock*", 1, RW },
	{ "refcount_add*", 2, RW },
	{ "refcount_dec*", 1, RW },
	{ "refcount_inc*", 1, RW },
	{ "refcount_read", 1, R },
	{ "refcount_set", 1, W },
	{ "refcount_sub*", 2, RW },
	{ "reinit_completion", 1, W },
	{ "remove_wait_queue", 1, RW },
	{ "remove_wait_queue", 2, RW },
	{ "rhashtable_destroy", 1, I },
	{ "rhashtable_init*", 1, I },
	{ "rhashtable_insert*", 1, RW },
	{ "rhashtable_lookup*", 1, R },
	{ "rhashtable_remove*", 1, RW },
	{ "rwlock_init", 1, I },
	{ "schedule_delayed_work*", 1, RW },
	{ "schedule_work*", 1, RW },
	{ "seqcount_init", 1, I },
	{ "seqlock_init", 1, I },
	{ "seqprop_assert", 1, DOES_NOTHING },
	{ "seqprop_const_ptr", 1, DOES_PASS },
	{ "seqprop_preemptible", 1, DOES_NOTHING },
	{ "seqprop_ptr", 1, DOES_PASS },
	{ "seqprop_sequence", 1, R },
	{ "set_bit*", 2, RW },
	{ "skb_dequeue*", 1, RW },
	{ "skb_peek*", 1, R },
	{ "skb_queue_empty*", 1, R },
	{ "skb_queue_head_init*", 1, I },
	{ "skb_queue_head*", 1, RW },
	{ "skb_queue_len*", 1, R },
	{ "skb_queue_purge*", 1, RW },
	{ "skb_queue_splice*", 1, RW },
	{ "skb_queue_splice*", 2, RW },
	{ "skb_queue_tail*", 1, RW },
	{ "skb_unlink", 2, RW },
	{ "snprintf", 1, W },
	{ "spin_is_contended", 1, R },
	{ "spin_is_locked", 1, R },
	{ "spin_lock_init", 1, I },
	{ "spin_*lock*", 1, RW },
	{ "spinlock_check", 1, DOES_PASS },
	{ "sprintf", 1, W },
	{ "srcu_read_*", 1, R },
	{ "strcpy", 1, W },
	{ "strncpy", 1, W },
	{ "strscpy*", 1, W },
	{ "swake_up_*", 1, RW },
	{ "synchronize_srcu*", 1, RW },
	{ "test_and_*_bit*", 2, RW },
	{ "test_bit*", 2, R },
	{ "timer_delete*", 1, RW },
	{ "timer_init_key", 1, I },
	{ "timer_pending", 1, R },
	{ "timer_shutdown*", 1, RW },
	{ "u64_stats_add", 1, RW },
	{ "u64_stats_inc", 1, RW },
	{ "u64_stats_init", 1, I },
	{ "u64_stats_read", 1, R },
	{ "u64_stats_set", 1, W },
	{ "up", 1, RW },
	{ "up_*", 1, RW },
	{ "vsnprintf", 1, W },
	{ "wait_for_completion*", 1, RW },
	{ "wait_on_bit*", 1, R },
	{ "waitqueue_active", 1, R },
	{ "wake_up_bit", 1, DOES_NOTHING },
	{ "wake_up_var*", 1, DOES_NOTHING },
	{ "wake_up*", 1, RW },
	{ "wq_has_sleeper", 1, R },
	{ "write_lock*", 1, RW },
	{ "write_seqlock*", 1, RW },
	{ "write_seq*lock*", 1, RW },
	{ "write_trylock*", 1, RW },
	{ "write_unlock*", 1, RW },
	{ "xa_alloc*", 1, RW },
	{ "xa_clear_mark", 1, RW },
	{ "xa_cmpxchg*", 1, RW },
	{ "xa_destroy", 1, I },
	{ "xa_empty", 1, R },
	{ "xa_erase*", 1, RW },
	{ "xa_extract", 1, R },
	{ "xa_find*", 1, R },
	{ "xa_get_mark", 1, R },
	{ "xa_init*", 1, I },
	{ "xa_insert*", 1, RW },
	{ "xa_load", 1, R },
	{ "xa_marked", 1, R },
	{ "xa_reserve*", 1, RW },
	{ "xa_set_mark", 1, RW },
	{ "xa_store*", 1, RW },
};

/* the same operation under another name: a width, an architecture's or a checked variant */
static const struct {
	const char *prefix, *instead;
} variants[] = {
	{ "_", "" },
	{ "arch_", "" },
	{ "atomic64_", "atomic_" },
	{ "atomic_long_", "atomic_" },
	{ "builtin_", "" },
	{ "const_", "" },
	{ "generic_", "" },
	{ "raw_", "" },
	{ "rt_", "" },
	{ "underlying_", "" },
};

static const char *const orderings[] = { "_acquire", "_relaxed", "_release" };

/* takes prefixes and memory orderings off, into plain, which holds size bytes; false: too long for a primitive */
static bool plain_name(const char *name, size_t len, char *plain, size_t size)
{
	if (len + 1 > size)
		return false;
	memcpy(plain, name, len);
	plain[len] = '\0';
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		size_t skip = strlen(variants[i].prefix), keep = strlen(variants[i].instead);

		if (strncmp(plain, variants[i].prefix, skip))
			continue;
		memmove(plain + keep, plain + skip, strlen(plain) - skip + 1);
		memcpy(plain, variants[i].instead, keep);
		i = -1;			/* from the first one again */
	}
	for (size_t i = 0; !strncmp(plain, "atomic_", 7) && i < sizeof(orderings) / sizeof(orderings[0]); i++) {
		char *end = plain + strlen(plain) - strlen(orderings[i]);

		if (end > plain && !strcmp(end, orderings[i]))
			*end = '\0';
	}
	return true;
}

/* how many characters of the pattern, which may hold one or two *, name is spelt with; -1: it does not fit */
static int fits(const char *pattern, const char *name)
{
	size_t len = strcspn(pattern, "*");
	int rest = -1;

	if (strncmp(pattern, name, len))
		return -1;
	if (!pattern[len])
		return name[len] ? -1 : (int)len + 1;	/* the whole name beats any pattern */
	if (!pattern[len + 1])
		return len;
	for (const char *s = name + len; rest < 0 && *s; s++)
		rest = fits(pattern + len + 1, s);
	return rest < 0 ? -1 : (int)len + rest;
}

unsigned int primitive_does(const char *name, size_t len, unsigned int arg)
{
	char plain[64];
	unsigned int does = 0;
	int best = -1;

	if (!plain_name(name, len, plain, sizeof(plain)))
		return 0;
	for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++) {
		const struct primitive *p = &primitives[i];
		int length;

		if (p->name[0] != plain[0])
			continue;
		length = fits(p->name, plain);
		if (length < best || length < 0)
			continue;
		if (length > best)
			does = 0;
		best = length;
		if (p->arg == arg)
			does = p->does;
	}
	return does;
}
