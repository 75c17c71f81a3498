/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "doc_table.h"

enum column { COLUMN_TYPE, COLUMN_NAME, COLUMN_TX, COLUMN_RX, COLUMN_COMMENT, NR_COLUMNS };

/* of one line, without its newline */
struct words {
	const char *line;
	size_t len, at;
};

struct parser {
	struct doc_table *table;
	const char *path;
	unsigned int line;
	size_t starts[NR_COLUMNS];	/* bytes from the line's start */
	bool in_table;
	bool is_enum;
};

/* the next word and where it begins, or NULL */
static const char *next_word(struct words *w, size_t *start)
{
	while (w->at < w->len && (unsigned char)w->line[w->at] <= ' ')
		w->at++;
	*start = w->at;
	while (w->at < w->len && (unsigned char)w->line[w->at] > ' ')
		w->at++;
	return w->at > *start ? arena_strndup(w->line + *start, w->at - *start) : NULL;
}

static bool begins_with(const char *s, const char *prefix)
{
	return s && !strncmp(s, prefix, strlen(prefix));
}

/* "Type Name fastpath_tx_access fastpath_rx_access comment": the words stand where the columns start */
static bool is_header(struct parser *p, struct words w)
{
	static const char *const names[] = { "Type", "Name", "fastpath_tx", "fastpath_rx" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!begins_with(next_word(&w, &p->starts[i]), names[i]))
			return false;
	next_word(&w, &p->starts[COLUMN_COMMENT]);	/* the end of the line when there is none */
	return true;
}

/* "tcp_sock struct fast path usage breakdown" */
static void read_title(struct parser *p, struct words w)
{
	size_t start;
	const char *name = next_word(&w, &start), *kind = next_word(&w, &start);

	if (p->table->record || !kind || !begins_with(next_word(&w, &start), "fast"))
		return;
	p->is_enum = !strcmp(kind, "enum");
	p->table->record = name;
	p->table->place = (struct place) { .file = p->path, .line = p->line, .col = 1 };
}

/* "struct_netdev_name_node*", "unsigned_long:32": only the words of a type have underscores that stand for blanks */
static const char *type_of(const char *cell)
{
	static const char *const words[] = { "struct_", "union_", "enum_", "unsigned_", "long_" };
	char *type = arena_strdup(cell);

	for (char *s = type; *s; s++)
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if ((s == type || s[-1] == ' ') && begins_with(s, words[i]))
				s[strlen(words[i]) - 1] = ' ';
	return type;
}

static const char *access_in(const char *cell)
{
	return cell && strcmp(cell, "-") ? cell : NULL;
}

/* the name, where it stands too far left; NULL: *cell is one word */
static const char *take_last_word(const char **cell)
{
	const char *blank = *cell ? strrchr(*cell, ' ') : NULL;

	if (!blank)
		return NULL;
	*cell = arena_strndup(*cell, blank - *cell);
	return blank + 1;
}

static void read_row(struct parser *p, struct words w)
{
	const char *cells[NR_COLUMNS] = { 0 }, *word;
	struct doc_row *row;
	size_t start;

	while ((word = next_word(&w, &start))) {
		int column = COLUMN_COMMENT;

		while (column > COLUMN_TYPE && start < p->starts[column])
			column--;
		cells[column] = cells[column] ? arena_printf("%s %s", cells[column], word) : word;
	}
	if (!cells[COLUMN_NAME])
		cells[COLUMN_NAME] = take_last_word(&cells[COLUMN_TYPE]);
	if (!cells[COLUMN_NAME])
		return;
	if (begins_with(cells[COLUMN_NAME], "..")) {		/* "..struct ..tcp_sock" */
		p->table->record = cells[COLUMN_NAME] + 2;
		return;
	}
	row = ARENA_PUSH(p->table->rows, p->table->nr, p->table->room);
	*row = (struct doc_row) {
		.type = cells[COLUMN_TYPE] ? type_of(cells[COLUMN_TYPE]) : NULL,
		.name = arena_strndup(cells[COLUMN_NAME], strcspn(cells[COLUMN_NAME], "[ ")),
		.tx = access_in(cells[COLUMN_TX]), .rx = access_in(cells[COLUMN_RX]),
		.place = { .file = p->path, .line = p->line, .col = p->starts[COLUMN_NAME] + 1 },
	};
}

static void read_line(struct parser *p, struct words w)
{
	size_t start;
	struct words again = w;
	const char *first = next_word(&again, &start);

	if (!p->in_table && is_header(p, w))
		p->in_table = true;
	else if (!p->in_table && first)
		read_title(p, w);
	else if (begins_with(first, "..enum"))
		p->is_enum = true;
	else if (p->in_table && first && !begins_with(first, "==="))
		read_row(p, w);
	else if (p->in_table && p->table->nr)
		p->in_table = false;
}

bool doc_table_parse(const char *text, size_t len, const char *path, struct doc_table *out)
{
	struct parser p = { .table = out, .path = path };

	*out = (struct doc_table) { 0 };
	for (const char *s = text, *end = text + len, *next; s < end; s = next + 1) {
		next = memchr(s, '\n', end - s);
		next = next ? next : end;
		p.line++;
		read_line(&p, (struct words) { s, next - s, 0 });
	}
	return out->record && out->nr && !p.is_enum;
}

const struct doc_row *doc_table_row(const struct doc_table *t, const char *member)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->rows[i].name, member))
			return &t->rows[i];
	return NULL;
}

static bool writes(const char *access)
{
	return access && strstr(access, "write");
}

enum access_class doc_row_class(const struct doc_row *row)
{
	if (writes(row->tx) || writes(row->rx))
		return CLASS_WRITTEN;
	return row->tx || row->rx ? CLASS_READ_MOSTLY : CLASS_NONE;
}

void doc_table_apply(const struct doc_table *t, struct record *r)
{
	for (size_t i = 0; i < r->nr_members; i++) {
		struct member *m = &r->members[i];
		const struct doc_row *row = m->name ? doc_table_row(t, m->name) : NULL;
		struct inference *said;

		if (!m->name && m->record)
			doc_table_apply(t, m->record);
		if (!row || doc_row_class(row) == CLASS_NONE)
			continue;
		said = arena_alloc(sizeof(*said));
		*said = (struct inference) { .class = doc_row_class(row), .from = "documentation" };
		m->inferred = said;
	}
}
