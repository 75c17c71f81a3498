/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts pages up a hierarchy: what one level is charged, all above it are too. Each charge
 * writes usage and reads max and parent, on every level: seeds 000 and 001.
 */
#include <linux/page_counter.h>

/* of what this level uses, so much is protected: its parent sums that up */
static void report_protection(struct page_counter *level, unsigned long usage)
{
	unsigned long now, was;

	if (!level->parent)
		return;

	now = min(usage, READ_ONCE(level->min));
	if (now != atomic_long_read(&level->min_usage)) {
		was = atomic_long_xchg(&level->min_usage, now);
		atomic_long_add(now - was, &level->parent->children_min_usage);
	}

	now = min(usage, READ_ONCE(level->low));
	if (now != atomic_long_read(&level->low_usage)) {
		was = atomic_long_xchg(&level->low_usage, now);
		atomic_long_add(now - was, &level->parent->children_low_usage);
	}
}

static void uncharge_up_to(struct page_counter *level, struct page_counter *end, unsigned long nr_pages)
{
	for (; level != end; level = level->parent)
		report_protection(level, atomic_long_sub_return(nr_pages, &level->usage));
}

/* adds first and looks then: for a moment others see a charge that is too much */
static bool charge_one(struct page_counter *level, unsigned long nr_pages)
{
	unsigned long usage = atomic_long_add_return(nr_pages, &level->usage);

	if (usage > level->max) {
		atomic_long_add(-nr_pages, &level->usage);
		level->failcnt++;
		return false;
	}
	report_protection(level, usage);

	/* two may race for it, and one of them be forgotten: it is a hint */
	if (usage > READ_ONCE(level->watermark))
		WRITE_ONCE(level->watermark, usage);
	return true;
}

/* all levels, or none: then *fail is the level whose limit it was */
bool page_counter_try_charge(struct page_counter *counter, unsigned long nr_pages,
			     struct page_counter **fail)
{
	struct page_counter *level;

	for (level = counter; level; level = level->parent) {
		if (!charge_one(level, nr_pages)) {
			uncharge_up_to(counter, level, nr_pages);
			*fail = level;
			return false;
		}
	}
	return true;
}

void page_counter_uncharge(struct page_counter *counter, unsigned long nr_pages)
{
	uncharge_up_to(counter, NULL, nr_pages);
}
