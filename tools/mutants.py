#!/usr/bin/env python3
"""Mutation testing: puts plausible one-line mistakes into the code and sees who notices.

    tools/mutants.py build [--only REGEX] [--sample N]   instrument, compile, link
    tools/mutants.py trace                     which tests reach which mutants
    tools/mutants.py run [--shard I/N] [--minutes M]     try mutants; resumes
    tools/mutants.py report [--markdown]       survivors, and who killed what
    tools/mutants.py all                       these four, one after the other
    tools/mutants.py sample                    a few mutants of sources that compile fast

All mutants are in one build, each behind a switch (mutant_switch.h). Only sources with
mutants are compiled; everything else is taken from build/release, which must have been
built with its tests (`./run mutants` does it). A mutant that does not compile is left
out. Tests of recorded outputs do not count: a mistake would be recorded again.
Everything is in build/mutants: mutants.json, trace.json, and a line of results.jsonl for
each mutant that was tried.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import sys
import time

import mutant_build
import mutant_rules
import mutant_tests

ROOT = mutant_build.ROOT
FOLDERS = ["sotto/accounting", "sotto/mechanisms", "sotto/models", "sotto/online",
           "sotto/data/schemas", "sotto/data/budgets", "sotto/frontend", "sotto/random",
           "sotto/durable", "sotto/journal", "sotto/service"]
TARGETS = ["accounting_test", "mechanisms_test", "online_test", "fits_test",
           "leader_test", "tide_test", "points_test", "rectangles_test",
           "stumps_test", "everlasting_test", "pop_test", "winnow_test", "littlestone_test",
           "papers_test", "boundaries_test", "schemas_test", "frontend_test", "random_test",
           "registry_test", "budgets_test", "durable_test", "journal_test", "service_test"]
# Sources and tests of the sample: two small models, their own tests and those that the
# registry has for every model.
SAMPLE_SOURCES = r"models/leader/|models/rectangles/"
SAMPLE_SIZE, SAMPLE_SLOW, SAMPLE_BUDGET = 30, 6, 20
SAMPLE_TARGETS = ["leader_test", "rectangles_test", "registry_test"]
SAMPLE_TESTS = "*Leader*:DriftWatch*:*Rectangle*:*/leader*:*/rectangles*"


def load(path, default):
    """A JSON file, or the default if there is none."""
    return json.loads(path.read_text()) if path.exists() else default


def chosen(arguments):
    """The mutants of this run, by path and by sample."""
    found = mutant_rules.find(ROOT, FOLDERS)
    found = [m for m in found if re.search(arguments.only, m.path)
             and mutant_rules.spread(m.path) * arguments.one_in < 1
             and (m.by_hand or not arguments.hand)]
    if not arguments.sample or len(found) <= arguments.sample:
        return found
    by_rule = [m for m in found if not m.by_hand]
    return [m for m in found if m.by_hand] + every_nth(by_rule, arguments.sample)


def every_nth(found, count):
    """Spread evenly over the sources, so each is in it by its number of mutants."""
    found = sorted(found, key=lambda m: (m.path, mutant_rules.spread(m.key())))
    step = max(1, len(found) / max(1, count))
    return [found[int(i * step)] for i in range(min(count, len(found)))]


def build(arguments):
    """Instruments the sources, compiles them and links the tests."""
    found = chosen(arguments)
    folder = arguments.folder
    kept = mutant_build.compile_all(folder, found, arguments.jobs)
    mutant_build.link_all(folder, arguments.targets, sorted({m.path for m in kept}),
                          arguments.jobs)
    (folder.path / "mutants.json").write_text(json.dumps(
        [dict(number=m.number, path=m.path, line=m.line, what=m.what, key=m.key(),
              by_hand=m.by_hand)
         for m in kept]))
    print(f"mutants: {len(kept)} of {len(found)} compile, in "
          f"{len({m.path for m in kept})} sources", flush=True)


def trace(arguments):
    """Records which test reaches which mutants, and how long it takes."""
    folder = arguments.folder
    known = load(folder.path / "trace.json", {})
    stamp = (folder.path / "mutants.json").stat().st_mtime_ns
    if known.get("stamp") != stamp:
        known = {"stamp": stamp, "tests": {}, "targets": []}
    for target in arguments.targets:
        if target in known["targets"] or not folder.binary(target).exists():
            continue
        known["tests"].update(mutant_tests.trace(target, folder.binary(target), arguments.slow,
                                                 arguments.tests))
        known["targets"].append(target)
        (folder.path / "trace.json").write_text(json.dumps(known))
        # These cannot tell: a rule that changes what the code means shows here.
        failed = [name for name, test in known["tests"].items()
                  if name.startswith(target + " ") and not test["usable"]]
        print(f"mutants: traced {target}" + (
            f"; {len(failed)} tests fail without a mutant: {', '.join(failed[:5])}"
            if failed else ""), flush=True)


def results(folder):
    """Results so far, by key: killed by any test is killed, otherwise reached is survived."""
    path = folder.path / "results.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    order = ["unreached", "survived", "killed"]
    best = {}
    for result in map(json.loads, lines):
        known = best.get(result["key"])
        if known is None or order.index(result["status"]) >= order.index(known["status"]):
            best[result["key"]] = result
    return best


def waiting(arguments):
    """Mutants of a shard that have no result yet, or survived and are tried again."""
    shard, shards = map(int, arguments.shard.split("/"))
    done = results(arguments.folder)
    # Whenever it stops, what was tried is a sample of all.
    for mutant in sorted(load(arguments.folder.path / "mutants.json", []),
                         key=lambda m: (not m["by_hand"], mutant_rules.spread(m["key"]))):
        if mutant["number"] % shards != shard - 1 or not re.search(arguments.only, mutant["path"]):
            continue
        result = done.get(mutant["key"])
        if result is None or (arguments.again and result["status"] != "killed"):
            yield mutant


def run(arguments):
    """Tries all mutants that wait."""
    folder = arguments.folder
    tests = mutant_tests.covering(load(folder.path / "trace.json", {"tests": {}}),
                                  arguments.targets)
    end = time.monotonic() + 60 * arguments.minutes
    killers = mutant_tests.Killers()

    def attempt(mutant):
        if time.monotonic() > end:
            return None
        return mutant_tests.try_mutant(folder, mutant, killers.first(
            mutant["path"], tests.get(mutant["number"], [])), arguments.budget, killers)

    with open(folder.path / "results.jsonl", "a", encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(attempt, list(waiting(arguments))):
            if result is not None:
                file.write(json.dumps(result) + "\n")
                file.flush()


def reasons():
    """Why survivors survive: lines 'path: what: reason' of docs/mutants.md."""
    page = ROOT / "docs" / "mutants.md"
    text = page.read_text() if page.exists() else ""
    return {f"{path}:{what}": reason for path, what, reason in
            re.findall(r"^\| `([^`|]+)` \| `([^|]+)` \| ([^|]+) \|$", text, re.M)}


def report(arguments):
    """Prints the kill rate, the survivors and who killed how many; 1 if below the aim."""
    now = {m["key"] for m in load(arguments.folder.path / "mutants.json", [])
           if re.search(arguments.only, m["path"])}
    tried = [r for r in results(arguments.folder).values() if r["key"] in now]
    counts = collections.Counter(r["status"] for r in tried)
    known = reasons()
    harmless = sum(r["status"] != "killed" and r["key"] in known for r in tried)
    rate = 100 * counts["killed"] / max(1, len(tried) - harmless)
    print(f"mutants: {len(now)} in the build, {len(tried)} tried, {counts['killed']} killed, "
          f"{counts['survived']} survived, {counts['unreached']} reached by no test; "
          f"{harmless} of these weaken nothing (docs/mutants.md): {rate:.1f} % of the others killed")
    killers = collections.Counter(r["killer"].split(".")[0] for r in tried if r["killer"])
    for suite, count in killers.most_common(None if arguments.markdown else 15):
        print(f"  {count:5}  {suite}")
    for result in sorted(tried, key=lambda r: r["key"]):
        if result["status"] == "killed":
            continue
        print(f"{result['status']}: {result['path']}:{result['line']}: {result['what']}"
              + (f" ({known[result['key']]})" if result["key"] in known else ""))
    return 0 if rate >= arguments.aim else 1


def run_all(arguments):
    """Builds, traces, tries and reports."""
    build(arguments)
    trace(arguments)
    run(arguments)
    return report(arguments)


def sample(arguments):
    """A few mutants, for every check: sources and tests that take little time."""
    arguments.only, arguments.targets = SAMPLE_SOURCES, SAMPLE_TARGETS
    (arguments.folder.path / "results.jsonl").unlink(missing_ok=True)
    arguments.sample = arguments.sample or SAMPLE_SIZE
    arguments.slow, arguments.budget = SAMPLE_SLOW, SAMPLE_BUDGET
    arguments.tests = SAMPLE_TESTS
    return run_all(arguments)


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    steps = {"build": build, "trace": trace, "run": run, "report": report, "all": run_all,
             "sample": sample}
    parser.add_argument("step", nargs="?", default="all", choices=list(steps))
    parser.add_argument("--only", default="", help="sources whose path matches")
    parser.add_argument("--sample", type=int, default=0, help="this many, spread over all")
    parser.add_argument("--one-in", type=int, default=1,
                        help="one source in this many, chosen by a hash of its path")
    parser.add_argument("--hand", action="store_true", help="mistakes written by hand only")
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    parser.add_argument("--tests", default="*", help="a filter of GoogleTest")
    parser.add_argument("--shard", default="1/1", help="I/N: every N-th mutant")
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    parser.add_argument("--slow", type=float, default=6, help="seconds; slower tests are left out")
    parser.add_argument("--budget", type=float, default=20, help="seconds of tests for one mutant")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--markdown", action="store_true", help="all killers")
    parser.add_argument("--aim", type=float, default=0, help="per cent that must be killed")
    parser.add_argument("--build", default=mutant_build.RELEASE, help="the build that is used")
    parser.add_argument("--folder", default=ROOT / "build" / "mutants",
                        type=mutant_build.Folder, help="where all is kept")
    arguments = parser.parse_args()
    mutant_build.RELEASE = pathlib.Path(arguments.build).resolve()
    if not isinstance(arguments.folder, mutant_build.Folder):
        arguments.folder = mutant_build.Folder(arguments.folder)
    return steps[arguments.step](arguments) or 0


if __name__ == "__main__":
    sys.exit(main())
