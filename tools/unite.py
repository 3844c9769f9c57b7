#!/usr/bin/env python3
"""Puts sources together that are then compiled as one.

    tools/unite.py FOLDER MOST SOURCE...

writes FOLDER/united_*.cc, each of which includes MOST sources at most, and
prints what is to be compiled, separated by semicolons: those, and the sources
that stay by themselves (cmake/sotto.cmake, sotto_unite).

Sources that were written to be compiled alone use the same names for what they
keep to themselves. Where one has a name of its own that is a word of another
one, the name is replaced while the one is read:

    #define kTag kTag_1
    #include "tree_counter.cc"
    #undef kTag

All headers come first, so that they are not changed by it. A source stays away
from those where that cannot be done, as the word is a member's name in it too.
This goes by words, not by the language: what it gets wrong does not compile.
"""

import pathlib
import re
import sys

NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',
    re.S)
INCLUDE = re.compile(r'^#include\s+(?:"[^"]+\.h"|<[^>]+>)', re.M)
NO_DECLARATION = re.compile(r"^\s*#[^\n]*$|\bstatic_assert\(.*?\);", re.M | re.S)
NAMESPACE = re.compile(r"namespace(?:\s+(?P<name>[\w:]+))?\s*\{")
MEMBER = re.compile(r"(?:\.|->|::)\s*([A-Za-z_]\w*)")
WORD = re.compile(r"[A-Za-z_]\w*")
TYPE = re.compile(r"(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)")
ALIAS = re.compile(r"using\s+(\w+)\s*=")


def end_of_block(text, start):
    """Behind the brace that closes the one before `start`."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(text)


def declarations(text):
    """The text up to the first block, `=` or `;` of each declaration."""
    start, head, valued, depth = 0, None, False, 0
    for match in re.finditer(r"[(){};=]", text):
        at, mark = match.start(), match[0]
        if depth == 0 and mark in "{=;":
            head = text[start:at] if head is None else head
            valued = valued or mark == "="
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(mark, 0)
        if depth == 0 and (mark == ";" or (mark == "}" and not valued)):
            yield head
            start, head, valued = match.end(), None, False


def without_template(text):
    """A declaration without `template <...>` in front."""
    if not text.startswith("template"):
        return text
    depth = 0
    for match in re.finditer(r"[<>]", text):
        depth += 1 if match[0] == "<" else -1
        if depth == 0:
            return text[match.end():].lstrip()
    return text


def declared(declaration):
    """The name that a declaration makes, if any."""
    text = without_template(declaration.strip())
    if found := TYPE.match(text):
        return found[1]
    before = re.sub(r"\[[^\]]*\]\s*$", "", text.split("(")[0])
    words = WORD.findall(before)
    return words[-1] if words else ""


def own_names(text):
    """The names that are declared in namespaces without a name, and aliases."""
    names = set()

    def visit(body, own):
        at = 0
        while match := NAMESPACE.search(body, at):
            end = end_of_block(body, match.end())
            visit(body[match.end():end - 1], own or not match["name"])
            body = body[:match.start()] + body[end:]
            at = match.start()
        for declaration in declarations(body):
            if own or "using" in declaration:
                names.add(declared(declaration))

    visit(text, False)
    return names - {"", "TEST", "TEST_F", "TEST_P", "INSTANTIATE_TEST_SUITE_P"}


class Source:
    """The words of a source, and which of them it may call differently."""

    def __init__(self, path):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.path = path
        self.headers = INCLUDE.findall(text)
        text = NOT_CODE.sub(lambda match: " " if match[0][0] == "/" else "0", text)
        # Macros, and headers that only some machines have.
        self.alone = bool(re.search(r"^\s*#\s*(define|if)", text, re.M))
        text = NO_DECLARATION.sub("", text)
        self.own = own_names(text)
        self.words = set(WORD.findall(text))
        # A suite's name is read by others.
        self.fixed = set(MEMBER.findall(text)) | {n for n in self.own if n.endswith("Test")}

    def clashes(self, others):
        """Its own names that are words of others."""
        return {name for name in self.own if any(name in other.words for other in others)}

    def may_join(self, others):
        return not self.alone and not self.clashes(others) & self.fixed and not any(
            other.alone or other.clashes([self]) & other.fixed for other in others)


def groups(sources, most):
    """Each source in the first group that is not full and that it may join."""
    made = []
    for source in sources:
        fitting = (g for g in made if len(g) < most and source.may_join(g))
        group = next(fitting, None)
        if group is None:
            made.append([source])
        else:
            group.append(source)
    return made


def united(group):
    """The text of the source that includes the group's."""
    lines = ["// Compiled as one (tools/unite.py)."]
    lines += dict.fromkeys(header for source in group for header in source.headers)
    for number, source in enumerate(group):
        names = sorted(source.clashes([other for other in group if other is not source]))
        lines += [f"#define {name} {name}_{number}" for name in names]
        lines.append(f'#include "{source.path}"')
        lines += [f"#undef {name}" for name in names]
    return "\n".join(lines) + "\n"


def main():
    folder, most, paths = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    compiled = []
    for number, group in enumerate(groups(list(map(Source, paths)), most)):
        if len(group) == 1:
            compiled.append(group[0].path)
            continue
        path = folder / f"united_{number}.cc"
        text = united(group)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        compiled.append(str(path))
    print(";".join(compiled), end="")


if __name__ == "__main__":
    main()
