/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts pages up a hierarchy: what one level is charged, all above it are too. Each charge
 * writes usage and reads max and parent, on every level: seeds 000 and 001.
 */
#include <linux/page_counter.h>

/* tells the parent how much of this counter's usage is protected now */
static void propagate_protected_usage(struct page_counter *c, unsigned long usage)
{
	unsigned long protected, old;

	if (!c->parent)
		return;

	protected = min(usage, READ_ONCE(c->min));
	if (protected != atomic_long_read(&c->min_usage)) {
		old = atomic_long_xchg(&c->min_usage, protected);
		atomic_long_add(protected - old, &c->parent->children_min_usage);
	}

	protected = min(usage, READ_ONCE(c->low));
	if (protected != atomic_long_read(&c->low_usage)) {
		old = atomic_long_xchg(&c->low_usage, protected);
		atomic_long_add(protected - old, &c->parent->children_low_usage);
	}
}

static void page_counter_cancel(struct page_counter *counter, unsigned long nr_pages)
{
	propagate_protected_usage(counter, atomic_long_sub_return(nr_pages, &counter->usage));
}

/* all levels, or none: then *fail is the level whose limit it was */
bool page_counter_try_charge(struct page_counter *counter, unsigned long nr_pages,
			     struct page_counter **fail)
{
	struct page_counter *c;

	for (c = counter; c; c = c->parent) {
		/* first charge, then look: for a moment others see a charge that is too much */
		unsigned long usage = atomic_long_add_return(nr_pages, &c->usage);

		if (usage > c->max) {
			atomic_long_add(-nr_pages, &c->usage);
			c->failcnt++;
			*fail = c;
			goto failed;
		}
		propagate_protected_usage(c, usage);
		/* two may race for it, and one of them be forgotten: it is a hint */
		if (usage > READ_ONCE(c->watermark))
			WRITE_ONCE(c->watermark, usage);
	}
	return true;

failed:
	for (c = counter; c != *fail; c = c->parent)
		page_counter_cancel(c, nr_pages);
	return false;
}

void page_counter_uncharge(struct page_counter *counter, unsigned long nr_pages)
{
	struct page_counter *c;

	for (c = counter; c; c = c->parent)
		page_counter_cancel(c, nr_pages);
}
