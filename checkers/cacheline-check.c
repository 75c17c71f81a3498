/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cacheline-check: what the GCC plugin finds, on sparse's parse (AST level), as CHECK= of a kernel build. Words of its own
 * come first, then the kernel's flags and the file, as kbuild adds them:
 *
 *	make C=1 CHECK="cacheline-check --only=shared-apart,align-lost"
 *
 * LINEKEEPER_THEN="sparse -Wsparse-all" in the environment: that checker gets the same flags and file afterwards.
 * Exit status: 0 done, findings or not, and for what cannot be parsed too, which is said; 1 --error and a finding; 2 wrong use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "common/accesses.h"
#include "common/classes_file.h"
#include "common/sparse_records.h"
#include "common/tree_files.h"
#include "common/unit_options.h"
#include "compare.h"
#include "doc_table.h"
#include "fields_since.h"
#include "json.h"
#include "kept_lines.h"
#include "lost_attribute.h"
#include "once.h"
#include "rules.h"
#include "rules_option.h"
#include "show.h"
#include "spelling.h"

static const char usage_text[] =
"usage: cacheline-check [--error] [--only=ID,...] [--no-ID]... [--line-size=N] [--placements=any|aligned]\n"
"                       [--asserts] [--once=FOLDER] [--classes=FILE] [--dump=FILE] [--show=STRUCT]...\n"
"                       [--before=DUMP | --ranked=DUMP]\n"
"                       " UNIT_OPTIONS_USAGE "\n"
"                       [--] [COMPILER FLAG...] FILE.c\n";

struct check {
	struct unit_options options;
	struct rules rules;
	struct evidence evidence;
	bool error;			/* a finding is an error */
	bool asserts;			/* those in function bodies too that stop the build */
	const char *once;		/* folder of the record; NULL: none can be kept */
	const char *dump;		/* file for the unit's layouts; NULL: nobody wants them */
	const char *before;		/* such a file of an earlier state; NULL: there is none to compare with */
	const char *ranked;		/* such a file, whose structs are judged instead of the unit's, candidates ranked; NULL: none */
	const char *classes;		/* classes_file.h; NULL: none */
	const char **shown;		/* structs whose layouts are wanted too */
	struct record **layouts;	/* theirs; NULL: the unit has none of that name */
	size_t nr_shown, room;
	char **argv;			/* flags and file; the word before the first is free */
	int argc;
	bool judged;
};

static void __attribute__((noreturn)) usage(void)
{
	fputs(usage_text, stderr);
	exit(2);
}

static void __attribute__((noreturn)) wrong_option(const char *word)
{
	bool about_ids = !strncmp(word, "--only=", 7) || !strncmp(word, "--no-", 5);

	fprintf(stderr, "cacheline-check: option '%s' is unknown or has a wrong value%s%s\n", word, about_ids ? "; ids are " : "",
		about_ids ? rules_ids() : "");
	if (about_ids)
		exit(2);
	usage();
}

static bool set_option(struct check *check, const char *word)
{
	const char *equals = strchr(word, '=');
	const char *key = equals ? arena_strndup(word, equals - word) : word, *value = equals ? equals + 1 : NULL;

	if (!strcmp(key, "error") && !value)
		return check->error = true;
	if (!strcmp(key, "asserts") && !value)
		return check->asserts = true;
	if (value && *value && !strcmp(key, "show")) {
		*ARENA_PUSH(check->shown, check->nr_shown, check->room) = value;
		return true;
	}
	if (value && *value) {
		const char **file = !strcmp(key, "once") ? &check->once : !strcmp(key, "dump") ? &check->dump :
				    !strcmp(key, "before") ? &check->before : !strcmp(key, "ranked") ? &check->ranked :
				    !strcmp(key, "classes") ? &check->classes : NULL;

		if (file) {
			*file = value;
			return true;
		}
	}
	return rules_option(&check->rules, key, value);
}

/* kbuild's CHECKFLAGS have options with two dashes as well, but begin with one that has not */
static void parse_options(struct check *check, int argc, char **argv)
{
	int i = 1;

	while (i < argc && !strncmp(argv[i], "--", 2) && strncmp(argv[i], "--arch=", 7)) {
		int taken = unit_option(&check->options, argv + i);

		i += taken ? taken : 1;
		if (!strcmp(argv[i - 1], "--") && !taken)
			break;
		if (!taken && !strcmp(argv[i - 1], "--help"))
			exit(fputs(usage_text, stdout) == EOF ? 2 : 0);
		if (!taken && !set_option(check, argv[i - 1] + 2))
			wrong_option(argv[i - 1]);
	}
	if (i >= argc)
		usage();
	check->argc = argc - i;
	check->argv = argv + i;
}

static void say(struct place at, const char *severity, const char *text)
{
	fprintf(stderr, "%s:%u:%u: %s: %s\n", at.file, at.line, at.col, severity, text);
}

/* an error is said by every unit; of all else a header's is said once in a run of make */
static void report(const struct check *check, const struct finding *f)
{
	bool is_error = f->error || check->error;

	if (!is_error && once_said(check->once, &f->place, f->id, f->text))
		return;
	say(f->place, is_error ? "error" : "warning", arena_printf("%s [-Wcacheline-%s]", f->text, f->id));
	if (f->note)
		say(f->note_place, "note", f->note);
}

static void report_assert(const struct check *check, struct failed_assert failed)
{
	strip_place(&check->options, &failed.place);
	say(failed.place, "error", arena_printf("%s [-Wcacheline-layout-assert]", failed.text));
}

static bool is_shuffled(struct record *r)
{
	if (r->shuffled == NOT_ASKED) {
		r->shuffled = r->randomized ? YES : NO;
		for (size_t i = 0; i < r->nr_members && r->shuffled == NO; i++)
			if (r->members[i].record && is_shuffled(r->members[i].record))
				r->shuffled = YES;
	}
	return r->shuffled == YES;
}

/* what randstruct makes of it is not known here, so nothing is said of it but that */
static void judge(struct check *check, const struct unit *unit, struct record *r)
{
	static const char text[] = "not judged: CONFIG_RANDSTRUCT shuffles the struct";
	size_t before = check->rules.nr;
	struct place at = r->place;

	rules_judge(&check->rules, r);
	if (check->rules.nr == before || !unit->randstruct || !is_shuffled(r))
		return;
	check->rules.nr = before;
	strip_place(&check->options, &at);
	if (!once_said(check->once, &at, "randstruct", text))
		say(at, "note", text);
}

static bool is_same_name(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool has_same_members(const struct record *a, const struct record *b)
{
	size_t i = 0;

	while (i < a->nr_members && i < b->nr_members && is_same_name(a->members[i].name, b->members[i].name))
		i++;
	return i == a->nr_members && i == b->nr_members;
}

/* struct_group() declares its members twice: those of the struct with a name are those of the one without, beside it */
static bool is_named_twin(const struct member *m, const struct record *outer)
{
	for (size_t i = 0; i < outer->nr_members && outer->is_union && m->record && !m->array; i++)
		if (!outer->members[i].name && outer->members[i].record && has_same_members(outer->members[i].record, m->record))
			return true;
	return false;
}

/* members of an anonymous struct or union are judged where it stands, with those around it: id is free for a mark */
static void judge_all(struct check *check, const struct unit *unit)
{
	const struct dump *d = &unit->dump;

	for (size_t i = 0; i < d->nr; i++)
		d->records[i]->id = 0;
	for (size_t i = 0; i < d->nr; i++)
		for (size_t k = 0; k < d->records[i]->nr_members; k++) {
			const struct member *m = &d->records[i]->members[k];

			if (m->record && (!m->name || is_named_twin(m, d->records[i])))
				m->record->id = 1;
		}
	for (size_t i = 0; i < d->nr; i++)
		if (!d->records[i]->id)
			judge(check, unit, d->records[i]);
}

static void judge_variable(const char *name, struct place place, void *rules)
{
	lost_attribute(rules, name, place);
}

static const struct record *find_record(const char *name, void *dump)
{
	return unit_find((const struct dump *)dump, name);
}

static const struct struct_text *text_of(const char *file, void *dump)
{
	(void)dump;
	return source_text(file);
}

/*
 * Those of the structs that this unit defines, whose members have the classes that they state. One unit of a run of make
 * compares a table, for all do it alike.
 */
static void read_tables(struct check *check, const struct dump *d)
{
	const char *tree = getenv("srctree");		/* kbuild's */
	struct rules *rules = &check->rules;
	struct doc_table *tables;
	size_t nr;

	tables = doc_tables_read(tree ? tree : ".", &nr);
	for (size_t i = 0; i < nr; i++) {
		struct record *r = dump_find(d, tables[i].record);

		if (!r)
			continue;
		doc_table_apply(&tables[i], r);
		if (rules_wants(rules, "doc-table") && !once_said(check->once, &tables[i].place, "doc-table", tables[i].record))
			tables[rules->nr_tables++] = tables[i];
	}
	rules->tables = tables;
}

/* the index knows the files of an O= build by their names in the source tree */
static void read_classes(const struct check *check, const struct dump *d)
{
	struct unit_options options = check->options;
	const char *tree = getenv("srctree");

	if (tree)
		*ARENA_PUSH(options.strips, options.nr_strips, options.room) = tree;
	classes_read(check->classes, &options, d->records, d->nr);
}

/* source was looked at under the names that the compiler would use; what is said has the user's */
static void strip_all(struct check *check, const struct dump *d)
{
	for (size_t i = 0; i < check->rules.nr; i++) {
		strip_place(&check->options, &check->rules.findings[i].place);
		strip_place(&check->options, &check->rules.findings[i].note_place);
	}
	for (size_t i = 0; i < d->nr; i++) {
		strip_place(&check->options, &d->records[i]->place);
		for (size_t k = 0; k < d->records[i]->nr_members; k++)
			strip_place(&check->options, &d->records[i]->members[k].place);
	}
}

static void write_dump(const struct dump *d, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		fatal("%s: %s", path, strerror(errno));
	dump_write(d, out);
	if (fclose(out))
		fatal("%s: %s", path, strerror(errno));
}

/* of structs of one name, each in a function of its own, the one of the same turn; NULL: there are not so many */
static const struct record *same_turn(const struct dump *before, const struct dump *d, const struct record *r)
{
	const char *title = record_title(r);
	size_t turn = 0;

	for (size_t i = 0; d->records[i] != r; i++)
		turn += d->records[i]->name && !strcmp(record_title(d->records[i]), title);
	for (size_t i = 0; i < before->nr; i++)
		if (before->records[i]->name && !strcmp(record_title(before->records[i]), title) && !turn--)
			return before->records[i];
	return NULL;
}

/* the structs whose layout is not what it was, or that were not there: as JSON on stdout, and what is to be said of their members */
static void compare_with(struct check *check, const struct unit *unit, const struct dump *before)
{
	const struct dump *d = &unit->dump;
	const char *sep = "\n ";

	fputs("[", stdout);
	for (size_t i = 0; i < d->nr; i++) {
		struct record *r = d->records[i];
		const struct record *old;
		struct fields_since since;

		if (!r->name || (unit->randstruct && is_shuffled(r)))
			continue;
		old = dump_find(before, record_title(r));
		if (old)
			overlays_judge(&check->rules, old, r);
		if (old && !same_layout(old, r))
			old = same_turn(before, d, r);
		if (old && same_layout(old, r))
			continue;
		fields_since(&since, old, r, before->line_size, d->line_size);
		fields_since_judge(&check->rules, &since);
		fputs(sep, stdout);
		fields_since_json(&since, stdout);
		sep = ",\n ";
	}
	fputs("\n]\n", stdout);
	finish_stdout();
}

/* somebody watches these: that is enough for rules that speak of few others */
static void find_shown(struct check *check, const struct dump *d)
{
	check->layouts = arena_alloc(check->nr_shown * sizeof(*check->layouts));
	for (size_t i = 0; i < check->nr_shown; i++) {
		check->layouts[i] = unit_find(d, check->shown[i]);
		if (!check->layouts[i])
			continue;
		check->layouts[i]->watched = YES;
		spell_records(&check->layouts[i], 1, overlay_of);
	}
}

static void print_file(const char *file, struct place from, void *sep)
{
	(void)from;
	fputs(*(const char **)sep, stdout);
	json_string(file, stdout);
	*(const char **)sep = ", ";
}

/* as JSON on stdout: the files that the unit has read, and the layouts that are wanted, null for what it does not define */
static void print_shown(const struct check *check, const struct dump *d)
{
	const char *sep = "";

	fputs("{\"files\": [", stdout);
	unit_files(print_file, &sep);
	fputs("],\n\"structs\": ", stdout);
	json_records(check->layouts, check->nr_shown, d->line_size, stdout);
	fputs("}\n", stdout);
	finish_stdout();
}

static int by_rank(const void *a, const void *b)
{
	const struct finding *f = a, *other = b;

	return f->rank != other->rank ? (f->rank < other->rank) - (f->rank > other->rank) : strcmp(f->text, other->text);
}

/* candidates on stdout, the best first */
static void print_ranked(struct rules *rules)
{
	qsort(rules->findings, rules->nr, sizeof(*rules->findings), by_rank);
	for (size_t i = 0; i < rules->nr; i++)
		printf("%s:%u: %s\n", rules->findings[i].place.file, rules->findings[i].place.line, rules->findings[i].text);
	finish_stdout();
}

static void judge_unit(struct check *check, struct unit *unit)
{
	struct rules *rules = &check->rules;

	rules->line_size = unit->dump.line_size;
	rules->abi = unit->dump.abi;
	rules->asserts = unit->asserts;
	rules->nr_asserts = unit->nr_asserts;
	rules->stopped = check->asserts;
	rules->find_record = find_record;
	rules->text_of = text_of;
	rules->find_data = &unit->dump;
	find_shown(check, &unit->dump);
	read_tables(check, &unit->dump);
	if (check->classes)
		read_classes(check, &unit->dump);
	if (unit->has_writers)
		accesses_collect(&check->evidence);
	rules->evidence = unit->has_writers ? &check->evidence : NULL;
	judge_all(check, unit);
	unit_variables(judge_variable, rules);
	for (size_t i = 0; i < unit->nr_led; i++)
		lost_in_front(rules, unit->led[i], overlay_of(unit->led[i]->place.file));
	strip_all(check, &unit->dump);
}

static int check_unit(struct check *check, struct unit *unit)
{
	struct rules *rules = &check->rules;
	const char *file = check->argv[check->argc - 1], *foreign = check->options.abi ? NULL : unit_foreign(check->argv);
	const struct dump *before = check->before ? dump_read(check->before) : NULL;
	const struct dump *instead = check->ranked ? dump_read(check->ranked) : NULL;

	if ((check->before && !before) || (check->ranked && !instead))
		return 2;
	if (foreign) {
		if (!once_said(check->once, &(struct place) { 0 }, "abi", foreign))
			fprintf(stderr, "%s: error: not judged, as all others: the ABI of %s is not known (known: %s)\n", file, foreign,
				abi_names());
		return check->error;
	}
	unit->with_asserts = check->asserts;
	unit->with_writers = rules_wants(rules, "class-contradicted");
	unit_parse(unit, check->options.abi, rules->line_size ? rules->line_size : check->options.line_size,
		   check->argc + 1, check->argv - 1);
	if (unit->failed) {
		fprintf(stderr, "%s: error: not judged: sparse cannot parse it\n", file);
		return check->error;
	}
	if (check->ranked) {
		unit->dump.records = instead->records;
		unit->dump.nr = instead->nr;
	}
	judge_unit(check, unit);
	if (before)
		compare_with(check, unit, before);
	if (check->nr_shown)
		print_shown(check, &unit->dump);
	if (check->dump)
		write_dump(&unit->dump, check->dump);
	if (check->ranked)
		print_ranked(rules);
	else
		for (size_t i = 0; i < rules->nr; i++)
			report(check, &rules->findings[i]);
	for (size_t i = 0; i < unit->failed_asserts.nr; i++)
		report_assert(check, unit->failed_asserts.list[i]);
	return check->error && (rules->nr || unit->wrong);
}

/* the user's own checker, with what kbuild gave us; words are split at blanks, no shell reads them */
static int run_next(const struct check *check)
{
	const char *next = getenv("LINEKEEPER_THEN");
	char **argv = NULL, *word, *rest = arena_strdup(next ? next : "");
	size_t nr = 0, room = 0;
	int status;
	pid_t pid;

	while ((word = strsep(&rest, " \t")))
		if (*word)
			*ARENA_PUSH(argv, nr, room) = word;
	if (!nr)
		return 0;
	for (int i = 0; i <= check->argc; i++)
		*ARENA_PUSH(argv, nr, room) = check->argv[i];
	fflush(stderr);
	pid = fork();
	if (!pid) {
		execvp(argv[0], argv);
		fprintf(stderr, "cacheline-check: LINEKEEPER_THEN: %s: %s\n", argv[0], strerror(errno));
		_exit(2);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fatal("%s: %s", argv[0], strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/*
 * sparse ends the process where it cannot go on, with a missing header for one. The build goes on, and knows what it does
 * not know.
 */
static void on_exit_of_sparse(int status, void *data)
{
	const struct check *check = data;

	if (check->judged || status != 1)
		return;
	fprintf(stderr, "%s: error: not judged: sparse cannot parse it\n", check->argv[check->argc - 1]);
	status = run_next(check);
	_exit(status > check->error ? status : check->error);
}

int main(int argc, char **argv)
{
	static struct check check;		/* outlives main(), for on_exit() */
	struct unit unit = { .without_bodies = true };
	int status, status_of_next;

	parse_options(&check, argc, argv);
	unit.with_types = check.dump || check.nr_shown;
	if (!check.once)
		check.once = once_default_folder();
	on_exit(on_exit_of_sparse, &check);
	status = check_unit(&check, &unit);
	check.judged = true;
	status_of_next = run_next(&check);
	return status > status_of_next ? status : status_of_next;
}
