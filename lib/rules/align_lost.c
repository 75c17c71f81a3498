/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An alignment of a line or more that was written on a member, or on the type that it is of, and that the member does
 * not get: a packed struct, or a typedef with a smaller alignment, took it away.
 */
#include "rules.h"

/* bytes, what the source asks for; 0: less than a line */
static unsigned int wanted(const struct judged *j, const struct member *m)
{
	unsigned int align = m->user_align;

	if (m->record && m->record->align > align)
		align = m->record->align;
	return align >= j->rules->line_size ? align : 0;
}

void rule_align_lost(struct judged *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		const struct flat *f = &j->flat[i];
		unsigned int align = wanted(j, f->member);

		if (!align || (f->bit_offset % (8ULL * align) == 0 && j->record->align >= align))
			continue;
		rule_report(j, f->member, NULL, NULL,
			    "'%s' asks for an alignment of %u, but lies at %llu of a struct that is aligned to %u: take away what packs it",
			    f->member->name ? f->member->name : "an anonymous member", align, f->bit_offset / 8, j->record->align);
	}
}
