/* SPDX-License-Identifier: GPL-2.0-only */
/* Keywords and attributes of sparse's parser, done by us. After sparse_initialize(), before the parse; sparse's headers come first. */
#ifndef LINEKEEPER_SPARSE_HOOK_H
#define LINEKEEPER_SPARSE_HOOK_H

/* gives word an op of ours, so far a copy of sparse's, which comes back */
const struct symbol_op *sparse_hook(const char *word, enum namespace ns, struct symbol_op *ours);

/* an attribute that sparse does not know */
void sparse_hook_new(const char *word, struct symbol_op *ours);

#endif
