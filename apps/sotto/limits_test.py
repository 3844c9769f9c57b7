#!/usr/bin/env python3
"""Limits on lines, names and ids, the same in every format: limits_test.py SOTTO"""
import json

from program import FolderTest, main, run, start, write

LINE = 16 << 20
NAME = 1024
POP = ["run", "pop", "--epsilon", "3", "--delta", "1e-6", "--horizon", "100", "--seed", "5"]

# A row with a user's name, where the format has one, and a row of any length.
NAMED = {"csv": lambda name: f"0.5,{name},1", "vw": lambda name: f"1 '{name}| 0:0.5",
         "jsonl": lambda name: json.dumps({"x": [0.5], "y": 1, "user": name})}
PADDED = {"csv": lambda size: "0.5,ann,1" + " " * (size - 9), "libsvm": lambda size: "1 1:0.5 #" + "x" * (size - 9),
          "vw": lambda size: "1 'ann| 0:0.5" + " " * (size - 13),
          "jsonl": lambda size: '{"x":[0.5],"y":1}' + " " * (size - 17)}
HEADER = {"csv": "x,user,y\n"}


class LimitsTest(FolderTest):
    def predictions(self, form, rows):
        """A line of the file for each round; empty if no one was answered."""
        data, out = self.path(f"rows.{form}"), self.path("out")
        write(data, (HEADER.get(form, "") + "".join(row + "\n" for row in rows)).encode())
        learner = "perceptron" if form == "csv" else "perceptron:features=1"
        done = run(*POP, "--learner", learner, "-d", data, "-p", out, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out) as file:
            return file.read().split("\n")[:-1]

    def test_a_line_of_16_mib_is_read_and_a_longer_one_is_an_empty_round(self):
        for form, row in PADDED.items():
            long = [len(row(100)), *(bool(line) for line in self.predictions(form, [row(LINE), row(LINE + 1), row(60)]))]
            expected = [True, False, form != "csv" and form != "vw"]  # the third is of a user over the limit
            self.assertEqual(long, [100, *expected], form)

    def test_a_name_of_1024_bytes_is_charged_and_a_longer_one_is_an_empty_round(self):
        for form, row in NAMED.items():
            rows = [row("n" * NAME), row("n" * NAME), row("n" * (NAME + 1)), row("m" * NAME), row("\u00e9" * (NAME // 2)),
                    row("\u00e9" * (NAME // 2) + "e")]
            given = [bool(line) for line in self.predictions(form, rows)]
            self.assertEqual(given, [True, False, False, True, True, False], form)

    def test_tables_have_the_same_limit_on_names(self):
        others = "".join(f"{(i % 10) / 10},v{i},{int(i % 10 > 4)}\n" for i in range(400))
        schema = '{"columns":[{"name":"x","type":"number","range":[0,1]}]}'
        write(self.path("schema"), schema.encode())

        def fitted(own):
            write(self.path("table.csv"), (HEADER["csv"] + others + own * 200).encode())
            done = run("fit", "stump", "--epsilon", "2", "--seed", "4", "--schema", self.path("schema"), "--rounds-per-user",
                       "200", "-d", self.path("table.csv"), "-o", self.path("model"))
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("model")) as file:
                return file.read()

        empty = fitted("\n")
        self.assertEqual(fitted(f"0.1,{'n' * (NAME + 1)},1\n"), empty)
        self.assertNotEqual(fitted(f"0.1,{'n' * NAME},1\n"), empty)

    def test_live_lines_have_the_same_limits(self):
        with start(*POP, "--live") as live:
            def ask(line):
                live.stdin.write(line + "\n")
                live.stdin.flush()
                return json.loads(live.stdout.readline())

            def named(name, number):
                return ask(json.dumps({"id": number, "x": [0.5], "user": name}))

            self.assertIn("prediction", named("n" * NAME, 1))
            self.assertEqual(named("n" * NAME, 2)["code"], "over_limit")
            self.assertEqual(named("n" * (NAME + 1), 3)["id"], 3)
            self.assertNotIn("prediction", named("n" * (NAME + 1), 3))
            self.assertIn("prediction", ask('{"x":[0.5]}' + " " * (LINE - 11)))
            self.assertIn("16 MiB", ask('{"x":[0.5]}' + " " * (LINE - 10))["error"])
            self.assertIn("prediction", ask(json.dumps({"id": "i" * (NAME - 2), "x": [0.5]})))
            longer = ask(json.dumps({"id": "i" * (NAME - 1), "x": [0.5]}))
            self.assertEqual((longer["id"], longer["code"]), (None, "bad_row"))
            live.stdin.close()
            self.assertEqual(live.wait(60), 0)


if __name__ == "__main__":
    main()
