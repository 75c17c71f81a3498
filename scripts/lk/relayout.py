# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper relayout: spatch decides what stands where, replay keeps comments and attributes, the layout proves."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from lk import cache, engine, unit, where
from lk.errors import Refused, WrongUse
from lk.tree import Tree, add_arguments, tree_options

EXAMPLES = """examples:
  linekeeper relayout --rule address_space_i_mmap --tree ~/linux
  linekeeper relayout --rule move -D struct=dentry -D field=d_lockref -D after=d_fsdata
  linekeeper relayout --rule pad -D struct=cgroup -D after=rstat_css_list --write
  linekeeper relayout --rule my.cocci

A rule is a file, or the name of one of those below cocci/ that come with linekeeper.

The answer and a unified diff are printed; the tree changes only with --write.
"""
SPATCH_SECONDS = 300


COCCICHECK_MODES = {"patch", "report", "context", "org", ""}
PROMISE = re.compile(r"^// Promise(?: \(([^)]*)\))?: (.*)$", re.M)
KINDS = re.compile(r"(?:apart|with)\([^(),]+,[^(),]+\)|isolated\([^(),]+\)|growth\([^(),]+\)\s*(?:<=|<|==)\s*-?\d+\s*")
UNTOLD = "it was not told -D"


def refusal(what: str, why: str) -> Exception:
    """A rule that lacks a -D was used wrongly; any other that does nothing is refused."""
    return (WrongUse if why.startswith(UNTOLD) else Refused)(f"{what}: {why}")


class Rule:
    """A semantic patch, with the promises and options of its head, and the -D that it is run with."""

    def __init__(self, path: str, defines: list) -> None:
        self.path = os.path.realpath(path)
        self.defines = defines
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as err:
            raise WrongUse(f"{path}: {err.strerror}") from err
        self.values = dict(define.split("=", 1) for define in defines if "=" in define)
        flags = {define for define in defines if "=" not in define}
        self.check_head(text)
        self.options = engine.rule_options(text)
        self.promises = [self._fill(promise) for condition, promise in PROMISE.findall(text)
                         if self._applies(condition, flags)]
        self.structs = self._structs(text)

    def check_head(self, text: str) -> None:
        """A promise that is none, or a -D that the rule does not know, is wrong use: nobody would keep it."""
        modes = {word for line in re.findall(r"^virtual ([^.;]*?);?$", text, re.M) for word in re.split(r"[\s,]+", line)}
        values = set(re.findall(r"\bvirtual\.(\w+)", text))
        for line in re.findall(r"^[/*\s]*promise\b.*$", text, re.M | re.I):
            match = PROMISE.fullmatch(line)
            if not match or not KINDS.fullmatch(match.group(2)) or \
                    any(word.lstrip("!") not in modes for word in (match.group(1) or '').replace(",", " ").split()):
                raise WrongUse(f"{self.path}: '{line.strip()}' is no promise that can be kept (docs/rules.md)")
        for define in self.defines:
            name, sep, _ = define.partition("=")
            if (sep and values and name.upper() not in values) or (not sep and name not in modes):
                known = sorted(value.lower() + "=" for value in values) + sorted(modes - COCCICHECK_MODES)
                raise WrongUse(f"-D {define}: {os.path.basename(self.path)} takes {', '.join(known) or 'no -D'}")
        flags = modes - COCCICHECK_MODES
        self.unset = {value for value in values if not self.value(value)}
        with_default = set(re.findall(r"\bvirtual\.(\w+) =", text))
        self.lacks = [] if flags & set(self.defines) else [f"{value.lower()}=" for value in sorted(self.unset - with_default)]
        self.lacks += sorted(flags) if self.lacks else []

    @staticmethod
    def _applies(condition: str, flags: set) -> bool:
        """(v1), (!revert), (!v1, !v2): what -D must, or must not, hold for a promise to be made."""
        return all((word[1:] not in flags) if word.startswith("!") else word in flags
                   for word in condition.replace(",", " ").split())

    def _fill(self, text: str) -> str:
        return re.sub(r"\$\{(\w+)\}", lambda match: self.value(match.group(1)) or match.group(), text).strip()

    def value(self, name: str) -> str:
        """What -D name=... says, in whichever case."""
        return self.values.get(name) or self.values.get(name.upper()) or self.values.get(name.lower()) or ""

    def _structs(self, text: str) -> list:
        named = re.findall(r"^// Struct: (\w+)", text, re.M)
        named += re.findall(r"(?:\(|,\s*)([A-Za-z_]\w*)(?=[.)])", " ".join(self.promises))
        named += [self.value("struct")] if self.value("struct") else []
        if not named:
            raise Refused(f"{self.path} names no struct: say which with -D struct=NAME, or in its head, // Struct: NAME")
        return list(dict.fromkeys(named))

    def spatch(self, program: str, path: str) -> None:
        """Runs it in patch mode on a file, in place."""
        call = [program, "--very-quiet", "--cocci-file", self.path, "-D", "patch", *self.arguments(),
                "--macro-file-builtins", engine.cocci_file("kernel-macros.h"), *self.options, "--in-place", path]
        try:
            done = subprocess.run(call, capture_output=True, text=True, errors="replace", timeout=SPATCH_SECONDS,
                                  check=False)
        except subprocess.TimeoutExpired as err:
            raise Refused(f"spatch did not finish {self.path} in {SPATCH_SECONDS} seconds") from err
        if done.returncode:
            raise refusal(f"spatch failed on {os.path.basename(self.path)}", self.why_failed(done.stderr))

    def why_failed(self, stderr: str) -> str:
        """spatch cannot parse a rule where a value is not known, or finds that no rule of it is left."""
        at = re.search(r"^ *around = '(\w+)'", stderr, re.M)
        if at and at.group(1) in self.unset:
            return f"{UNTOLD} {at.group(1).lower()}="
        return self.why_nothing() if self.lacks and "No rules apply" in stderr else _reason(stderr)

    def why_nothing(self) -> str:
        """Why it may have matched nothing."""
        if self.lacks:
            return f"{UNTOLD} {', '.join(self.lacks[:-1])}{' or ' if self.lacks[1:] else ''}{self.lacks[-1]}"
        return "is the change there already, or a member of a kind that the rule does not know?"

    def arguments(self) -> list:
        """The -D of the user, with names as the rules have them: struct= and field= are words of SmPL itself."""
        pairs = (define.partition("=") for define in self.defines)
        return [word for name, sep, value in pairs for word in ("-D", f"{name.upper()}={value}" if sep else name)]


def _reason(stderr: str) -> str:
    """The first line that is no warning, in words of the user's where spatch's are known."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip() and not line.startswith("warning:")]
    if "already tagged token" in stderr:
        return "a member that it names stands in more than one branch of an #if"
    return lines[0] if lines else "it does not say why"


def rule_file(name: str) -> str:
    """A path, or the name of a rule that comes with linekeeper: move, cgroup_rstat, cocci/seeds/cgroup_rstat.cocci."""
    tries = [name, os.path.join(engine.TOP, name)]
    folders = [os.path.join(engine.TOP, "cocci", folder) for folder in ("relayout", "seeds")]
    tries += [os.path.join(folder, f"{name}.cocci") for folder in folders]
    found = [path for path in tries if os.path.isfile(path)]
    if not found:
        known = [Path(rule).stem for folder in folders for rule in sorted(os.listdir(folder)) if rule.endswith(".cocci")]
        raise WrongUse(f"no rule '{name}': it is no file, and those that come with linekeeper are {', '.join(known)}")
    return found[0]


def parse_arguments(argv: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linekeeper relayout", epilog=EXAMPLES,
                                     description=__doc__.split(": ", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", action="append", required=True, metavar="FILE.cocci")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]",
                        help="as spatch's -D: a value for the rule, or one of its modes")
    parser.add_argument("--file", metavar="FILE", help="the file that defines the struct, when there are several")
    parser.add_argument("--write", action="store_true", help="change the tree")
    parser.add_argument("--accept-may", action="store_true",
                        help="apply a rule whose promise holds at some placements only")
    parser.add_argument("--force-first", action="store_true", help="let another member become the first one")
    parser.add_argument("--all-users", action="store_true",
                        help="look for structs that embed it in the whole tree, not in include/ only")
    parser.add_argument("--verbose", "-v", action="store_true", help="show every member and every enclosing struct")
    add_arguments(parser)
    return parser.parse_args(argv)


def spatch_program() -> str:
    """The spatch to use: SPATCH=, the one that set-up built, or the system's."""
    path = cache.find("spatch")
    if path is None:
        raise WrongUse("no spatch 1.2 or newer: run `linekeeper setup`, or set SPATCH=")
    return str(path)


def target(tree: Tree, rules: list, file) -> str:
    """The one file that the rules are about."""
    if file:
        return tree.relative(file)
    places = {struct: where.definition(tree, struct)[0] for rule in rules for struct in rule.structs}
    if len(set(places.values())) > 1:
        raise Refused(f"the rule's structs are in {len(set(places.values()))} files: say which with --file")
    return next(iter(places.values()))


def unread(program: str, source: str, structs: list) -> str:
    """Why nothing matched, as far as spatch's own parser tells: the struct that it could not read, or ''."""
    call = [program, "--parse-c", source, "--macro-file-builtins", engine.cocci_file("kernel-macros.h")]
    done = subprocess.run(call, capture_output=True, text=True, errors="replace", timeout=SPATCH_SECONDS, check=False)
    bad = "\n".join(re.findall(r"^(?:bad: |BAD:!!!!! )(.*)$", done.stdout + done.stderr, re.M))
    head = r"^(?:typedef )?(?:struct|union)\s+(?:__\w+(?:\([^)]*\))?\s+)*{}\s*(?:__\w+\s*)?(?:\{{|$)"
    return next((struct for struct in structs if re.search(head.format(struct), bad, re.M)), "")


MEMBER_VALUES = ("field", "after", "a", "b", "first", "last")


def no_member(tree: Tree, name: str, rule: Rule) -> str:
    """Which -D names a member that the struct does not have, as a sentence, or ''."""
    struct, values = rule.value("struct"), [rule.value(key) for key in MEMBER_VALUES if rule.value(key)]
    if not struct or not values:
        return ""
    call = [engine.program("cacheline-map"), "--json", struct, *unit.words(tree, name, [])]
    done = subprocess.run(call, cwd=tree.root, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        return ""
    members = {member["name"] for record in json.loads(done.stdout) for member in record["members"]}
    lost = [value for value in values if value not in members]
    return f"struct {struct} has no member '{lost[0]}' in this configuration" if lost else ""


def replay(rule: Rule, before: str, spatched: str, out: str, name: str, force_first: bool) -> list:
    """Applies to the text what spatch decided; the lines that say what moved."""
    call = [engine.program("cacheline-replay"), "--rule", rule.path, *rule.arguments(), "--before", before,
            "--after", spatched, "--output", out, "--name", name]
    call += ["--force-first"] if force_first else []
    done = subprocess.run(call, capture_output=True, text=True, errors="replace", check=False)
    if engine.ended("cacheline-replay", done.returncode) == 3:
        return []
    if done.returncode:
        raise Refused(re.sub(r"(refused: |cacheline-replay: )", "", done.stderr.strip()))
    moves = [line.split("\t") for line in done.stdout.splitlines()]
    twice = [move for move in moves if move[1] == "moved" and sum(move[:3] == other[:3] for other in moves) > 1]
    if twice:
        raise Refused(f"{name}: struct {twice[0][0]} is ambiguous: it is defined under different conditions, and the rule "
                      "changes more than one of them")
    return moves


def apply_rules(tree: Tree, rules: list, source: str, name: str, folder: str, force_first: bool) -> tuple:
    """One rule after the other; the file with the result, and what each moved."""
    program, current, moves = spatch_program(), source, []
    for number, rule in enumerate(rules):
        spatched, result = (os.path.join(folder, f"{number}-{what}{Path(name).suffix}") for what in ("spatch", "result"))
        shutil.copyfile(current, spatched)
        rule.spatch(program, spatched)
        moved = replay(rule, current, spatched, result, name, force_first)
        if not moved:
            struct = unread(program, current, rule.structs)
            if struct or no_member(tree, name, rule):
                raise Refused(f"{name}: spatch cannot read struct {struct}, so no rule can match it" if struct else
                              f"{name}: {no_member(tree, name, rule)}")
            raise refusal(f"{name}: {os.path.basename(rule.path)} matches nothing", rule.why_nothing())
        both = {(move[0], move[2]) for move in moved} & {(move[0], move[2]) for move in moves}
        if both:
            raise Refused(f"{name}: the rules disagree: more than one of them moves {'.'.join(sorted(both)[0])}")
        moves += moved
        current = result
    return current, moves


def prove(tree: Tree, rules: list, name: str, result: str, moves: list, folder: str, args: argparse.Namespace) -> tuple:
    """Parses the file as it is and as it would be, and asks the layouts."""
    structs = list(dict.fromkeys(struct for rule in rules for struct in rule.structs))
    options = tree_options(tree, args)
    overlay = ["--overlay", f"{tree.inside(name)}={result}"]
    pairs = unit.dump_pairs(unit.Side(tree, name, options), unit.Side(tree, name, options + overlay), structs, folder,
                            args.all_users)
    promises = [promise for rule in rules for promise in rule.promises]
    focus = re.findall(r"\.(\w+)", " ".join(promises)) or [move[2] for move in moves]
    done = unit.compare(pairs, structs, ["--relayout", *unit.each("--promise", promises), *unit.each("--focus", focus),
                                         *(["--accept-may"] if args.accept_may else []),
                                         *(["--verbose"] if args.verbose else [])], text=True, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def write(path: str, source: str, result: str) -> None:
    """Replaces the file by rename, unless somebody changed it meanwhile."""
    if Path(path).read_bytes() != Path(source).read_bytes():
        raise Refused(f"{path} changed while the rule ran: run it again")
    folder = os.path.dirname(path)
    for left in Path(folder).glob(".linekeeper-*"):     # of a run that was killed
        left.unlink()
    fd, temporary = tempfile.mkstemp(dir=folder, prefix=".linekeeper-")
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(Path(result).read_bytes())
            file.flush()
            os.fsync(file.fileno())
        shutil.copystat(path, temporary)
        os.utime(temporary)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def show_moves(name: str, moves: list) -> None:
    """One line for each thing that replay did."""
    for struct, what, member, _, behind in moves:
        where_to = "at the front" if behind == "{" else f"behind {behind}"
        print(f"{name}: " + {"moved": f"{struct}.{member} moves, {where_to}",
                             "inserted": f"{member} is inserted into {struct}, {where_to}",
                             "removed": f"{member} is taken out of {struct}",
                             "attribute": f"{'the type' if member == '}' else f'{struct}.{member}'} "
                                          f"{'gets' if behind[:1] == '+' else 'loses'} {behind[1:]}"}[what])


def main(argv: list) -> int:
    """Applies, proves, prints; writes only when asked and proved."""
    args = parse_arguments(argv)
    for number in (signal.SIGHUP, signal.SIGTERM):      # leave no temporary file behind, and no spatch
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    tree = Tree(args.tree)
    rules = [Rule(rule_file(path), args.defines) for path in args.rule]
    name = target(tree, rules, args.file)
    path = os.path.join(tree.src, name)
    if args.write and not (os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)):
        raise Refused(f"{path} cannot be written")
    with tempfile.TemporaryDirectory(prefix="linekeeper-") as folder:
        source = os.path.join(folder, f"before{Path(name).suffix}")
        shutil.copyfile(path, source)
        result, moves = apply_rules(tree, rules, source, name, folder, args.force_first)
        status, answer, refusal = prove(tree, rules, name, result, moves, folder, args)
        if args.write and not status:
            write(path, source, result)
        show_moves(name, moves)
        print(answer, flush=True, end="" if status else "\n")
        if status:
            sys.stderr.write(refusal)
            return status
        subprocess.run(["diff", "-up", f"--label=a/{name}", f"--label=b/{name}", source, result], check=False)
    return 0
