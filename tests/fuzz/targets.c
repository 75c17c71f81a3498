/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "annotation.h"
#include "arena.h"
#include "compare.h"
#include "declaration.h"
#include "doc_table.h"
#include "group_assert.h"
#include "json.h"
#include "promise.h"
#include "replay.h"
#include "rules_option.h"
#include "smpl.h"
#include "struct_text.h"
#include "targets.h"

#define SEPARATOR	"\n@@@@\n"

/* cuts the next text off *rest; "" when there is none */
static char *next_text(char **rest)
{
	char *text = *rest, *end = strstr(text, SEPARATOR);

	if (end)
		*end = '\0';
	*rest = end ? end + strlen(SEPARATOR) : text + strlen(text);
	return text;
}

/* range and tokens lie in the text, or this is our bug */
static void check_item(const struct struct_text *st, const struct text_item *item)
{
	if (item->range.start > item->range.end || item->range.end > st->toks.len || item->toks.end > st->toks.nr)
		abort();
	for (size_t i = 0; i < item->nr_declarators; i++) {
		const struct text_declarator *d = &item->declarators[i];
		size_t nr;

		declaration_attributes(st, item, d, &nr);
		struct_text_spell(st, d->toks);
	}
}

static void run_struct_text(char *text, size_t len)
{
	struct struct_text *st = struct_text_parse(text, len);

	for (size_t i = 0; i < st->nr; i++) {
		struct text_body *body = st->bodies[i];

		struct_text_read(st, body);
		for (size_t k = 0; k < body->nr_items; k++)
			check_item(st, &body->items[k]);
		if (body->name && body->read)
			struct_text_member(st, body->name, "a", NULL);
	}
}

/* the original, what spatch printed, the rule; without a rule every insertion is taken as announced */
static void run_replay(char *text, size_t len)
{
	static const char *const defines[] = { "f=a", "patch" };
	struct replay r = { 0 }, again = { 0 };
	char *rest = text, *rule;

	(void)len;
	r.before = next_text(&rest);
	r.before_len = strlen(r.before);
	r.after = next_text(&rest);
	r.after_len = strlen(r.after);
	rule = next_text(&rest);
	if (*rule)
		r.rule = smpl_read(rule, strlen(rule), defines, 2);
	if (replay(&r) != REPLAY_DONE)
		return;
	/* what was written is text of the same structs: replayed on itself nothing changes */
	again.before = again.after = r.text;
	again.before_len = again.after_len = r.len;
	if (replay(&again) == REPLAY_DONE)
		abort();
}

static void run_smpl(char *text, size_t len)
{
	static const char *const defines[] = { "s=page_counter", "f=usage", "v2" };
	char *rest = text, *rule = next_text(&rest);
	struct struct_text *st = struct_text_parse(rest, strlen(rest));
	struct smpl *s = smpl_read(rule, strlen(rule), defines, 3);

	(void)len;
	for (size_t i = 0; i < st->toks.nr; i++) {
		struct text_toks toks = { i, st->toks.nr < i + 6 ? st->toks.nr : i + 6 };

		smpl_adds(s, st, toks);
		smpl_removes(s, st, toks);
		smpl_adds_words(s, st, toks);
		smpl_removes_words(s, st, toks);
	}
	smpl_moves(s, "usage");
}

static void run_doc_table(char *text, size_t len)
{
	struct doc_table t;

	if (!doc_table_parse(text, len, "x.rst", &t))
		return;
	for (size_t i = 0; i < t.nr; i++)
		if (!doc_table_row(&t, t.rows[i].name))
			abort();
		else
			doc_row_class(&t.rows[i]);
}

/* one word or assert a line */
static void run_words(char *text, size_t len)
{
	struct bound_on on = { .abi = abi_find("x86-64"), .line_size = 64, .line_here = 64 };
	FILE *none = fopen("/dev/null", "w");
	char *line;

	(void)len;
	while ((line = strsep(&text, "\n"))) {
		struct rules rules = { 0 };
		struct group_assert assert;
		struct promise promise;
		const char *why;

		if (group_assert_parse(line, &assert) && assert.bound)
			group_assert_bytes(&assert, &on);
		promise_parse(line, &promise);
		line_size_parse(line);
		rules_option(&rules, line, line);
		json_string(line, none);
		annotation_add(NULL, "apart", line, 0, &why);
		annotation_add(NULL, line, line, 1, &why);
	}
	fclose(none);
}

/* one dump compared with itself and each of its records laid out flat */
static void run_dump(char *text, size_t len)
{
	int fd = memfd_create("dump", 0);
	char *path = arena_printf("/proc/self/fd/%d", fd);
	struct dump *d = write(fd, text, len) == (ssize_t)len ? dump_read(path) : NULL;

	close(fd);
	for (size_t i = 0; d && i < d->nr; i++) {
		struct comparison c;
		struct flat f;

		compare_records(&c, d, d, d->records[i], d->records[i]);
		record_find(d->records[i], "a.b[1].c", &f);
	}
}

const struct target targets[] = {
	{ "doc_table", run_doc_table },
	{ "dump", run_dump },
	{ "replay", run_replay },
	{ "smpl", run_smpl },
	{ "struct_text", run_struct_text },
	{ "words", run_words },
	{ NULL, NULL },
};

const struct target *target_named(const char *name)
{
	for (const struct target *t = targets; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

void target_run(const struct target *target, const void *data, size_t len)
{
	char *text = arena_alloc(len + 1);

	memcpy(text, data, len);
	target->run(text, len);
}
