"""Every option of every command changes something: what is printed, written or refused later.

Options are read off --help-all. For each command there are a few complete command lines; an
option is added to one of them, off its default, and what comes out must be different. An
option that is parsed and dropped fails here, and so does a new one without a line below.
Noise is that of a seed. What only servers and audits have is named in ELSEWHERE.
"""
import os
import re
import shlex
import tempfile
import unittest

from program import read, run, write

# Options that cannot be seen this way, and the test that shows them.
ELSEWHERE = {
    "clamp": "accepted for old scripts",
    "skip-bad": "accepted for old scripts",
    "progress": "a terminal's line: process_test.py",
    "save-every": "when, not what: live_crash_test.py, state_test.py",
    "group": "budget_test.py",
    "budget": "budget_test.py",
    "live": "live_test.py",
    "load": "state_test.py",
    "replace": "state_test.py",
    "threads": "work, not results",
    "all": "plan_all_test.cc",
    "compare": "operator only: compare_test.cc, run_test.py",
    "force": "a hopeless plan: run_test.py",
    "ticket-rounds": "live_test.py",
    "report": "run_test.py",
    "expect": "budget_test.py",
    "nodes": "ldim_test.py",
}
# Values that no rule can guess. FILE stands for a new file.
VALUES = {
    "save": ["FILE"], "predictions": ["FILE"], "publish": ["FILE"], "out": ["FILE"], "dot": ["FILE"],
    "data": ["other.csv", "numbers2"], "schema": ["other.json"], "label": ["b"], "labels": ["0,1", "1,0"],
    "user": ["a"], "column": ["a", "b"], "range": ["0..7", "0,7"], "at": ["0.1", "0.25,0.5"],
    "facts": ["a=0..3"], "classes": ["0,1,2"], "label-range": ["0..2"], "header": ["wide.csv"],
    "public-sample": ["wide.csv"], "private-ranges": ["wide.csv"], "model": ["other.model"],
    "format": ["csv", "vw"], "compose": ["pure:0.25"], "people": ["readers"], "note": ["May"],
    "table-every": ["100"], "columns": ["4"], "hash-bits": ["0", "3"], "drift": ["7"],
    "epsilon": ["0.25", "3"], "delta": ["1e-4", "0"], "seed": ["9", "2", "3", "4"], "horizon": ["900", "2000", "1000000"],
    "rounds-per-user": ["3"], "label-delay": ["7"], "label-rate": ["0.5"], "label-noise": ["0.2"],
    "rounds": ["21"], "target-epsilon": ["2"], "start-rows": ["60"], "batch": ["5"],
    "learning-rate": ["0.5"], "memory": ["4"], "clip": ["0.1"], "cells": ["16"], "max-nonzeros": ["1"],
    "threshold": ["0.9", "900"], "noise-scale": ["17"], "epsilon-each": ["0.3"], "compositions": ["7"],
    "reports": ["9"], "gap": ["300"], "stopper": ["0.3"], "decompose": ["2"], "for-dimension": ["1", "3"],
    "features": ["20"], "length": ["2"], "margin": ["0.3"], "nonzeros": ["7"], "noise": ["0.3"],
    "missing": ["0.5"], "poison": ["0.4"], "slack": ["1e-7"],
}
# Options that say nothing in these commands, and why.
NOTHING = {
    ("run tide", "calibration"): "tide has no paper's constants and says so",
    ("fit threshold", "calibration"): "exact fits have no paper's constants",
    ("fit threshold", "delta"): "pure epsilon",
    ("fit threshold", "format"): "by the file's name",
    ("plan", "label-delay"): "no plan depends on it",
    ("plan", "calibration"): "tide has no paper's constants and says so",
    ("plan", "drift"): "pop's plan, which takes seconds: hand_over_test.cc",
    ("predict", "schema"): "of a model's own columns: predict_test.py",
    ("schema", "seed"): "ranges are powers of two: private_ranges_test.cc",
    ("run tide", "label-rate"): "tunes the plan only",
    ("run tide", "label-noise"): "tunes the plan only",
    ("monitor", "delta"): "pure epsilon",
    ("predict", "label"): "labels are read with --json only, by the model's name",
}
# Commands whose options need a server, a database or minutes, and their tests.
COMMANDS_ELSEWHERE = {
    "serve": "serve_test.py", "call": "serve_test.py", "journal": "journal_test.py", "engine": "engine_test.py",
    "audit": "audit_test.py",
}
TIDE = "run tide --epsilon 2 --delta 1e-6 --horizon 400 --seed 1 --json --data "
FIT = "fit threshold --epsilon 1 --seed 1 --out m --data "
RANGE = "--epsilon 1 --delta 1e-6 --range 0..9 --seed 1"
# Command lines of each command; "<" names standard input.
LINES = {
    "run tide": [TIDE + "train.csv --predictions p --publish m", TIDE + "train.csv --schema table.json",
                 TIDE + "train.csv", TIDE + "plain.csv --no-header --columns 3 --label c3",
                 TIDE.replace("--json ", "") + "train.csv", TIDE + "words.csv --labels no,yes"],
    "fit threshold": [FIT + "train.csv --json",
                      FIT + "train.csv",
                      FIT + "plain.csv --no-header --columns 3 --label c3 --json",
                      FIT + "words.csv --labels no,yes --json"],
    "predict": ["predict --model tide.model --data train.csv", "predict --model tide.model --data train.csv --json",
                "predict --model plain.model --data plain.csv --no-header --columns 3 --label c3 --json"],
    "show": ["show tide.model"],
    "plan": ["plan leader --epsilon 1 --horizon 1e4 --schema table.json --json",
             "plan tide --epsilon 1 --delta 1e-6 --horizon 1e4 --schema table.json --json"],
    "schema": ["schema --header train.csv", "schema --private-ranges train.csv --epsilon 0.04 --seed 1",
               "schema --public-sample train.csv", "schema table.json"],
    "count": ["count --epsilon 1 --delta 1e-6 --horizon 1000 --seed 1 <numbers"],
    "monitor": ["monitor --epsilon 0.05 --threshold 90 --horizon 1000 --seed 1 <numbers"],
    "quantile": [f"quantile --at 0.5 --data numbers {RANGE}", f"quantile --at 0.5 --horizon 100 {RANGE} <numbers",
                 "quantile --data numbers --epsilon 1 --delta 1e-6 --horizon 9 --seed 1 <numbers3",
                 f"quantile --at 0.5 --data train.csv --column b {RANGE} --rounds-per-user 2"],
    "histogram": [f"histogram --data numbers {RANGE}", f"histogram --horizon 100 {RANGE} <numbers",
                  f"histogram --data train.csv --column b {RANGE} --rounds-per-user 2"],
    "sum": [f"sum --data numbers {RANGE}", f"sum --horizon 100 {RANGE} <numbers",
            f"sum --data train.csv --column b {RANGE} --rounds-per-user 2"],
    "mean": [f"mean --data numbers {RANGE}", f"mean --horizon 100 {RANGE} <numbers",
             f"mean --data train.csv --column b {RANGE} --rounds-per-user 2".replace("epsilon 1", "epsilon 9")],
    "account": ["account --mechanism gaussian --noise-scale 20 --delta 1e-6",
                "account --mechanism pure --epsilon-each 0.1 --compositions 20 --delta 1e-6",
                "account --mechanism above-threshold --noise-scale 50 --reports 4 --delta 1e-6",
                "account --mechanism pop --noise-scale 205 --reports 20 --gap 205 --stopper 0.15 --delta 1e-6",
                "account --mechanism gaussian --noise-scale 20 --epsilon 1",
                "account --delta 1e-6 --compose pure:0.1*3",
                "account --mechanism gaussian --target-epsilon 1 --delta 1e-6"],
    "budget create": ["budget create b --epsilon 2 --delta 1e-5"],
    "budget spend": ["budget spend known.budget --epsilon 0.5"],
    "budget show": ["budget show known.budget"],
    "generate life": ["generate life --rounds 40"],
    "generate threshold": ["generate threshold --rounds 40 --poison 0.5"],
    "generate halfspace": ["generate halfspace --rounds 40 --poison 0.5"],
    "generate decision-list": ["generate decision-list --rounds 40 --poison 0.5"],
    "ldim": ["ldim thresholds:64", "ldim thresholds:6 --decompose 2"],
}


def options(command):
    """(name, words to choose from or none, needs a value) of each option of a command."""
    text = run(*command.split(), "--help-all").stdout
    found = re.findall(r"^  (?:-\w, ?)?--([a-z-]+)(?: (\S+))?", text, re.M)
    return [(name, value.split("|") if "|" in value else [], bool(value) and value[0] != " ")
            for name, value in found]


class EveryOption(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.home = os.getcwd()
        os.chdir(cls.folder.name)
        cls.make_files()

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.home)
        cls.folder.cleanup()

    @classmethod
    def make_files(cls):
        """Tables, a schema, models and a budget, all small."""
        rows = [(i * 7 % 10, i * 3 % 8, f"u{i // 2 % 130}", int(i * 7 % 10 > 4)) for i in range(400)]
        cls.put("train.csv", ["a,b,user,y"] + [f"{a},{b},{user},{y}" for a, b, user, y in rows])
        cls.put("other.csv", ["a,b,user,y"] + [f"{b},{a},{user},{1 - y}" for a, b, user, y in rows])
        cls.put("plain.csv", [f"{a},{b},{y}" for a, b, _, y in rows])
        cls.put("wide.csv", ["c,d,user,y"] + [f"{900 * a},{b},{user},{y}" for a, b, user, y in rows])
        cls.put("words.csv", ["a,b,user,y"] + [f"{a},{b},{user},{'no yes'.split()[y]}" for a, b, user, y in rows])
        cls.put("numbers", [str(i % 10) for i in range(60)])
        cls.put("numbers3", ["2", "5"])
        cls.put("numbers2", [str(i % 3) for i in range(60)])
        for name, facts in (("table.json", "a=0..9;b=0..7"), ("other.json", "a=0..20;b=0|1|2|3|4|5|6|7")):
            cls.put(name, [run("schema", "--header", "train.csv", "--facts", facts, "--labels", "0,1", "--quiet",
                               "--user", "user").stdout])
        for name, data, more in (("tide.model", "train.csv", ""), ("other.model", "other.csv", ""),
                                 ("plain.model", "plain.csv", "--no-header --columns 3 --label c3")):
            done = run(*shlex.split(TIDE + f"{data} --publish {name} {more}"))
            assert done.returncode == 0, done.stderr
        done = run(*"budget create known.budget --epsilon 9 --delta 1e-3".split())
        assert done.returncode == 0, done.stderr

    @staticmethod
    def put(name, lines):
        write(name, ("\n".join(lines) + "\n").encode())

    def outcome(self, line):
        """(worked, everything that came out): text, errors and the files that were written."""
        words, stdin = shlex.split(line), ""
        if words[-1].startswith("<"):
            stdin = read(words.pop()[1:]).decode()
        before = {name: read(name) for name in os.listdir(".")}
        done = run(*words, stdin=stdin)
        written = []
        for name in sorted(os.listdir(".")):
            content = read(name)
            if name not in before:
                os.unlink(name)
            elif before[name] != content:
                write(name, before[name])
            if before.get(name) != content:
                written.append((name, self.without_chance(content)))
        return done.returncode in (0, 3), (self.without_chance(done.stdout), self.without_chance(done.stderr),
                                           written)

    @staticmethod
    def without_chance(text):
        """Without times and the keys of records, which differ from run to run."""
        if isinstance(text, bytes):
            text = text.decode("latin-1")
        return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{16,}\b|(?<![\d.,])[\d.,]{1,20} ?(s|ms|seconds|rows/s|rounds/s)\b|"
                      r'"(seconds|cpu_seconds|rows_per_second|rounds_per_second)": ?[\d.e+-]+', "", text)

    def changes(self, command, option, base):
        """An option, off its default, makes a difference to this line."""
        name, choices, valued = option
        bare, _, stdin = base.partition(" <")
        values = choices or VALUES.get(name, ["1"]) if valued else [""]
        if base not in self.plain:
            self.plain[base] = self.outcome(base)
            self.assertTrue(self.plain[base][0], (base, self.plain[base]))
            self.assertEqual(self.outcome(base), self.plain[base], base)
        for value in values:
            pattern = rf" --{name} \S+" if valued else rf" --{name}\b"
            rest = re.sub(pattern, "", bare)
            if valued or rest == bare:
                rest += f" --{name} {value.replace('FILE', 'new')}"
            worked, came = self.outcome(rest + (" <" + stdin if stdin else ""))
            # An error about something else says that the option was handed on.
            if came != self.plain[base][1] and (worked or f"--{name}" not in came[1]):
                return True
        return False

    plain = {}

    def test_every_command_is_here(self):
        named = re.findall(r"^  ([a-z]+)  +\S", run("--help").stdout, re.M)
        self.assertGreater(len(named), 15)
        here = {command.split()[0] for command in LINES} | set(COMMANDS_ELSEWHERE)
        self.assertEqual(sorted(set(named) - here), [])

    def test_every_option_changes_something(self):
        dropped = []
        for command, bases in LINES.items():
            found = options(command)
            self.assertGreater(len(found), 0, command)
            dropped += [f"{command} --{option[0]}" for option in found
                        if option[0] not in ELSEWHERE and (command, option[0]) not in NOTHING
                        and not any(self.changes(command, option, base) for base in bases)]
        self.assertEqual(dropped, [])


if __name__ == "__main__":
    unittest.main()
