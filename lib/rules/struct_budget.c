/* SPDX-License-Identifier: GPL-2.0-only */
/* A struct that outgrew what it may cost. */
#include "annotation.h"
#include "rules.h"

void rule_struct_budget(struct judged *j)
{
	const struct annotation *a = annotation_find(j->record->annotations, ANNOTATION_BUDGET);

	if (a && j->record->size > a->bytes)
		rule_report(j, NULL, NULL, NULL, "the struct has %llu bytes, %llu more than its budget of %llu",
			    j->record->size, j->record->size - a->bytes, a->bytes);
}
