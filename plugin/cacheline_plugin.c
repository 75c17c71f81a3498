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
#include "diagnostic-core.h"
#include "stringpool.h"
#include "attribs.h"
#include "intl.h"
#include "bitmap.h"

extern "C" {
#include "annotation.h"
#include "arena.h"
#include "once.h"
#include "rcu_head.h"
#include "rules.h"
}

int plugin_is_GPL_compatible;

static struct plugin_info info = {
	"1",
	"line-size=N\tbytes of a cache line (default 64)\n"
	"placements=any|aligned\twhere objects start: as their type allows (default), or on a line\n"
	"error\ta finding is an error\n"
	"only=ID,...\tthese findings only\n"
	"no-ID\tnot this finding\n"
	"once=FOLDER\twhat FOLDER has a record of in this run of make is not said again by another unit\n"
	"strict\tanother compiler version is an error, not a warning\n",
};

struct options {
	struct rules rules;
	bool error, strict;
	const char *once;		/* a folder, or NULL */
	bitmap seen;			/* TYPE_UIDs, which are never used again, of what was looked at */
	vec<tree> types;		/* to be judged at the end of the unit */
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

/* on a member or on a struct's type; what it says is read when the struct is finished */
static tree on_attribute(tree *node, tree name, tree args, int, bool *no_add)
{
	const char *word = string_arg(args), *why = "its first argument is no string";
	bool is_type = TYPE_P(*node);

	*no_add = true;
	if (!word || !annotation_add(NULL, word, string_arg(TREE_CHAIN(args)), 0, &why))
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

static void on_attributes(void *, void *)
{
	register_attribute(&layout_attribute);
}

/* the annotations are known to a compiler of another version too, but none of its trees is looked at */
static void on_attributes_unread(void *, void *)
{
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
							       number_of(TREE_CHAIN(args) ? TREE_VALUE(TREE_CHAIN(args)) : NULL_TREE), &why);

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

static const char *name_of_type(tree type, bool *by_typedef)
{
	tree name = TYPE_NAME(type);

	*by_typedef = name && TREE_CODE(name) == TYPE_DECL;
	return identifier(*by_typedef ? DECL_NAME(name) : name);
}

static bool is_rcu_head(tree type)
{
	bool by_typedef;
	const char *name = is_record(type) ? name_of_type(type, &by_typedef) : NULL;

	return name && !strcmp(name, "callback_head");
}

/*
 * Worth a record: annotated, with a group, with a member that asks for an alignment and may not get it, or with an rcu_head
 * where it may lie too far into it. outer is the type, or of an anonymous member the struct around.
 */
static bool is_judged(tree type, tree outer, unsigned int line_size)
{
	bool is_large = number_of(TYPE_SIZE_UNIT(outer)) > KFREE_RCU_LIMIT;

	if (lookup_attribute("cacheline_layout", TYPE_ATTRIBUTES(type)))
		return true;
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
		tree of = TREE_TYPE(field);

		if (TREE_CODE(field) != FIELD_DECL || of == error_mark_node)
			continue;
		if (lookup_attribute("cacheline_layout", DECL_ATTRIBUTES(field)) || is_group_marker(field))
			return true;
		if (DECL_PACKED(field) && TYPE_ALIGN_UNIT(of) >= line_size)
			return true;
		if (is_large && is_rcu_head(of))
			return true;
		if (!DECL_NAME(field) && is_record(of) && is_judged(of, outer, line_size))
			return true;
	}
	return false;
}

static struct record *record_of(tree type);

static void add_field(struct record *r, tree field)
{
	struct member *m = record_add(r);
	tree type = TREE_TYPE(field);

	m->name = identifier(DECL_NAME(field));
	m->place = place_of(DECL_SOURCE_LOCATION(field));
	m->bitfield = DECL_BIT_FIELD_TYPE(field) != NULL_TREE;
	m->bit_offset = int_bit_position(field);
	m->bit_size = number_of(DECL_SIZE(field));
	m->width = m->bitfield ? m->bit_size : 0;
	m->align = DECL_ALIGN_UNIT(field);
	m->user_align = DECL_USER_ALIGN(field) && !TYPE_USER_ALIGN(type) ? DECL_ALIGN_UNIT(field) : 0;
	m->annotations = annotations_of(DECL_ATTRIBUTES(field));
	while (TREE_CODE(type) == ARRAY_TYPE) {
		m->array = true;
		type = TREE_TYPE(type);
	}
	if (is_record(type) && COMPLETE_TYPE_P(type))
		m->record = record_of(type);
	if (m->array && m->record && m->record->size)
		m->count = m->bit_size / 8 / m->record->size;
}

/* with the layout that GCC gave it, after randstruct too: lib's own is not asked */
static struct record *record_of(tree type)
{
	struct record *r = (struct record *)arena_alloc(sizeof(*r));

	r->name = name_of_type(type, &r->by_typedef);
	r->is_union = TREE_CODE(type) == UNION_TYPE;
	r->packed = TYPE_PACKED(type);
	r->size = number_of(TYPE_SIZE_UNIT(type));
	r->align = TYPE_ALIGN_UNIT(type);
	r->annotations = annotations_of(TYPE_ATTRIBUTES(type));
	r->laid_out = true;
	if (TYPE_STUB_DECL(type))
		r->place = place_of(DECL_SOURCE_LOCATION(TYPE_STUB_DECL(type)));
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
		if (TREE_CODE(field) == FIELD_DECL && TREE_TYPE(field) != error_mark_node)
			add_field(r, field);
	return r;
}

/* members of an anonymous struct or union are judged where it stands, with those around it */
static void take_over_anonymous(struct options *options, tree type)
{
	for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
		tree of = TREE_TYPE(field);

		if (TREE_CODE(field) != FIELD_DECL || DECL_NAME(field) || of == error_mark_node || !is_record(of))
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
}

/* a type is finished each time it is spoken of; a struct's main variant stands for all */
static void on_type(void *type_data, void *user_data)
{
	tree type = (tree)type_data;
	struct options *options = (struct options *)user_data;

	if (type == error_mark_node || !is_record(type) || !COMPLETE_TYPE_P(type))
		return;
	type = TYPE_MAIN_VARIANT(type);
	if (!bitmap_set_bit(options->seen, TYPE_UID(type)) || !is_judged(type, type, options->rules.line_size))
		return;
	take_over_anonymous(options, type);
	options->types.safe_push(type);
}

/*
 * "} ____cacheline_aligned;" declares a variable of that name where nobody included linux/cache.h. It links, with
 * one unit, and the alignment is gone (linux-arch, 2022-01: dentry_operations).
 */
static void on_decl(void *decl_data, void *user_data)
{
	tree decl = (tree)decl_data;
	struct options *options = (struct options *)user_data;

	if (!VAR_P(decl) || !TREE_STATIC(decl) || DECL_INITIAL(decl) || !is_named(decl, "____cacheline_"))
		return;
	if (rules_wants(&options->rules, "align-lost"))
		report(options, false, DECL_SOURCE_LOCATION(decl), "align-lost",
		       arena_printf("'%s' is a variable here, no attribute: include linux/cache.h",
				    identifier(DECL_NAME(decl))));
}

static void on_finish(void *, void *user_data)
{
	struct options *options = (struct options *)user_data;
	struct rules *rules = &options->rules;

	for (unsigned int i = 0; i < options->types.length(); i++)
		rules_judge(rules, record_of(options->types[i]));
	for (size_t i = 0; i < rules->nr; i++) {
		const struct finding *f = &rules->findings[i];

		if (report(options, f->error, f->place.cookie, f->id, f->text) && f->note)
			inform(f->note_place.cookie, "%s", f->note);
	}
}

static bool set_line_size(struct rules *rules, const char *value)
{
	char *end;
	unsigned long size = value ? strtoul(value, &end, 10) : 0;

	if (!value || *end || size < 16 || size > 256 || (size & (size - 1)))
		return false;
	rules->line_size = size;
	return true;
}

static bool set_only(struct rules *rules, const char *value)
{
	for (const char *s = value; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		if (!rules_know(s, strcspn(s, ",")))
			return false;
	rules->only = value;
	return value != NULL;
}

static bool set_option(struct options *options, const char *key, const char *value)
{
	struct rules *rules = &options->rules;

	if (!strcmp(key, "line-size"))
		return set_line_size(rules, value);
	if (!strcmp(key, "only"))
		return set_only(rules, value);
	if (!strcmp(key, "once") && value && *value) {
		options->once = value;
		return true;
	}
	if (!strcmp(key, "placements") && value) {
		rules->aligned = !strcmp(value, "aligned");
		return rules->aligned || !strcmp(value, "any");
	}
	if (value)
		return false;
	if (!strcmp(key, "error"))
		return options->error = true;
	if (!strcmp(key, "strict"))
		return options->strict = true;
	if (strncmp(key, "no-", 3) || !rules_know(key + 3, strlen(key + 3)))
		return false;
	rules->without = rules->without ? arena_printf("%s,%s", rules->without, key + 3) : key + 3;
	return true;
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
		register_callback(name, PLUGIN_ATTRIBUTES, on_attributes_unread, NULL);
		return 0;
	}
	bitmap_obstack_initialize(&bits);
	options.seen = BITMAP_ALLOC(&bits);
	register_callback(name, PLUGIN_INFO, NULL, &info);
	register_callback(name, PLUGIN_REGISTER_GGC_ROOTS, NULL, (void *)roots);
	register_callback(name, PLUGIN_ATTRIBUTES, on_attributes, NULL);
	register_callback(name, PLUGIN_FINISH_TYPE, on_type, &options);
	register_callback(name, PLUGIN_FINISH_DECL, on_decl, &options);
	/* without code to make there is no end of the unit */
	register_callback(name, flag_syntax_only ? PLUGIN_FINISH : PLUGIN_FINISH_UNIT, on_finish, &options);
	return 0;
}
