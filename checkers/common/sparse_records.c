/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"
#include "allocate.h"
#include "token.h"
#include "parse.h"
#include "symbol.h"
#include "expression.h"
#include "scope.h"
#include "target.h"

#include "accesses.h"
#include "arena.h"
#include "declared.h"
#include "function_bodies.h"
#include "packed_enum.h"
#include "pragma_pack.h"
#include "read_mostly.h"
#include "show.h"
#include "sparse_hook.h"
#include "sparse_place.h"
#include "sparse_quiet.h"
#include "sparse_records.h"
#include "strmap.h"
#include "vector_mode.h"

/*
 * Where an alignment was written, in bits of ctype.modifiers that sparse leaves alone. sparse
 * keeps one number for the attribute, the typedef and the type's own; GCC treats the three
 * differently. For the attribute on a member there is a bit for each power of two.
 */
#define MOD_ALIGNED		0x00040000UL	/* the attribute, on a member or on a type */
#define MOD_ALIGNED_TYPEDEF	0x00080000UL	/* the attribute, on the typedef that a member is declared with */
#define MOD_PACKED_DECL		0x00100000UL
#define MOD_ALIGN_SHIFT		32
#define MOD_ALIGN_BITS		(~0UL << MOD_ALIGN_SHIFT)
#define MOD_WRITTEN		(MOD_ALIGNED | MOD_ALIGNED_TYPEDEF | MOD_PACKED_DECL | MOD_ALIGN_BITS)

_Static_assert(sizeof(((struct ctype *)0)->modifiers) == 8, "linekeeper is built for a 64-bit machine");

static struct unit *unit;		/* sparse's hooks take no argument of ours */

static const struct {
	struct symbol *type;
	enum scalar scalar;
} basic_types[] = {
	{ &bool_ctype, SCALAR_BOOL },
	{ &char_ctype, SCALAR_CHAR }, { &schar_ctype, SCALAR_CHAR }, { &uchar_ctype, SCALAR_CHAR },
	{ &short_ctype, SCALAR_SHORT }, { &sshort_ctype, SCALAR_SHORT }, { &ushort_ctype, SCALAR_SHORT },
	{ &int_ctype, SCALAR_INT }, { &sint_ctype, SCALAR_INT }, { &uint_ctype, SCALAR_INT },
	{ &long_ctype, SCALAR_LONG }, { &slong_ctype, SCALAR_LONG }, { &ulong_ctype, SCALAR_LONG },
	{ &llong_ctype, SCALAR_LLONG }, { &sllong_ctype, SCALAR_LLONG }, { &ullong_ctype, SCALAR_LLONG },
	{ &int128_ctype, SCALAR_INT128 }, { &sint128_ctype, SCALAR_INT128 }, { &uint128_ctype, SCALAR_INT128 },
	{ &float_ctype, SCALAR_FLOAT }, { &double_ctype, SCALAR_DOUBLE }, { &ldouble_ctype, SCALAR_LDOUBLE },
};

struct place place_of(struct position pos)
{
	const char *file = stream_name(pos.stream);

	return (struct place) { file + (strncmp(file, "./", 2) ? 0 : 2), pos.line, pos.pos, 0 };
}

/* show_ident() has but a few buffers, which it uses in turn */
static const char *name_of(const struct symbol *sym)
{
	return sym->ident ? arena_strdup(show_ident(sym->ident)) : NULL;
}

/* of one record, those of anonymous ones in it included: more is an attack; the largest of a kernel has some 700 */
#define MAX_MEMBERS		(1 << 15)

/* every record of a unit is the first part of one of these */
struct parsed {
	struct record record;
	struct symbol *type;
	size_t nr_flat;			/* members, those of anonymous ones included */
	bool begun;			/* its members are being read */
};

static struct record *record_of(struct symbol *type);

/* what the chain of typedefs, arrays and qualifiers around a member's type says */
struct decoded {
	struct symbol *base;		/* the type at its end */
	unsigned long written;		/* MOD_WRITTEN bits on the way */
};

static void decode_array(struct symbol *array, bool outermost, struct member *m)
{
	m->array = true;
	if (!array->array_size) {
		m->flexible = outermost;
		m->count = 0;
	} else {
		long long count = get_expression_value_silent(array->array_size);

		m->count *= count > 0 ? count : 0;
	}
}

/* what stands behind its brace was said of the type, not of the member */
static bool has_body_of_its_own(const struct symbol *type)
{
	return type->type == SYM_STRUCT || type->type == SYM_UNION || type->type == SYM_ENUM;
}

static struct decoded decode_type(struct symbol *decl, struct member *m)
{
	struct decoded d = { decl, decl->ctype.modifiers & MOD_WRITTEN };

	while (d.base) {
		switch (d.base->type) {
		case SYM_ARRAY:
			decode_array(d.base, !m->array, m);
			break;
		case SYM_BITFIELD:
			m->bitfield = true;
			m->width = d.base->bit_size;
			break;
		case SYM_NODE:
		case SYM_RESTRICT:
		case SYM_FOULED:
			break;
		case SYM_TYPEOF:
#ifdef HAVE_TYPEOF_UNQUAL
		case SYM_TYPEOF_UNQUAL:
#endif
			d.base = examine_symbol_type(d.base);
			continue;
		default:
			return d;
		}
		d.base = d.base->ctype.base_type;
		if (d.base && !has_body_of_its_own(d.base))
			d.written |= d.base->ctype.modifiers & MOD_WRITTEN;
	}
	return d;
}

static enum scalar basic_scalar(const struct symbol *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(basic_types); i++)
		if (basic_types[i].type == type)
			return basic_types[i].scalar;
	return SCALAR_NONE;
}

static void set_scalar(struct member *m, struct symbol *type)
{
	switch (type->type) {
	case SYM_PTR:
	case SYM_FN:
		m->scalar = SCALAR_POINTER;
		return;
	case SYM_ENUM:
		m->scalar = SCALAR_INT;
		break;
	default:
		m->scalar = basic_scalar(type);
	}
	if (m->scalar == SCALAR_NONE || type->type == SYM_ENUM)
		m->scalar_size = type->bit_size > 0 ? type->bit_size / 8 : 0;
}

/* of several attributes GCC takes the largest */
static unsigned int highest_bit(unsigned long bits)
{
	while (bits & (bits - 1))
		bits &= bits - 1;
	return bits;
}

/* sparse merges the alignments of a declaration; take them apart again */
static void set_alignment(struct member *m, unsigned long written, unsigned int align)
{
	m->packed = written & MOD_PACKED_DECL;
	if (written & MOD_ALIGNED_TYPEDEF)
		m->type_align = align;
	if (written & MOD_ALIGNED)
		m->user_align = highest_bit(written >> MOD_ALIGN_SHIFT);
}

/* is it a struct without a body up to here, or one whose members are being read? sparse takes it all the same. */
static bool is_incomplete(const struct symbol *type)
{
	const struct parsed *parsed = type->aux;

	return (type->type == SYM_STRUCT || type->type == SYM_UNION) && (!type->endpos.line || (parsed && parsed->begun));
}

static void add_member(struct record *r, struct symbol *decl)
{
	unsigned int align = decl->ctype.alignment;	/* as written: examining fills in the type's own */
	struct member *m = record_add(r);
	struct decoded d;

	m->annotations = declared_of_member(decl);	/* as written, too */
	examine_symbol_type(decl);
	m->name = name_of(decl);
	m->place = place_of(decl->pos);
	d = decode_type(decl, m);
	if (!d.base) {
		sparse_error(decl->pos, "member '%s' has no type", show_ident(decl->ident));
		return;
	}
	if (is_incomplete(d.base)) {
		sparse_error(decl->pos, "member '%s' has an incomplete type", show_ident(decl->ident));
		return;
	}
	if (d.base->type == SYM_STRUCT || d.base->type == SYM_UNION)
		m->record = record_of(d.base);
	else
		set_scalar(m, d.base);
	if (!m->name && m->record)
		m->place = m->record->place;	/* sparse's is the semicolon */
	if (unit->with_types)
		m->type = arena_strdup(show_typename(decl->ctype.base_type));
	set_alignment(m, d.written, align);
}

/*
 * What randstruct would shuffle. The kernel keeps its attribute from checkers, but not the designated_init that
 * __randomize_layout expands to as well, and nothing else does.
 */
static bool is_randomized(struct symbol *type)
{
	struct symbol *decl, *base;
	bool only_functions = type->symbol_list && type->type == SYM_STRUCT;

	FOR_EACH_PTR(type->symbol_list, decl) {
		for (base = decl->ctype.base_type; base && base->type == SYM_NODE; )
			base = base->ctype.base_type;
		base = base && base->type == SYM_PTR ? base->ctype.base_type : NULL;
		only_functions &= base && base->type == SYM_FN;
	} END_FOR_EACH_PTR(decl);
	return only_functions || type->designated_init;
}

/* sparse answers sizeof() and offsetof() from these */
static void write_back(struct symbol *type, const struct record *r)
{
	size_t i = 0;
	struct symbol *decl;

	type->examined = 1;
	type->bit_size = r->size * 8;
	type->ctype.alignment = r->align;
	FOR_EACH_PTR(type->symbol_list, decl) {
		const struct member *m = &r->members[i++];
		unsigned long unit_bits = m->bitfield ? 8ul * (m->align ? m->align : 1) : 8;

		decl->offset = m->bit_offset / unit_bits * unit_bits / 8;
		if (m->bitfield)
			decl->bit_offset = decl->ctype.base_type->bit_offset = m->bit_offset % unit_bits;
		if (m->flexible)
			type->has_flex_array = 1;
	} END_FOR_EACH_PTR(decl);
}

static size_t count_flat(const struct record *r)
{
	size_t nr = r->nr_members;

	for (size_t i = 0; i < r->nr_members; i++)
		if (!r->members[i].name && r->members[i].record)
			nr += ((struct parsed *)r->members[i].record)->nr_flat;
	return nr;
}

/* an error when there are too many members to look at, which are then not there for anybody who embeds it */
static bool is_too_large(struct parsed *parsed, size_t nr)
{
	if (nr <= MAX_MEMBERS)
		return false;
	sparse_error(parsed->type->pos, "%s has %zu members, and no more than %d are looked at", record_title(&parsed->record), nr, MAX_MEMBERS);
	parsed->nr_flat = 0;
	return true;
}

static struct record *record_of(struct symbol *type)
{
	struct record *r = type->aux;
	struct parsed *parsed;
	struct symbol *decl;

	if (r)
		return r;
	parsed = arena_alloc(sizeof(*parsed));
	parsed->type = type;
	r = type->aux = &parsed->record;
	r->name = name_of(type);
	r->is_union = type->type == SYM_UNION;
	r->packed = type->packed;
	r->pack = pragma_pack_at(type->endpos);
	r->user_align = type->ctype.modifiers & MOD_ALIGNED ? type->ctype.alignment : 0;
	r->place = place_of(type->pos);
	r->randomized = is_randomized(type);
	r->annotations = declared_of_type(type);
	r->room = ptr_list_size((struct ptr_list *)type->symbol_list);
	if (is_too_large(parsed, r->room))
		return r;
	r->members = arena_alloc(r->room * sizeof(*r->members));
	parsed->begun = true;
	FOR_EACH_PTR(type->symbol_list, decl) {
		add_member(r, decl);
	} END_FOR_EACH_PTR(decl);
	parsed->begun = false;
	parsed->nr_flat = count_flat(r);
	record_layout(r, unit->dump.abi);
	write_back(type, r);
	if (is_too_large(parsed, parsed->nr_flat))
		return r;
	if (unit->with_writers)
		read_mostly_note(r);
	*ARENA_PUSH(unit->dump.records, unit->dump.nr, unit->dump.room) = r;
	return r;
}

/* the keywords "struct" and "union", and the attributes, with what sparse does for them */
static struct symbol_op struct_op, union_op, enum_op, packed_op, aligned_op, mode_op, vector_op;
static const struct symbol_op *sparse_struct, *sparse_union, *sparse_enum, *sparse_aligned, *sparse_mode;

static struct token *after_specifier(struct token *token, struct decl_state *ctx, bool defines)
{
	struct symbol *type = ctx->ctype.base_type;

	if (defines && type && (type->type == SYM_STRUCT || type->type == SYM_UNION))
		record_of(type);
	return token;
}

/* is there a body behind "struct attributes tag"? An empty one leaves no other trace. */
static bool has_body(struct token *token)
{
	int depth = 0;

	for (; !eof_token(token); token = token->next) {
		if (match_op(token, '('))
			depth++;
		else if (depth && match_op(token, ')'))
			depth--;
		else if (!depth && token_type(token) == TOKEN_SPECIAL)
			return match_op(token, '{');
	}
	return false;
}

static struct token *on_struct(struct token *token, struct symbol *sym, struct decl_state *ctx)
{
	bool defines = has_body(token);

	return after_specifier(sparse_struct->declarator(token, sym, ctx), ctx, defines);
}

static struct token *on_union(struct token *token, struct symbol *sym, struct decl_state *ctx)
{
	bool defines = has_body(token);

	return after_specifier(sparse_union->declarator(token, sym, ctx), ctx, defines);
}

static struct token *on_enum(struct token *token, struct symbol *sym, struct decl_state *ctx)
{
	bool defines = has_body(token);
	struct symbol *type;

	token = sparse_enum->declarator(token, sym, ctx);
	type = ctx->ctype.base_type;
	if (defines && type && type->type == SYM_ENUM && type->packed)
		packed_enum_shrink(type);
	return token;
}

/* "enum { ... } __attribute__((mode(byte)))": sparse forgets it */
static struct token *on_mode(struct token *token, struct symbol *attr, struct decl_state *ctx)
{
	struct symbol *type = ctx->ctype.base_type;

	token = sparse_mode->attribute(token, attr, ctx);
	if (type && type->type == SYM_ENUM && ctx->mode) {
		packed_enum_set_type(type, ctx->mode->to_mode(&uint_ctype));
		ctx->mode = NULL;
	}
	return token;
}

/* sparse drops it when an aligned(N) came first, and makes it an alignment of 1 otherwise */
static struct token *on_packed(struct token *token, struct symbol *attr, struct decl_state *ctx)
{
	(void)attr;
	ctx->packed = 1;
	ctx->ctype.modifiers |= MOD_PACKED_DECL;
	return token;
}

static struct token *on_aligned(struct token *token, struct symbol *attr, struct decl_state *ctx)
{
	unsigned long before = ctx->ctype.alignment, align;

	ctx->ctype.alignment = 0;
	token = sparse_aligned->attribute(token, attr, ctx);
	align = ctx->ctype.alignment;
	if (before > align || ctx->ctype.modifiers & MOD_ALIGNED_TYPEDEF)
		ctx->ctype.alignment = before;
	if (ctx->storage_class & MOD_USERTYPE)
		ctx->ctype.modifiers |= MOD_ALIGNED_TYPEDEF;
	else
		ctx->ctype.modifiers |= MOD_ALIGNED | align << MOD_ALIGN_SHIFT;
	return token;
}

/* sparse skips it */
static struct token *on_vector_size(struct token *token, struct symbol *attr, struct decl_state *ctx)
{
	struct expression *expr = NULL;
	unsigned long long size;

	(void)attr;
	token = parens_expression(token, &expr, "in attribute");
	size = expr ? const_expression_value(expr) : 0;
	ctx->mode = vector_mode(size);
	if (!ctx->mode)
		sparse_error(token->pos, "a vector of %llu bytes is not understood", size);
	ctx->ctype.alignment = size;
	ctx->ctype.modifiers |= MOD_ALIGNED_TYPEDEF;
	return token;
}

static void install_hooks(void)
{
	sparse_struct = sparse_hook("struct", NS_TYPEDEF, &struct_op);
	sparse_union = sparse_hook("union", NS_TYPEDEF, &union_op);
	sparse_enum = sparse_hook("enum", NS_TYPEDEF, &enum_op);
	sparse_hook("packed", NS_KEYWORD, &packed_op);
	sparse_hook("__packed__", NS_KEYWORD, &packed_op);
	sparse_aligned = sparse_hook("aligned", NS_KEYWORD, &aligned_op);
	sparse_hook("__aligned__", NS_KEYWORD, &aligned_op);
	sparse_mode = sparse_hook("mode", NS_KEYWORD, &mode_op);
	sparse_hook("__mode__", NS_KEYWORD, &mode_op);
	sparse_hook("vector_size", NS_KEYWORD, &vector_op);
	sparse_hook("__vector_size__", NS_KEYWORD, &vector_op);
	struct_op.declarator = on_struct;
	union_op.declarator = on_union;
	enum_op.declarator = on_enum;
	packed_op.attribute = on_packed;
	aligned_op.attribute = on_aligned;
	mode_op.attribute = on_mode;
	vector_op.attribute = on_vector_size;
	accesses_watch_sections();
}

/* "typedef struct { ... } foo_t;": sparse makes the typedef's name the tag when it comes to it */
static void name_by_typedef(const struct dump *d)
{
	for (size_t i = 0; i < d->nr; i++) {
		struct parsed *p = (struct parsed *)d->records[i];

		if (p->record.name || !p->type->ident)
			continue;
		p->record.name = name_of(p->type);
		p->record.by_typedef = true;
	}
}

unsigned int unit_macro(const char *name)
{
	struct token *end, *token;
	struct expression *expr = NULL;
	char *text = arena_printf("%s\n", name);

	if (!lookup_symbol(built_in_ident(name), NS_MACRO))
		return 0;
	token = preprocess(tokenize_buffer(text, strlen(text), &end));
	conditional_expression(token, &expr);
	return expr ? const_expression_value(expr) : 0;
}

static bool is_line_size(unsigned int size)
{
	return size >= 16 && size <= 256 && !(size & (size - 1));
}

static const struct {
	const char *abi;
	enum machine mach;
	char *flag;			/* for sparse */
} targets[] = {
	{ "arm", MACH_ARM, "--arch=arm" },
	{ "arm64", MACH_ARM64, "--arch=arm64" },
	{ "i386", MACH_I386, "--arch=i386" },
	{ "ppc32", MACH_PPC32, "--arch=ppc32" },
	{ "ppc64", MACH_PPC64, "--arch=ppc64" },
	{ "riscv64", MACH_RISCV64, "--arch=riscv64" },
	{ "s390", MACH_S390X, "--arch=s390x" },
	{ "x86-64", MACH_X86_64, "--arch=x86_64" },
};

static bool is_known(enum machine mach)
{
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (targets[i].mach == mach)
			return true;
	return false;
}

/* of a name that it does not know sparse takes no notice; -m64 makes of a 32-bit machine the next one */
const char *unit_foreign(char **flags)
{
	const char *arch = NULL;
	enum machine mach;
	bool wide = false, has_wide;

	for (; *flags; flags++) {
		if (!strncmp(*flags, "--arch=", 7))
			arch = *flags + 7;
		else if (!strcmp(*flags, "-m64") || !strcmp(*flags, "-m32"))
			wide = (*flags)[2] == '6';
	}
	if (!arch)
		return NULL;
	mach = !strcmp(arch, "x86") || !strcmp(arch, "um") ? MACH_X86_64 : target_parse(arch);
	has_wide = mach != MACH_UNKNOWN && is_known(mach + 1);
	if (is_known(mach) || (wide && has_wide))
		return NULL;
	return has_wide ? arena_printf("%s without -m64", arch) : arch;
}

/* the ABI that sparse's own target was set to by the flags */
static const struct abi *abi_of_target(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (targets[i].mach == arch_target->mach)
			return abi_find(targets[i].abi);
	fatal("the flags ask for an architecture whose ABI is not known here (known: %s)", abi_names());
}

/* a copy of argv, for sparse writes to the words of -D, which asks it for abi first, so that a flag of argv still has the last word */
static char **ask_for_abi(const struct abi *abi, int *argc, char **argv)
{
	char **copy = arena_alloc((*argc + 2) * sizeof(*copy));
	int nr = 0;

	copy[nr++] = argv[0];
	for (size_t i = 0; abi && i < ARRAY_SIZE(targets); i++)
		if (!strcmp(targets[i].abi, abi->name))
			copy[nr++] = targets[i].flag;
	for (int i = 1; i < *argc; i++)
		copy[nr++] = arena_strdup(argv[i]);
	*argc = nr;
	return copy;
}

/*
 * What __alignof__ says of the basic types: sparse has 4 for a long long of every 32-bit machine.
 * And what aligned without a number means.
 */
static void set_alignments(const struct abi *abi)
{
	for (size_t i = 0; i < ARRAY_SIZE(basic_types); i++)
		basic_types[i].type->ctype.alignment = abi->align[basic_types[i].scalar];
	max_alignment = abi->biggest_align;
}

/*
 * The headers, with what they declare, come before the first declaration of the file itself, where it is decided for all
 * of the file; and again when a struct of the file itself declared more. stream is the file's.
 */
static bool keeps_bodies(struct token *declaration, int stream)
{
	static size_t decided_for;
	static bool keeps;

	if (!unit->without_bodies)
		return true;
	if (!unit->with_writers || (int)declaration->pos.stream != stream)
		return false;
	if (!keeps && decided_for != read_mostly_known())
		keeps = read_mostly_named_in(declaration, NULL);
	decided_for = read_mostly_known();
	unit->has_writers |= keeps;
	return keeps;
}

static struct token *declaration(struct token *token)
{
	return external_declaration(token, &translation_unit_used_list, NULL);
}

/*
 * Its body stays if it writes, and for the asserts in it if sparse can parse it: one of a file that the configuration
 * does not build may use what is not there, and the unit is not to be lost for that.
 */
static struct token *function(struct token *token, const struct body *body)
{
	bool writes = unit->with_writers && read_mostly_named_in(body->open, body->close);
	size_t nr_asserts = unit->nr_asserts;
	struct sparse_quiet quiet;
	struct token *behind;

	unit->has_writers |= writes;
	if (unit->with_asserts && body_asserts_layout(body->open, body->close) && !writes) {
		sparse_quiet_begin(&quiet);
		behind = declaration(token);
		if (!sparse_quiet_end(&quiet))
			return behind;
		unit->nr_asserts = nr_asserts;
	}
	if (!writes)
		body_take_out(body, declared_message);
	return declaration(token);
}

static void parse(struct token *token)
{
	int stream = token->pos.stream;
	bool balanced = true;

	token = preprocess(pragma_pack_watch(token));
	while (!eof_token(token)) {
		bool is_led = match_ident(token, &__attribute___ident);
		size_t before = unit->dump.nr;
		struct body body = { NULL, NULL };

		if (balanced && !keeps_bodies(token, stream))
			balanced = body_find(token, &body);
		token = body.open ? function(token, &body) : declaration(token);
		if (is_led && unit->dump.nr > before && unit->dump.records[unit->dump.nr - 1]->name)
			*ARENA_PUSH(unit->led, unit->nr_led, unit->led_room) = unit->dump.records[unit->dump.nr - 1];
	}
}

/* as sparse_keep_tokens() does it */
static void parse_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct token *token;

	if (fd < 0)
		fatal("%s: %s", path, strerror(errno));
	translation_unit_used_list = NULL;
	new_file_scope();
	base_filename = path;
	token = tokenize(NULL, path, fd, NULL, includepath);
	close(fd);
	parse(token);
}

/*
 * sparse_initialize() parses what -include names before anybody can hook in. So it is not told of
 * them: they are taken out of argv, and the text comes back that includes them as sparse would.
 */
static char *take_includes(int *argc, char **argv)
{
	char *text = "";
	int kept = 1;

	for (int i = 1; i < *argc; i++) {
		if (!strcmp(argv[i], "-include") && i + 1 < *argc)
			text = arena_printf("%s#argv_include \"%s\"\n", text, argv[++i]);
		else
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	*argc = kept;
	return text;
}

void unit_parse(struct unit *u, const struct abi *abi, unsigned int line_size, int argc, char **argv)
{
	struct string_list *files = NULL;
	char *includes, *file;
	struct token *end;

	unit = u;
	argv = ask_for_abi(abi, &argc, argv);
	includes = take_includes(&argc, argv);
	add_pre_buffer("#define CACHELINE_LAYOUT_CHECKER 1\n");	/* by it the annotations are there for us, and for no other checker */
	sparse_initialize(argc, argv, &files);
	fmax_warnings = 0;
	Wone_bit_signed_bitfield = 0;	/* an error for sparse, and good C */
	u->dump.abi = abi ? abi : abi_of_target();
	set_alignments(u->dump.abi);
	install_hooks();
	declared_watch(u);
	parse(tokenize_buffer(includes, strlen(includes), &end));
	FOR_EACH_PTR(files, file) {
		parse_file(file);
	} END_FOR_EACH_PTR(file);
	name_by_typedef(&u->dump);
	dump_index(&u->dump);
	if (!line_size)
		line_size = unit_macro("L1_CACHE_BYTES");
	u->dump.line_size = is_line_size(line_size) ? line_size : u->dump.abi->line_size;
	u->randstruct = lookup_symbol(built_in_ident("RANDSTRUCT"), NS_MACRO);
	u->failed = has_error;
}

void unit_variables(void (*each)(const char *name, struct place place, void *data), void *data)
{
	struct symbol *sym;

	FOR_EACH_PTR(translation_unit_used_list, sym) {
		if (sym->ident && !sym->initializer && sym->ctype.base_type && sym->ctype.base_type->type != SYM_FN)
			each(show_ident(sym->ident), place_of(sym->pos), data);
	} END_FOR_EACH_PTR(sym);
}

void unit_files(void (*each)(const char *file, struct place from, void *data), void *data)
{
	struct strmap known = { 0 };

	for (int i = 0; i < input_stream_nr; i++) {
		const char *file = place_of((struct position) { .stream = i }).file;

		if (input_streams[i].fd < 0 || strmap_get(&known, file, strlen(file)))
			continue;
		strmap_add(&known, file, strlen(file), 0);
		each(file, place_of(input_streams[i].pos), data);
	}
}

struct record *unit_find(const struct dump *d, const char *name)
{
	struct record *r = dump_find(d, name);
	struct symbol *sym = r ? NULL : lookup_symbol(built_in_ident(name), NS_TYPEDEF);
	struct symbol *type = sym ? sym->ctype.base_type : NULL;

	while (type && type->type == SYM_NODE)
		type = type->ctype.base_type;
	if (type && (type->type == SYM_STRUCT || type->type == SYM_UNION))
		return type->aux;
	return r;
}
