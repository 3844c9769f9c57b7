#!/usr/bin/env python3
"""Checks that the folders form the DAG their CMakeLists.txt files declare.

Every folder of sotto/ and of sotto/models/ is a module. Every `#include
"sotto/X/..."` in sotto/Y must have X in the DEPS of module Y
(or in its TEST_DEPS, for files with _test in their name); apps, python and bench may use what they link,
apps and python never sotto::testing nor sotto::mutants; the declared graph must have no cycle. Every source
must be listed. The headers right in sotto/ are for users of the library: they
include what exists and no tests, and nothing in the tree includes them.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYWORDS = {"SOURCES", "APART", "DEPS", "LIBS", "TESTS", "TEST_DEPS"}
FORBIDDEN_FOLDERS = {"util", "utils", "common", "helpers", "core", "misc"}
INCLUDE = re.compile(r'^\s*#include\s+"sotto/(?:models/(?=[a-z_]+/))?([a-z_]+)/', re.M)

PUBLIC_INCLUDE = re.compile(r'^\s*#include\s+"(sotto/[a-z_]+\.h)"', re.M)


def declared(text):
    """Returns the lists of the sotto_module() call in `text`."""
    words = re.sub(r"#.*", "", text)
    call = re.search(r"sotto_module\(([^)]*)\)", words)
    lists = {key: [] for key in KEYWORDS}
    current = None
    for word in call.group(1).split()[1:]:
        if word in KEYWORDS:
            current = word
        else:
            lists[current].append(word)
    return lists


def find_cycle(deps):
    state = {}

    def visit(node, path):
        if state.get(node) == "done":
            return None
        if node in path:
            return path[path.index(node):] + [node]
        for below in deps.get(node, []):
            cycle = visit(below, path + [node])
            if cycle:
                return cycle
        state[node] = "done"
        return None

    for node in deps:
        cycle = visit(node, [])
        if cycle:
            return cycle
    return None


def closure(deps, node):
    seen, todo = set(), [node]
    while todo:
        for below in deps.get(todo.pop(), []):
            if below not in seen:
                seen.add(below)
                todo.append(below)
    return seen


def module_folders():
    for folder in sorted((ROOT / "sotto").iterdir()):
        if folder.name == "models":
            yield from sorted(folder.iterdir())
        elif folder.is_dir():
            yield folder


def check_public_headers(problems):
    for path in sorted((ROOT / "sotto").glob("*.h")):
        text = path.read_text()
        for used in re.findall(r'^#include "(.*)"', text, re.M):
            if "testing/" in used or "_test" in used or not (ROOT / used).exists():
                problems.append(f"{path.relative_to(ROOT)}: includes {used}, which is not there for users")
    for folder in ("sotto", "apps", "python", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                for used in PUBLIC_INCLUDE.findall(path.read_text()):
                    problems.append(f"{path.relative_to(ROOT)}: includes {used}, which is for users; "
                                    "name the header that declares it")


def main():
    problems = []
    check_public_headers(problems)
    folders = {}
    modules = {}
    for folder in module_folders():
        if folder.name in FORBIDDEN_FOLDERS:
            problems.append(f"sotto/{folder.name}: a folder is named after one concept")
        modules[folder.name] = declared((folder / "CMakeLists.txt").read_text())
        folders[folder.name] = folder
        listed = set(modules[folder.name]["SOURCES"] + modules[folder.name]["TESTS"])
        for path in sorted(folder.rglob("*.cc")):
            if str(path.relative_to(folder)) not in listed:
                problems.append(f"{path.relative_to(ROOT)}: not built, its CMakeLists.txt does not list it")
    deps = {name: lists["DEPS"] for name, lists in modules.items()}
    cycle = find_cycle(deps)
    if cycle:
        problems.append("cycle: " + " > ".join(cycle))
    for name, lists in modules.items():
        allowed = {name} | closure(deps, name)
        for path in sorted(folders[name].rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            extra = set()
            if "_test" in path.stem:  # x_test.cc and what tests share, x_test_law.h
                for dep in lists["TEST_DEPS"]:
                    extra |= {dep} | closure(deps, dep)
            for used in INCLUDE.findall(path.read_text()):
                if used not in allowed | extra:
                    where = path.relative_to(ROOT)
                    problems.append(f"{where}: includes sotto/{used}, which module {name} does not declare")
    for path in sorted([*(ROOT / "apps").rglob("*"), *(ROOT / "python").rglob("*")]):
        if path.suffix not in (".h", ".cc"):
            continue
        for used in {"testing", "mutants"} & set(INCLUDE.findall(path.read_text())):
            problems.append(f"{path.relative_to(ROOT)}: an app or the Python module must not use sotto/{used}")
    for problem in problems:
        print("check_layers:", problem, file=sys.stderr)
    if problems:
        return 1
    print(f"layers: {len(modules)} modules form a DAG")
    return 0


if __name__ == "__main__":
    sys.exit(main())
