#!/usr/bin/env python3
"""How options are read, refused and explained: arguments_test.py SOTTO"""
import re
import unittest

from program import main, run

COUNT = ["count", "--epsilon", "1", "--horizon", "9"]


class HelpTest(unittest.TestCase):
    def test_every_command_has_help_with_an_example(self):
        for command in ([], ["account"], ["count"], ["monitor"], ["quantile"], ["generate"],
                        ["generate", "halfspace"]):
            done = run(*command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, r"Examples?:")
            self.assertIn("sotto " + (command[0] if command else "run tide"), done.stdout)

    def test_help_tells_defaults_ranges_and_words(self):
        text = " ".join(run("count", "--help").stdout.split())
        self.assertIn("--epsilon FLOAT Privacy budget per user. Smaller is more private. (required, above 0)", text)
        self.assertRegex(text, r"--rounds-per-user INT [^(]*\(default 1, at least 1\)")
        self.assertRegex(text, r"--mechanism auto\|tree\|sqrt\|sparse [^(]*\(default auto\)")

    def test_help_is_short_and_help_all_is_complete(self):
        for model in ("tide", "pop", "leader"):
            short, full = (run("run", model, flag).stdout for flag in ("--help", "--help-all"))
            options = re.findall(r"^  (?:-\w, )?--[\w-]+", short, re.M)
            self.assertLessEqual(len(options), 16, model)
            self.assertTrue(set(options) < set(re.findall(r"^  (?:-\w, )?--[\w-]+", full, re.M)), model)
            self.assertRegex(short, rf"More: sotto run {model} --help-all \(\d+ more options\)")
            self.assertNotIn("More:", full)
            prose = [line for line in short.split("\n") if "sotto " not in line]
            self.assertLessEqual(max(map(len, prose)), 100, model)

    def test_the_first_help_lists_every_command_once(self):
        text = run("--help").stdout
        for command in ("plan", "run", "schema", "fit", "predict", "show", "count", "monitor", "quantile", "account",
                        "audit", "generate", "ldim"):
            self.assertEqual(len(re.findall(rf"^  {command} ", text, re.M)), 1, command)
        self.assertIn("--version", text)

    def test_older_names_are_accepted_and_not_printed(self):
        run_pop = ["run", "pop", "--epsilon", "1", "--delta", "1e-6", "--horizon", "10"]
        for old, new in (("hand-over", "handover"), ("optimise", "objective")):
            self.assertIn(f"--{new} must be one of", run(*run_pop, f"--{old}", "x").stderr)
        text = run("run", "tide", "--help-all").stdout
        for old, new in (("anyway", "force"), ("noise", "label-noise"), ("hypothesis", "publish")):
            self.assertIn(f"--{new}", text)
            self.assertNotRegex(text, rf"--{old}\b")

    def test_help_of_one_kind_shows_its_options_and_no_others(self):
        self.assertIn("--margin", run("generate", "halfspace", "--help").stdout)
        self.assertNotIn("--margin", run("generate", "threshold", "--help").stdout)

    def test_the_version_is_told(self):
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^sotto \d+\.\d+\.\d+$")


class RefusalTest(unittest.TestCase):
    def refuse(self, *arguments):
        done = run(*arguments, stdin="1\n")
        self.assertEqual(done.returncode, 2, arguments)
        self.assertEqual(done.stdout, "", arguments)
        self.assertIn("--help", done.stderr, arguments)
        return done.stderr

    def test_no_command_or_an_unknown_one_lists_what_there_is(self):
        for arguments in ([], ["nonsense"], ["generate"], ["generate", "nonsense"]):
            self.assertRegex(self.refuse(*arguments), r"Choose one of \w+, ")
        self.assertIn("unknown command 'nonsense'", self.refuse("nonsense"))
        self.assertIn("Did you mean plan?", self.refuse("plam"))
        self.assertIn("'greedy-cover' is a batch model. Use: sotto fit greedy-cover", self.refuse("run", "greedy-cover"))

    def test_an_unknown_option_is_answered_with_the_nearest(self):
        self.assertIn("Did you mean --horizon?", self.refuse("count", "--epsilon", "1", "--horizn", "9"))
        self.assertIn("Did you mean --horizon?", self.refuse("count", "--epsilon", "1", "--horizn=9"))
        self.assertIn("--what", self.refuse("account", "--what"))
        self.assertIn("'-z'", self.refuse(*COUNT, "-z"))

    def test_options_of_others_are_refused_and_not_ignored(self):
        self.assertIn("--margin", self.refuse("generate", "threshold", "--rounds", "1", "--margin", "0.5"))

    def test_numbers_are_never_cut_or_nonsense(self):
        self.assertIn("--seed", self.refuse(*COUNT, "--seed", "99999999999999999999"))
        self.assertIn("--seed", self.refuse(*COUNT, "--seed", "-5"))
        for bad in ("nan", "inf", "1x", "", "0", "-1"):
            self.assertIn("--epsilon", self.refuse("count", "--epsilon", bad))
        for bad in ("0", "1.5", "x", "-2", "1e30"):
            self.assertIn("--horizon", self.refuse("count", "--epsilon", "1", "--horizon", bad))

    def test_large_seeds_that_differ_make_noise_that_differs(self):
        def noise(seed):
            return run("count", "--epsilon", "0.001", "--horizon", "9", "--seed", seed, stdin="1\n" * 9).stdout
        self.assertNotEqual(noise("18446744073709551615"), noise("18446744073709551614"))

    def test_an_option_twice_a_missing_value_or_a_word_too_many_is_wrong_usage(self):
        self.assertIn("twice", self.refuse(*COUNT, "--epsilon", "2"))
        self.assertIn("--horizon", self.refuse("count", "--epsilon", "1", "--horizon"))
        self.assertIn("'extra'", self.refuse(*COUNT, "extra"))

    def test_what_is_required_is_named(self):
        self.assertIn("--epsilon is required", self.refuse("count"))
        self.assertIn("--threshold is required", self.refuse("monitor", "--epsilon", "1", "--horizon", "9"))

    def test_what_a_terminal_would_act_on_does_not_reach_it(self):
        for arguments in (["\x1b[31m"], ["count", "--\x1b[31m"], [*COUNT, "--load", "\x1b[31m\x07"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertNotIn("\x1b", done.stderr)
            self.assertNotIn("\x07", done.stderr)


if __name__ == "__main__":
    main()
