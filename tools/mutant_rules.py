"""Finds places in C++ sources where a one-line mistake would weaken privacy.

A mutant is a piece of source text that is replaced by two: the old one and a wrong one,
chosen at run time by sotto_mutant(N) (mutant_switch.h). Only lines about privacy count:
those that name epsilon, delta, a sensitivity, a scale, a share, the ledger, the clock,
the history, a clip, a threshold, or that save or load a field.
"""
import dataclasses
import hashlib
import json
import re
import sys

PRIVATE = re.compile(
    r"epsilon|delta|sensitiv|scale|\brate|share|ledger|clock|ticks|history|clip|threshold|"
    r"limit|sigma|variance|noise|budget|rounds_per_user|rounds-per-user|rows_per_user|steps|"
    r"spend|Admit|[hH]eld_?[oO]ut|stopper|writer\.|reader\.|Number<|Real\(\)|relation|"
    r"patience|moved|reach|units|[cC]lear\(|batch_|rng|Sample|Draw|count_|cost|"
    r"Pad|empty|Teach|Learn|Add\(|present|phase|epoch|gate|horizon|ticket")
# Text that stands for a number with a unit: a wrong factor compiles and means something.
REAL_FIELD = re.compile(r"\.(epsilon|delta|rate|stopper|scale|sigma|failure|clip|"
                        r"drift_epsilon|test_epsilon|training_epsilon)\s*=(?!=)\s*")
COUNT_FIELD = re.compile(r"\.(rounds_per_user|rows_per_user|steps|limit|sensitivity|"
                         r"reports|horizon)\s*=(?!=)\s*")
REAL_NAME = re.compile(r"^\s*(?:const )?(?:double|auto) (\w+) =\s*")
AUTO = re.compile(r"\bauto\b")
CONDITION = re.compile(r"\b(?:if|while) \(")
RETURN = re.compile(r"^\s*return\s+(?!\{)")
STATEMENT = re.compile(r"^\s+(?:\+\+|--)?[a-z_][\w.]*(?:->|\.|\[|_|\()[^=]*;$|^\s+(?:\+\+|--)\w+;$")
# The number of rounds of a user, asked for and not handed on.
ASKED = re.compile(r'settings(?:_|\(\))?\.GetInt\("(rounds-per-user|label-delay|horizon)"\)')
SAVED = re.compile(r"\bwriter\.(Number|Real)\(")
RELATION = re.compile(r"\.relation\s*=(?!=)\s*|(?<=[ (!])relation(?=[,)])")
# The bound alone: what stands behind && or || is no part of it.
LOOP = re.compile(r"\bfor \((?:[^;()]|\([^()]*\))*; (\w+) < ([^;&|]+?)(?: (?:&&|\|\|)[^;]*)?;")
LOADED = re.compile(r"^(\s+)([\w>.*-]+(?:_|\w)) = (reader\.(?:Number<[\w:]+>|Real|Text)\(\)[^;]*);$")
TWICE = re.compile(r"^(?:\+\+|--)|Add\(|push_back|emplace_back|Count|Teach|Learn")
SKIP = re.compile(r"^\s*(//|#|assert|static_assert|constexpr|static|EXPECT|case |default:|else|\})|"
                  r"constexpr|\.reserve\(|SOTTO_TRY|Error|InvalidArgument|NotConverged|Corruption")
# Checks of arguments and of states: a mistake refuses too much, or hands on what a later
# check refuses.
REFUSAL = re.compile(r"\)\s*\{?\s*return (\w*(InvalidArgument|Error|Corrupt\w*|Bad\w*|Failed\w*|"
                     r"NotConverged|BudgetExhausted|[dD]amaged|bad|OtherParameters|std::nullopt|Nonsense)\b|"
                     r"false;)")
# Forecasts, bounds on errors, texts, and functions of what was released already (pairs and
# relevance of tide): a mistake there costs accuracy, not privacy.
NOT_PRIVATE_FILE = re.compile(r"(_plan|_bound|_text|_search|_report|_sizes|_forms|_hypothesis|"
                              r"label_metrics|comparison|ranking|run_stats|"
                              r"_json|_filter_test|leader_epochs|tide_relevance|tide_pairs)\.cc$|published_|non_private|"
                              r"/registry/|service/(api|client|dashboard|engine|events|http|metrics|peers|serve)/")
NOT_PRIVATE_FUNCTION = re.compile(
    r"Expect|Error|Loss(Bound|es)?\b|RowsFor|RowsRequired|Worst|Slack\b|Describe|Summary|"
    r"parameters|Judge|Compare|Forecast|Advice|Text|Words|mistakes\(|Mistakes|Score|GivenUp|"
    r"Usual|Rank|Verdict|Caveats|^AddRow$")
FUNCTION = re.compile(r"^[A-Za-z][\w:<>,&*\[\] ]*?([\w:~]+)\(")
# Below Switches::kMost (mutant_switch.h), with room to step aside.
MOST_NUMBERS = (1 << 18) - 1000
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
    by_hand: bool = False

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
        if end is not None and ";" not in condition and "const " not in condition and (
                not REFUSAL.match(text, end)):
            yield begin, end, "expression", [(f"!({condition})", f"turned: '{' '.join(condition.split())[:60]}'")] + list(
                plain_wrong(condition, "if"))
    for found in ASKED.finditer(line):
        yield (offset + found.start(), offset + found.end(), "expression",
               [("std::uint64_t{1}", f"{found.group(1)} is 1")])
    yield from saved_places(text, offset, line)
    if STATEMENT.match(line) and not line.strip().startswith(("return", "const", "delete", "using")):
        begin = offset + len(line) - len(line.lstrip())
        bare = line.strip()
        wrongs = [("", f"'{bare}' is dropped")]
        if TWICE.search(bare):
            wrongs.append((f"{bare} {bare}", f"'{bare}' is done twice"))
        yield begin, offset + len(line), "statement", wrongs


def saved_places(text, offset, line):
    """Fields that are written as 0, and loops that forget the last one."""
    for found in SAVED.finditer(line):
        begin = offset + found.end()
        end = closing(text, begin, ")")
        if end is not None and end - begin < 200:
            short = " ".join(text[begin:end].split())[:60]
            wrong = (f"static_cast<std::decay_t<decltype({text[begin:end]})>>(0)"
                     if found.group(1) == "Number" else "0.0")
            yield begin, end, "expression", [(wrong, f"'{short}' is saved as 0")]
    for found in LOOP.finditer(line):
        begin, end = offset + found.start(2), offset + found.end(2)
        yield begin, end, "expression", [(f"({found.group(2)}) - 1",
                                          f"the loop to {found.group(2)} forgets the last")]


def plain_wrong(expression, name):
    """Wrong operators of an expression."""
    for wrong, what in swapped(expression):
        yield wrong, f"{name}: {what} in '{' '.join(expression.split())[:60]}'"


def real_wrong(expression, name):
    """Wrong factors and operators of a real number."""
    short = " ".join(expression.split())[:60]
    if not re.fullmatch(r"[\d.e+-]+|\{.*", expression, re.S):
        for factor in ("0.97", "2"):
            wrong = f"{factor} * ({expression})"
            # A name without a type keeps that of the expression: later lines compile.
            if AUTO.search(name):
                wrong = f"static_cast<std::decay_t<decltype({expression})>>({wrong})"
            yield wrong, f"{name} x {factor}: '{short}'"
    yield from plain_wrong(expression, name)


def count_wrong(expression, name):
    """A count that is not handed on."""
    short = " ".join(expression.split())[:60]
    yield f"(({expression}), 1)", f"{name} is 1: '{short}'"
    yield from plain_wrong(expression, name)


def examples(root):
    """Mistakes written by hand (mutant_examples.jsonl)."""
    found = []
    for line in (root / "tools" / "mutant_examples.jsonl").read_text().splitlines():
        example = json.loads(line)
        text = (root / example["path"]).read_text()
        if text.count(example["old"]) != 1:
            print(f"mutants: {example['path']} has {text.count(example['old'])} times "
                  f"'{example['old']}': mend mutant_examples.jsonl", file=sys.stderr)
            continue
        begin = text.index(example["old"])
        found.append(Mutant(0, example["path"], text.count("\n", 0, begin) + 1, begin,
                            begin + len(example["old"]), example["new"], example["what"],
                            example.get("form", "expression"), True))
    return found


def find(root, folders):
    """All mutants: the examples and those of the sources in these folders."""
    found = examples(root)
    for folder in folders:
        for path in sorted((root / folder).rglob("*.cc")):
            if "_test" in path.name or NOT_PRIVATE_FILE.search(str(path)):
                continue
            found += of_file(root, path)
    return numbered(found)


def spread(key):
    """A number in [0, 1) that depends on the mutant alone, to take a sample by."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) / 2**32


def numbered(mutants):
    """Numbers that hardly change where others come and go: those objects stay."""
    taken = set()
    for mutant in mutants:
        mutant.number = 1 + int(spread(mutant.key()) * MOST_NUMBERS)
        while mutant.number in taken:
            mutant.number += 1
        taken.add(mutant.number)
    return mutants


def of_file(root, path):
    """Mutants of one source; of overlapping places the first ones."""
    text = path.read_text()
    mutants, seen = [], {}
    for begin, end, form, wrongs in places(text):
        for wrong, what in wrongs:
            seen[what] = seen.get(what, 0) + 1
            if seen[what] > 1:
                what = f"{what} ({seen[what]})"
            mutants.append(Mutant(0, str(path.relative_to(root)),
                                  text.count("\n", 0, begin) + 1, begin, end, wrong, what, form))
    return mutants


def instrumented(text, mutants):
    """The source with a switch for each mutant; places inside others are left out.

    Returns the text and the mutants that are in it.
    """
    by_place = {}
    for mutant in mutants:
        by_place.setdefault((mutant.begin, mutant.end, mutant.form), []).append(mutant)
    # Of overlapping places the first listed stays: examples come first.
    free = []
    for place in by_place:
        if not any(place[0] < end and begin < place[1] for begin, end, _ in free):
            free.append(place)
    kept = []
    for begin, end, form in sorted(free, reverse=True):
        group = by_place[(begin, end, form)]
        old = text[begin:end]
        text = text[:begin] + switched(old, form, group) + text[end:]
        kept += group
    return text, kept


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
