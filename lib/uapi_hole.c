/* SPDX-License-Identifier: GPL-2.0-only */
/* Documentation/driver-api/ioctl.rst and Documentation/process/botching-up-ioctls.rst of the kernel tell why. */
#include <string.h>

#include "arena.h"
#include "machine.h"
#include "show.h"
#include "uapi_hole.h"

#define MANY	256			/* structs without a name in one: two of the next in each would have no end */

/* bytes without a name */
struct hole {
	const struct member *front, *behind;	/* behind NULL: the struct ends there */
	unsigned long long bytes, at;		/* at: from the start of the struct that directly holds it */
	unsigned long long bytes_there;		/* on 32-bit x86 */
};

struct holes {
	struct hole *list;
	size_t nr, room;
	unsigned int seen;
	const struct member *differs, *there;	/* the first member that has another place on 32-bit x86, and that; NULL: none */
};

/* bytes from what was covered so far, in *end, to a member, or to the record's end; bits of a byte belong to whom has the first of them */
static unsigned long long skip(unsigned long long *end, const struct record *r, const struct member *m)
{
	unsigned long long start = m ? m->bit_offset / 8 : r->size, stop = m ? (m->bit_offset + m->bit_size + 7) / 8 : r->size;
	unsigned long long gap = start > *end ? start - *end : 0;

	if (stop > *end)
		*end = stop;
	return gap;
}

static bool is_open(const struct member *m)
{
	return m->array && !m->count;
}

/* of r and the same on 32-bit x86; what one member of a union leaves out another one may cover */
static void find_holes(struct holes *h, const struct record *r, const struct record *there)
{
	const struct member *last = NULL;
	unsigned long long end = 0, end_there = 0;

	for (size_t i = 0; i <= r->nr_members && !r->is_union; i++) {
		const struct member *m = i < r->nr_members ? &r->members[i] : NULL, *n = m ? &there->members[i] : NULL;
		unsigned long long at, gap, gap_there;

		if (m && m->record && !m->record->name && h->seen++ < MANY)
			find_holes(h, m->record, n->record);
		if ((m && !m->bit_size && !is_open(m)) || (!m && last && is_open(last)))
			continue;
		at = end;
		gap = skip(&end, r, m);
		gap_there = skip(&end_there, there, n);
		if (gap && last)
			*ARENA_PUSH(h->list, h->nr, h->room) = (struct hole) { last, m, gap, at, gap_there };
		if (m && !h->differs && m->bit_offset != n->bit_offset) {
			h->differs = m;
			h->there = n;
		}
		last = m ? m : last;
	}
}

static struct holes holes_of(const struct record *r, const struct abi *abi, unsigned int line_size)
{
	struct machine here = { abi, line_size }, there = { abi_find("i386"), line_size };
	const struct record *other = abi && !strcmp(abi->name, "x86-64") ? record_on(r, &here, &there) : NULL;
	struct holes h = { 0 };

	find_holes(&h, r, other ? other : r);
	return h;
}

static const char *name_of(const struct member *m)
{
	return m->name ? arena_printf("'%s'", m->name) : "an anonymous member";
}

static bool is_same_place(const struct member *a, const struct member *b)
{
	return a && b ? (a->name ? b->name && !strcmp(a->name, b->name) : !b->name) : a == b;
}

/* as many bytes, between the same members or, under another name, at the same place */
static bool had(const struct holes *then, const struct hole *h)
{
	for (size_t i = 0; i < then->nr; i++) {
		const struct hole *old = &then->list[i];

		if (old->bytes == h->bytes && (old->at == h->at || (is_same_place(old->front, h->front) && is_same_place(old->behind, h->behind))))
			return true;
	}
	return false;
}

static const char *there_text(const struct hole *h)
{
	if (h->bytes == h->bytes_there)
		return "";
	return h->bytes_there ? arena_printf(" (%llu on 32-bit x86)", h->bytes_there) : " (none on 32-bit x86)";
}

static void report(struct judged *j, const struct fields_since *s, const struct hole *h)
{
	const char *where = h->behind ? arena_printf("between %s and %s", name_of(h->front), name_of(h->behind)) :
			    arena_printf("behind %s, at its end", name_of(h->front));

	rule_report(j, s->before ? h->front : NULL, NULL, NULL, "%s of user space has %llu byte%s without a name %s%s: name them, so that they are set",
		    record_title(s->after), h->bytes, h->bytes == 1 ? "" : "s", where, there_text(h));
	j->rules->findings[j->rules->nr - 1].id = "uapi-hole";
}

static void report_difference(struct judged *j, const struct fields_since *s, const struct holes *h)
{
	rule_report(j, s->before ? h->differs : NULL, NULL, NULL, "%s of %s lies at %llu, on 32-bit x86 at %llu: use types that have one size everywhere",
		    name_of(h->differs), record_title(s->after), h->differs->bit_offset / 8, h->there->bit_offset / 8);
	j->rules->findings[j->rules->nr - 1].id = "uapi-hole";
}

void uapi_hole_judge(struct judged *j, const struct fields_since *s)
{
	struct holes now, then = { 0 };
	size_t first = j->rules->nr;

	if (!s->after->name || !s->after->place.file || !strstr(s->after->place.file, "include/uapi/") || !rules_wants(j->rules, "uapi-hole"))
		return;
	now = holes_of(s->after, j->rules->abi, j->rules->line_size);
	if (s->before)
		then = holes_of(s->before, j->rules->abi, j->rules->line_size);
	for (size_t i = 0; i < now.nr; i++)
		if (!had(&then, &now.list[i]))
			report(j, s, &now.list[i]);
	if (j->rules->nr == first && now.differs && !then.differs)
		report_difference(j, s, &now);
}
