#!/usr/bin/env python3
"""`sotto schema`, `sotto plan` without a model, `sotto run auto`. schema_test.py SOTTO"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

SOTTO = ""
FACTS = ["--epsilon", "1", "--delta", "1e-6", "--horizon", "3000"]


class Folder(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)
        draw = random.Random(5)
        rows = []
        for _ in range(3000):
            age, job = draw.uniform(18, 90), draw.choice("abc")
            rows.append(f"{age:.1f},{job},{'yes' if age > 50 or job == 'a' else 'no'}")
        self.write("t.csv", "age,job,y\n" + "\n".join(rows) + "\n")
        self.write("t.json", self.sotto("schema", "--public-sample", "t.csv").stdout)

    def tearDown(self):
        self.holder.cleanup()

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def sotto(self, *words):
        return subprocess.run([SOTTO, *words], capture_output=True, text=True, cwd=self.folder, timeout=300)


class SchemaTest(Folder):
    def test_of_a_header_reads_one_line(self):
        self.write("h.csv", "age,job,y\nnot a row\n")
        done = self.sotto("schema", "--header", "h.csv", "--facts", "age=0..120;job=a|b")
        self.assertEqual(done.returncode, 0, done.stderr)
        schema = json.loads(done.stdout)
        self.assertEqual(schema["columns"][0], {"name": "age", "type": "number", "range": [0, 120], "missing": True})
        self.assertTrue(schema["columns"][1]["missing"] and schema["columns"][1]["other"])
        self.assertEqual(schema["columns"][1]["values"], ["a", "b"])
        self.assertEqual(schema["label"]["column"], "y")
        self.assertIn("age: a number from 0 to 120", done.stderr)

    def test_of_a_public_sample_says_so(self):
        done = self.sotto("schema", "--public-sample", "t.csv")
        self.assertIn("must be public", done.stderr)
        schema = json.loads(done.stdout)
        self.assertEqual(schema["columns"][1]["values"], ["a", "b", "c"])
        self.assertEqual(schema["label"], {"column": "y", "negative": "no", "positive": "yes"})

    def test_explains_and_validates(self):
        done = self.sotto("schema", "t.json")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout.splitlines()), 3)
        self.write("bad.json", '{"columns":[{"name":"a","typ":"number"}]}')
        done = self.sotto("schema", "bad.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("columns[0]", done.stderr)

    def test_private_ranges_are_charged_and_keep_one_row_to_itself(self):
        done = self.sotto("schema", "--private-ranges", "t.csv", "--epsilon", "1", "--facts", "job=a|b|c",
                          "--labels", "no,yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\(1, [89]\.\d+e-7\)-differential privacy")
        low, high = json.loads(done.stdout)["columns"][0]["range"]
        self.assertTrue(15 <= low <= 20 and 85 <= high <= 110, (low, high))

        def world(row):
            lines = (self.folder / "t.csv").read_text().splitlines()
            lines[7] = row
            self.write("w.csv", "\n".join(lines) + "\n")
            done = self.sotto("schema", "--private-ranges", "w.csv", "--epsilon", "1", "--facts", "job=a|b|c",
                              "--seed", "3")
            return done.returncode, done.stdout, done.stderr
        worlds = [world(row) for row in ("20,a,no", "1e300,b,yes", "x,y,z", "", "1,2,3,4,5", "nan,a,no")]
        self.assertEqual(len(set(worlds)), 1)

    def test_what_ranges_have_cost_is_written_down_and_added(self):
        made = self.sotto("schema", "--private-ranges", "t.csv", "--epsilon", "0.5", "--facts", "job=a|b|c", "--labels",
                          "no,yes").stdout
        self.assertEqual(json.loads(made)["spent"]["epsilon"], 0.5)
        self.write("spent.json", made)
        done = self.sotto("run", "tide", *FACTS, "--schema", "spent.json", "-d", "t.csv", "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["spent_before"]["epsilon"], 0.5)
        self.assertEqual(report["spent_in_all"]["epsilon"], 0.5 + report["guarantee"]["epsilon"])
        self.assertIn("spent in all", self.sotto("run", "tide", *FACTS, "--schema", "spent.json", "-d", "t.csv").stdout)
        self.assertIn("had cost", self.sotto("fit", "tree", *FACTS[:4], "--schema", "spent.json", "-d", "t.csv", "-o",
                                             "m.json").stderr)

    def test_wrong_usage_names_what_is_expected(self):
        self.write("semicolons.csv", "age;job;y\n1;a;no\n")
        self.write("tabs.csv", "age\tjob\ty\n")
        (self.folder / "cr.csv").write_bytes(b"age,job,y\r1,a,no\r")
        (self.folder / "utf16.csv").write_bytes("age,job,y\n".encode("utf-16"))
        for words, said in [((), "expected one of"), (("--header", "t.csv", "--public-sample", "t.csv"), "expected one"),
                            (("--private-ranges", "t.csv"), "--epsilon"),
                            (("--header", "t.csv", "--facts", "size=1..2"), "'size'"),
                            (("--header", "t.csv", "--facts", "age=9..2"), "LOW..HIGH"),
                            (("--header", "t.csv", "--facts", "age=1-2"), "age=LOW..HIGH"),
                            (("--header", "t.csv", "--facts", "job=a,b"), "separated by |"),
                            (("--header", "semicolons.csv"), "semicolons"), (("--header", "tabs.csv"), "tabs"),
                            (("--header", "cr.csv"), "CR"), (("--header", "utf16.csv"), "UTF-16"),
                            (("--header", "none.csv"), "none.csv"),
                            (("--header", "t.csv", "--labels", "a"), "two words"),
                            (("--header", "t.csv", "--labels", "a,b", "--classes", "a,b"), "one of them")]:
            done = self.sotto("schema", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)


class PlanTest(Folder):
    def test_without_a_model_ranks_all(self):
        done = self.sotto("plan", *FACTS, "--schema", "t.json", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        models = json.loads(done.stdout)["models"]
        self.assertEqual(models[0]["model"], "tide")
        for model in models:
            self.assertTrue("error" in model or {"expected_error", "promise", "publishes", "why"} <= set(model), model)
            self.assertIn(model["kind"], ("online", "trained", "batch"))
            self.assertEqual("not_applicable" in model, model.get("verdict", "") == "" and "error" in model)
            if model.get("assumes", "none") != "none":
                self.assertIn(model["verdict"], ("depends", "hopeless", None), model)
        text = self.sotto("plan", *FACTS, "--schema", "t.json").stdout
        self.assertTrue(text.splitlines()[3].startswith("tide "), text)
        self.assertIn("Run it:  sotto run tide --epsilon 1", text)
        self.assertLess(len(text.splitlines()), 25)
        text = self.sotto("plan", *FACTS, "--schema", "t.json", "--all").stdout
        self.assertTrue(text.splitlines()[1].startswith("tide "), text)
        self.assertIn("Why in this order", text)

    def test_what_was_stated_is_no_assumption(self):
        def verdict(*flags):
            done = self.sotto("plan", *FACTS[:4], "--horizon", "1e6", "--schema", "t.json", "--json", *flags)
            return {m["model"]: m.get("assumes") for m in json.loads(done.stdout)["models"]}
        self.assertEqual((verdict()["leader"], verdict("--noise", "0")["leader"]), ("rule", "none"))
        points = [json.loads(self.sotto("plan", "points", "--epsilon", "3", "--delta", "1e-6", "--horizon", "1e5", "--json",
                                        *more).stdout) for more in ([], ["--points", "5"])]
        self.assertIsNone(points[0]["mistakes_bound"])
        self.assertEqual(points[1]["mistakes_bound"], 5 * points[1]["mistakes_bound_a_point"])

    def test_a_model_that_takes_other_labels_is_refused_by_name(self):
        self.write("k.json", '{"columns":[{"name":"age","type":"number","range":[0,9]}],'
                             '"label":{"column":"y","classes":["a","b","c"]}}')
        done = self.sotto("plan", "pop", *FACTS, "--schema", "k.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("pop does not tell one of several classes", done.stderr)

    def test_delta_above_one_in_the_rounds_is_warned_of(self):
        said = ["plan", "tide", "--epsilon", "1", "--horizon", "3000", "--schema", "t.json", "--delta"]
        self.assertIn("Warning: delta", self.sotto(*said, "1e-3").stdout)
        self.assertNotIn("Warning: delta", self.sotto(*said, "1e-6").stdout)


class WarningTest(Folder):
    def test_a_run_that_is_of_no_use_is_warned_of_before_it_starts(self):
        said = ["run", "tide", "--epsilon", "0.1", "--horizon", "3000", "--schema", "t.json", "-d", "t.csv", "--quiet",
                "--seed", "1", "--delta"]
        done = self.sotto(*said, "1e-3")
        self.assertEqual(done.returncode, 0)
        self.assertIn("not expected to beat a constant", done.stderr)
        self.assertIn("above 1/horizon", done.stderr)
        self.assertNotIn("warning", self.sotto(*said, "1e-3", "--force").stderr)
        self.assertNotIn("above 1/horizon", self.sotto(*said, "1e-6").stderr)


class AutoTest(Folder):
    def test_says_which_model_it_is_and_runs_it(self):
        done = self.sotto("run", "auto", *FACTS, "--schema", "t.json", "-d", "t.csv", "--json", "--save", "s",
                          "--publish", "h.json", "--seed", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("auto is tide", done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["model"], "tide")
        self.assertEqual(report["rounds"], 3000)
        named = self.sotto("run", "tide", *FACTS, "--schema", "t.json", "-d", "t.csv", "--json", "--seed", "1")
        self.assertEqual(json.loads(named.stdout)["mistakes"], report["mistakes"])
        again = self.sotto("run", "auto", "--load", "s", "--schema", "t.json", "-d", "t.csv", "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout)["rounds"], 6000)

    def test_needs_a_schema(self):
        done = self.sotto("run", "auto", *FACTS, "-d", "t.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--schema", done.stderr)


if __name__ == "__main__":
    SOTTO = sys.argv.pop(1)
    unittest.main()
