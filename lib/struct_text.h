/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of structs: which members a source file declares in which order, and which comments,
 * attributes and conditionals belong to each. Read from the tokens alone, so every branch of an #if is
 * there, and nothing is known of types beyond their spelling.
 *
 * A body is what stands between the braces of a struct or union (or, for reading only, the
 * arguments of struct_group()). It is a list of items in source order:
 *
 *	members		"int a, *b;": one item with two declarators
 *	anonymous	a struct or union without a declarator; its members are the items of its body
 *	macros		DECLARE_BITMAP(map, 8); KABI_RESERVE(1)
 *	padding		CACHELINE_PADDING(_pad_);
 *	markers		no bytes: __cacheline_group_begin(g); randomized_struct_fields_start
 *	comments	that are no member's: headings, and those that a blank line follows
 *	lines		of the preprocessor
 *
 * Items never overlap, and only white space lies between them. Members, macros, padding and markers
 * are called units: an item's range is all that travels when the unit moves, which is its own comments
 * (see lead and trail), its attributes and #define lines directly below it. #if lines are items of
 * their own, and the unit knows the branch that it stands in.
 *
 * Whose is a comment? One behind the unit on its line is the unit's, and so are comment lines below that
 * stand under it. One that stands alone directly above a unit is the unit's when it is kernel-doc,
 * or names the unit and none of its neighbours, or does not start its paragraph, or when
 * the unit is alone between it and the next blank line or comment. Otherwise it is a heading.
 *
 * All memory is the arena's. The text stays the caller's and must outlive the result.
 */
#ifndef LINEKEEPER_STRUCT_TEXT_H
#define LINEKEEPER_STRUCT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "clex.h"
#include "strmap.h"

struct text_range {
	uint32_t start, end;		/* bytes of the text, [start, end); empty: both the same */
};

struct text_toks {
	uint32_t first, end;		/* tokens, [first, end) */
};

enum text_kind {
	TEXT_MEMBER,
	TEXT_ANONYMOUS,
	TEXT_MACRO,
	TEXT_PADDING,
	TEXT_MARKER,
	TEXT_COMMENT,
	TEXT_LINE,			/* no conditional: #define, #include, #pragma */
	TEXT_IF,			/* #if, #ifdef, #ifndef */
	TEXT_ELSE,			/* #else, #elif and its kin */
	TEXT_ENDIF,
};

struct text_declarator {
	const char *name;		/* NULL: unnamed bit-field */
	const char *type;		/* as a person reads it: "struct inode *", "u8 [16]", "int (*)(void)" */
	struct text_toks toks;		/* with its own attributes, without the comma */
	size_t name_tok;
	unsigned int line;
	bool bitfield, zero_width;
	bool flexible;			/* [], or DECLARE_FLEX_ARRAY() */
	bool zero_length;		/* [0] */
};

/* one branch of an #if ... #elif ... #else ... #endif, all of which stand in one body */
struct text_branch {
	struct text_block *block;
	unsigned int nr;		/* 0: behind the #if itself */
	size_t item, tok;		/* its #if, #elif or #else */
	const char *condition;		/* as #if takes it, of this branch alone; NULL: not sure (#elif) */
};

struct text_block {
	struct text_branch *outer;	/* that the block stands in; NULL: the body itself */
	size_t first, last;		/* items: the #if and the #endif */
	size_t last_tok;		/* the #endif */
	struct text_branch **branches;
	size_t nr_branches, room;
	bool has_elif;
	bool has_else;
	bool whole;			/* holds one unit, or the same member once in each branch: moves as one */
};

struct text_item {
	enum text_kind kind;
	struct text_range range;	/* all that travels */
	struct text_range lead;		/* own comments in front, inside range */
	struct text_range trail;	/* own comments behind, inside range */
	struct text_toks toks;		/* the declaration and its semicolon */
	unsigned int line;		/* of the declaration's first token */
	const struct text_branch *branch;	/* innermost; NULL: unconditional in its body */
	const struct text_block *block;	/* that a TEXT_IF opens */
	const char *name;		/* of a macro, padding, marker: its argument or itself; else NULL */
	struct text_toks specifiers;	/* of TEXT_MEMBER: what stands in front of the first declarator */
	struct text_declarator *declarators;
	size_t nr_declarators;
	struct text_body **bodies;	/* that start in the declaration, outermost ones only */
	size_t nr_bodies;
	bool detached;			/* a comment that a blank line follows */
	bool has_semicolon;
};

enum text_body_kind { TEXT_STRUCT, TEXT_UNION, TEXT_GROUP };

struct text_body {
	enum text_body_kind kind;
	const char *name;		/* tag, else the typedef's name, else NULL */
	bool by_typedef;
	bool anonymous;			/* its members are members of parent */
	bool file_scope;		/* in no other braces */
	const char *broken;		/* why its text must not be changed; NULL: it may */
	size_t head;			/* token: the struct or union keyword, or the macro's name (struct_group, context_lock_struct) */
	size_t open, close;		/* tokens: the braces (parentheses of a group) */
	unsigned int line;		/* of head */
	struct text_body *parent;	/* the body that it stands in, or NULL */
	unsigned int depth;		/* number of parents */
	size_t first;			/* token: where its members begin */

	/* set by struct_text_read() */
	bool read;
	struct text_item *items;
	size_t nr_items;
};

struct struct_text {
	struct ctoks toks;
	uint32_t *match;		/* of a bracket's token, the other half's; 0: it has none */
	struct text_body **bodies;	/* in order of their braces, nested ones behind their parents */
	size_t nr;
	struct strmap names;		/* of tags and typedefs, to bodies */
	bool balanced;			/* every brace, parenthesis and #if has its other half */
	unsigned int unbalanced_line;	/* where not */
};

/* finds the bodies; NULL: the text is longer than 2 GiB */
struct struct_text *struct_text_parse(const char *text, size_t len);

/* reads the items of a body, and of the anonymous ones in it; once, whoever asks again */
void struct_text_read(const struct struct_text *st, struct text_body *body);

/* the n-th body (from 0) of that tag or typedef, "struct " or "union " in front or not; or NULL */
struct text_body *struct_text_find(const struct struct_text *st, const char *name, size_t n);

/*
 * The declared type of a member, members of anonymous structs, unions and struct_group() included; the first
 * one of that name when an #if has several. NULL: no such struct or member.
 */
const char *struct_text_type_of(const struct struct_text *st, const char *struct_name, const char *member_name);

/* the unit that declares the member, its body in *body when that is not NULL; or NULL */
struct text_item *struct_text_member(const struct struct_text *st, const char *struct_name,
				     const char *member_name, struct text_body **body);

bool text_is_unit(const struct text_item *item);

/* spelling of the tokens, one blank between words, none around punctuation; comments left out */
char *struct_text_spell(const struct struct_text *st, struct text_toks toks);

#endif
