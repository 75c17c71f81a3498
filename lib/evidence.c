/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "arena.h"
#include "evidence.h"
#include "paths.h"

/* a word of a function's name, between underscores; sorted */
static const struct {
	const char *word;
	enum code_phase phase;
} phase_words[] = {
	{ "alloc", PHASE_SETUP },
	{ "attach", PHASE_CONTROL },
	{ "autobind", PHASE_CONTROL },
	{ "bind", PHASE_CONTROL },
	{ "change", PHASE_CONTROL },
	{ "changelink", PHASE_CONTROL },
	{ "cleanup", PHASE_SETUP },
	{ "clone", PHASE_SETUP },
	{ "close", PHASE_CONTROL },
	{ "configure", PHASE_CONTROL },
	{ "connect", PHASE_CONTROL },
	{ "create", PHASE_SETUP },
	{ "ctor", PHASE_SETUP },
	{ "deinit", PHASE_SETUP },
	{ "destroy", PHASE_SETUP },
	{ "destruct", PHASE_SETUP },
	{ "detach", PHASE_CONTROL },
	{ "disable", PHASE_CONTROL },
	{ "disconnect", PHASE_CONTROL },
	{ "dtor", PHASE_SETUP },
	{ "enable", PHASE_CONTROL },
	{ "exit", PHASE_SETUP },
	{ "fini", PHASE_SETUP },
	{ "free", PHASE_SETUP },
	{ "ifdown", PHASE_CONTROL },
	{ "init", PHASE_SETUP },
	{ "install", PHASE_CONTROL },
	{ "ioctl", PHASE_CONTROL },
	{ "listen", PHASE_CONTROL },
	{ "newlink", PHASE_CONTROL },
	{ "open", PHASE_CONTROL },
	{ "register", PHASE_SETUP },
	{ "reinit", PHASE_CONTROL },
	{ "release", PHASE_SETUP },
	{ "reset", PHASE_CONTROL },
	{ "resize", PHASE_CONTROL },
	{ "setsockopt", PHASE_CONTROL },
	{ "setup", PHASE_SETUP },
	{ "sysctl", PHASE_CONTROL },
	{ "teardown", PHASE_SETUP },
	{ "uninit", PHASE_SETUP },
	{ "unhash", PHASE_SETUP },
	{ "unregister", PHASE_SETUP },
};

/* who calls these does what an administrator asked for; a * at the end stands for any rest */
static const char *const control_callees[] = { "capable", "ns_capable*", "rtnl_*", "sockopt_capable", "sockopt_ns_capable" };

/* tags and typedefs of what only an administrator's request is handed over in */
static const char *const control_types[] = {
	"ctl_table", "kernel_param", "kobj_attribute", "netlink_ext_ack", "nlattr", "sockptr_t",
};

/* the functions that such a struct points to are called when somebody administers; a * in front stands for any start */
static const char *const control_tables[] = {
	"*_attribute", "cftype", "ctl_table", "ethtool_ops", "kernel_param_ops", "rtnl_link_ops",
};

/* the end of a word in the names of functions that return a new object: kzalloc, sk_clone_lock, kmemdup */
static const char *const makers[] = { "alloc", "clone", "create", "dup" };

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

bool code_is_setter(const char *name, size_t len)
{
	for (const char *s = name; (s = memmem(s, len - (s - name), "set_", 4)); s++)
		if ((s == name || s[-1] == '_') && s + 4 < name + len)
			return true;
	return false;
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

bool use_writes(const struct use *u)
{
	return (u->does & (DOES_WRITE | DOES_INIT)) == DOES_WRITE;
}

bool code_is_control_call(const char *callee, size_t len)
{
	for (size_t i = 0; i < sizeof(control_callees) / sizeof(control_callees[0]); i++) {
		const char *name = control_callees[i];
		size_t plain = strcspn(name, "*");

		if (len >= plain && !memcmp(callee, name, plain) && (name[plain] || len == plain))
			return true;
	}
	return false;
}

bool code_is_control_type(const char *record)
{
	for (size_t i = 0; i < sizeof(control_types) / sizeof(control_types[0]); i++)
		if (!strcmp(control_types[i], record))
			return true;
	return false;
}

enum code_phase phase_of_handler(const char *record, const char *member)
{
	size_t len = strlen(record);

	if (!strcmp(member, "probe") || !strcmp(member, "remove"))	/* of a driver */
		return PHASE_SETUP;
	for (size_t i = 0; i < sizeof(control_tables) / sizeof(control_tables[0]); i++) {
		const char *name = control_tables[i] + (control_tables[i][0] == '*');
		size_t end = strlen(name);

		if (len >= end && !strcmp(record + len - end, name) && (name != control_tables[i] || len == end))
			return PHASE_CONTROL;
	}
	return PHASE_RUN;
}

bool code_makes_object(const char *callee, size_t len)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		size_t word = strlen(makers[i]);

		for (const char *s = callee; (s = memmem(s, len - (s - callee), makers[i], word)); s++)
			if (s + word == callee + len || s[word] == '_')
				return true;
	}
	return false;
}

void doing_add(struct doing *d, unsigned int does, double often)
{
	d->does |= does;
	d->in_place |= does == (DOES_READ | DOES_WRITE);
	d->reads += does & DOES_READ ? often : 0;
	d->writes += (does & (DOES_WRITE | DOES_INIT)) == DOES_WRITE ? often : 0;
	d->gives += does & DOES_ADDRESS ? often : 0;
}

void tally_add(struct tally *t, const struct doing *d, double reached)
{
	bool writes = d->does & DOES_WRITE;

	if (d->phase == PHASE_SETUP || d->does & DOES_INIT) {
		t->setup++;
		return;
	}
	if (d->phase == PHASE_CONTROL && writes) {
		t->control++;
		return;
	}
	t->writers += writes;
	t->in_place += d->in_place;
	t->readers += !writes && d->does & DOES_READ;
	t->addresses += !writes && !(d->does & DOES_READ);
	t->reads += reached * chance(d->reads);
	t->writes += reached * chance(d->writes);
	t->gives += reached * chance(d->gives);
}

void tally_of_path(struct tally *t)
{
	t->reads = chance(t->reads);
	t->writes = chance(t->writes);
}

/* One run in that many may write what the others read, and it stays read-mostly: docs/evidence.md has what others give. */
#define READS_A_WRITE	10

enum access_class tally_class(const struct tally *t)
{
	if (t->writes * READS_A_WRITE >= t->reads && t->writes > 0)
		return CLASS_WRITTEN;
	if (t->gives > t->reads || t->reads <= 0)
		return CLASS_NONE;
	return CLASS_READ_MOSTLY;
}

enum access_class tally_class_of_change(const struct tally *t)
{
	enum access_class class = tally_class(t);

	return class == CLASS_WRITTEN && !t->in_place ? CLASS_NONE : class;
}

static char *add_count(char *text, unsigned int count, const char *one)
{
	const char *plural = one[strlen(one) - 1] == 'r' && count != 1 ? "s" : "";

	return count ? arena_printf("%s, %u %s%s", text, count, one, plural) : text;
}

const char *tally_text(const struct tally *t, const char *from)
{
	char *text = add_count(arena_strdup(from), t->readers, "reader");
	text = add_count(text, t->writers, "writer");
	text = add_count(text, t->addresses, "by address");
	text = add_count(text, t->control, "by request");
	return add_count(text, t->setup, "set-up");
}
