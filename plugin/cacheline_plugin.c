/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GCC plugin: holds structs to what include/cacheline_layout.h lets them say, when the compiler has laid them out. Thin:
 * it fills lib's record from GCC's types, and prints lib's findings. It runs on types only, before any code is
 * looked at, and changes nothing, so the object is the same with and without it.
 */
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "config.h"
#include "system.h"
#include "coretypes.h"
#include "tree.h"
#include "c-family/c-common.h"	/* before diagnostic-core.h */
#include "diagnostic-core.h"
#include "stringpool.h"
#include "attribs.h"
#include "intl.h"
#include "bitmap.h"
#include "tree-pretty-print.h"

extern "C" {
#include "annotation.h"
#include "arena.h"
#include "json.h"
#include "lost_attribute.h"
#include "once.h"
#include "rcu_head.h"
#include "rules.h"
#include "rules_option.h"
#include "spelling.h"
}

/* of C's compiler; the one for LTO, which is given the plugin too, has none and parses nothing */
extern tree identifier_global_tag(tree) __attribute__((weak));
extern tree identifier_global_value(tree) __attribute__((weak));

int plugin_is_GPL_compatible;

static struct plugin_info info = {
	"1",
	"line-size=N\tbytes of a cache line (default 64)\n"
	"placements=any|aligned\twhere objects start: as their type allows (default), or on a line\n"
	"error\ta finding is an error\n"
	"only=ID,...\tthese findings only\n"
	"no-ID\tnot this finding\n"
	"once=FOLDER\twhat another unit of this run of make has said is not said again; once: a folder of its own choice\n"
	"report=FILE\tthe annotated structs as JSON; FOLDER/: a file there for each unit\n"
	"strict\tanother compiler version is an error, not a warning\n",
};

struct named_type {
	const char *name;
	tree type;
};

struct options {
	struct rules rules;
	bool error, strict;
	const char *once;		/* a folder, or NULL */
	const char *report;		/* a file or a folder, or NULL */
	bitmap seen;			/* TYPE_UIDs, which are never used again, of what was looked at */
	vec<tree> types;		/* to be judged at the end of the unit */
	vec<struct group_assert> asserts;
	vec<struct named_type> named;	/* of which an assert takes the size: at the end no name is known any more */
};

/* what a macro declared lies where the macro is used */
static struct place place_of(location_t where)
{
	expanded_location at;

	where = linemap_resolve_location(line_table, where, LRK_MACRO_EXPANSION_POINT, NULL);
	at = expand_location(where);
	struct place place = { at.file, (unsigned int)at.line, (unsigned int)at.column, where };

	return place;
}

/* an error is said by every unit: none of their objects may come to be */
static bool report(const struct options *options, bool is_error, location_t where, const char *id, const char *text)
{
	const struct place at = place_of(where);

	if (is_error || options->error)
		error_at(where, "%s [-Wcacheline-%s]", text, id);
	else if (once_said(options->once, &at, id, text))
		return false;
	else
		warning_at(where, 0, "%s [-Wcacheline-%s]", text, id);
	return true;
}

static const char *string_arg(tree args)
{
	tree value = args ? TREE_VALUE(args) : NULL_TREE;

	return value && TREE_CODE(value) == STRING_CST ? TREE_STRING_POINTER(value) : NULL;
}

/* 0: it is none */
static unsigned long long number_of(tree value)
{
	return value && tree_fits_uhwi_p(value) ? tree_to_uhwi(value) : 0;
}

static unsigned long long second_number(tree args)
{
	return TREE_CHAIN(args) ? number_of(TREE_VALUE(TREE_CHAIN(args))) : 0;
}

/* on a member or on a struct's type; what it says is read when the struct is finished */
static tree on_attribute(tree *node, tree name, tree args, int, bool *no_add)
{
	const char *word = string_arg(args), *why = "its first argument is no string";
	bool is_type = TYPE_P(*node);

	*no_add = true;
	if (!word || !annotation_add(NULL, word, string_arg(TREE_CHAIN(args)), second_number(args), &why))
		error("%qE: %s", name, why);
	else if (is_type != !strcmp(word, "budget"))
		error("%qE: %qs belongs %s", name, word, is_type ? "behind a member" : "behind a struct's closing brace");
	else
		*no_add = false;
	return NULL_TREE;
}

static struct attribute_spec layout_attribute = {
	"cacheline_layout", 1, 2, false, false, false, false, on_attribute, NULL,
};

/*
 * GCC does not take an attribute twice. Of two plugins, the kernel's own and one by KCFLAGS, the first does the work.
 */
static bool is_second(const char *name)
{
	if (!lookup_attribute_spec(get_identifier("cacheline_layout")))
		return false;
	inform(UNKNOWN_LOCATION, "plugin %qs: another copy is loaded, and checks; this one does nothing", name);
	unregister_callback(name, PLUGIN_FINISH_TYPE);
	unregister_callback(name, PLUGIN_FINISH_DECL);
	unregister_callback(name, flag_syntax_only ? PLUGIN_FINISH : PLUGIN_FINISH_UNIT);
	return true;
}

static void on_attributes(void *, void *name)
{
	if (!is_second((const char *)name))
		register_attribute(&layout_attribute);
}

/* the annotations are known to a compiler of another version too, but none of its trees is looked at */
static void on_attributes_unread(void *, void *name)
{
	if (is_second((const char *)name))
		return;
	layout_attribute.handler = NULL;
	register_attribute(&layout_attribute);
}

static const struct annotation *annotations_of(tree attributes)
{
	const struct annotation *list = NULL;
	const char *why;

	for (tree a = lookup_attribute("cacheline_layout", attributes); a;
	     a = lookup_attribute("cacheline_layout", TREE_CHAIN(a))) {
		tree args = TREE_VALUE(a);
		const struct annotation *more = annotation_add(list, string_arg(args), string_arg(TREE_CHAIN(args)),
							       second_number(args), &why);

		list = more ? more : list;
	}
	return list;
}

static const char *identifier(tree decl_or_id)
{
	return decl_or_id ? IDENTIFIER_POINTER(decl_or_id) : NULL;
}

static bool is_record(tree type)
{
	return TREE_CODE(type) == RECORD_TYPE || TREE_CODE(type) == UNION_TYPE;
}

/* gcc 11 has no startswith() */
static bool is_named(tree decl, const char *prefix)
{
	return DECL_NAME(decl) && !strncmp(identifier(DECL_NAME(decl)), prefix, strlen(prefix));
}

static bool is_group_marker(tree field)
{
	return is_named(field, "__cacheline_group_begin__");
}

/* a struct's tag, or the typedef of a struct without one: that names a variant of the type */
static const char *name_of_type(tree type, bool *by_typedef)
{
	for (type = TYPE_MAIN_VARIANT(type); type && !TYPE_NAME(type); )
		type = TYPE_NEXT_VARIANT(type);
	tree name = type ? TYPE_NAME(type) : NULL_TREE;

	*by_typedef = name && TREE_CODE(name) == TYPE_DECL;
	return identifier(*by_typedef ? DECL_NAME(name) : name);
}

static bool is_rcu_head(tree type)
{
	bool by_typedef;
	const char *name = is_record(type) ? name_of_type(type, &by_typedef) : NULL;

	return name && !strcmp(name, "callback_head");
}

/* bytes, what aligned(N) asks for; 0: nothing does */
static unsigned int asked_align(tree attributes)
{
	unsigned int align = 0;

	for (tree a = lookup_attribute("aligned", attributes); a; a = lookup_attribute("aligned", TREE_CHAIN(a))) {
		unsigned int more = TREE_VALUE(a) ? number_of(TREE_VALUE(TREE_VALUE(a))) : BIGGEST_ALIGNMENT / BITS_PER_UNIT;

		align = more > align ? more : align;
	}
	return align;
}

static bool is_annotated(tree type)
{
	if (is_record(type))
		for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
			if (TREE_CODE(field) == FIELD_DECL && lookup_attribute("cacheline_layout", DECL_ATTRIBUTES(field)))
				return true;
	return false;
}

/* does it ask for a line or more, or is of an annotated struct, and is its alignment in doubt? */
static bool may_lose_alignment(tree field, tree outer, unsigned int line_size)
{
	tree type = TREE_TYPE(field);
	unsigned int asked = asked_align(DECL_ATTRIBUTES(field));

	asked = MAX(asked, TYPE_ALIGN_UNIT(type));
	asked = MAX(asked, TYPE_ALIGN_UNIT(TYPE_MAIN_VARIANT(strip_array_types(type))));
	return (DECL_ALIGN_UNIT(field) < asked || TYPE_ALIGN_UNIT(outer) < asked) &&
	       (asked >= line_size || is_annotated(strip_array_types(type)));
}

static bool is_judged_field(tree field, tree outer, unsigned int line_size)
{
	bool is_large = number_of(TYPE_SIZE_UNIT(outer)) > KFREE_RCU_LIMIT;

	return lookup_attribute("cacheline_layout", DECL_ATTRIBUTES(field)) || is_group_marker(field) ||
	       is_named(field, "____cacheline_") || is_annotated(TREE_TYPE(field)) || may_lose_alignment(field, outer, line_size) ||
	       (is_large && is_rcu_head(TREE_TYPE(field)));
}

/*
 * Worth a record: annotated, with a group, with a member that asks for an alignment and may not get it, or with an rcu_head
 * where it may lie too far into it. outer is the type, or of an anonymous member the struct around.
 */
static bool is_judged(tree type, tree outer, unsigned int line_size)
{
	if (lookup_attribute("cacheline_layout", TYPE_ATTRIBUTES(type)))
		return true;
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
		tree of = TREE_TYPE(field);

		if (TREE_CODE(field) != FIELD_DECL || of == error_mark_node)
			continue;
		if (is_judged_field(field, outer, line_size) ||
		    (!DECL_NAME(field) && is_record(of) && is_judged(of, outer, line_size)))
			return true;
	}
	return false;
}

static struct record *record_of(tree type, bool with_types);

static enum scalar scalar_of(tree type)
{
	static const enum scalar integers[] = { SCALAR_CHAR, SCALAR_SHORT, SCALAR_INT, SCALAR_LLONG, SCALAR_INT128 };

	type = TYPE_MAIN_VARIANT(type);
	switch (TREE_CODE(type)) {
	case BOOLEAN_TYPE:
		return SCALAR_BOOL;
	case POINTER_TYPE:
		return SCALAR_POINTER;
	case REAL_TYPE:
		return type == float_type_node ? SCALAR_FLOAT : type == double_type_node ? SCALAR_DOUBLE :
		       type == long_double_type_node ? SCALAR_LDOUBLE : SCALAR_NONE;
	case ENUMERAL_TYPE:
		return SCALAR_INT;
	case INTEGER_TYPE:
		return type == long_integer_type_node || type == long_unsigned_type_node ? SCALAR_LONG :
		       integers[exact_log2(TYPE_PRECISION(type) / 8)];
	default:
		return SCALAR_NONE;
	}
}

/* bytes, the alignment that a typedef gives the type; 0: none does */
static unsigned int typedef_align(tree type)
{
	tree main = TYPE_MAIN_VARIANT(type);

	if (is_record(type))
		return TYPE_ALIGN_UNIT(type) != TYPE_ALIGN_UNIT(main) ? TYPE_ALIGN_UNIT(type) : 0;
	return TYPE_USER_ALIGN(type) ? TYPE_ALIGN_UNIT(type) : 0;
}

/* "long unsigned int", "struct list_head [2]": of what the source's text does not spell */
static const char *type_text(tree type)
{
	const char *dimensions = "";

	for (; TREE_CODE(type) == ARRAY_TYPE; type = TREE_TYPE(type)) {
		unsigned long long size = number_of(TYPE_SIZE(TREE_TYPE(type)));

		dimensions = arena_printf("%s%s[%llu]", dimensions, *dimensions ? "" : " ",
					  size ? number_of(TYPE_SIZE(type)) / size : 0);
	}
	return arena_printf("%s%s", print_generic_expr_to_str(type), dimensions);
}

static void add_type(struct member *m, tree type, bool with_types)
{
	unsigned long long size;

	if (with_types)
		m->type = type_text(type);
	m->type_align = typedef_align(type);
	m->count = 1;
	while (TREE_CODE(type) == ARRAY_TYPE) {
		m->array = true;
		m->flexible |= !TYPE_DOMAIN(type) || !TYPE_MAX_VALUE(TYPE_DOMAIN(type));
		type = TREE_TYPE(type);
	}
	size = number_of(TYPE_SIZE(type));
	if (m->array)
		m->count = size ? m->bit_size / size : 0;
	if (is_record(type) && COMPLETE_TYPE_P(type)) {
		m->record = record_of(TYPE_MAIN_VARIANT(type), with_types);
		return;
	}
	m->scalar = scalar_of(type);
	if (m->scalar == SCALAR_NONE || TREE_CODE(type) == ENUMERAL_TYPE)
		m->scalar_size = size / 8;
}

static void add_field(struct record *r, tree field, bool with_types)
{
	struct member *m = record_add(r);

	m->name = identifier(DECL_NAME(field));
	m->place = place_of(DECL_SOURCE_LOCATION(field));
	m->bitfield = DECL_BIT_FIELD_TYPE(field) != NULL_TREE;
	m->bit_offset = int_bit_position(field);
	m->bit_size = number_of(DECL_SIZE(field));
	m->width = m->bitfield ? m->bit_size : 0;
	m->packed = DECL_PACKED(field);
	m->align = DECL_ALIGN_UNIT(field);
	m->user_align = asked_align(DECL_ATTRIBUTES(field));
	m->annotations = annotations_of(DECL_ATTRIBUTES(field));
	add_type(m, m->bitfield ? DECL_BIT_FIELD_TYPE(field) : TREE_TYPE(field), with_types);
}

/* with the layout that GCC gave it, after randstruct too: lib's own is not asked; the types' names take time */
static struct record *record_of(tree type, bool with_types)
{
	struct record *r = (struct record *)arena_alloc(sizeof(*r));

	r->name = name_of_type(type, &r->by_typedef);
	r->is_union = TREE_CODE(type) == UNION_TYPE;
	r->packed = TYPE_PACKED(type);
	r->size = number_of(TYPE_SIZE_UNIT(type));
	r->align = TYPE_ALIGN_UNIT(type);
	r->user_align = asked_align(TYPE_ATTRIBUTES(type));
	r->annotations = annotations_of(TYPE_ATTRIBUTES(type));
	r->laid_out = true;
	if (TYPE_STUB_DECL(type))
		r->place = place_of(DECL_SOURCE_LOCATION(TYPE_STUB_DECL(type)));
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
		if (TREE_CODE(field) == FIELD_DECL && TREE_TYPE(field) != error_mark_node)
			add_field(r, field, with_types);
	return r;
}

static bool is_anonymous(tree field)
{
	return TREE_CODE(field) == FIELD_DECL && !DECL_NAME(field) && TREE_TYPE(field) != error_mark_node &&
	       is_record(TREE_TYPE(field));
}

static bool has_same_members(tree a, tree b)
{
	for (a = TYPE_FIELDS(a), b = TYPE_FIELDS(b); a && b && DECL_NAME(a) == DECL_NAME(b); a = DECL_CHAIN(a))
		b = DECL_CHAIN(b);
	return !a && !b;
}

/* struct_group() declares its members twice: those of the struct with a name are those of the one without, beside it */
static bool is_named_twin(tree field, tree outer)
{
	if (TREE_CODE(outer) != UNION_TYPE || TREE_CODE(field) != FIELD_DECL || TREE_CODE(TREE_TYPE(field)) != RECORD_TYPE)
		return false;
	for (tree other = TYPE_FIELDS(outer); other; other = DECL_CHAIN(other))
		if (is_anonymous(other) && has_same_members(TREE_TYPE(other), TREE_TYPE(field)))
			return true;
	return false;
}

/* members of an anonymous struct or union are judged where it stands, with those around it */
static void take_over_anonymous(struct options *options, tree type)
{
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
		tree of = TREE_TYPE(field);

		if (!is_anonymous(field) && !is_named_twin(field, type))
			continue;
		for (unsigned int i = 0; i < options->types.length(); i++)
			if (options->types[i] == TYPE_MAIN_VARIANT(of))
				options->types.ordered_remove(i--);
	}
}

/* a type of a function may be judged when GCC has no more use for it */
static void keep_types(void *options)
{
	for (tree type : ((struct options *)options)->types)
		gt_ggc_mx_tree_node(type);
	for (const struct named_type &named : ((struct options *)options)->named)
		gt_ggc_mx_tree_node(named.type);
}

/* of a struct with a tag and too little alignment, where more than "struct " stands in front of the tag on its line */
static void look_in_front(struct options *options, tree type)
{
	tree stub = TYPE_STUB_DECL(type);
	location_t where = stub ? DECL_SOURCE_LOCATION(stub) : UNKNOWN_LOCATION;

	if (!TYPE_NAME(type) || TREE_CODE(TYPE_NAME(type)) != IDENTIFIER_NODE || TYPE_ALIGN_UNIT(type) >= options->rules.line_size ||
	    linemap_location_from_macro_expansion_p(line_table, where) || LOCATION_COLUMN(where) <= (int)strlen("struct ") + 1)
		return;
	struct record r = { };

	r.name = identifier(TYPE_NAME(type));
	r.is_union = TREE_CODE(type) == UNION_TYPE;
	r.align = TYPE_ALIGN_UNIT(type);
	r.place = place_of(where);
	lost_in_front(&options->rules, &r, r.place.file);
}

/* a type is finished each time it is spoken of; a struct's main variant stands for all */
static void on_type(void *type_data, void *user_data)
{
	tree type = (tree)type_data;
	struct options *options = (struct options *)user_data;

	if (type == error_mark_node || !is_record(type) || !COMPLETE_TYPE_P(type))
		return;
	type = TYPE_MAIN_VARIANT(type);
	if (!bitmap_set_bit(options->seen, TYPE_UID(type)))
		return;
	look_in_front(options, type);
	if (!is_judged(type, type, options->rules.line_size))
		return;
	take_over_anonymous(options, type);
	options->types.safe_push(type);
}

/* "struct x", "union x" or the name of a typedef */
static tree type_of_name(const char *name)
{
	const char *tag = strchr(name, ' ');
	tree found = tag ? identifier_global_tag(get_identifier(tag + 1)) : identifier_global_value(get_identifier(name));

	if (found && TREE_CODE(found) == TYPE_DECL)
		found = TREE_TYPE(found);
	return found && TYPE_P(found) && is_record(found) && COMPLETE_TYPE_P(found) ? TYPE_MAIN_VARIANT(found) : NULL_TREE;
}

static unsigned long long note_type(const char *name, void *user_data)
{
	struct options *options = (struct options *)user_data;
	struct named_type named = { name, type_of_name(name) };

	if (named.type)
		options->named.safe_push(named);
	return NOT_KNOWN;
}

static const struct record *find_record(const char *name, void *user_data)
{
	for (const struct named_type &named : ((struct options *)user_data)->named)
		if (!strcmp(named.name, name))
			return record_of(named.type, false);
	return NULL;
}

/* by what the preprocessor says, which -m32 and the like change; NULL: lib does not know it */
static const struct abi *abi_of_target(void)
{
	static const struct {
		const char *macro, *abi;
	} targets[] = {
		{ "__aarch64__", "arm64" }, { "__arm__", "arm" }, { "__i386__", "i386" }, { "__powerpc64__", "ppc64" },
		{ "__powerpc__", "ppc32" }, { "__riscv_xlen", "riscv64" }, { "__s390x__", "s390" }, { "__x86_64__", "x86-64" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		const struct abi *abi = abi_find(targets[i].abi);

		if (cpp_macro_p(C_CPP_HASHNODE(get_identifier(targets[i].macro))) && abi->size[SCALAR_POINTER] == POINTER_SIZE_UNITS)
			return abi;
	}
	return NULL;
}

/* BUILD_BUG_ON() declares a function of which calls are an error, with its condition as the error's text */
static void on_function(struct options *options, tree decl)
{
	tree attribute = DECL_EXTERNAL(decl) ? lookup_attribute("error", DECL_ATTRIBUTES(decl)) : NULL_TREE;
	const char *text = attribute ? string_arg(TREE_VALUE(attribute)) : NULL;
	struct bound_on here = { NULL, options->rules.line_size, options->rules.line_size, note_type, options };
	struct group_assert found;

	/* every one that counts measures a member or a struct, few of the thousands do */
	if (!text || !(strstr(text, "sizeof") || strstr(text, "offsetof")) || !group_assert_parse(text, &found))
		return;
	found.place = place_of(DECL_SOURCE_LOCATION(decl));
	options->asserts.safe_push(found);
	options->rules.abi = options->rules.abi ? options->rules.abi : abi_of_target();
	here.abi = options->rules.abi;
	if (found.bound && here.abi)
		group_assert_bytes(&found, &here);
}

static void on_decl(void *decl_data, void *user_data)
{
	struct options *options = (struct options *)user_data;
	tree decl = (tree)decl_data;

	if (VAR_P(decl) && TREE_STATIC(decl) && !DECL_INITIAL(decl) && is_named(decl, "__"))
		lost_attribute(&options->rules, identifier(DECL_NAME(decl)), place_of(DECL_SOURCE_LOCATION(decl)));
	else if (TREE_CODE(decl) == FUNCTION_DECL)
		on_function(options, decl);
}

/* the report of this unit: the file itself, or one below the folder, which no ".." in the unit's name leaves */
static const char *report_path(const char *report)
{
	struct stat st;
	const char *path = report, *name = main_input_filename;

	if (report[strlen(report) - 1] != '/' && (stat(report, &st) || !S_ISDIR(st.st_mode)))
		return report;
	mkdir(report, 0777);
	for (size_t len; *name; name += len + !!name[len]) {
		len = strcspn(name, "/");
		if (!len || (len <= 2 && !strncmp(name, "..", len)))
			continue;
		path = arena_printf("%s/%.*s%s", path, (int)len, name, name[len] ? "" : ".json");
		if (name[len])
			mkdir(path, 0777);
	}
	return path;
}

/* readers see an old report or a new one, never a part */
static void write_report(const struct options *options, const vec<struct record *> &records)
{
	const char *path = report_path(options->report), *part = arena_printf("%s.%d", path, getpid());
	FILE *file = fopen(part, "w");
	bool good = file;

	if (file) {
		spell_records(records.address(), records.length(), NULL);
		json_records(records.address(), records.length(), options->rules.line_size, file);
		good = !ferror(file);
		good = !fclose(file) && good && !rename(part, path);
	}
	if (good)
		return;
	error("cacheline report %qs: %m", path);
	unlink(part);
}

static void on_finish(void *, void *user_data)
{
	struct options *options = (struct options *)user_data;
	struct rules *rules = &options->rules;

	rules->asserts = options->asserts.address();
	rules->nr_asserts = options->asserts.length();
	rules->find_record = find_record;
	rules->find_data = options;
	vec<struct record *> records = vNULL;

	for (unsigned int i = 0; i < options->types.length(); i++) {
		struct record *r = record_of(options->types[i], options->report);

		rules_judge(rules, r);
		if (options->report && record_is_annotated(r))
			records.safe_push(r);
	}
	if (options->report)
		write_report(options, records);
	for (size_t i = 0; i < rules->nr; i++) {
		const struct finding *f = &rules->findings[i];

		if (report(options, f->error, f->place.cookie, f->id, f->text) && f->note)
			inform(f->note_place.cookie, "%s", f->note);
	}
}

static bool set_option(struct options *options, const char *key, const char *value)
{
	if (!strcmp(key, "once") && (!value || *value)) {
		options->once = value ? value : once_default_folder();
		return true;
	}
	if (!strcmp(key, "report") && value && *value)
		return (options->report = value);
	if (!strcmp(key, "error") && !value)
		return options->error = true;
	if (!strcmp(key, "strict") && !value)
		return options->strict = true;
	return rules_option(&options->rules, key, value);
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
	static struct options options, *root = &options;
	static bitmap_obstack bits;
	static const struct ggc_root_tab roots[] = { { &root, 1, sizeof(root), keep_types, NULL }, LAST_GGC_ROOT_TAB };
	const char *name = args->base_name;

	options.rules.line_size = 64;
	for (int i = 0; i < args->argc; i++) {
		const char *key = args->argv[i].key, *value = args->argv[i].value;

		if (set_option(&options, key, value))
			continue;
		error("plugin %qs: option %<-fplugin-arg-%s-%s%s%s%> is unknown or has a wrong value", name, name, key,
		      value ? "=" : "", value ? value : "");
		return 1;
	}
	if (!plugin_default_version_check(version, &gcc_version)) {
		if (options.strict) {
			error("plugin %qs was built for gcc %s, not for this one: build it again", name, gcc_version.basever);
			return 1;
		}
		warning(0, "plugin %qs was built for gcc %s, not for this one: no struct is checked", name, gcc_version.basever);
		register_callback(name, PLUGIN_ATTRIBUTES, on_attributes_unread, (void *)name);
		return 0;
	}
	bitmap_obstack_initialize(&bits);
	options.seen = BITMAP_ALLOC(&bits);
	register_callback(name, PLUGIN_INFO, NULL, &info);
	register_callback(name, PLUGIN_REGISTER_GGC_ROOTS, NULL, (void *)roots);
	register_callback(name, PLUGIN_ATTRIBUTES, on_attributes, (void *)name);
	register_callback(name, PLUGIN_FINISH_TYPE, on_type, &options);
	register_callback(name, PLUGIN_FINISH_DECL, on_decl, &options);
	/* without code to make there is no end of the unit */
	register_callback(name, flag_syntax_only ? PLUGIN_FINISH : PLUGIN_FINISH_UNIT, on_finish, &options);
	return 0;
}
