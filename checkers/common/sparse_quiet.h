/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses that may fail: what sparse says meanwhile is not shown, and its errors are not the unit's. May be nested. */
#ifndef LINEKEEPER_SPARSE_QUIET_H
#define LINEKEEPER_SPARSE_QUIET_H

#include <stdbool.h>

struct sparse_quiet {
	int stderr, errors;		/* what there was: standard error, duplicated, and what sparse knew of errors */
};

void sparse_quiet_begin(struct sparse_quiet *quiet);

/* all as before; true: there was an error */
bool sparse_quiet_end(const struct sparse_quiet *quiet);

#endif
