/* SPDX-License-Identifier: GPL-2.0-only */
/* sparse's places as lib's. sparse's headers are to be included first. */
#ifndef LINEKEEPER_SPARSE_PLACE_H
#define LINEKEEPER_SPARSE_PLACE_H

#include "record.h"

/* the file as an #include by way of -I./include and one of include/... name it alike */
struct place place_of(struct position pos);

#endif
