/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's own primitives do to the object whose address they are given: atomic_inc(&x->f) writes
 * x->f, though the C of the caller only takes an address. Names and arguments as in include/linux of 6.1 and 6.12.
 */
#ifndef LINEKEEPER_PRIMITIVES_H
#define LINEKEEPER_PRIMITIVES_H

enum {
	DOES_READ = 1,
	DOES_WRITE = 2,
	DOES_ADDRESS = 4,		/* takes the address, and what becomes of it is not known */
	DOES_INIT = 8,			/* makes it what it is before anybody else sees it: with DOES_WRITE */
	DOES_PASS = 16,			/* gives the pointer back: what is done with the result is done to the object */
	DOES_NOTHING = 32,		/* an address only */
};

/*
 * What the function called name does through its arg-th argument, counted from 1: DOES_ bits, 0: it is no primitive, or
 * does nothing with that argument. name need not end with a NUL: len characters.
 */
unsigned int primitive_does(const char *name, size_t len, unsigned int arg);

#endif
