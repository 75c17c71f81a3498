/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of Documentation/networking/net_cachelines/ and its struct do not say the same: a member that only one of
 * them has, or a group that a member's columns contradict. A row is missing in the struct when no branch of an
 * #if of its source declares it.
 */
#include <ctype.h>
#include <string.h>

#include "access.h"
#include "arena.h"
#include "doc_table.h"
#include "rules.h"
#include "struct_text.h"

struct comparison {
	struct judged *j;
	const struct doc_table *table;
	const struct struct_text *text;	/* of the file that defines the struct; NULL: not known */
};

/* does one of the structs without a tag in the judged one have a member of that name? The tables have rows for those. */
static bool is_nested(const struct comparison *c, const char *name)
{
	struct flat f;

	for (size_t i = 0; i < c->j->nr; i++) {
		const struct record *inner = c->j->flat[i].member->record;

		if (inner && !inner->name && !record_find(inner, name, &f))
			return true;
	}
	return false;
}

/* "#define inet_dport sk.__sk_common.skc_dport" */
static bool is_macro(const struct struct_text *text, const char *name)
{
	const struct ctoks *t = &text->toks;
	size_t len, name_len = strlen(name);

	for (size_t i = 0; i < t->nr; i++) {
		const char *s = t->tok[i].kind == CTOK_LINE ? ctok_directive(t, i, &len) : NULL;

		if (!s || len != strlen("define") || strncmp(s, "define", len))
			continue;
		for (s += len; *s == ' ' || *s == '\t'; s++)
			;
		if (!strncmp(s, name, name_len) && !isalnum((unsigned char)s[name_len]) && s[name_len] != '_')
			return true;
	}
	return false;
}

static bool is_declared(const struct comparison *c, const char *name)
{
	struct flat f;

	return !record_find(c->j->record, name, &f) || !c->text || is_nested(c, name) || is_macro(c->text, name) ||
	       struct_text_member(c->text, c->j->record->name, name, NULL);
}

/* a row of its own, or, of a struct without a tag, a row of a member */
static bool has_row(const struct comparison *c, const struct member *m)
{
	if (doc_table_row(c->table, m->name))
		return true;
	for (size_t i = 0; m->record && !m->record->name && i < m->record->nr_members; i++)
		if (m->record->members[i].name && doc_table_row(c->table, m->record->members[i].name))
			return true;
	return false;
}

/* letters, digits and stars of a type, without the qualifiers that the tables leave out, and without an array's size */
static const char *bare_type(const char *type)
{
	static const char *const left_out[] = { "const", "volatile", "__rcu", "__percpu" };
	char *bare = arena_alloc(strlen(type) + 1), *out = bare;

	for (const char *s = type; *s && *s != '[' && *s != ':'; s++) {
		for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
			if (!strncmp(s, left_out[i], strlen(left_out[i])))
				s += strlen(left_out[i]);
		if (isalnum((unsigned char)*s) || *s == '*')
			*out++ = *s;
		if (!*s)
			break;
	}
	return bare;
}

/* a member with bytes and a name; markers and padding have none, and what is left of some bit-fields is none */
static bool is_documentable(const struct flat *f)
{
	const struct member *m = f->member;

	return m->name && m->bit_size && !(m->bitfield && !strcmp(m->name, "unused"));
}

/* or a tag, where the row has it for a name */
static bool has_type(const struct comparison *c, const struct member *m, const struct doc_row *row)
{
	const char *type = c->text ? struct_text_type_of(c->text, c->j->record->name, m->name) : NULL;

	if (m->record && m->record->name && !strcmp(m->record->name, row->name))
		return true;
	return type && row->type && !strcmp(bare_type(type), bare_type(row->type));
}

/* characters that two names share at their ends */
static size_t likeness(const char *a, const char *b)
{
	size_t len_a = strlen(a), len_b = strlen(b), front = 0, back = 0;

	while (a[front] && a[front] == b[front])
		front++;
	while (front + back < len_a && front + back < len_b && a[len_a - back - 1] == b[len_b - back - 1])
		back++;
	return front + back;
}

/*
 * The member that is in no row and has the row's type; of several, the one whose name is most like the row's, when
 * half of it is. NULL: there is none.
 */
static const struct member *renamed_to(const struct comparison *c, const struct doc_row *row)
{
	const struct member *found = NULL;
	size_t nr = 0, most = 0;

	for (size_t i = 0; i < c->j->nr; i++) {
		const struct member *m = c->j->flat[i].member;

		if (!is_documentable(&c->j->flat[i]) || has_row(c, m) || !has_type(c, m, row))
			continue;
		if (!nr++ || likeness(m->name, row->name) > most) {
			found = m;
			most = likeness(m->name, row->name);
		}
	}
	return nr == 1 || 2 * most >= strlen(row->name) ? found : NULL;
}

/* the row without a member whose new name the member seems to be; NULL: none, or several */
static const struct doc_row *renamed_from(const struct comparison *c, const struct member *m)
{
	const struct doc_row *found = NULL;

	for (size_t i = 0; i < c->table->nr; i++) {
		const struct doc_row *row = &c->table->rows[i];

		if (is_declared(c, row->name) || renamed_to(c, row) != m)
			continue;
		if (found)
			return NULL;
		found = row;
	}
	return found;
}

static void report(const struct comparison *c, struct place place, const struct member *note_at, const char *note, const char *text)
{
	struct member at = { .place = place };

	rule_report(c->j, &at, note_at, note, "%s", text);
}

static void judge_missing(const struct comparison *c, const struct doc_row *row)
{
	const struct member *m = renamed_to(c, row);

	if (m && renamed_from(c, m) == row)
		report(c, row->place, m, arena_printf("'%s' is here, and in no row", m->name),
		       arena_printf("'%s' is no member of struct %s: it seems to be '%s' now", row->name, c->table->record, m->name));
	else
		report(c, row->place, NULL, NULL,
		       arena_printf("'%s' is no member of struct %s: take the row away", row->name, c->table->record));
}

/* what a row says of the path that a group is for */
static const char *said_of(const struct doc_row *row)
{
	return arena_printf("%s on transmit and %s on receive", row->tx ? row->tx : "not used", row->rx ? row->rx : "not used");
}

static bool is_for(const char *group, const char *path)
{
	const char *end = strrchr(group, '_');

	return end && (!strcmp(end + 1, path) || !strcmp(end + 1, "txrx"));
}

static void judge_group(const struct comparison *c, const struct doc_row *row, const struct flat *f, const char *group)
{
	enum access_class class = access_class_of_group(group), said = doc_row_class(row);
	bool one_way = is_for(group, "tx") != is_for(group, "rx");

	if (class == CLASS_NONE)
		return;
	if (said == class && !(one_way && is_for(group, "tx") && !row->tx) && !(one_way && is_for(group, "rx") && !row->rx))
		return;
	report(c, row->place, f->member, "the member is here",
	       arena_printf("'%s' is %s, but stands in group '%s' of struct %s", row->name, said_of(row), group, c->table->record));
}

static void judge_table(struct judged *j, const struct doc_table *table)
{
	const struct record *r = j->record;
	struct comparison c = { j, table, j->rules->text_of ? j->rules->text_of(r->place.file, j->rules->find_data) : NULL };
	struct access *access = access_of_members(j->flat, j->nr);
	struct member title = { .place = table->place };

	for (size_t i = 0; i < table->nr; i++)
		if (!is_declared(&c, table->rows[i].name))
			judge_missing(&c, &table->rows[i]);
	for (size_t i = 0; i < j->nr; i++) {
		const struct member *m = j->flat[i].member;
		const struct doc_row *row = is_documentable(&j->flat[i]) ? doc_table_row(table, m->name) : NULL;

		if (row && access[i].nr_groups)
			judge_group(&c, row, &j->flat[i], access[i].groups[access[i].nr_groups - 1]);
		else if (is_documentable(&j->flat[i]) && !has_row(&c, m) && !renamed_from(&c, m))
			rule_report(j, m, &title, "the table is here", "'%s' has no row in the table of struct %s: add one", m->name,
				    table->record);
	}
}

void rule_doc_table(struct judged *j)
{
	for (size_t i = 0; i < j->rules->nr_tables; i++)
		if (j->record->name && !strcmp(j->record->name, j->rules->tables[i].record))
			judge_table(j, &j->rules->tables[i]);
}
