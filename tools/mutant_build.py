"""Compiles sources with mutants and links tests with them (mutants.py).

Commands come from build/release (compile_commands.json and ninja). What is compiled by one
command, a source or several that are united (SOTTO_UNITY), is compiled again from a copy
with switches; that object stands before the archives of a test, so the linker takes it
instead of the archive's.
"""
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess

import mutant_rules

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELEASE = ROOT / "build" / "release"
# One error may hide others: sources are compiled until no mutant has one.
MOST_TRIES = 8
SWITCHES = '#include "tools/mutant_switch.h"\n'
INCLUDED = re.compile(r'^#include "([^"]+\.cc)"', re.M)


@dataclasses.dataclass
class Unit:
    """What one command of the release build compiles."""
    file: pathlib.Path
    paths: list  # sources of the tree
    module: str  # "sotto_leader"
    words: list  # the compiler and its options

    def united(self):
        """More than one source in a file that includes them."""
        return self.file != ROOT / self.paths[0]


class Folder:
    """Where a run keeps copies, objects, tests and results."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        self.copies = self.path / "src"
        self.objects = self.path / "objects"
        for folder in (self.copies, self.objects, self.path / "bin"):
            folder.mkdir(parents=True, exist_ok=True)

    def binary(self, target):
        """The instrumented test."""
        return self.path / "bin" / target

    def object_of(self, unit):
        """The instrumented object of a unit."""
        return self.objects / f"{unit.module}+{unit.file.stem}.o"

    def refused(self, path):
        """Keys of mutants that do not compile, beside the objects."""
        return self.objects / (path.replace("/", "+") + ".refused.json")


class Commands:
    """Commands of the release build."""

    def __init__(self):
        self.units = {}  # source -> Unit
        self.of_folder = {}  # "leader_test" -> words
        for entry in json.loads((RELEASE / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            at = words.index("-o")
            module = re.search(r"CMakeFiles/(\w+)\.dir/", words[at + 1])
            if module is None:
                continue
            words = [w for w in words[:at] + words[at + 2:] if w not in ("-c", entry["file"])]
            self.of_folder.setdefault(module.group(1), words)
            self.add(pathlib.Path(entry["file"]), module.group(1), words)

    def add(self, file, module, words):
        """Notes the sources that a command compiles."""
        names = [str(file)]
        if "united" in file.parts:
            names = INCLUDED.findall(file.read_text())
        paths = [str(pathlib.Path(n).relative_to(ROOT)) for n in names
                 if pathlib.Path(n).is_relative_to(ROOT)]
        unit = Unit(file, paths, module, words)
        for path in paths:
            self.units.setdefault(path, unit)

    def link(self, target):
        """The words of the command that links a test."""
        listed = subprocess.run(["ninja", "-C", str(RELEASE), "-t", "commands", f"bin/{target}"],
                                check=True, capture_output=True, text=True).stdout
        return shlex.split(listed.splitlines()[-1].split(" && ")[1])


def compile_one(words, source, target):
    """Compiles a source; returns the errors, or none."""
    done = subprocess.run(words + ["-O1", "-w", "-fmax-errors=0", "-I", str(ROOT), "-c",
                                   str(source), "-o", str(target)],
                          cwd=RELEASE, capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else ""


def numbers_at_errors(copy, messages):
    """Numbers of the mutants in which the compiler found these errors.

    The switch before an error on its line, or all of the nearest line above.
    """
    lines = copy.read_text().splitlines()
    bad = set()
    place = re.compile(r"^" + re.escape(str(copy)) + r":(\d+):(\d+):(?: error|   required)", re.M)
    for found in place.finditer(messages):
        at, column = int(found.group(1)) - 1, int(found.group(2))
        switches = [m for m in re.finditer(r"sotto_mutant\((\d+)\)", lines[at])
                    if m.start() < column]
        if switches:
            bad.add(int(switches[-1].group(1)))
            continue
        for back in range(12):
            numbers = re.findall(r"sotto_mutant\((\d+)\)", lines[max(0, at - back)])
            if numbers:
                bad |= {int(n) for n in numbers}
                break
    return bad


class Compilation:
    """One unit with its mutants, compiled until nothing is left that fails."""

    def __init__(self, folder, unit, mutants, newest_header):
        self.folder = folder
        self.unit = unit
        self.mutants = mutants
        self.newest_header = newest_header
        self.refused = set()
        for path in unit.paths:
            if folder.refused(path).exists():
                self.refused |= set(json.loads(folder.refused(path).read_text()))

    def write_copies(self):
        """Writes the sources with switches; returns (all texts are old ones, mutants in them)."""
        kept, old = [], True
        of_file = collections.defaultdict(list)
        for mutant in self.mutants:
            if mutant.key() not in self.refused:
                of_file[mutant.path].append(mutant)
        copies = {}
        for path, mutants in of_file.items():
            text, within = mutant_rules.instrumented((ROOT / path).read_text(), mutants)
            kept += within
            copies[path] = SWITCHES + text
        if self.unit.united():
            text = self.unit.file.read_text()
            for path in copies:
                text = text.replace(f'#include "{ROOT / path}"',
                                    f'#include "{self.folder.copies / path}"')
            copies[self.united_name()] = SWITCHES + text
        for name, text in copies.items():
            copy = self.folder.copies / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists() or copy.read_text() != text:
                copy.write_text(text)
                old = False
        return old, kept

    def united_name(self):
        """The copy of the file that includes the sources."""
        return f"{self.unit.module}/{self.unit.file.name}"

    def is_new(self):
        """The object is there and newer than every header."""
        made = self.folder.object_of(self.unit)
        return made.exists() and made.stat().st_mtime > self.newest_header

    def run(self):
        """Returns the mutants of this unit that compile."""
        source = self.folder.copies / (
            self.united_name() if self.unit.united() else self.unit.paths[0])
        errors = ""
        for _ in range(MOST_TRIES):
            old, kept = self.write_copies()
            if not kept:
                return []
            if old and self.is_new():
                return kept
            errors = compile_one(self.unit.words, source, self.folder.object_of(self.unit))
            if not errors:
                return kept
            bad = set()
            for path in {m.path for m in kept}:
                bad |= numbers_at_errors(self.folder.copies / path, errors)
            if not bad:
                break
            self.remember({m.key() for m in kept if m.number in bad})
        print(f"mutants: {self.unit.paths} left out: {errors[:300]}", flush=True)
        self.folder.object_of(self.unit).unlink(missing_ok=True)
        return []

    def remember(self, keys):
        """Notes mutants that do not compile."""
        self.refused |= keys
        for path in self.unit.paths:
            mine = sorted(k for k in self.refused if k.startswith(path + ":"))
            self.folder.refused(path).write_text(json.dumps(mine))


def compile_all(folder, mutants, jobs):
    """Compiles all units that have mutants; returns the mutants in them."""
    commands = Commands()
    of_unit = collections.defaultdict(list)
    for mutant in mutants:
        if mutant.path in commands.units:
            of_unit[str(commands.units[mutant.path].file)].append(mutant)
    newest = max(h.stat().st_mtime for h in (ROOT / "sotto").rglob("*.h"))
    work = [Compilation(folder, commands.units[group[0].path], group, newest)
            for _, group in sorted(of_unit.items())]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [mutant for group in pool.map(Compilation.run, work) for mutant in group]


def link_all(folder, targets, paths, jobs):
    """Links the tests with the instrumented objects."""
    commands = Commands()
    units = {str(commands.units[p].file): commands.units[p] for p in paths}
    names = [t for t in targets if t in commands.of_folder]
    listener = folder.objects / "listener.o"
    errors = compile_one(commands.of_folder[names[0]], ROOT / "tools" / "mutant_listener.cc",
                         listener)
    assert not errors, errors
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda t: link(folder, commands, t, list(units.values()), listener), names))


def link(folder, commands, target, units, listener):
    """Links one test; its listener writes which test reaches what (mutant_listener.cc)."""
    words = commands.link(target)
    words[words.index("-o") + 1] = str(folder.binary(target))
    linked = {pathlib.Path(w).name for w in words if w.endswith(".a")}
    objects = [str(folder.object_of(u)) for u in units if f"lib{u.module}.a" in linked]
    at = words.index("-o") + 2
    # Archives after objects that were archived need each other in any order. A template that
    # only the archive's object has brings all of it along: the first definition counts.
    words = words[:at] + [str(listener)] + objects + ["-Wl,-z,muldefs", "-Wl,--start-group"] + (
        words[at:] + ["-Wl,--end-group"])
    subprocess.run(words, cwd=RELEASE, check=True)
