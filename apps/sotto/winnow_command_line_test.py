#!/usr/bin/env python3
"""Runs `sotto run winnow` and `sotto plan winnow` as a person would: winnow_command_line_test.py SOTTO"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

SOTTO = None
PRIVACY = ["--epsilon", "3", "--delta", "1e-6", "--horizon", "1e4"]
MODEL = [*PRIVACY, "--margin", "0.6", "--nonnegative"]
REPORT_KEYS = {"model", "learner", "rounds", "mistakes", "paid", "phases", "halted_at", "guarantee", "parameters",
               "seconds", "rounds_per_second", "private"}
PLAN_KEYS = {"model", "parameters", "guarantee", "mistakes_bound", "mistakes_expected", "verdict"}
GUARANTEE_KEYS = {"notion", "relation", "epsilon", "delta", "adversary", "rounds_per_user"}
HEADER = ",".join(f"x{j}" for j in range(1, 21)) + ",y\n"


def run(*arguments, stdin=""):
    return subprocess.run([SOTTO, *arguments], input=stdin, capture_output=True, text=True, timeout=300)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "w") as file:
        file.write(content)


def halfspace(count, seed=1):
    """Rows of 20 signs; the label is that of the sum of the first five, which is at least 3."""
    source = random.Random(seed)
    while count > 0:
        x = [source.choice((-1, 1)) for _ in range(20)]
        total = sum(x[:5])
        if abs(total) >= 3:
            count -= 1
            yield ",".join(map(str, x)) + f",{int(total > 0)}\n"


class WinnowTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def stream(self, count, seed=1, name="stream.csv"):
        write(self.path(name), HEADER + "".join(halfspace(count, seed)))
        return self.path(name)

    def report(self, *arguments, stdin=""):
        done = run("run", "winnow", *arguments, "--json", stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, *arguments, stdin=""):
        done = run(*arguments, stdin=stdin)
        self.assertEqual(done.returncode, 2, done.stderr + done.stdout)
        self.assertEqual(done.stdout, "")
        return done.stderr


class RunTest(WinnowTest):
    def test_learns_a_halfspace_and_reports_it(self):
        report = self.report(*MODEL, "-d", self.stream(4000))
        self.assertLessEqual(REPORT_KEYS, set(report))
        self.assertLessEqual(GUARANTEE_KEYS, set(report["guarantee"]))
        self.assertEqual(report["model"], "winnow")
        self.assertEqual(report["rounds"], 4000)
        self.assertLess(report["mistakes"], 250)
        self.assertGreater(report["phases"], 2)
        self.assertEqual(report["guarantee"]["notion"], "dp")
        self.assertEqual(report["guarantee"]["epsilon"], 3)
        self.assertLessEqual(report["guarantee"]["delta"], 1e-6)
        self.assertTrue(report["private"])
        self.assertEqual(report["parameters"]["features"], 20)

    def test_text_has_a_table_and_a_statement(self):
        done = run("run", "winnow", *MODEL, "-d", self.stream(200))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("since last", done.stdout)
        self.assertIn("anyone may keep them", done.stdout)
        self.assertIn("operator's own view", done.stdout)
        self.assertNotIn("NOT PRIVATE", done.stdout)

    def test_a_seed_repeats_the_run_and_says_that_it_is_not_private(self):
        stream = self.stream(500)
        outputs = []
        for name in ("a", "b"):
            report = self.report(*MODEL, "-d", stream, "--seed", "5", "-p", self.path(name))
            self.assertFalse(report["private"])
            self.assertIn("NOT PRIVATE", report["statement"][0])
            outputs.append(read(self.path(name)))
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0].count(b"\n"), 500)

    def test_a_stopped_and_resumed_run_equals_an_uninterrupted_one(self):
        rows = list(halfspace(1500, seed=4))
        write(self.path("all.csv"), HEADER + "".join(rows))
        write(self.path("1.csv"), HEADER + "".join(rows[:700]))
        write(self.path("2.csv"), HEADER + "".join(rows[700:]))
        for extra in ([], ["--label-delay", "7"], ["--max-nonzeros", "20", "--bias"], ["--public"],
                      ["--relation", "add-remove", "--compare"]):
            flags = [*MODEL, *extra, "--seed", "3"]
            whole = self.report(*flags, "-d", self.path("all.csv"), "-p", self.path("p"), "--save", self.path("s"), "--replace",
                                "--publish", self.path("h"))
            self.report(*flags, "-d", self.path("1.csv"), "-p", self.path("p1"), "--save", self.path("s1"), "--replace")
            parts = self.report("-d", self.path("2.csv"), "-p", self.path("p2"), "--load", self.path("s1"),
                                "--save", self.path("s2"), "--replace", "--publish", self.path("h2"))
            self.assertEqual(read(self.path("p")), read(self.path("p1")) + read(self.path("p2")), extra)
            self.assertEqual(read(self.path("s")), read(self.path("s2")), extra)
            self.assertEqual(read(self.path("h")), read(self.path("h2")), extra)
            self.assertEqual(whole["mistakes"], parts["mistakes"])
            self.assertEqual(whole["guarantee"], parts["guarantee"])

    def test_one_state_fed_different_data_draws_different_noise(self):
        self.report(*MODEL, "-d", self.stream(300), "--save", self.path("s"))
        for seed in (8, 9):
            self.report("-d", self.stream(600, seed, f"{seed}.csv"), "--load", self.path("s"), "--publish",
                        self.path(f"{seed}.json"))
        self.report("-d", self.path("8.csv"), "--load", self.path("s"), "--publish", self.path("again.json"))
        self.assertEqual(read(self.path("8.json")), read(self.path("again.json")))
        self.assertNotEqual(read(self.path("8.json")), read(self.path("9.json")))

    def test_the_hypothesis_is_json_with_its_guarantee_and_predicts(self):
        self.report(*MODEL, "-d", self.stream(4000), "--publish", self.path("h.json"))
        written = json.loads(read(self.path("h.json")))
        self.assertEqual(written["guarantee"]["epsilon"], 3)
        self.assertTrue(written["private"])
        self.assertEqual(written["features"], 20)
        weights = {each["index"]: each["weight"] for each in written["weights"]}
        wrong = 0
        for row in halfspace(200, seed=77):
            *x, y = map(int, row.split(","))
            score = written["bias"] + sum(weights.get(j, 0) * value for j, value in enumerate(x))
            wrong += (score > 0) != (y == 1)
        self.assertLess(wrong, 10)

    def test_values_outside_of_the_unit_interval_are_moved_and_counted(self):
        bad = "a,b,y\n1,0.5,1\n0,2.5,0\n1,0,1\n"
        flags = ["run", "winnow", *MODEL, "--format", "csv", "-d", "-"]
        self.assertEqual(run(*flags, "--strict", stdin=bad).returncode, 0)
        for more in ([], ["--clip"], ["--skip-bad"]):
            moved = self.report(*flags[2:], *more, stdin=bad)
            self.assertEqual((moved["rounds"], moved["skipped"], moved["clamped"]), (3, 0, 1))
        write(self.path("schema.json"), json.dumps({"columns": [
            {"name": "a", "type": "number", "range": [0, 1]}, {"name": "b", "type": "number", "range": [0, 5]}]}))
        self.assertEqual(self.report(*flags[2:], "--schema", self.path("schema.json"), stdin=bad)["rounds"], 3)

    def test_other_formats_and_sparse_examples(self):
        rows = run("generate", "halfspace", "--features", "1000", "--nonzeros", "10", "--rounds", "300", "--format",
                   "vw").stdout
        report = self.report(*MODEL, "--features", "1000", "--max-nonzeros", "10", "--format", "vw", "-d", "-",
                             stdin=rows)
        self.assertEqual(report["parameters"]["features"], 1000)
        self.assertIsNone(report["plan"]["mistakes_bound"])
        self.assertGreater(report["parameters"]["threshold"], 0)

    def test_users_have_so_many_rounds_and_no_more(self):
        rows = "a,user,y\n" + "1,ann,1\n" * 3 + "1,bob,1\n" + "1,,1\n" * 2
        report = self.report(*MODEL, "--rounds-per-user", "2", "--format", "csv", "-d", "-", "-p", self.path("p"),
                             stdin=rows)
        self.assertEqual(report["refused"], 1)
        self.assertEqual(report["guarantee"]["rounds_per_user"], 2)
        # Winnow publishes, so the third round of ann is answered for free.
        self.assertEqual(report["free_answers"]["answered"], 1)
        self.assertIn(read(self.path("p")).split(b"\n")[2], (b"0", b"1"))
        self.assertEqual((report["answered"], report["labelled"]), (5, 5))

    def test_public_shows_no_exact_mistakes(self):
        report = self.report(*MODEL, "-d", self.stream(500), "--public")
        self.assertIsNone(report["paid"])
        self.assertIn("mistakes_error", report)
        self.assertNotIn("labelled", report)
        self.assertEqual(report["guarantee"]["epsilon"], 3)

    def test_the_papers_constants_run_too(self):
        stream = self.stream(300)
        report = self.report(*MODEL, "--calibration", "paper", "-d", stream, "--save", self.path("s"))
        self.assertEqual(report["phases"], 1)
        self.assertEqual(report["plan"]["verdict"], "hopeless")
        self.report("-d", stream, "--load", self.path("s"))

    def test_a_page_is_written(self):
        self.report(*MODEL, "-d", self.stream(500), "--report", self.path("page.html"))
        self.assertIn(b"<svg", read(self.path("page.html")))


class RefusalTest(WinnowTest):
    def test_names_what_is_missing_or_not_for_it(self):
        stream = self.stream(10)
        command = ["run", "winnow", "-d", stream]
        self.assertIn("--epsilon", self.refused(*command))
        self.assertIn("--margin", self.refused(*command, *PRIVACY))
        self.assertIn("unknown option --learner", self.refused(*command, *MODEL, "--learner", "threshold"))
        self.assertIn("unknown option --margin", self.refused("run", "pop", "-d", stream, *PRIVACY, "--margin", "0.5"))
        self.assertIn("--features says 7", self.refused(*command, *MODEL, "--features", "7"))
        self.assertIn("from 2^-10 to 1", self.refused(*command, *PRIVACY, "--margin", "1e-6"))
        self.assertIn("paper", self.refused(*command, *MODEL, "--calibration", "paper", "--bias"))
        self.assertIn("contradicts", self.contradiction(stream))
        self.assertIn("pop, winnow", self.refused("run", "perceptron", "-d", stream))

    def contradiction(self, stream):
        self.report(*MODEL, "-d", stream, "--save", self.path("s"))
        return self.refused("run", "winnow", "-d", stream, "--load", self.path("s"), "--margin", "0.5")

    def test_damaged_states_are_refused_and_left_alone(self):
        stream = self.stream(50)
        self.report(*MODEL, "-d", stream, "--save", self.path("s"))
        state = read(self.path("s"))
        for cut in (state[:-1], state[:40], state[:-40] + b"x" * 40, b""):
            with open(self.path("bad"), "wb") as file:
                file.write(cut)
            self.refused("run", "winnow", "-d", stream, "--load", self.path("bad"))
            self.assertEqual(read(self.path("bad")), cut)


class PlanTest(WinnowTest):
    FLAGS = ["plan", "winnow", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1e6", "--features", "100",
             "--margin", "0.5", "--nonnegative"]

    def plan(self, *extra):
        done = run(*self.FLAGS, *extra, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_states_bound_expectation_and_verdict(self):
        plan = self.plan("--aim", "proven")
        self.assertLessEqual(PLAN_KEYS, set(plan))
        self.assertLess(plan["mistakes_bound"], 30_000)
        self.assertGreater(plan["mistakes_bound"], plan["mistakes_expected"])
        self.assertEqual(plan["verdict"], "comfortable")
        self.assertIn("DP-FTRL", plan["advice"][1])

    def test_proves_nothing_with_late_labels_few_weights_or_a_threshold(self):
        for extra in (["--label-delay", "1"], ["--published", "10"], ["--max-nonzeros", "10"]):
            self.assertIsNone(self.plan("--aim", "proven", *extra)["mistakes_bound"], extra)

    def test_wrong_labels_are_expected_and_nothing_is_proved_of_them(self):
        clean, noisy = self.plan(), self.plan("--noise", "0.1")
        self.assertAlmostEqual(noisy["mistakes_expected"], 1e5 + 0.8 * clean["mistakes_expected"], delta=1)
        self.assertIsNone(noisy["mistakes_bound"])

    def test_says_what_it_cannot_foresee(self):
        caveats = self.plan("--max-nonzeros", "22")["caveats"]
        self.assertTrue(any("--max-norm 4.7 in its place" in line for line in caveats), caveats)
        self.assertTrue(any("true margin" in line for line in self.plan()["caveats"]))

    def test_the_papers_constants_are_hopeless(self):
        plan = self.plan("--calibration", "paper")
        self.assertEqual(plan["verdict"], "hopeless")
        self.assertIsNone(plan["mistakes_bound"])

    def test_text_says_what_it_costs(self):
        done = run(*self.FLAGS)
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("mistakes expected", "mistakes, proved", "Privacy:", "DP-FTRL", "comfortable"):
            self.assertIn(words, done.stdout)

    def test_refuses_what_it_cannot_plan(self):
        self.assertIn("--features", self.refused("plan", "winnow", *MODEL))
        self.assertIn("unknown option --copies", self.refused(*self.FLAGS, "--copies", "10"))
        self.assertIn("unknown option --features", self.refused("plan", "pop", *PRIVACY, "--features", "10"))


if __name__ == "__main__":
    SOTTO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
