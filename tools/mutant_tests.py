"""Runs tests on mutants (mutants.py): which reach them, and which fail."""
import collections
import json
import os
import re
import resource
import subprocess
import tempfile
import threading
import time

RECORDED = "*Golden*:*Recorded*:*HashTest*:*HashesTest*"
# Seconds for threads that wait for each other: far above the processor time of any batch.
MOST_WAITING = 300
# Memory of a test; a wrong bound of a loop may ask for any amount.
MOST_BYTES = 6 << 30


def limits(seconds):
    """Limits processor time, which a busy machine does not use up, and memory."""
    def set_limits():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


def run_tests(binary, tests, seconds, **variables):
    """Runs tests of a binary. Returns the first that failed, or none."""
    environment = dict(os.environ, GTEST_FAIL_FAST="1", **variables)
    try:
        done = subprocess.run([str(binary), "--gtest_filter=" + tests, "--gtest_brief=1"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, env=environment, timeout=MOST_WAITING,
                              cwd=tempfile.gettempdir(), preexec_fn=limits(seconds))
    except subprocess.TimeoutExpired:
        return f"{tests.split(':')[0]} (waits and never ends)"
    if done.returncode == 0:
        return None
    failed = re.search(r"\[  FAILED  \] ([^\s,]+)", done.stdout.decode(errors="replace"))
    return failed.group(1) if failed else f"{tests.split(':')[0]} (ended by {-done.returncode})"


def trace(target, binary, slow, wanted):
    """Runs the wanted tests of a binary once: {name: seconds, reached, usable}.

    A test that takes too long is left out, and the others are run again without it.
    """
    traced, left_out = {}, []
    while True:
        with tempfile.NamedTemporaryFile(mode="r") as file:
            skipped = ":".join([RECORDED] + left_out + [t.split(" ", 1)[1] for t in traced])
            environment = dict(SOTTO_MUTANT_TRACE=file.name, SOTTO_MUTANT_SLOW=str(slow),
                               GTEST_FAIL_FAST="0")
            done = run_trace(binary, wanted + "-" + skipped, environment)
            begun = None
            for line in file.read().splitlines():
                entry = json.loads(line)
                if "begins" in entry:
                    begun = entry["begins"]
                    continue
                traced[f"{target} {entry['test']}"] = dict(
                    seconds=entry["seconds"], reached=entry["reached"], usable=entry["passed"])
                begun = None
        if begun is None:
            return traced
        left_out.append(begun)
        assert done != 0


def run_trace(binary, tests, variables):
    """Runs tests with a listener; one that is too slow ends the process."""
    return subprocess.run([str(binary), "--gtest_filter=" + tests, "--gtest_brief=1"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, **variables),
                          cwd=tempfile.gettempdir()).returncode


def covering(traced, targets):
    """Tests that reach each mutant, the fastest first: number -> [(seconds, target, test)]."""
    tests = collections.defaultdict(list)
    for name, test in traced["tests"].items():
        target, case = name.split(" ", 1)
        if target not in targets:
            continue
        for number in test["reached"] if test["usable"] else []:
            tests[number].append((test["seconds"], target, case))
    return {number: sorted(list_) for number, list_ in tests.items()}


class Killers:
    """Tests that killed mutants of a source: the next one of it is tried with them first."""

    MOST = 6

    def __init__(self):
        self.lock = threading.Lock()
        self.of_path = collections.defaultdict(collections.Counter)

    def add(self, path, target, case):
        """Counts a test."""
        with self.lock:
            self.of_path[path][(target, case)] += 1

    def first(self, path, tests):
        """The tests, those that killed others first where they are quick."""
        with self.lock:
            known = [name for name, _ in self.of_path[path].most_common(self.MOST)]
        quick = [t for name in known for t in tests if t[1:] == name and t[0] < 2]
        return quick + [t for t in tests if t not in quick]


def batches(tests, budget):
    """Tests of one binary in a row, as few processes as keep the fast ones first."""
    within, total = [], 0
    for test in tests:
        total += test[0]
        if total > budget and within:
            break
        within.append(test)
    for begin, size in ((0, 6), (6, 30), (36, 100), (136, 10_000)):
        by_target = collections.OrderedDict()
        for seconds, target, case in within[begin:begin + size]:
            by_target.setdefault(target, []).append((seconds, case))
        for target, cases in by_target.items():
            yield target, [case for _, case in cases], sum(s for s, _ in cases)


def try_mutant(folder, mutant, tests, budget, killers):
    """The result of one mutant: killed by whom, survived, or reached by no test."""
    result = dict(mutant, status="unreached" if not tests else "survived", killer=None,
                  tests=len(tests))
    began = time.monotonic()
    for target, cases, seconds in batches(tests, budget):
        killer = run_tests(folder.binary(target), ":".join(cases), 3 + 3 * seconds,
                           SOTTO_MUTANT=str(mutant["number"]))
        if killer is not None:
            result.update(status="killed", killer=f"{target} {killer}")
            killers.add(mutant["path"], target, killer)
            break
    result["seconds"] = round(time.monotonic() - began, 2)
    return result
