# SPDX-License-Identifier: GPL-2.0-only
			# and the annotations of linux/cacheline_layout.h
			s/\s*__cacheline_(?:isolated|read_mostly|written|(?:apart|in|with)\s*\([^;()]*\))//g for ($sl, $pl);
