#!/usr/bin/env python3
"""Checks that retired words (tools/words.txt) stay out of the tree.

    tools/check_words.py --all               code, comments and proof pages
    tools/check_words.py --all FOLDER ...    only below these folders
    tools/check_words.py --count             number of findings in each folder
    tools/check_words.py --changed [BASE]    lines added since BASE (default: HEAD~1)
    tools/check_words.py --staged            lines added by the commit to be made
    tools/check_words.py --self-test         checks the checker

--all reads .h, .cc and .py files below sotto, apps, python and bench, and .md
pages below sotto. --changed and --staged also read the pages of docs and
CONTRIBUTING.md. Strings are exempt, and so is everything in code blocks of pages.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("sotto", "apps", "python", "bench")
SECTIONS = ("code", "comments", "prose")
# Comments, strings (raw ones first) and characters of C++. A ' inside of a
# number separates digits.
CPP = re.compile(
    r'//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|(?:u8|[uUL])?R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
INLINE_CODE = re.compile(r"`[^`]*`")
LINK_TARGET = re.compile(r"(?<=\])\([^)\s]*\)")
BLANK = re.compile(r"[^\n]")

Rule = collections.namedtuple("Rule", "pattern advice")
Finding = collections.namedtuple("Finding", "line word advice")


def load_rules(text):
    rules = {section: [] for section in SECTIONS}
    section = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        if line.strip("[]") in rules:
            section = rules[line.strip("[]")]
            continue
        pattern, tab, advice = line.partition("\t")
        if not tab or section is None:
            sys.exit(f"tools/words.txt:{number}: expected PATTERN, a tab, ADVICE")
        section.append((pattern, advice))
    return {
        "code": [Rule(whole_words(p), a) for p, a in rules["code"]],
        "comments": [Rule(re.compile(p), a) for p, a in rules["comments"]],
        "prose": [Rule(whole_words(p, re.I), a) for p, a in rules["prose"]],
    }


def whole_words(pattern, flags=0):
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", flags)


def blank(text):
    """Spaces of the same length: offsets and line numbers stay."""
    return BLANK.sub(" ", text)


def split_cpp(text):
    """The text without comments and strings, and the comments as (offset, text)."""
    comments = []

    def take(match):
        for group in ("line", "block"):
            if match.group(group) is not None:
                comments.append((match.start(group), match.group(group)))
        return blank(match.group(0))

    return CPP.sub(take, text), comments


def split_python(text):
    """Like split_cpp. Docstrings are strings."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    code, comments = list(text), []
    kinds = {tokenize.COMMENT, tokenize.STRING}
    kinds |= {getattr(tokenize, name) for name in ("FSTRING_MIDDLE",) if hasattr(tokenize, name)}
    for token in tokenize.generate_tokens(iter(lines + [""]).__next__):
        if token.type not in kinds:
            continue
        begin = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if token.type == tokenize.COMMENT:
            comments.append((begin + 1, text[begin + 1:end]))
        code[begin:end] = blank(text[begin:end])
    return "".join(code), comments


def join_comments(text, comments):
    """Comments on consecutive lines of their own become one, so that a phrase is
    found across a line break. Yields lists of (offset, text)."""
    block, previous = [], None
    for offset, comment in comments:
        line = text.count("\n", 0, offset)
        start = text.rfind("\n", 0, offset) + 1
        alone = not text[start:offset].strip(" \t/#*!")
        if not (block and alone and previous == line - 1):
            if block:
                yield block
            block = []
        block.append((offset, comment))
        previous = line + comment.count("\n")
    if block:
        yield block


def match_block(block, rules):
    """Yields (offset in the file, word, advice) for a block of text pieces."""
    pieces, places = [], []
    for offset, text in block:
        cut = text.strip(" \t/#!*")
        shift = offset + text.find(cut)
        for i, character in enumerate(cut + " "):
            pieces.append(" " if character == "\n" else character)
            places.append(shift + i)
    joined = "".join(pieces)
    for rule in rules:
        for match in rule.pattern.finditer(joined):
            yield places[match.start()], match.group(0), rule.advice


def page_paragraphs(text):
    for cut in (FENCE, INLINE_CODE, LINK_TARGET):
        text = cut.sub(lambda match: blank(match.group(0)), text)
    for match in re.finditer(r"(?:[^\n]*\S[^\n]*\n?)+", text):
        yield [(match.start(), match.group(0))]


def find(name, text, rules):
    """The findings in a file, by line."""
    hits = []
    if name.endswith(".md"):
        for block in page_paragraphs(text):
            hits += match_block(block, rules["prose"])
    else:
        code, comments = split_python(text) if name.endswith(".py") else split_cpp(text)
        names = "\n".join(set(re.findall(r"\w+\(?", code)))  # far shorter than the code
        retired = [rule for rule in rules["code"] if rule.pattern.search(names)]
        hits += [(match.start(), match.group(0), rule.advice)
                 for rule in retired for match in rule.pattern.finditer(code)]
        for block in join_comments(text, comments):
            hits += match_block(block, rules["comments"] + rules["prose"])
    found = {Finding(text.count("\n", 0, offset) + 1, word, advice)
             for offset, word, advice in hits}
    return sorted(found)


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout


def in_tree(name):
    suffix = pathlib.PurePath(name).suffix
    return (name.split("/")[0] in FOLDERS and suffix in (".h", ".cc", ".py")
            or name.startswith("sotto/") and suffix == ".md")


def in_changes(name):
    return in_tree(name) or name == "CONTRIBUTING.md" or (
        name.startswith("docs/") and name.endswith(".md"))


def files_below(folders):
    names = git("ls-files", "--cached", "--others", "--exclude-standard").split("\n")
    for name in sorted(filter(in_tree, names)):
        if (ROOT / name).exists() and (
                not folders or any(pathlib.PurePath(name).is_relative_to(f) for f in folders)):
            yield name


def added_lines(diff):
    """The lines a `git diff -U0` adds: {file: set of line numbers}."""
    added, name = collections.defaultdict(set), None
    for line in diff.split("\n"):
        if line.startswith("+++ "):
            name = line[6:] if line.startswith("+++ b/") else None
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and name:
            first, count = int(hunk.group(1)), int(hunk.group(2) or 1)
            added[name] |= set(range(first, first + count))
    return added


def report(findings):
    for name, found in findings:
        for line, word, advice in found:
            print(f"{name}:{line}: '{word}': {advice}")
    total = sum(len(found) for _, found in findings)
    if total:
        print(f"{total} retired words; the list is tools/words.txt", file=sys.stderr)
    return 1 if total else 0


def read(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def check_all(folders, rules):
    return report([(name, find(name, read(name), rules)) for name in files_below(folders)])


def check_added(diff_arguments, rules):
    diff = git("diff", "-U0", "--no-color", "--no-ext-diff", "--no-prefix", "--src-prefix=a/",
               "--dst-prefix=b/", *diff_arguments)
    findings = []
    for name, lines in sorted(added_lines(diff).items()):
        if in_changes(name) and (ROOT / name).exists():
            found = find(name, read(name), rules)
            findings.append((name, [each for each in found if each.line in lines]))
    return report(findings)


def count(rules):
    counts = collections.Counter()
    for name in files_below([]):
        parts = pathlib.PurePath(name).parent.parts
        counts["/".join(parts[:2])] += len(find(name, read(name), rules))
    for folder, number in sorted(counts.items()):
        print(f"{number:6}  {folder}")
    print(f"{sum(counts.values()):6}  in all")
    return 0


SELF_TESTS = [
    ("x.cc", "int told = 1;\n", [(1, "told")]),
    ("x.cc", 'int n = 1\'000; Say("told", \'t\');  // fine\n', []),
    ("x.cc", 'auto s = R"(told\n// What)"; int told;\n', [(2, "told")]),
    ("x.cc", "// What a model keeps.\nint x;\n", [(1, "What")]),
    ("x.cc", "int x;  // Of two labels.\n", [(1, "Of")]),
    ("x.cc", "// Rows of a table,\n// which is what is read.\n", []),
    ("x.cc", "// Stays open for\n// ever.\n", [(1, "for ever")]),
    ("x.cc", "/* Costs\n * dearer. */ int told_x;\n", [(2, "dearer")]),
    ("x.cc", "int a = CountOf(b), c = AllOf(d), e = foo.distributionOf;\n", [(1, "CountOf")]),
    ("x.cc", "// There is no user. It is no longer open.\n", []),
    ("x.cc", "// It is no number.\n", [(1, "is no number")]),
    ("x.cc", "// A key of its own, at the end of its own side.\n", [(1, "of its own")]),
    ("x.py", "told = 'told'  # so many\n", [(1, "so many"), (1, "told")]),
    ("x.py", "class Run:\n    def told(self):\n        return told\n", [(3, "told")]),
    ("x.cc", "// The tick marks of an axis, at every tick.\n", [(1, "tick")]),
    ("x.py", 'def f():\n    """What it is."""\n    # Whether.\n    return 1\n', [(3, "Whether")]),
    ("x.md", "A `told` law.\n\n```cpp\nint told;\n```\nStays for\never.\n",
     [(1, "law"), (6, "for ever")]),
    ("x.md", "See [it](for_ever/law.md).\n", []),
]
SELF_TEST_DIFF = "+++ b/a.cc\n@@ -3,0 +4,2 @@\n+x\n+y\n@@ -9 +11 @@\n+z\n+++ /dev/null\n@@ -1 +0,0 @@\n"


def self_test(rules):
    failures = 0
    for name, text, expected in SELF_TESTS:
        found = sorted((finding.line, finding.word) for finding in find(name, text, rules))
        if found != expected:
            failures += 1
            print(f"self-test: {text!r}: expected {expected}, found {found}", file=sys.stderr)
    if added_lines(SELF_TEST_DIFF) != {"a.cc": {4, 5, 11}}:
        failures += 1
        print(f"self-test: added_lines: {added_lines(SELF_TEST_DIFF)}", file=sys.stderr)
    return 1 if failures else 0


def main(arguments):
    rules = load_rules((ROOT / "tools/words.txt").read_text())
    mode, rest = (arguments or [""])[0], arguments[1:]
    if mode == "--all":
        return check_all(rest, rules)
    if mode == "--count" and not rest:
        return count(rules)
    if mode == "--changed" and len(rest) <= 1:
        return check_added([rest[0] if rest else "HEAD~1"], rules)
    if mode == "--staged" and not rest:
        return check_added(["--cached"], rules)
    if mode == "--self-test" and not rest:
        return self_test(rules)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
