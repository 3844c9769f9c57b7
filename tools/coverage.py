#!/usr/bin/env python3
"""Coverage of the privacy-critical folders by lines and branches, with gcov.

    tools/coverage.py [--only REGEX] [--targets TEST...] [--tests FILTER] [--jobs N]
    tools/coverage.py | tools/fill_table.py docs/coverage.md coverage

Builds the unit tests with --coverage in build/coverage, without optimisation, runs those that
test these folders, and prints a table by folder: lines and branches that were run; on standard
error, the sources with the most lines that were not.

Left out, with the reason: branches that the compiler adds for exceptions (`throw`), which no
statement of ours takes; sources of forecasts, texts and comparisons (mutant_rules.py), where
a mistake costs accuracy; tests by scripts, which run the release build's program.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import mutant_rules
import mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "coverage"


def run(words, **options):
    """Runs a command; its output only if it fails."""
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"coverage: {' '.join(map(str, words))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def build(targets, jobs):
    """Compiles the tests of these folders, with counters."""
    run(["cmake", "-S", ".", "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
         "-DCMAKE_CXX_FLAGS=--coverage -O0 -fprofile-abs-path", "-DSOTTO_BENCH=OFF",
         "-DSOTTO_PYTHON=OFF", "-DSOTTO_TESTS=ON", "-DSOTTO_CHECK=ON",
         "-DSOTTO_UNITY=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"])
    run(["ninja", "-C", BUILD, f"-j{jobs}", *targets])


def test(targets, tests):
    """Runs the tests; counters of earlier runs are forgotten."""
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    for target in targets:
        done = subprocess.run([BUILD / "bin" / target, "--gtest_brief=1",
                               f"--gtest_filter={tests}"], cwd=tempfile.gettempdir(),
                              capture_output=True, text=True)
        print(f"coverage: {target} {'passed' if done.returncode == 0 else 'FAILED'}",
              file=sys.stderr, flush=True)


def counted(file):
    """Lines and branches of the sources in one file of counters: {path: {line: ...}}."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "--json-format", "--branch-probabilities", str(file)], cwd=folder,
                       capture_output=True, check=True)
        for made in pathlib.Path(folder).glob("*.gcov.json.gz"):
            yield from json.loads(gzip.decompress(made.read_bytes()))["files"]


def collect(only, jobs):
    """{source: ({line: times}, {(line, branch): times})} over all files of counters."""
    lines = collections.defaultdict(collections.Counter)
    branches = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        files = [f for f in BUILD.rglob("*.gcda") if "_test.dir" not in str(f)]
        for found in pool.map(lambda f: list(counted(f)), files):
            for source in found:
                path = pathlib.Path(source["file"])
                if not path.is_relative_to(ROOT):
                    continue
                name = str(path.relative_to(ROOT))
                if not wanted(name, only):
                    continue
                for line in source["lines"]:
                    number = line["line_number"]
                    lines[name][number] += line["count"]
                    for i, branch in enumerate(line["branches"]):
                        if not branch["throw"]:
                            branches[name][(number, i)] += branch["count"]
    return lines, branches


def wanted(name, only):
    """A privacy-critical source, as for mutation testing."""
    return (any(name.startswith(folder + "/") for folder in mutants.FOLDERS)
            and re.search(only, name) is not None and name.endswith((".cc", ".h"))
            and "_test" not in name and not mutant_rules.NOT_PRIVATE_FILE.search(name))


def room(name):
    """The folder that a row of the table is about: sotto/models/tide, sotto/online."""
    parts = name.split("/")
    return "/".join(parts[:3] if parts[1] in ("models", "data") else parts[:2])


def table(lines, branches):
    """Rows by folder, all of them last."""
    rows = ["| folder | lines | run | branches | taken |", "| --- | ---: | ---: | ---: | ---: |"]
    by_room = collections.defaultdict(lambda: [0, 0, 0, 0])
    for name in lines:
        for key in (room(name), "all"):
            sums = by_room[key]
            sums[0] += len(lines[name])
            sums[1] += sum(count > 0 for count in lines[name].values())
            sums[2] += len(branches[name])
            sums[3] += sum(count > 0 for count in branches[name].values())
    for key in sorted(by_room, key=lambda k: (k == "all", k)):
        all_lines, run_lines, all_branches, taken = by_room[key]
        rows.append(f"| `{key}` | {all_lines:,} | {share(run_lines, all_lines)} | {all_branches:,} | "
                    f"{share(taken, all_branches)} |")
    return rows


def share(part, whole):
    """A share in per cent."""
    return f"{100 * part / max(1, whole):.1f} %"


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="sources whose path matches")
    parser.add_argument("--tests", default="-*StatisticalTest*:*ExactTest*", help="of GoogleTest")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--targets", nargs="+", default=mutants.TARGETS)
    arguments = parser.parse_args()
    build(arguments.targets, arguments.jobs)
    test(arguments.targets, arguments.tests)
    lines, branches = collect(arguments.only, arguments.jobs)
    print("\n".join(table(lines, branches)))
    missed = sorted(((sum(c == 0 for c in counts.values()), name) for name, counts in lines.items()),
                    reverse=True)
    for count, name in missed[:15]:
        print(f"  {count:4} lines of {name} were not run", file=sys.stderr)


if __name__ == "__main__":
    main()
