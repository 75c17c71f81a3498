/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/cacheline_layout.h>
