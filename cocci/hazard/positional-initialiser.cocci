/* SPDX-License-Identifier: GPL-2.0-only */
/// An initialiser that gives members of a struct by their position: after a relayout the values go to others. A first
/// element in braces of its own is one too, even when names stand in the braces.
///
/// Threads: commits 6b3ab7f2cbfa and d8720235d5b5 (qede, qedf: the struct was randomised, and the first element had no name).
//
// Confidence: High
// Copyright: (C) 2026 linekeeper's authors
// Options: --no-includes --include-headers
// Requires: 1.2
//
//	static struct ops o = {		static struct ops o = {
//		{			->		.common = {
//			.filter = f,			.filter = f,
//		},				},
//		.stop = g,			.stop = g,
//	};				};
//
// Mode patch, and the names in a report, want the struct's definition in the same file, or in one that spatch is told to read
// (SPFLAGS=--all-includes), without an #if in front of the member. { 0 } and { NULL } are harmless, and so, for all that
// spatch can tell, is a macro that is the only element.

virtual patch, context, org, report

@initialize:python@
@@
import re
from functools import lru_cache

MACRO = r"(?!NULL\b)[A-Z][A-Z0-9_]*"
CALL = re.compile(MACRO + r" \((?:[^()]|\([^()]*\))*\)$")

def split(text):
    """The elements of a list, as spatch writes it."""
    elements, depth, element = [], 0, ""
    for word in re.findall(r"\x22(?:\\.|[^\x22\\])*\x22|\x27(?:\\.|[^\x27\\])*\x27|.", str(text)):
        depth += (word in "({[") - (word in ")}]")
        if word == "," and not depth:
            elements.append(element.strip())
            element = ""
        else:
            element += word
    return [element for element in elements + [element.strip()] if element]

def named(element):
    return bool(re.match(r"\. |\[|\w+ : ", element))

def positional(text):
    """How many members a list gives by their position: all of them behind a name, none where no relayout can do harm."""
    elements = split(text)
    names = [named(element) for element in elements]
    given = [element for element in elements if not named(element)]
    macro = all(map(CALL.match, given)) or (len(given) == 1 and re.match(MACRO + r"( \(|$)", given[0]))
    zero = all(re.match(r"(\{ )*(0|NULL|false)?( ,| \})*$", element) for element in elements)
    return 0 if macro or zero else len(given) if names == sorted(names) else len(text)

staying = {}

def bad(name, text):
    """Whether a list gives members by position that may move."""
    return positional(str(text)) > staying.get(str(name).replace("struct ", ""), 0)

SCALAR = r"(?:char|short|int|long|bool|double|[us]\d+|\w*int\d*_t|size_t|wchar_t|__[bl]e\d+)\b"
NAMED = re.compile(r"(?:(?:const|volatile) )*(?:((?!" + SCALAR + r")\w+)|(struct \w+))((?: \[[^]]*\])*)$")
BRACES = re.compile(r"(?:\[[^=]*\] = )?\{ (.*)\}$")

def dimensions(T):
    return NAMED.match(str(T)).group(3).count("[")

def name_of_type(T):
    match = NAMED.match(str(T))
    return match.group(1) or match.group(2)

def is_named(T, dims):
    """Whether a type has a name of its own, or is an array of structs of so many dimensions. Long lists of others are not gone through."""
    match = NAMED.match(str(T))
    return bool(match) and (bool(match.group(1)) or dimensions(T) >= dims)

def lists(text, depth):
    """The lists in an array of so many dimensions."""
    inside = [match.group(1) for match in map(BRACES.match, split(text)) if match]
    return inside if depth == 1 else [one for each in inside for one in lists(each, depth - 1)]

def bad_type(T, text):
    """The same for such a type. One with a name of its own may be one of arrays: all is in braces then."""
    elements = split(text)
    depth = dimensions(T) or int(len(elements) > 1 and all(map(BRACES.match, elements)))
    name, found = name_of_type(T), lists(text, depth) if depth else [text]
    return any(bad(name, one) for one in found if len(split(one)) > 1 or name.startswith("struct "))

def lines_of(file):
    with open(file, errors="replace") as source:
        return source.read().splitlines()

lines_of = lru_cache(maxsize=1)(lines_of)	# a decorator would be the name of a rule to spatch

def conditional(start, end):
    """Whether a line of the preprocessor stands between two positions."""
    lines = lines_of(start.file)[int(start.line):int(end.line)]
    return any(line.lstrip().startswith("#") for line in lines)

FIELD = re.compile(r"(?!.*\{)[\w\s*]+?(?:\( \* (\w+) \) \(.*\)|\b(?!(?:int|long|short|char|unsigned|signed) :)(\w+)(?: \[.*\])*(?: : \w+)?)\s*$")

def plain(before, whole):
    """Whether the members in front can be counted: each named, and alone in its declaration."""
    return all(FIELD.match(field) for field in (str(before) + str(whole)).split(";") if field.strip())

def name_of(field):
    match = FIELD.match(str(field).strip("; "))
    return match.group(1) or match.group(2) if match else "unknown"

def nameable(ahead, element, start, end):
    """Whether an element can get a name: those in front are one member each, and it is none that a macro may have named."""
    return not conditional(start, end) and not re.match(MACRO + r" \(", str(element)) and \
        not any(named(other) or re.match(MACRO + r"( \(|$)", other) for other in split(ahead))

seen = set()

def once(p):
    here = (p[0].file, p[0].line, p[0].column)
    new = here not in seen
    seen.add(here)
    return new

// With -D kept=S:2,T:1 the first two members of S, and the first of T, stay where they are: values for them alone are not told.
@initialize:python@
kept << virtual.kept;
@@
staying.update((name, int(count)) for name, count in (one.split(":") for one in kept.split(",")))

// What is given by position, in a variable, in an element of an array, in a value.
@variable@
identifier S, x;
initializer list values;
position p : script:python(S, values) { bad(S, values) };
@@
struct S x@p = { values };

@element@
identifier S, x;
initializer list values;
position p : script:python(S, values) { bad(S, values) };
@@
struct S x@p[...] = { ..., { values }, ... };

@indexed@
identifier S, x;
initializer list values;
expression i;
position p : script:python(S, values) { bad(S, values) };
@@
struct S x@p[...] = { ..., [i] = { values }, ... };

@value@
identifier S;
initializer list values;
position p : script:python(S, values) { bad(S, values) };
@@
	(struct S@p){ values }

// A type with a name of its own, and arrays of more than one dimension.
@typed@
type T : script:python() { is_named(T, 2) };
identifier x;
initializer list values;
position p : script:python(T, values) { bad_type(T, values) };
@@
T x@p = { values };

@typed_value@
type T : script:python() { is_named(T, 1) };
initializer list values;
position p : script:python(T, values) { bad_type(T, values) };
@@
	(T@p){ values }

// The names of members, where spatch sees them.
@member@
identifier S;
field list[n] before;
field F;
position start;
position end : script:python(start, before, F) { plain(before, F) and not conditional(start[0], end[0]) };
@@
struct S@start {
	before
	F@end
	...
};

@script:python known@
whole << member.F;
f;
@@
coccinelle.f = name_of(whole)

// Each element that has a name to get: a value, or braces.
@variable_member@
identifier member.S, x;
initializer list[member.n] ahead;
expression e;
position variable.p, start;
position q : script:python(start, ahead, e) { nameable(ahead, e, start[0], q[0]) };
@@
struct S x@p@start = { ahead, e@q, ... };

@variable_braces@
identifier member.S, x;
initializer list[member.n] ahead;
initializer list inside;
position variable.p, start;
position q : script:python(start, ahead) { nameable(ahead, "", start[0], q[0]) };
@@
struct S x@p@start = { ahead, {@q inside }, ... };

@element_member@
identifier member.S, x;
initializer list[member.n] ahead;
expression e;
position element.p, start;
position q : script:python(start, ahead, e) { nameable(ahead, e, start[0], q[0]) };
@@
struct S x@p@start[...] = { ..., { ahead, e@q, ... }, ... };

@element_braces@
identifier member.S, x;
initializer list[member.n] ahead;
initializer list inside;
position element.p, start;
position q : script:python(start, ahead) { nameable(ahead, "", start[0], q[0]) };
@@
struct S x@p@start[...] = { ..., { ahead, {@q inside }, ... }, ... };

@indexed_member@
identifier member.S, x;
expression i;
initializer list[member.n] ahead;
expression e;
position indexed.p, start;
position q : script:python(start, ahead, e) { nameable(ahead, e, start[0], q[0]) };
@@
struct S x@p@start[...] = { ..., [i] = { ahead, e@q, ... }, ... };

@value_member@
identifier member.S;
initializer list[member.n] ahead;
expression e;
position value.p, start;
position q : script:python(start, ahead, e) { nameable(ahead, e, start[0], q[0]) };
@@
	(struct S@p@start){ ahead, e@q, ... }

@depends on patch@
identifier member.S, known.f, x;
initializer list variable_member.ahead;
expression variable_member.e;
@@
struct S x = { ahead,
-	e
+	.f = e
	, ... };

@depends on patch@
identifier member.S, known.f, x;
initializer list variable_braces.ahead;
initializer list variable_braces.inside;
@@
struct S x = { ahead,
-	{
+	.f = {
	inside }, ... };

@depends on patch@
identifier member.S, known.f, x;
initializer list element_member.ahead;
expression element_member.e;
@@
struct S x[...] = { ..., { ahead,
-	e
+	.f = e
	, ... }, ... };

@depends on patch@
identifier member.S, known.f, x;
initializer list element_braces.ahead;
initializer list element_braces.inside;
@@
struct S x[...] = { ..., { ahead,
-	{
+	.f = {
	inside }, ... }, ... };

@depends on patch@
identifier member.S, known.f, x;
expression i;
initializer list indexed_member.ahead;
expression indexed_member.e;
@@
struct S x[...] = { ..., [i] = { ahead,
-	e
+	.f = e
	, ... }, ... };

@depends on patch@
identifier member.S, known.f;
initializer list value_member.ahead;
expression value_member.e;
@@
	(struct S){ ahead,
-	e
+	.f = e
	, ... }

@depends on context@
identifier S, x;
position variable.p;
@@
*struct S x@p
	= { ... };

@depends on context@
identifier S, x;
position element.p;
@@
*struct S x@p[...]
	= { ..., { ... }, ... };

@depends on context@
identifier S, x;
expression i;
position indexed.p;
@@
*struct S x@p[...]
	= { ..., [i] = { ... }, ... };

@depends on context@
identifier S;
position value.p;
@@
*	(struct S@p)
	{ ... }

@depends on context@
type T;
identifier x;
position typed.p;
@@
*T x@p
	= { ... };

@depends on context@
type T;
position typed_value.p;
@@
*	(T@p)
	{ ... }

@initialize:python depends on report@
@@
show = coccilib.report.print_report

@initialize:python depends on org@
@@
show = coccilib.org.print_todo

@initialize:python depends on report || org@
@@
def found(p, text):
    if once(p):
        show(p[0], "warning: %s [-Wcacheline-positional-initialiser]" % text)

@script:python depends on report || org@
p << variable.p;
q << variable_braces.q;
s << member.S;
f << known.f;
@@
found(p, "struct %s.%s is given by position: name it" % (s, f))

@script:python depends on report || org@
p << element.p;
q << element_braces.q;
s << member.S;
f << known.f;
@@
found(p, "struct %s.%s is given by position: name it" % (s, f))

@script:python depends on report || org@
p << variable.p;
q << variable_member.q;
s << member.S;
f << known.f;
@@
found(p, "struct %s.%s is given by position: name it" % (s, f))

@script:python depends on report || org@
p << element.p;
q << element_member.q;
s << member.S;
f << known.f;
@@
found(p, "struct %s.%s is given by position: name it" % (s, f))

@script:python depends on report || org@
p << indexed.p;
q << indexed_member.q;
s << member.S;
f << known.f;
@@
found(p, "struct %s.%s is given by position: name it" % (s, f))

@script:python depends on report || org@
p << value.p;
q << value_member.q;
s << member.S;
f << known.f;
@@
found(p, "struct %s.%s is given by position: name it" % (s, f))

@script:python depends on report || org@
p << variable.p;
s << variable.S;
@@
found(p, "members of struct %s are given by position: name them" % s)

@script:python depends on report || org@
p << element.p;
s << element.S;
@@
found(p, "members of struct %s are given by position: name them" % s)

@script:python depends on report || org@
p << indexed.p;
s << indexed.S;
@@
found(p, "members of struct %s are given by position: name them" % s)

@script:python depends on report || org@
p << value.p;
s << value.S;
@@
found(p, "members of struct %s are given by position: name them" % s)

@script:python depends on report || org@
p << typed.p;
T << typed.T;
@@
found(p, "members of %s are given by position: name them" % name_of_type(T))

@script:python depends on report || org@
p << typed_value.p;
T << typed_value.T;
@@
found(p, "members of %s are given by position: name them" % name_of_type(T))
