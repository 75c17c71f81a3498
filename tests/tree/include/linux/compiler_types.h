/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __LINUX_COMPILER_TYPES_H
#define __LINUX_COMPILER_TYPES_H

#ifdef __CHECKER__
# define __percpu	__attribute__((noderef, address_space(__percpu)))
# define __rcu		__attribute__((noderef, address_space(__rcu)))
# define __force	__attribute__((force))
# define __bitwise	__attribute__((bitwise))
#else
# define __percpu
# define __rcu
# define __force
# define __bitwise
#endif

/* nothing is shuffled in this configuration, but an initialiser must name its fields */
#if __has_attribute(designated_init)
# define __randomize_layout	__attribute__((designated_init))
#else
# define __randomize_layout
#endif

#define __aligned(x)		__attribute__((aligned(x)))
#define __init			__attribute__((section(".init.text")))
#define __read_mostly		__attribute__((section(".data..read_mostly")))

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile typeof(x) *)&(x) = (val))

#endif
