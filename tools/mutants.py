#!/usr/bin/env python3
"""Mutation testing: puts plausible one-line mistakes into the code and sees who notices.

    tools/mutants.py build [--only REGEX] [--targets T...]   instrument and build, once
    tools/mutants.py trace                     which tests reach which mutants
    tools/mutants.py run [--shard I/N] [--minutes M]         try mutants; resumes
    tools/mutants.py report                    survivors, and who killed what
    tools/mutants.py all                       these four, one after the other

All mutants are in one build, each behind a switch (mutant_switch.h). A mutant that does
not compile is left out. Tests of recorded outputs do not count: a mistake would be
recorded again. Everything is in build/mutants: mutants.json, trace.json, and a line of
results.jsonl for each mutant that was tried.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import mutant_rules

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
COPY = WORK / "src"
OUT = WORK / "out"
FOLDERS = ["sotto/accounting", "sotto/mechanisms", "sotto/models", "sotto/online",
           "sotto/data/schemas", "sotto/frontend"]
TARGETS = ["accounting_test", "mechanisms_test", "boundaries_test", "online_test", "fits_test",
           "greedy_cover_test", "leader_test", "tide_test", "points_test", "rectangles_test",
           "stumps_test", "everlasting_test", "pop_test", "winnow_test", "littlestone_test",
           "papers_test", "registry_test", "schemas_test"]
RECORDED = re.compile(r"Golden|Recorded|Hash(es)?Test")
SLOW_TEST = 20.0  # seconds; slower tests are not tried
TIMEOUT = 60.0


def load(path, default):
    """A JSON file, or the default if there is none."""
    return json.loads(path.read_text()) if path.exists() else default


def configure(targets):
    """Configures the build; sources in COPY take the place of the tree's."""
    command = ["cmake", "--preset", "release", "-S", str(ROOT), "-B", str(OUT), "-G", "Ninja",
               "-DSOTTO_TESTS=ON", "-DSOTTO_BENCH=OFF", f"-DSOTTO_MUTANTS={COPY}",
               "-DCMAKE_CXX_FLAGS_RELEASE=-O2", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    if subprocess.run(["which", "ccache"], capture_output=True).returncode == 0:
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return targets


def write_copy(path, mutants):
    """Writes the instrumented copy of one source; returns the mutants in it."""
    text, kept = mutant_rules.instrumented((ROOT / path).read_text(), mutants)
    target = COPY / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text() != text:
        target.write_text(text)
    return kept


def compile_commands():
    """The command of every source of the tree, by its path."""
    commands = {}
    for entry in load(OUT / "compile_commands.json", []):
        name = pathlib.Path(entry["file"])
        for base in (COPY, ROOT):
            if name.is_relative_to(base):
                commands[str(name.relative_to(base))] = entry
                break
    return commands


def check_syntax(path, mutants, entry):
    """Drops mutants of a source until the rest compiles; returns the rest."""
    words = shlex.split(entry["command"])
    words = words[words.index(next(w for w in words if w.endswith(("g++", "c++", "g++-12")))):]
    at = words.index("-o")
    command = [w for w in words[:at] + words[at + 2:] if w not in ("-c", entry["file"])]
    for _ in range(8):
        kept = write_copy(path, mutants)
        done = subprocess.run(command + ["-fsyntax-only", "-fmax-errors=0", "-w",
                                         str(COPY / path)],
                              cwd=entry["directory"], capture_output=True, text=True)
        if done.returncode == 0:
            return kept
        bad = numbers_at_errors(path, done.stderr)
        if not bad:
            break
        mutants = [m for m in kept if m.number not in bad]
    (COPY / path).unlink(missing_ok=True)
    return []


def numbers_at_errors(path, messages):
    """Numbers of the mutants on the lines of these errors, or right above them."""
    lines = (COPY / path).read_text().splitlines()
    bad = set()
    for found in re.finditer(r"^" + re.escape(str(COPY / path)) + r":(\d+):\d+: error", messages,
                             re.M):
        at = int(found.group(1)) - 1
        for back in range(12):
            numbers = re.findall(r"sotto_mutant\((\d+)\)", lines[max(0, at - back)])
            if numbers:
                bad |= {int(n) for n in numbers}
                break
    return bad


def instrument(mutants):
    """Writes instrumented sources that compile; returns the mutants in them."""
    by_file = collections.defaultdict(list)
    for mutant in mutants:
        by_file[mutant.path].append(mutant)
    commands = compile_commands()
    kept = []
    for path, group in sorted(by_file.items()):
        if path in commands:
            kept += check_syntax(path, group, commands[path])
    for old in COPY.rglob("*.cc"):
        if str(old.relative_to(COPY)) not in by_file:
            old.unlink()
    return kept


def build(arguments):
    """Instruments the sources and builds the tests."""
    COPY.mkdir(parents=True, exist_ok=True)
    found = mutant_rules.find(ROOT, FOLDERS)
    if arguments.only:
        found = [m for m in found if re.search(arguments.only, m.path)]
    configure(arguments.targets)
    kept = instrument(found)
    (WORK / "mutants.json").write_text(json.dumps(
        [dict(number=m.number, path=m.path, line=m.line, what=m.what, key=m.key())
         for m in kept]))
    print(f"mutants: {len(kept)} of {len(found)} compile, in "
          f"{len({m.path for m in kept})} sources", flush=True)
    configure(arguments.targets)
    subprocess.run(["ninja", "-C", str(OUT), f"-j{arguments.jobs}"] + arguments.targets,
                   check=True, stdout=subprocess.DEVNULL)


def tests_of(binary):
    """Names of the tests of a binary, those of recorded outputs left out."""
    listed = subprocess.run([str(binary), "--gtest_list_tests"], capture_output=True, text=True,
                            check=True).stdout
    suite = ""
    for line in listed.splitlines():
        if not line.startswith(" "):
            suite = line.split("#")[0].strip()
        elif not RECORDED.search(suite):
            yield suite + line.split("#")[0].strip()


def run_tests(binary, tests, timeout, **variables):
    """Runs tests of a binary. Returns the first that failed, or none, and the seconds."""
    began = time.monotonic()
    environment = dict(os.environ, GTEST_FAIL_FAST="1", **variables)
    try:
        done = subprocess.run([str(binary), "--gtest_filter=" + ":".join(tests), "--gtest_brief=1"],
                              capture_output=True, text=True, errors="replace", timeout=timeout,
                              env=environment, cwd=tempfile.gettempdir())
        failed = re.search(r"\[  FAILED  \] (\S+)", done.stdout)
        killer = None if done.returncode == 0 else (
            failed.group(1).rstrip(",") if failed else tests[0] + " (ended)")
    except subprocess.TimeoutExpired:
        killer = tests[0] + " (time)"
    return killer, time.monotonic() - began


def trace(arguments):
    """Records which test reaches which mutants, and how long it takes."""
    known = load(WORK / "trace.json", {})
    stamp = (WORK / "mutants.json").stat().st_mtime_ns
    if known.get("stamp") != stamp:
        known = {"stamp": stamp, "tests": {}}
    for target in arguments.targets:
        binary = OUT / "bin" / target
        if not binary.exists():
            continue
        for test in tests_of(binary):
            name = f"{target} {test}"
            if name in known["tests"]:
                continue
            with tempfile.NamedTemporaryFile() as file:
                killer, seconds = run_tests(binary, [test], SLOW_TEST, SOTTO_MUTANT_TRACE=file.name)
                numbers = [int(n) for n in open(file.name).read().split()]
            known["tests"][name] = dict(seconds=seconds, reached=numbers, usable=killer is None)
        (WORK / "trace.json").write_text(json.dumps(known))
        print(f"mutants: traced {target}", flush=True)


def covering(traced):
    """Tests that reach each mutant, the fastest first: number -> [(seconds, target, test)]."""
    tests = collections.defaultdict(list)
    for name, test in traced["tests"].items():
        target, case = name.split(" ", 1)
        for number in test["reached"] if test["usable"] else []:
            tests[number].append((test["seconds"], target, case))
    return {number: sorted(list_) for number, list_ in tests.items()}


def batches(tests):
    """Tests of one binary in a row, as few processes as keeps the fast ones first."""
    for begin, size in ((0, 12), (12, 60), (72, 10_000)):
        by_target = collections.OrderedDict()
        for seconds, target, case in tests[begin:begin + size]:
            by_target.setdefault(target, []).append((seconds, case))
        for target, cases in by_target.items():
            yield target, [case for _, case in cases], sum(s for s, _ in cases)


def try_mutant(mutant, tests):
    """The result of one mutant: killed by whom, survived, or reached by no test."""
    result = dict(mutant, status="unreached" if not tests else "survived", killer=None)
    began = time.monotonic()
    for target, cases, seconds in batches(tests):
        killer, _ = run_tests(OUT / "bin" / target, cases, max(TIMEOUT, 5 * seconds),
                              SOTTO_MUTANT=str(mutant["number"]))
        if killer is not None:
            result.update(status="killed", killer=f"{target} {killer}")
            break
    result["seconds"] = round(time.monotonic() - began, 2)
    return result


def results():
    """Results so far, by key; the last line of a key counts."""
    lines = (WORK / "results.jsonl").read_text().splitlines() if (
        WORK / "results.jsonl").exists() else []
    return {r["key"]: r for r in map(json.loads, lines)}


def run(arguments):
    """Tries all mutants of a shard that have no result yet."""
    shard, shards = map(int, arguments.shard.split("/"))
    tests = covering(load(WORK / "trace.json", {"tests": {}}))
    done = results()
    end = time.monotonic() + 60 * arguments.minutes
    with open(WORK / "results.jsonl", "a", encoding="utf-8") as file:
        for mutant in load(WORK / "mutants.json", []):
            if mutant["number"] % shards != shard - 1 or mutant["key"] in done:
                continue
            if arguments.every > 1 and mutant["number"] % arguments.every != 0:
                continue
            if time.monotonic() > end:
                break
            file.write(json.dumps(try_mutant(mutant, tests.get(mutant["number"], []))) + "\n")
            file.flush()


def report(arguments):
    """Prints the kill rate, the survivors and who killed how many; 1 if below the aim."""
    now = {m["key"] for m in load(WORK / "mutants.json", [])}
    all_results = [r for r in results().values() if r["key"] in now]
    counts = collections.Counter(r["status"] for r in all_results)
    tried = max(1, len(all_results))
    print(f"mutants: {len(now)} in the build, {len(all_results)} tried, {counts['killed']} killed "
          f"({100 * counts['killed'] / tried:.1f} %), {counts['survived']} survived, "
          f"{counts['unreached']} reached by no test")
    killers = collections.Counter(r["killer"].split(".")[0] for r in all_results if r["killer"])
    for suite, count in killers.most_common(15):
        print(f"  {count:5}  {suite}")
    for result in all_results:
        if result["status"] != "killed":
            print(f"{result['status']}: {result['path']}:{result['line']}: {result['what']}")
    return 0 if counts["killed"] >= arguments.aim / 100 * len(all_results) else 1


def run_all(arguments):
    """Builds, traces, tries and reports."""
    build(arguments)
    trace(arguments)
    run(arguments)
    return report(arguments)


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("step", nargs="?", default="all",
                        choices=["build", "trace", "run", "report", "all"])
    parser.add_argument("--only", default="", help="sources whose path matches")
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    parser.add_argument("--shard", default="1/1", help="I/N: every N-th mutant")
    parser.add_argument("--every", type=int, default=1, help="only numbers divisible by this")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--aim", type=float, default=0, help="per cent that must be killed")
    arguments = parser.parse_args()
    steps = {"build": build, "trace": trace, "run": run, "report": report, "all": run_all}
    return steps[arguments.step](arguments) or 0


if __name__ == "__main__":
    sys.exit(main())
