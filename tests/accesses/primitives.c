// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's primitives on members, against its own headers. Behind each line: what is to be found there, "MODE MEMBER
 * [VIA]", separated by ";". Modes: r, w, rw, i (initialises), a (address given away).
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/lockref.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/percpu.h>
#include <linux/percpu_counter.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/seqlock.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

struct obj {
	atomic_t a;
	atomic64_t a64;
	atomic_long_t al;
	refcount_t ref;
	struct kref kref;
	unsigned long bits, word, once;
	DECLARE_BITMAP(map, 128);
	cpumask_t mask, allowed;
	struct list_head list, entry;
	struct hlist_head hhead;
	struct hlist_node hnode;
	struct llist_head lhead;
	struct llist_node lnode;
	struct rb_root root;
	struct rb_node node;
	spinlock_t lock;
	raw_spinlock_t raw;
	rwlock_t rwlock;
	struct mutex mutex;
	struct rw_semaphore sem;
	seqcount_t seq;
	seqlock_t seqlock;
	struct lockref lockref;
	struct obj __rcu *next;
	long __percpu *stats;
	struct percpu_counter counter;
	struct percpu_ref pref;
	wait_queue_head_t wait;
	struct completion done;
	struct xarray xa;
	struct ida ida;
	struct idr idr;
	struct timer_list timer;
	struct hrtimer hrtimer;
	struct work_struct work;
	struct delayed_work dwork;
	struct sk_buff_head queue;
};

int atomics(struct obj *x)
{
	atomic_inc(&x->a);				/* access: rw a atomic_inc */
	atomic_add(1, &x->a);				/* access: rw a atomic_add */
	atomic_set(&x->a, 0);				/* access: w a atomic_set */
	atomic_set_release(&x->a, 0);			/* access: w a atomic_set_release */
	atomic64_sub(1, &x->a64);			/* access: rw a64 atomic64_sub */
	atomic64_fetch_add_relaxed(1, &x->a64);		/* access: rw a64 atomic64_fetch_add_relaxed */
	atomic64_fetch_inc_relaxed(&x->a64);		/* access: rw a64 atomic64_fetch_inc_relaxed */
	atomic_long_xchg(&x->al, 1);			/* access: rw al atomic_long_xchg */
	atomic_long_cmpxchg(&x->al, 0, 1);		/* access: rw al atomic_long_cmpxchg */
	if (atomic_dec_and_test(&x->a))			/* access: rw a atomic_dec_and_test */
		return atomic_read_acquire(&x->a);	/* access: r a atomic_read_acquire */
	return atomic_long_read(&x->al);		/* access: r al atomic_long_read */
}

bool references(struct obj *x, void (*release)(struct kref *))
{
	refcount_set(&x->ref, 1);			/* access: w ref refcount_set */
	refcount_inc(&x->ref);				/* access: rw ref refcount_inc */
	refcount_add(2, &x->ref);			/* access: rw ref refcount_add */
	kref_init(&x->kref);				/* access: i kref kref_init */
	kref_get(&x->kref);				/* access: rw kref kref_get */
	kref_put(&x->kref, release);			/* access: rw kref kref_put */
	lockref_get(&x->lockref);			/* access: rw lockref lockref_get */
	if (__lockref_is_dead(&x->lockref))		/* access: r lockref __lockref_is_dead */
		return false;
	return refcount_read(&x->ref);			/* access: r ref refcount_read */
}

unsigned long once(struct obj *x)
{
	WRITE_ONCE(x->once, 1);				/* access: w once */
	smp_store_release(&x->word, 1);			/* access: w word */
	if (READ_ONCE(x->once))				/* access: r once */
		return smp_load_acquire(&x->word);	/* access: r word */
	return 0;
}

unsigned long exchanged(struct obj *x)
{
	return xchg(&x->word, 1);			/* access: rw word */
}

unsigned long compared(struct obj *x)
{
	return cmpxchg(&x->once, 0, 1);			/* access: rw once */
}

bool bits(struct obj *x)
{
	set_bit(1, &x->bits);				/* access: rw bits set_bit */
	clear_bit(1, &x->bits);				/* access: rw bits clear_bit */
	__set_bit(70, x->map);				/* access: rw map ___set_bit; rw map generic___set_bit */
	bitmap_zero(x->map, 128);			/* access: w map bitmap_zero */
	if (test_and_set_bit(2, &x->bits))		/* access: rw bits test_and_set_bit */
		return test_and_clear_bit(2, &x->word);	/* access: rw word test_and_clear_bit */
	return test_bit(3, &x->bits);			/* access: r bits _test_bit; r bits const_test_bit */
}

bool masks(struct obj *x, struct cpumask *out)
{
	cpumask_set_cpu(1, &x->mask);			/* access: rw mask cpumask_set_cpu */
	cpumask_and(out, &x->mask, &x->allowed);	/* access: r mask cpumask_and; r allowed cpumask_and */
	cpumask_copy(&x->mask, &x->allowed);		/* access: w mask cpumask_copy; r allowed cpumask_copy */
	return cpumask_test_cpu(1, &x->allowed);	/* access: r allowed cpumask_test_cpu */
}

bool lists(struct obj *x, struct obj *y)
{
	INIT_LIST_HEAD(&x->entry);			/* access: w entry INIT_LIST_HEAD */
	list_add(&x->entry, &y->list);			/* access: w entry list_add; rw list list_add */
	list_del_init(&x->entry);			/* access: rw entry list_del_init */
	list_add_tail_rcu(&x->entry, &y->list);		/* access: w entry list_add_tail_rcu; rw list list_add_tail_rcu */
	hlist_add_head(&x->hnode, &y->hhead);		/* access: w hnode hlist_add_head; rw hhead hlist_add_head */
	hlist_del(&x->hnode);				/* access: rw hnode hlist_del */
	llist_add(&x->lnode, &y->lhead);		/* access: w lnode llist_add; rw lhead llist_add */
	llist_del_all(&y->lhead);			/* access: rw lhead llist_del_all */
	return list_empty(&y->list);			/* access: r list list_empty */
}

long cursor(struct obj *x)
{
	struct obj *y;
	long sum = 0;

	list_for_each_entry(y, &x->list, entry)		/* access: r list.next; r entry.next; r list_head:next */
		sum += y->once;				/* access: r once */
	return sum;
}

void trees(struct obj *x, struct obj *y, struct rb_node **link)
{
	rb_link_node(&x->node, NULL, link);		/* access: w node rb_link_node */
	rb_insert_color(&x->node, &y->root);		/* access: rw node rb_insert_color; rw root rb_insert_color */
	rb_erase(&x->node, &y->root);			/* access: rw node rb_erase; rw root rb_erase */
	rb_first(&y->root);				/* access: r root rb_first */
}

void locks(struct obj *x)
{
	unsigned long flags;

	spin_lock(&x->lock);				/* access: rw lock spin_lock */
	spin_unlock(&x->lock);				/* access: rw lock spin_unlock */
	spin_lock_irqsave(&x->lock, flags);		/* access: rw lock _raw_spin_lock_irqsave */
	spin_unlock_irqrestore(&x->lock, flags);	/* access: rw lock spin_unlock_irqrestore */
	raw_spin_lock(&x->raw);				/* access: rw raw _raw_spin_lock */
	read_lock(&x->rwlock);				/* access: rw rwlock _raw_read_lock */
	write_unlock(&x->rwlock);			/* access: rw rwlock _raw_write_unlock */
	mutex_lock(&x->mutex);				/* access: rw mutex mutex_lock */
	mutex_unlock(&x->mutex);			/* access: rw mutex mutex_unlock */
	down_read(&x->sem);				/* access: rw sem down_read */
	up_write(&x->sem);				/* access: rw sem up_write */
	write_seqlock(&x->seqlock);			/* access: rw seqlock write_seqlock */
}

unsigned int sequence(struct obj *x)
{
	raw_write_seqcount_begin(&x->seq);		/* access: rw seq do_raw_write_seqcount_begin */
	return read_seqbegin(&x->seqlock);		/* access: r seqlock read_seqbegin */
}

long rcu(struct obj *x, struct obj *y)
{
	rcu_assign_pointer(x->next, y);			/* access: w next */
	return rcu_dereference(x->next)->once;		/* access: r next; r once */
}

s64 percpu(struct obj *x, struct obj *y)
{
	this_cpu_inc(*x->stats);			/* access: r stats */
	percpu_counter_add(&x->counter, 1);		/* access: rw counter percpu_counter_add */
	percpu_ref_get(&x->pref);			/* access: r pref percpu_ref_get */
	percpu_ref_kill(&y->pref);			/* access: rw pref percpu_ref_kill */
	return percpu_counter_read(&x->counter);	/* access: r counter percpu_counter_read */
}

void waiting(struct obj *x)
{
	init_waitqueue_head(&x->wait);			/* access: i wait __init_waitqueue_head */
	wake_up(&x->wait);				/* access: rw wait __wake_up */
	complete(&x->done);				/* access: rw done complete */
	wait_for_completion(&x->done);			/* access: rw done wait_for_completion */
	if (waitqueue_active(&x->wait))			/* access: r wait waitqueue_active */
		schedule_work(&x->work);		/* access: rw work schedule_work */
	mod_timer(&x->timer, 1);			/* access: rw timer mod_timer */
	hrtimer_cancel(&x->hrtimer);			/* access: rw hrtimer hrtimer_cancel */
	mod_delayed_work(system_wq, &x->dwork, 1);	/* access: rw dwork mod_delayed_work */
}

void *maps(struct obj *x, struct sk_buff *skb)
{
	xa_store(&x->xa, 1, x, GFP_KERNEL);		/* access: rw xa xa_store */
	ida_alloc(&x->ida, GFP_KERNEL);			/* access: rw ida ida_alloc */
	idr_remove(&x->idr, 1);				/* access: rw idr idr_remove */
	skb_queue_tail(&x->queue, skb);			/* access: rw queue skb_queue_tail */
	if (idr_find(&x->idr, 1))			/* access: r idr idr_find */
		return xa_load(&x->xa, 1);		/* access: r xa xa_load */
	return skb_peek(&x->queue);			/* access: r queue skb_peek */
}
