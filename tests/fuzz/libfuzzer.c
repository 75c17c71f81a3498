/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libFuzzer's side: FUZZ_TARGET names the target. lib, built with -Dcalloc=fuzz_calloc, takes its memory here and leaves it to exit; it is
 * given back behind each input, so that growth without bound is seen as what it is.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "targets.h"

void *fuzz_calloc(size_t nr, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct target *target;

/* what the arena holds, each block behind a link to the one before */
static struct block {
	struct block *next;
	char pad[8];
} *blocks;

void *fuzz_calloc(size_t nr, size_t size)
{
	struct block *block = nr == 1 && size <= SIZE_MAX - sizeof(*block) ? calloc(1, sizeof(*block) + size) : NULL;

	if (!block)
		return NULL;
	block->next = blocks;
	blocks = block;
	return block + 1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	(void)argc;
	(void)argv;
	target = name ? target_named(name) : NULL;
	if (!target) {
		fputs("FUZZ_TARGET= names no target of tests/fuzz/targets.c\n", stderr);
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	target_run(target, data, len);
	while (blocks) {
		struct block *next = blocks->next;

		free(blocks);
		blocks = next;
	}
	return 0;
}
