"""Finds places in C++ sources where a one-line mistake would weaken privacy.

A mutant is a piece of source text that is replaced by two: the old one and a wrong one,
chosen at run time by sotto_mutant(N) (mutant_switch.h). Only lines about privacy count:
those that name epsilon, delta, a sensitivity, a scale, a share, the ledger, the clock,
the history, a clip, a threshold, or that save or load a field.
"""
import dataclasses
import re

PRIVATE = re.compile(
    r"epsilon|delta|sensitiv|scale|\brate|share|ledger|clock|ticks|history|clip|threshold|"
    r"limit|sigma|variance|noise|budget|rounds_per_user|steps|spend|Admit|held_out|stopper|"
    r"writer\.|reader\.|Number<|Real\(\)|relation|patience|moved|reach|units|Clear\(|batch_")
# Text that stands for a number with a unit: a wrong factor compiles and means something.
REAL_FIELD = re.compile(r"\.(epsilon|delta|rate|stopper|scale|sigma|failure|clip|"
                        r"drift_epsilon|test_epsilon|training_epsilon)\s*=(?!=)\s*")
COUNT_FIELD = re.compile(r"\.(rounds_per_user|rows_per_user|steps|limit|sensitivity|"
                         r"reports|horizon)\s*=(?!=)\s*")
REAL_NAME = re.compile(r"^\s*(?:const )?(?:double|auto) (\w+) =\s*")
CONDITION = re.compile(r"\b(?:if|while) \(")
RETURN = re.compile(r"^\s*return\s+(?!\{)")
STATEMENT = re.compile(r"^\s+(?:\+\+|--)?[a-z_][\w.]*(?:->|\.|\[|_|\()[^=]*;$|^\s+(?:\+\+|--)\w+;$")
LOADED = re.compile(r"^(\s+)([\w>.*-]+(?:_|\w)) = (reader\.(?:Number<[\w:]+>|Real|Text)\(\)[^;]*);$")
SKIP = re.compile(r"^\s*(//|#|assert|static_assert|constexpr|static|EXPECT|case |default:|else|\})|"
                  r"constexpr|SOTTO_TRY|Error|InvalidArgument|NotConverged|Corruption")
# Forecasts, bounds on errors and texts: a mistake there costs accuracy, not privacy.
NOT_PRIVATE_FILE = re.compile(r"(_plan|_bound|_text|_search|_report|_sizes|_forms|_hypothesis|"
                              r"_options|_json|_filter_test|_entry)\.cc$|published_|/registry/")
NOT_PRIVATE_FUNCTION = re.compile(
    r"Expect|Error|Loss(Bound|es)?\b|RowsFor|RowsRequired|Worst|Slack\b|Describe|Summary|"
    r"parameters|Judge|Compare|Forecast|Advice|Text|Words|mistakes\(|Mistakes|Score|GivenUp|"
    r"Usual|Rank|Verdict|Caveats")
FUNCTION = re.compile(r"^[A-Za-z][\w:<>,&*\[\] ]*?([\w:~]+)\(")
SWAPS = (("<=", "<"), (">=", ">"), ("<", "<="), (">", ">="), ("==", "!="), ("!=", "=="),
         ("&&", "||"), ("||", "&&"), ("*", "/"), ("/", "*"), ("+", "-"), ("-", "+"))


@dataclasses.dataclass
class Mutant:
    """One wrong text, at an offset of a file."""
    number: int
    path: str
    line: int
    begin: int
    end: int
    wrong: str  # replaces text[begin:end]; "" drops a statement
    what: str
    form: str  # "expression" or "statement"

    def key(self):
        """Names the mutant also after lines above it have moved."""
        return f"{self.path}:{self.what}"


def closing(text, begin, ends):
    """Offset of the first character of `ends` outside of brackets and strings."""
    depth = 0
    i = begin
    while i < len(text):
        c = text[i]
        if c in "\"'":
            i = skip_literal(text, i)
            continue
        if depth == 0 and c in ends:
            return i
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth < 0:
                return i if c in ends else None
        elif c == ";" and depth <= 0:
            return i if c in ends else None
        elif text.startswith("//", i):
            i = text.index("\n", i)
        i += 1
    return None


def skip_literal(text, begin):
    """Offset after a string or a character; a digit separator is one character."""
    quote = text[begin]
    if quote == "'" and begin > 0 and text[begin - 1].isdigit():
        return begin + 1
    i = begin + 1
    while i < len(text) and text[i] != quote:
        i += 2 if text[i] == "\\" else 1
    return i + 1


def swapped(expression):
    """Wrong versions of an expression: (text, what was done)."""
    for old, new in SWAPS:
        for found in re.finditer(re.escape(f" {old} "), expression):
            wrong = expression[:found.start()] + f" {new} " + expression[found.end():]
            yield wrong, f"{old} becomes {new}"
    for found in re.finditer(r"(?<![\w.'])([23])(?![\w.'])", expression):
        wrong = expression[:found.start()] + "1" + expression[found.end():]
        yield wrong, f"{found.group(1)} becomes 1"


def places(text):
    """Yields (begin, end, form, wrong texts with names) of every place of a source."""
    offset = 0
    private = True
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\n")
        header = FUNCTION.match(bare)
        if header:
            private = not NOT_PRIVATE_FUNCTION.search(header.group(1))
        if private and not SKIP.search(bare) and PRIVATE.search(bare):
            yield from places_of_line(text, offset, bare)
        offset += len(line)


def places_of_line(text, offset, line):
    """The places that begin on one line."""
    loaded = LOADED.match(line)
    if loaded:
        begin, end = offset + loaded.start(2), offset + len(line)
        yield begin, end, "statement", [(f"static_cast<void>({loaded.group(3)});",
                                         f"{loaded.group(2)} is not loaded")]
        return
    for pattern, ends, wrong in ((REAL_FIELD, ",})", real_wrong), (COUNT_FIELD, ",})", count_wrong),
                                 (REAL_NAME, ";", real_wrong), (RETURN, ";", plain_wrong)):
        for found in pattern.finditer(line):
            begin = offset + found.end()
            end = closing(text, begin, ends)
            if end is not None and "\n\n" not in text[begin:end] and end - begin < 300:
                name = found.group(0).strip(" =")
                yield begin, end, "expression", list(wrong(text[begin:end].rstrip(), name))
    for found in CONDITION.finditer(line):
        begin = offset + found.end()
        end = closing(text, begin, ")")
        condition = text[begin:end] if end else ""
        if end is not None and ";" not in condition and "const " not in condition:
            yield begin, end, "expression", [(f"!({condition})", "the condition is turned")] + list(
                plain_wrong(condition, "if"))
    if STATEMENT.match(line) and not line.strip().startswith(("return", "const", "delete", "using")):
        begin = offset + len(line) - len(line.lstrip())
        yield begin, offset + len(line), "statement", [("", f"'{line.strip()}' is dropped")]


def plain_wrong(expression, name):
    """Wrong operators of an expression."""
    for wrong, what in swapped(expression):
        yield wrong, f"{name}: {what} in '{' '.join(expression.split())[:60]}'"


def real_wrong(expression, name):
    """Wrong factors and operators of a real number."""
    short = " ".join(expression.split())[:60]
    if not re.fullmatch(r"[\d.e+-]+|\{.*", expression, re.S):
        yield f"0.97 * ({expression})", f"{name} x 0.97: '{short}'"
        yield f"2 * ({expression})", f"{name} x 2: '{short}'"
    yield from plain_wrong(expression, name)


def count_wrong(expression, name):
    """A count that is not handed on."""
    short = " ".join(expression.split())[:60]
    yield f"(({expression}), 1)", f"{name} is 1: '{short}'"
    yield from plain_wrong(expression, name)


def find(root, folders):
    """All mutants of the sources in these folders, numbered from 1."""
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*.cc")):
            if "_test" in path.name or NOT_PRIVATE_FILE.search(str(path)):
                continue
            found += of_file(root, path, len(found))
    return found


def of_file(root, path, before):
    """Mutants of one source; of overlapping places the first ones."""
    text = path.read_text()
    mutants = []
    for begin, end, form, wrongs in places(text):
        for wrong, what in wrongs:
            mutants.append(Mutant(before + len(mutants) + 1, str(path.relative_to(root)),
                                  text.count("\n", 0, begin) + 1, begin, end, wrong, what, form))
    return mutants


def instrumented(text, mutants):
    """The source with a switch for each mutant; places inside others are left out.

    Returns the text and the mutants that are in it.
    """
    by_place = {}
    for mutant in mutants:
        by_place.setdefault((mutant.begin, mutant.end, mutant.form), []).append(mutant)
    kept, last = [], len(text) + 1
    for (begin, end, form), group in sorted(by_place.items(), key=lambda x: (-x[0][0], x[0][1])):
        if end > last:
            continue
        old = text[begin:end]
        text = text[:begin] + switched(old, form, group) + text[end:]
        kept += group
        last = begin
    include = '#include "tools/mutant_switch.h"\n'
    return include + text, kept


def switched(old, form, group):
    """The old text and the wrong ones, behind their switches."""
    if form == "statement":
        new = "{ " + old + " }"
        for mutant in group:
            new = f"if (sotto_mutant({mutant.number})) {{ {mutant.wrong} }} else {new}"
        return new
    new = f"({old})"
    for mutant in group:
        new = f"(sotto_mutant({mutant.number}) ? ({mutant.wrong}) : {new})"
    return new
