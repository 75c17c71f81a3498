/* SPDX-License-Identifier: GPL-2.0-only */
/* Compiled to assembly: offsets for code that no C compiler reads. */
#include <linux/kernel.h>
#include <linux/page_counter.h>

#define DEFINE(sym, val) \
	asm volatile("\n.ascii \"->" #sym " %0 " #val "\"" : : "i" (val))

void common(void);

void common(void)
{
	DEFINE(PAGE_COUNTER_usage, offsetof(struct page_counter, usage));
	DEFINE(PAGE_COUNTER_size, sizeof(struct page_counter));
}
