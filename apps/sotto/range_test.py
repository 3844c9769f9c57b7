#!/usr/bin/env python3
"""Quantiles, histograms, sums and means over a public range: range_test.py SOTTO"""
import json
import os

from program import FolderTest, main, run, write

ONE = ["--epsilon", "1", "--range", "0..1000"]


class RangeTest(FolderTest):
    def numbers(self, values, name="numbers"):
        path = self.path(name)
        write(path, "".join(f"{value}\n" for value in values).encode())
        return path

    def good(self, *arguments, **more):
        done = run(*arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def json(self, *arguments, **more):
        return json.loads(self.good(*arguments, "--json", **more).stdout)


class Once(RangeTest):
    def setUp(self):
        super().setUp()
        self.data = self.numbers(n / 2 for n in range(2000))

    def test_quantiles(self):
        made = self.json("quantile", "--at", "0.5,0.95,0.99", *ONE, "--data", self.data)
        values = [entry["value"] for entry in made["quantiles"]]
        bound = made["rank_error"]  # 95 %; three times it is far beyond 1e-6
        for value, truth in zip(values, (500, 950, 990)):
            self.assertAlmostEqual(value, truth, delta=3 * bound / 2 + 1)
        self.assertEqual(made["guarantee"]["epsilon"], 1)
        self.assertEqual(made["guarantee"]["relation"], "replace")
        self.assertTrue(made["private"])
        lines = self.good("quantile", "--at", "0.5", *ONE, "--data", self.data).stdout.split()
        self.assertEqual(len(lines), 1)

    def test_histogram_sum_and_mean(self):
        made = self.json("histogram", *ONE, "--cells", "4", "--data", self.data)
        self.assertEqual([cell["low"] for cell in made["cells"]], [0, 250, 500, 750])
        for cell in made["cells"]:
            self.assertAlmostEqual(cell["count"], 500, delta=3 * made["error"])
        made = self.json("sum", *ONE, "--data", self.data)
        self.assertAlmostEqual(made["sum"], 999500, delta=5 * made["error"])
        self.assertAlmostEqual(self.json("mean", *ONE, "--data", self.data)["mean"], 499.75, delta=40)
        said = self.good("mean", *ONE, "--data", self.data).stderr
        self.assertRegex(said, r"^The mean is within \d\.\d+ of the true one, with probability 95 %, if all 2000 rows have")

    def test_a_bad_line_is_an_empty_place_and_says_nothing(self):
        clean = self.numbers(["5"] * 50 + [""] * 50, "clean")
        dirty = self.numbers(["5"] * 50 + ["x", "nan", "1e999", '"'] * 12 + ["", ""], "dirty")
        for command in (["quantile", "--at", "0.5"], ["histogram"], ["sum"], ["mean"]):
            words = [*command, *ONE, "--seed", "7", "--data"]
            one, two = run(*words, clean), run(*words, dirty)
            self.assertEqual((one.returncode, one.stdout, one.stderr), (two.returncode, two.stdout, two.stderr), command)

    def test_users_of_a_table_are_limited_and_a_named_column_is_read(self):
        def table(rows, name):
            path = self.path(name)
            write(path, ("user,hours,other\n" + "".join(f"{row}\n" for row in rows)).encode())
            return path

        # The second row of a user, and a row without a number, are as empty as a blank line.
        many = table(["a,10,1", "a,900,1", "b,,1", "c,20,1"], "many.csv")
        few = table(["a,10,1", "", "", "c,20,1"], "few.csv")
        for command in (["quantile", "--at", "0.5"], ["histogram"], ["sum"], ["mean"]):
            words = [*command, *ONE, "--seed", "7", "--column", "hours", "--data"]
            self.assertEqual(self.good(*words, many).stdout, self.good(*words, few).stdout, command)
            wide = [*command, *ONE, "--seed", "7", "--rounds-per-user", "2", "--column", "hours", "--json", "--data"]
            self.assertEqual(json.loads(self.good(*wide, many).stdout)["guarantee"]["rounds_per_user"], 2)
        missing = run("mean", *ONE, "--column", "nothing", "--data", many)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("no column 'nothing'", missing.stderr)

    def test_more_rows_per_user_mean_more_noise(self):
        narrow = self.json("quantile", "--at", "0.5", *ONE, "--data", self.data)["rank_error"]
        wide = self.json("quantile", "--at", "0.5", *ONE, "--rounds-per-user", "5", "--data", self.data)["rank_error"]
        self.assertAlmostEqual(wide / narrow, 5, delta=0.5)

    def test_mistakes_are_named(self):
        for words, part in ((["quantile", "--at", "1.5", *ONE, "--data", self.data], "quantile"),
                            (["quantile", "--at", "0.5", "--epsilon", "1", "--data", self.data], "--range"),
                            (["quantile", "--range", "0..1", "--epsilon", "1", "--delta", "1e-6", "--horizon", "9",
                              "--data", self.data], "--range goes with --at"),
                            (["quantile", "--at", "0.5", "--relation", "replace", *ONE], "--relation does not go"),
                            (["mean", "--epsilon", "1", "--range", "5..5", "--data", self.data], "range"),
                            (["mean", *ONE, "--data", self.path("none")], "none"),
                            (["mean", *ONE, "--data", self.data, "--save", "s"], "--save"),
                            (["mean", *ONE], "--horizon")):
            done = run(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_budgets_are_charged_before_the_file_is_read(self):
        budget = self.path("b")
        self.good("budget", "create", budget, "--epsilon", "2.5", "--delta", "1e-6")
        for command in (["quantile", "--at", "0.5"], ["mean"]):
            self.good(*command, *ONE, "--data", self.data, "--budget", budget)
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        done = run("sum", *ONE, "--data", pipe, "--budget", budget, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        entries = json.loads(self.good("budget", "export", budget).stdout)["entries"]
        self.assertEqual([entry["command"] for entry in entries], ["quantile", "mean"])


class Continually(RangeTest):
    LINES = "".join(f"{n % 1000}\n" for n in range(0, 20000, 7))

    def test_after_each_line(self):
        count = self.LINES.count("\n")
        for command, truth, near in ((["quantile", "--at", "0.5,0.9"], (500, 900), 250), (["mean"], (500,), 150),
                                     (["histogram", "--cells", "5"], (count / 5,) * 5, count / 5)):
            done = self.good(*command, "--range", "0..1000", "--epsilon", "8", "--delta", "1e-6", "--horizon", "3000",
                             stdin=self.LINES)
            lines = done.stdout.splitlines()
            self.assertEqual(len(lines), count)
            for value, wanted in zip(map(float, lines[-1].split()), truth):
                self.assertAlmostEqual(value, wanted, delta=near)
            self.assertIn("Privacy", done.stderr)

    def test_a_bad_line_is_an_empty_step(self):
        for command in (["quantile", "--at", "0.5"], ["histogram", "--cells", "5"], ["sum"], ["mean"]):
            words = [*command, *ONE, "--horizon", "10", "--seed", "3"]
            one, two = run(*words, stdin="5\n\n7\n"), run(*words, stdin="5\nx\n7\n")
            self.assertEqual((one.returncode, one.stdout), (0, two.stdout), one.stderr)
            self.assertEqual(len(one.stdout.splitlines()), 3)

    def test_stopping_and_resuming_equals_one_run(self):
        for command in (["quantile", "--at", "0.5"], ["histogram", "--cells", "5"], ["sum"], ["mean"]):
            words = [*command, *ONE, "--horizon", "20", "--seed", "3"]
            whole = self.good(*words, stdin="1\n2\n3\n4\n").stdout
            state = self.path("s-" + command[0])
            first = self.good(*words, "--save", state, stdin="1\n2\n").stdout
            rest = self.good(command[0], "--load", state, "--save", state, stdin="3\n4\n").stdout
            self.assertEqual(first + rest, whole, command)

    def test_json_has_the_step(self):
        out = self.good("quantile", "--at", "0.5,0.9", *ONE, "--horizon", "5", "--json", stdin="1\n2\n").stdout
        made = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([line["t"] for line in made], [1, 2])
        self.assertEqual(len(made[0]["quantiles"]), 2)
        one = json.loads(self.good("sum", *ONE, "--horizon", "5", "--json", stdin="1\n").stdout)
        self.assertIsInstance(one["sum"], (int, float))

    def test_the_horizon_ends_it(self):
        done = run("mean", *ONE, "--horizon", "1", stdin="1\n2\n")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stdout.splitlines()), 1)


if __name__ == "__main__":
    main()
