/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __LINUX_PERCPU_H
#define __LINUX_PERCPU_H

#include <linux/kernel.h>

void __percpu *__alloc_percpu(size_t size, size_t align);
void *__per_cpu_address(const void *ptr, int cpu);

#define alloc_percpu(type) \
	((typeof(type) __percpu *)__alloc_percpu(sizeof(type), __alignof__(type)))
#define per_cpu_ptr(ptr, cpu) \
	((typeof(*(ptr)) __force *)__per_cpu_address((const void __force *)(ptr), cpu))

/* counts on the CPU at hand until somebody asks for the sum */
struct percpu_ref {
	unsigned long percpu_count_ptr;
	struct percpu_ref_data *data;
};

#endif
