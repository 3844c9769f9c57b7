#!/usr/bin/env python3
"""Checks the layers of the tree.

    tools/check_layers.py           checks; exits with 1 if something is wrong
    tools/check_layers.py --draw    prints the graph of rooms for docs/architecture.md

A folder right below sotto/ is a room; a folder with a CMakeLists.txt is a module.
* A file includes only modules that its own module names in DEPS or, for tests, in
  TEST_DEPS. Every name in either list is used.
* Modules form a DAG, and so do rooms, tests left out.
* The graph in docs/architecture.md is the real one.
* Every source is listed in a CMakeLists.txt.
* Apps and the Python module use neither sotto/testing nor sotto/audit/mutants.
* Headers right in sotto/ are for users of the library: nothing in the tree
  includes them, and they include nothing of the tests.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEYWORDS = {"TOGETHER", "SOURCES", "APART", "DEPS", "LIBS", "TESTS", "TEST_DEPS"}
FORBIDDEN_FOLDERS = {"util", "utils", "common", "helpers", "core", "misc"}
TEST_ONLY = {"testing", "model_audit", "mutants"}
INCLUDE = re.compile(r'^\s*#include\s+"sotto/([a-z_/]+)/[a-z_0-9]+\.h"', re.M)
PUBLIC_INCLUDE = re.compile(r'^\s*#include\s+"(sotto/[a-z_]+\.h)"', re.M)
GRAPH = re.compile(r"```text\n(room +uses\n.*?)```", re.S)


class Module:
    """A folder with its CMakeLists.txt."""

    def __init__(self, folder):
        self.folder = folder
        self.path = str(folder.relative_to(ROOT / "sotto"))
        self.room = self.path.split("/")[0]
        words = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
        self.words = set(re.split(r"[\s()]+", words))
        call = re.search(r"sotto_module\(([^)]*)\)", words).group(1).split()
        self.name = call[0]
        self.lists = {key: [] for key in KEYWORDS}
        for word in call[1:]:
            if word in KEYWORDS:
                current = self.lists[word]
            else:
                current.append(word)


def load_modules():
    folders = sorted(path.parent for path in (ROOT / "sotto").rglob("CMakeLists.txt"))
    return {module.name: module for module in map(Module, folders)}


def sources(folder):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in (".h", ".cc")]


def is_test(path):
    return "_test" in path.stem  # x_test.cc, and what tests share: x_test_tools.h


class Tree:
    """Modules by name, and which module a path belongs to."""

    def __init__(self):
        self.modules = load_modules()
        self.by_path = {module.path: module for module in self.modules.values()}
        self.problems = []

    def owner(self, path):
        """The module with the longest folder that `path`, below sotto/, starts with."""
        while path and path not in self.by_path:
            path = path.rpartition("/")[0]
        return self.by_path.get(path)

    def included(self, path):
        """The modules that the file includes, with the folders it names."""
        found = {}
        for folder in INCLUDE.findall(path.read_text()):
            module = self.owner(folder)
            if module is None:
                self.complain(path, f"includes sotto/{folder}, which is no module's")
            else:
                found[module.name] = folder
        return found

    def files(self, module):
        return [path for path in sources(module.folder)
                if self.owner(str(path.parent.relative_to(ROOT / "sotto"))) is module]

    def complain(self, path, text):
        self.problems.append(f"{path.relative_to(ROOT)}: {text}")


def find_cycle(deps):
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        for below in deps.get(node, ()):
            cycle = visit(below, path + [node])
            if cycle:
                return cycle
        done.add(node)
        return None

    return next((cycle for cycle in (visit(node, []) for node in deps) if cycle), None)


def closure(deps, roots):
    seen, todo = set(roots), list(roots)
    while todo:
        for below in deps.get(todo.pop(), ()):
            if below not in seen:
                seen.add(below)
                todo.append(below)
    return seen


def check_module(tree, module, deps):
    """Compares what the module's files include with what it declares."""
    below = closure(deps, module.lists["DEPS"]) | {module.name}
    below_tests = below | closure(deps, module.lists["TEST_DEPS"])
    used = {False: set(), True: set()}
    for path in tree.files(module):
        for name in tree.included(path):
            used[is_test(path)].add(name)
            if name not in (below_tests if is_test(path) else below):
                tree.complain(path, f"includes module {name}, which module {module.name} does not declare")
    for name in module.lists["DEPS"]:
        if name not in used[False]:
            tree.complain(module.folder, f"DEPS names {name}, which no source includes")
    for name in module.lists["TEST_DEPS"]:
        if name not in used[True]:
            tree.complain(module.folder, f"TEST_DEPS names {name}, which no test includes")


def check_sources_listed(tree):
    for module in tree.modules.values():
        if module.folder.name in FORBIDDEN_FOLDERS:
            tree.complain(module.folder, "a folder is named after one concept")
        for path in tree.files(module):
            if path.suffix == ".cc" and str(path.relative_to(module.folder)) not in module.words:
                tree.complain(path, "is not built: its CMakeLists.txt does not list it")


def check_public_headers(tree):
    for path in sorted((ROOT / "sotto").glob("*.h")):
        for used in re.findall(r'^#include "(.*)"', path.read_text(), re.M):
            if "testing/" in used or "_test" in used or not (ROOT / used).exists():
                tree.complain(path, f"includes {used}, which users do not have")
    for folder in ("sotto", "apps", "python", "bench"):
        for path in sources(ROOT / folder):
            for used in PUBLIC_INCLUDE.findall(path.read_text()):
                tree.complain(path, f"includes {used}, which is for users; name the header that declares it")


def check_apps(tree):
    for path in sources(ROOT / "apps") + sources(ROOT / "python"):
        for name in sorted(TEST_ONLY & set(tree.included(path))):
            tree.complain(path, f"an app and the Python module must not use module {name}")


def room_graph(tree):
    """Which rooms each room uses, tests left out."""
    graph = {module.room: set() for module in tree.modules.values()}
    for module in tree.modules.values():
        for path in tree.files(module):
            if not is_test(path):
                graph[module.room] |= {tree.modules[name].room for name in tree.included(path)}
    return {room: below - {room} for room, below in graph.items()}


def draw(graph):
    """The graph as text, a room a line, each above all that it uses."""
    height = {}

    def measure(room):
        if room not in height:
            height[room] = 1 + max(map(measure, graph[room]), default=0)
        return height[room]

    order = sorted(graph, key=lambda room: (-measure(room), room))
    lines = [f"{'room':<12}uses"]
    lines += [f"{room:<12}{' '.join(sorted(graph[room], key=order.index))}".rstrip() for room in order]
    return "\n".join(lines) + "\n"


def check_drawing(tree, graph):
    page = ROOT / "docs" / "architecture.md"
    found = GRAPH.search(page.read_text())
    if not found or found.group(1) != draw(graph):
        tree.complain(page, "its graph is not the real one; see tools/check_layers.py --draw")


def main():
    tree = Tree()
    graph = room_graph(tree)
    if sys.argv[1:] == ["--draw"]:
        print(draw(graph), end="")
        return 0
    deps = {name: module.lists["DEPS"] for name, module in tree.modules.items()}
    for what, edges in (("modules", deps), ("rooms", graph)):
        cycle = find_cycle(edges)
        if cycle:
            tree.problems.append(f"cycle of {what}: {' > '.join(cycle)}")
    for module in tree.modules.values():
        check_module(tree, module, deps)
    check_sources_listed(tree)
    check_public_headers(tree)
    check_apps(tree)
    if not tree.problems:
        check_drawing(tree, graph)
    for problem in tree.problems:
        print("check_layers:", problem, file=sys.stderr)
    if tree.problems:
        return 1
    print(f"layers: {len(graph)} rooms, {len(tree.modules)} modules form a DAG")
    return 0


if __name__ == "__main__":
    sys.exit(main())
