/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each finding once in a run of make, though many units include the header that it is about. A folder holds the record:
 * FOLDER/RUN/HASH, an empty file, is made by the one process that says it. RUN is make's process id and the time that it
 * started, so another run has records of its own and nothing that is compiled again stays unsaid. A new run takes away
 * the records of those that have ended.
 */
#ifndef LINEKEEPER_ONCE_H
#define LINEKEEPER_ONCE_H

#include <stdbool.h>

#include "record.h"

/*
 * Has another process of this run of make said it? The first to ask is told no, and is to say it. folder is made when it
 * is not there; NULL: always no, as without make, or where no record can be made. The column does not count: compilers
 * and checkers number columns differently, and what one of them said is said.
 */
bool once_said(const char *folder, const struct place *at, const char *id, const char *text);

/*
 * A folder for the record outside of the build, which is the user's: $XDG_RUNTIME_DIR/linekeeper, or linekeeper-UID in
 * $TMPDIR or /tmp. NULL when it cannot be made, or somebody else could write to it.
 */
const char *once_default_folder(void);

#endif
