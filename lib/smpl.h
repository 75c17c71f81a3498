/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a semantic patch announces: its + and - lines. Only of the rules that may apply with the given
 * -D values (`depends on` is weighed; the virtual rule `patch` is on, report, context and org
 * are off); scripts are left out. A virtual identifier stands for its value; other metavariables match any
 * tokens, of kind identifier one.
 */
#ifndef LINEKEEPER_SMPL_H
#define LINEKEEPER_SMPL_H

#include "struct_text.h"

struct smpl;

/* defines: nr strings "name" or "name=value", as given with -D; text is the caller's and must outlive the result */
struct smpl *smpl_read(const char *text, size_t len, const char *const *defines, size_t nr);

/* is there a + line that could have made these tokens? */
bool smpl_adds(const struct smpl *s, const struct struct_text *st, struct text_toks toks);

/* is there a - line that could have taken them, and no + line spelt like it? */
bool smpl_removes(const struct smpl *s, const struct struct_text *st, struct text_toks toks);

/* does each identifier and number of the tokens stand in a + line? in a - line and in no + line? */
bool smpl_adds_words(const struct smpl *s, const struct struct_text *st, struct text_toks toks);
bool smpl_removes_words(const struct smpl *s, const struct struct_text *st, struct text_toks toks);

/* do the + and - lines, or the rules that their metavariables come from, speak of this name? */
bool smpl_moves(const struct smpl *s, const char *name);

#endif
