#!/usr/bin/env python3
"""What a composition costs: account_test.py SOTTO"""
import json
import subprocess
import unittest

from program import SOTTO, main, run


def account(*arguments):
    done = run("account", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class AccountTest(unittest.TestCase):
    # mechanism, scale, compositions, delta, epsilon: from an independent
    # accountant; ours must agree within half a per cent.
    REFERENCE = [
        ("laplace", 1.0, 1, 1e-6, 0.999998),
        ("discrete-laplace", 1.0, 1, 1e-6, 0.999999),
        ("gaussian", 1.0, 1, 1e-6, 4.886554),
        ("laplace", 1.0, 1, 1e-3, 0.997999),
        ("discrete-laplace", 1.0, 1, 1e-3, 0.998631),
        ("gaussian", 1.0, 1, 1e-3, 3.138671),
        ("laplace", 5.0, 10, 1e-6, 1.998978),
        ("discrete-laplace", 5.0, 10, 1e-6, 1.999604),
        ("gaussian", 5.0, 10, 1e-6, 2.921601),
        ("laplace", 5.0, 10, 1e-3, 1.57799),
        ("discrete-laplace", 5.0, 10, 1e-3, 1.592486),
        ("gaussian", 5.0, 10, 1e-3, 1.793947),
        ("laplace", 20.0, 100, 1e-6, 2.193281),
        ("discrete-laplace", 20.0, 100, 1e-6, 2.207533),
        ("gaussian", 20.0, 100, 1e-6, 2.254085),
        ("laplace", 20.0, 100, 1e-3, 1.330729),
        ("discrete-laplace", 20.0, 100, 1e-3, 1.34612),
        ("gaussian", 20.0, 100, 1e-3, 1.352277),
        ("pure", 0.1, 100, 1e-6, 4.782011),
    ]
    # For this case the other accountant says 6.640405: it moved the loss -0.01
    # up to -0.0099, the next point of its grid, 10,000 times. The binomial sum,
    # which is the optimum, says 6.171915.
    LOOSE_REFERENCE = ("pure", 0.01, 10000, 1e-9, 6.640405, 6.171915)

    def test_different_mechanisms_in_one_composition(self):
        # The same as one mechanism, in two parts; and at most the sum of the parts.
        split = account("--compose", "laplace:20*40,laplace:20*60", "--delta", "1e-6")
        self.assertAlmostEqual(split["epsilon"], 2.193281, delta=0.005)
        both = account("--compose", "laplace:20*100,gaussian:20*100,dp:0.5/1e-7", "--delta", "1e-6")
        self.assertGreater(both["epsilon"], 3)  # more than sqrt(2) times either
        self.assertLess(both["epsilon"], 2.193281 + 2.254085 + 0.5)
        back = account("--compose", "laplace:20*100,gaussian:20*100,dp:0.5/1e-7", "--epsilon", str(both["epsilon"]))
        self.assertLessEqual(back["delta"], 1.001e-6)
        self.assertGreaterEqual(back["delta"], 0.99e-6)

    def test_a_list_that_cannot_be_read_names_the_part(self):
        for wrong in ("laplace", "laplace:x", "laplace:2*0", "cauchy:2", "laplace:2/3", "dp:1/2"):
            done = run("account", "--compose", "pure:1," + wrong, "--delta", "1e-6")
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn(wrong, done.stderr)
        done = run("account", "--compose", "pure:1", "--delta", "1e-6", "--noise-scale", "2")
        self.assertIn("does not take --noise-scale", done.stderr)

    def test_agrees_with_an_independent_accountant(self):
        for mechanism, scale, compositions, delta, epsilon in self.REFERENCE:
            flag = "--epsilon-each" if mechanism == "pure" else "--noise-scale"
            report = account("--mechanism", mechanism, flag, str(scale),
                             "--compositions", str(compositions), "--delta", str(delta))
            self.assertAlmostEqual(report["epsilon"] / epsilon, 1, delta=0.005, msg=str(report))
            self.assertEqual(report["delta"], delta)
            self.assertEqual(report["compositions"], compositions)
            self.assertTrue(report["method"])

    def test_is_tighter_where_the_other_accountant_is_loose(self):
        mechanism, each, compositions, delta, loose, optimum = self.LOOSE_REFERENCE
        report = account("--mechanism", mechanism, "--epsilon-each", str(each),
                         "--compositions", str(compositions), "--delta", str(delta))
        self.assertLess(report["epsilon"], loose)
        self.assertAlmostEqual(report["epsilon"], optimum, delta=1e-5)

    def test_the_two_directions_agree(self):
        there = account("--mechanism", "laplace", "--noise-scale", "7", "--compositions", "30", "--delta", "1e-7")
        back = account("--mechanism", "laplace", "--noise-scale", "7", "--compositions", "30",
                       "--epsilon", repr(there["epsilon"]))
        self.assertLessEqual(back["delta"], 1.002e-7)
        self.assertGreater(back["delta"], 0.99e-7)

    def test_least_noise_meets_its_target_and_little_less_does_not(self):
        for arguments in (["laplace"], ["gaussian"], ["discrete-gaussian"],
                          ["above-threshold", "--reports", "10"],
                          ["between-thresholds", "--reports", "10", "--gap", "80"],
                          ["pop", "--reports", "50", "--gap", "60", "--stopper", "0.2"]):
            report = account("--mechanism", *arguments, "--target-epsilon", "1", "--delta", "1e-6")
            scale = report["noise_scale"]
            for factor, meets in ((1, True), (0.98, False)):
                again = account("--mechanism", *arguments, "--noise-scale", repr(scale * factor), "--epsilon", "1")
                self.assertEqual(again["delta"] <= 1e-6 * (1 + 1e-9), meets, f"{arguments} {factor} {again}")

    def test_the_noise_table_of_threshold_tests(self):
        rows = {1: (19.4, 16.1), 10: (32.0, 28.7), 100: (75.2, 69.3)}
        for reports, (renyi, exact) in rows.items():
            for method, expected in (("renyi", renyi), ("exact", exact)):
                report = account("--mechanism", "above-threshold", "--reports", str(reports),
                                 "--target-epsilon", "1", "--delta", "1e-6", "--method", method)
                self.assertAlmostEqual(report["noise_scale"], expected, delta=0.06)

    def test_bad_input_is_refused_with_a_sentence(self):
        bad = [
            ["--mechanism", "cauchy", "--noise-scale", "1", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "0", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "-3", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "nan", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "inf", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "x", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--delta", "0"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--delta", "1"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--delta", "2"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--epsilon", "-1"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--epsilon", "nan"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--epsilon", "1", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "1"],
            ["--mechanism", "laplace", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--compositions", "0", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--compositions", "-5", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--reports", "5", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--noise-scale", "1", "--target-epsilon", "1", "--delta", "1e-6"],
            ["--mechanism", "laplace", "--target-epsilon", "1"],
            ["--mechanism", "pure", "--noise-scale", "1", "--delta", "1e-6"],
            ["--mechanism", "above-threshold", "--noise-scale", "20", "--delta", "1e-6"],
            ["--mechanism", "above-threshold", "--noise-scale", "20", "--reports", "0", "--delta", "1e-6"],
            ["--mechanism", "between-thresholds", "--noise-scale", "20", "--reports", "3", "--delta", "1e-6"],
            ["--mechanism", "between-thresholds", "--noise-scale", "20", "--reports", "3", "--gap", "0",
             "--delta", "1e-6"],
            ["--mechanism", "pop", "--noise-scale", "20", "--reports", "3", "--gap", "5", "--delta", "1e-6"],
            ["--mechanism", "pop", "--noise-scale", "20", "--reports", "3", "--gap", "5", "--stopper", "0",
             "--delta", "1e-6"],
        ]
        for arguments in bad:
            done = run("account", *arguments)
            self.assertEqual(done.returncode, 2, f"{arguments}: {done.stdout}{done.stderr}")
            self.assertEqual(done.stdout, "", arguments)
            self.assertGreater(len(done.stderr), 10, arguments)

    def test_numbers_are_printed_rounded_up(self):
        done = run("account", "--mechanism", "gaussian", "--noise-scale", "50", "--compositions", "1000",
                   "--delta", "1e-6")
        self.assertIn("(2.921601, 1e-6)", done.stdout)

    def test_an_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([SOTTO, "account", "--mechanism", "gaussian", "--noise-scale", "1", "--delta", "1e-6"],
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)

    def test_human_text_states_the_guarantee(self):
        done = run("account", "--mechanism", "gaussian", "--noise-scale", "1", "--delta", "1e-6")
        self.assertEqual(done.returncode, 0)
        self.assertIn("4.88655", done.stdout)
        self.assertIn("differential privacy", done.stdout)


if __name__ == "__main__":
    main()
