/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An alignment of a line or more that was written on a member, or on the type that it is of, and that the member does
 * not get: a packed struct, a #pragma pack or a typedef with a smaller alignment took it away, or nobody defined the
 * attribute. So is any alignment of an annotated struct. What embeds such a struct is told only where it loses an alignment by itself.
 */
#include "lost_attribute.h"
#include "rules.h"

static unsigned int larger(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* bytes, what the source asks for */
static unsigned int wanted(const struct member *m)
{
	return larger(larger(m->user_align, m->type_align), m->record ? m->record->align : 0);
}

/* what its members say of each other was judged where a struct of that alignment can start */
static bool holds_annotations(const struct member *m)
{
	size_t nr = 0;
	const struct flat *flat = m->name && m->record ? record_flatten(m->record, &nr) : NULL;

	for (size_t i = 0; i < nr; i++)
		if (flat[i].member->annotations)
			return true;
	return false;
}

static bool is_lost(const struct judged *j, const struct flat *f)
{
	unsigned int align = wanted(f->member);
	unsigned int start = j->rules->aligned ? larger(j->record->align, j->rules->line_size) : j->record->align;

	return align && (f->bit_offset % (8ULL * align) || start < align) &&
	       (align >= j->rules->line_size || holds_annotations(f->member));
}

void rule_align_lost(struct judged *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		const struct flat *f = &j->flat[i];
		const char *name = f->member->name;

		if (name && attribute_header(name))
			rule_report(j, f->member, NULL, NULL, "'%s' is a member here, no attribute: include %s", name,
				    attribute_header(name));
		if (!is_lost(j, f))
			continue;
		rule_report(j, f->member, NULL, NULL,
			    "'%s' asks for an alignment of %u, but lies at %llu of a struct that is aligned to %u: take away what packs it",
			    name ? name : "an anonymous member", wanted(f->member), f->bit_offset / 8, j->record->align);
		while (!name && i + 1 < j->nr && j->flat[i + 1].depth > f->depth)
			i++;		/* its members lost the same */
	}
}
