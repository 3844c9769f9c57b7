#!/usr/bin/env python3
"""Learners of finite classes on the command line: class_learners_test.py SOTTO"""
import json
import os
import tempfile
import unittest

from program import main, run

BUDGET = ["--epsilon", "1", "--delta", "1e-6"]


def plan(*arguments):
    done = run("plan", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class ClassLearnersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def thresholds(self, rows):
        return self.write("t.csv", "x,y\n" + "".join(f"{7 * i % 15},{int(7 * i % 15 >= 6)}\n" for i in range(rows)))

    def test_plans_say_what_the_papers_learners_need(self):
        online = plan("littlestone", *BUDGET, "--horizon", "1e5", "--class", "thresholds:1023")
        self.assertEqual(online["littlestone_dimension_lo"], 10)
        self.assertGreater(online["paper"]["mistakes"], 1e11)
        self.assertLess(online["mistakes_expected"], 1500)
        batch = plan("finite", "--epsilon", "1", "--class", "thresholds:1023", "--error", "0.1")
        self.assertLess(batch["samples_required"], 700)
        self.assertGreater(batch["paper"]["rows"], 1e11)
        teachers = plan("littlestone-erm", *BUDGET, "--class", "thresholds:1023")
        self.assertLess(teachers["samples_finite"], teachers["samples_required"])
        for report in (online, batch):
            self.assertTrue(any(line.startswith("Chosen: ") for line in report["caveats"]))

    def test_a_paper_plan_that_cannot_run_is_hopeless_and_refused(self):
        flags = [*BUDGET, "--horizon", "1e5", "--class", "thresholds:1023", "--calibration", "paper"]
        report = plan("littlestone", *flags)
        self.assertEqual((report["verdict"], report["runs"]), ("hopeless", False))
        done = run("run", "littlestone", *flags, "-d", self.thresholds(10))
        self.assertEqual(done.returncode, 2)
        self.assertIn("more than is run", done.stderr)

    def test_says_whose_streams_the_votes_are_for(self):
        path = self.thresholds(50)
        for paper in ([], ["--calibration", "paper"]):
            for adversary in ("adaptive", "oblivious"):
                done = run("run", "littlestone", "--epsilon", "8", "--delta", "1e-6", "--class", "thresholds:15",
                           "--teachers", "20", "--limit", "20", "--changes", "1", "--stages", "1", "--adversary",
                           adversary, *paper, "-d", path, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(done.stdout)
                self.assertEqual(report["guarantee"]["adversary"], "adaptive")
                self.assertEqual(report["parameters"]["votes_for"], adversary)
                self.assertTrue(any(adversary + ": " in line for line in report["statement"]))

    def test_a_point_outside_the_class_is_a_row_that_cannot_be_used(self):
        path = self.thresholds(300)
        odd = self.write("odd.csv", "x,y\n3,0\n15,1\n14,1\n")
        model = os.path.join(self.folder, "model.json")
        for fit in ("finite", "littlestone-erm"):
            flags = [fit, "--epsilon", "8", "--delta", "1e-6", "--class", "thresholds:15", "--out", model]
            done = run("fit", *flags, "--data", odd, "--strict")
            self.assertEqual(done.returncode, 2)
            self.assertIn("line 3, column 'x': 15: expected a point of the class", done.stderr)
            self.assertFalse(os.path.exists(model))
            done = run("fit", *flags, "--data", odd)
            self.assertEqual(done.returncode, 0)
            self.assertIn("1 bad row", done.stdout + done.stderr)
            self.assertEqual(run("fit", *flags, "--data", path).returncode, 0)
            self.assertIn("1 on the points 6 to 14", run("show", model).stdout)
            self.assertIn(": 15: expected a point", run("predict", "-m", model, "-d", odd).stderr)
            self.assertEqual(run("predict", "-m", model, "-d", odd, "--skip-bad").stdout, "0\n\n1\n")
            os.remove(model)

    def test_refuses_extreme_epsilons_in_words(self):
        for epsilon, model, said in (("1e-6", ["littlestone", "--class", "thresholds:15"], "epsilon is too small"),
                                     ("1e-6", ["littlestone-erm", "--class", "points:4"], "epsilon is too small"),
                                     ("20", ["littlestone-erm", "--class", "points:4"], "at most 16"),
                                     ("20", ["littlestone", "--class", "points:2", "--calibration", "paper"],
                                      "at most 16")):
            done = run("plan", *model, "--epsilon", epsilon, "--delta", "1e-6")
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_plans_promise_nothing_of_parameters_by_hand(self):
        erm = ["littlestone-erm", *BUDGET, "--rows", "1e9"]
        chosen = plan(*erm, "--class", "points:14")
        self.assertEqual(chosen["verdict"], "comfortable")
        paper = plan(*erm, "--class", "points:14", "--calibration", "paper")
        self.assertEqual((paper["verdict"], paper["samples_required"]), ("comfortable", paper["paper"]["rows"]))
        for hand in (["--p", "1"], ["--calibration", "paper", "--p", "1"], ["--calibration", "paper", "--stages", "1"]):
            by_hand = plan(*erm, "--class", "points:14", *hand)
            self.assertIsNone(by_hand["verdict"])
            self.assertNotIn("samples_required", by_hand)
            self.assertTrue(any("No number of rows is proved" in line for line in by_hand["caveats"]))
        for flags in (["--class", "points:14", "--p", "1"], ["--class", "thresholds:15"]):
            few = plan(*erm, *flags, "--teachers", "10")
            self.assertEqual((few["verdict"], few["samples_required"]), ("hopeless", None))
            self.assertFalse(any("is proved, for" in line for line in few["caveats"]))
            self.assertIn("no number suffices", run("plan", *erm, *flags, "--teachers", "10").stdout)

    def test_plans_of_the_papers_online_learner_say_what_is_not_known(self):
        flags = ["littlestone", *BUDGET, "--horizon", "1e5", "--class", "points:2", "--calibration", "paper"]
        chosen = plan(*flags)
        self.assertEqual(chosen["mistakes_expected"], chosen["mistakes_of_all_calls"])
        self.assertTrue(any("mistakes go on" in line for line in chosen["caveats"]))
        self.assertTrue(any("13 votes; 108 are enough for all points" in line for line in chosen["caveats"]))
        few = plan(*flags, "--teachers", "1")
        self.assertEqual((few["verdict"], few["mistakes_expected"]), ("hopeless", None))
        short = plan(*flags, "--limit", "1", "--changes", "1")
        self.assertEqual((short["verdict"], short["mistakes_expected"]), (None, None))
        hand = plan(*flags, "--votes", "5")
        self.assertTrue(any("5 votes; 108 are enough for all points" in line for line in hand["caveats"]))

    def test_what_is_proper_is_in_the_class(self):
        model = os.path.join(self.folder, "model.json")
        table = self.write("p.csv", "x,y\n0,1\n1,0\n")
        for seed in range(3):
            done = run("fit", "littlestone-erm", *BUDGET, "--class", "points:3", "--proper", "--teachers", "2", "--seed",
                       str(seed), "--data", table, "--out", model)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(model) as file:
                self.assertRegex(file.read(), '"table": ?"(100|010|001)"')


if __name__ == "__main__":
    main()
