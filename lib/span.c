/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "span.h"

static unsigned int gcd(unsigned int a, unsigned int b)
{
	while (b) {
		unsigned int rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void placements_of_align(struct placements *p, unsigned int align, unsigned int line_size)
{
	unsigned int step = gcd(align ? align : 1, line_size);

	memset(p, 0, sizeof(*p));
	p->line_size = line_size;
	for (unsigned int at = 0; at < line_size; at += step)
		p->at[p->nr++] = at;
}

static bool share_at(struct span a, struct span b, unsigned int at, unsigned int line_size)
{
	unsigned long long a_first = (at + a.offset) / line_size;
	unsigned long long a_last = (at + a.offset + a.size - 1) / line_size;
	unsigned long long b_first = (at + b.offset) / line_size;
	unsigned long long b_last = (at + b.offset + b.size - 1) / line_size;

	return a_first <= b_last && b_first <= a_last;
}

void span_shares(struct span a, struct span b, const struct placements *p, struct verdict *out)
{
	bool far = a.offset > b.offset + b.size + p->line_size || b.offset > a.offset + a.size + p->line_size;

	out->nr = p->nr;
	out->nr_sharing = 0;
	for (unsigned int i = 0; i < p->nr && !far && a.size && b.size; i++)
		if (share_at(a, b, p->at[i], p->line_size))
			out->at[out->nr_sharing++] = p->at[i];
	out->sharing = !out->nr_sharing ? SHARING_NEVER :
		       out->nr_sharing == out->nr ? SHARING_ALWAYS : SHARING_MAY;
}

const char *sharing_name(enum sharing s)
{
	static const char *const names[] = { "never", "may", "always" };

	return names[s];
}
