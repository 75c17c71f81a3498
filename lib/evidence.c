/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "evidence.h"

/* a word of a function's name, between underscores; sorted */
static const struct {
	const char *word;
	enum code_phase phase;
} phase_words[] = {
	{ "alloc", PHASE_SETUP },
	{ "cleanup", PHASE_SETUP },
	{ "create", PHASE_SETUP },
	{ "ctor", PHASE_SETUP },
	{ "deinit", PHASE_SETUP },
	{ "destroy", PHASE_SETUP },
	{ "dtor", PHASE_SETUP },
	{ "exit", PHASE_SETUP },
	{ "fini", PHASE_SETUP },
	{ "free", PHASE_SETUP },
	{ "init", PHASE_SETUP },
	{ "ioctl", PHASE_CONTROL },
	{ "probe", PHASE_SETUP },
	{ "register", PHASE_SETUP },
	{ "release", PHASE_SETUP },
	{ "setsockopt", PHASE_CONTROL },
	{ "setup", PHASE_SETUP },
	{ "sysctl", PHASE_CONTROL },
	{ "teardown", PHASE_SETUP },
	{ "uninit", PHASE_SETUP },
	{ "unregister", PHASE_SETUP },
};

#define NR_WORDS (sizeof(phase_words) / sizeof(phase_words[0]))

static const char *const phase_names[] = {
	[PHASE_RUN] = "run", [PHASE_CONTROL] = "control", [PHASE_SETUP] = "setup",
};

const char *phase_name(enum code_phase p)
{
	return phase_names[p];
}

enum code_phase phase_named(const char *name)
{
	enum code_phase p = PHASE_SETUP;

	while (p != PHASE_RUN && strcmp(phase_names[p], name))
		p--;
	return p;
}

static enum code_phase phase_of_word(const char *word, size_t len)
{
	for (size_t i = 0; i < NR_WORDS; i++)
		if (strlen(phase_words[i].word) == len && !memcmp(phase_words[i].word, word, len))
			return phase_words[i].phase;
	return PHASE_RUN;
}

enum code_phase phase_of_function(const char *name, size_t len)
{
	enum code_phase found = PHASE_RUN;

	for (size_t start = 0; start < len; start++) {
		const char *end = memchr(name + start, '_', len - start);
		size_t word = end ? (size_t)(end - name) - start : len - start;
		enum code_phase p = phase_of_word(name + start, word);

		found = p > found ? p : found;
		start += word;
	}
	return found;
}

void tally_add(struct tally *t, unsigned int does, enum code_phase phase)
{
	bool writes = does & DOES_WRITE;

	if (phase == PHASE_SETUP || (writes && does & DOES_INIT))
		t->setup++;
	else if (phase == PHASE_CONTROL && writes)
		t->control++;
	else if (writes)
		t->writers++;
	else if (does & DOES_READ)
		t->readers++;
	else
		t->addresses++;
}

enum access_class tally_class(const struct tally *t)
{
	if (t->writers)
		return CLASS_WRITTEN;
	if (t->readers)
		return CLASS_READ_MOSTLY;
	return CLASS_NONE;
}

static char *add_count(char *text, unsigned int count, const char *one)
{
	const char *plural = one[strlen(one) - 1] == 'r' && count != 1 ? "s" : "";

	return count ? arena_printf("%s, %u %s%s", text, count, one, plural) : text;
}

const char *tally_text(const struct tally *t)
{
	char *text = "inferred";

	text = add_count(text, t->readers, "reader");
	text = add_count(text, t->writers, "writer");
	text = add_count(text, t->control, "by control");
	return add_count(text, t->setup, "set-up");
}
