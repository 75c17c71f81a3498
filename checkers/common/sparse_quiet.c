/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <unistd.h>

#include "lib.h"

#include "sparse_quiet.h"

void sparse_quiet_begin(struct sparse_quiet *quiet)
{
	int nowhere = openat(AT_FDCWD, "/dev/null", O_WRONLY | O_CLOEXEC);	/* open() keeps to the unit's folders */

	quiet->errors = has_error;
	quiet->stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (nowhere < 0 || quiet->stderr < 0)
		die("no file descriptor is left");
	dup2(nowhere, STDERR_FILENO);
	close(nowhere);
	has_error = 0;
}

bool sparse_quiet_end(const struct sparse_quiet *quiet)
{
	bool failed = has_error;

	dup2(quiet->stderr, STDERR_FILENO);
	close(quiet->stderr);
	has_error = quiet->errors;
	return failed;
}
