#!/usr/bin/env python3
"""Decision lists as a person or a script would make and use them: cover_command_line_test.py SOTTO"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

SOTTO = None
PRIVACY = ["--epsilon", "1", "--delta", "1e-6", "--rules", "5"]
SCHEMA = {
    "columns": [
        {"name": "color", "type": "category", "values": ["red", "blue"]},
        {"name": "big", "type": "boolean"},
        {"name": "age", "type": "number", "range": [0, 80]},
    ],
    "label": {"column": "buys", "negative": "no", "positive": "yes"},
}


def run(*arguments, stdin=""):
    return subprocess.run([SOTTO, *arguments], input=stdin, capture_output=True, text=True, timeout=300)


def rows(count):
    rng = random.Random(1)
    for _ in range(count):
        color, big, age = rng.choice(["red", "blue", "green"]), rng.choice("01"), rng.randrange(80)
        yield f"{color},{big},{age},{'yes' if color == 'red' else 'no'}\n"


class CoverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.schema = self.file("schema.json", json.dumps(SCHEMA))
        self.table = self.file("table.csv", "color,big,age,buys\n" + "".join(rows(3000)))
        self.model = os.path.join(self.folder, "model.json")

    def file(self, name, text, encoding="utf-8"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding=encoding) as out:
            out.write(text)
        return path

    def fit(self, *arguments, data=None, schema=True):
        described = ["--schema", self.schema] if schema else []
        return run("fit", "greedy-cover", *PRIVACY, "-d", data or self.table, "-o", self.model, *described, *arguments)

    def report(self, *arguments, **kept):
        done = self.fit("--json", *arguments, **kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def saved(self):
        with open(self.model, encoding="utf-8") as file:
            return json.load(file)


class RoundTripTest(CoverTest):
    def test_a_list_is_learned_shown_and_used(self):
        done = self.fit()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Privacy: (1, ", done.stderr)
        self.assertNotIn("NOT PRIVATE", done.stderr)
        shown = run("show", self.model)
        self.assertTrue(shown.stdout.startswith(done.stdout))
        self.assertRegex(shown.stdout, r"(?m)^(else|always) (yes|no)$")
        self.assertNotIn("[about", shown.stdout)
        report = json.loads(run("predict", "-m", self.model, "-d", self.table, "--json").stdout)
        self.assertEqual(report["rows"], 3000)
        self.assertLess(report["error_rate"], 0.1)
        labels = run("predict", "-m", self.model, "-d", self.table).stdout.split()
        self.assertEqual(len(labels), 3000)
        self.assertLessEqual(set(labels), {"yes", "no"})
        self.assertTrue(json.loads(run("show", self.model, "--json").stdout)["private"])

    def test_the_report_has_its_keys(self):
        report = self.report()
        for key in ("model", "rows", "guarantee", "parameters", "seconds", "private", "not_covered"):
            self.assertIn(key, report)
        self.assertEqual(report["rows"], 3000)
        self.assertIn("seconds", report["not_covered"])
        for key in ("bonus", "cap", "rate"):
            self.assertGreater(report["parameters"][key], 0)

    def test_an_unknown_label_is_counted_apart_if_errors_are_asked_for(self):
        self.fit()
        odd = self.file("odd.csv", "color,big,age,buys\nred,1,20,perhaps\nred,1,20,yes\n")
        done = run("predict", "-m", self.model, "-d", odd)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2))
        done = run("predict", "-m", self.model, "-d", odd, "--json")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 rows have a label that is none of no, yes", done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["rows"], report["unknown_labels"]), (2, 1))
        self.assertEqual(sum(map(sum, report["confusion"])), 1)


class PrivacyTest(CoverTest):
    def test_the_number_of_rows_is_withheld_where_it_is_secret(self):
        report = self.report("--relation", "add-remove")
        self.assertIsNone(report["rows"])
        self.assertIn("rows", report["not_covered"])
        self.assertIn("add-remove", report["rows_withheld"])
        self.assertEqual(report["guarantee"]["relation"], "add-remove")

    def test_a_seed_is_never_passed_over_in_silence(self):
        for extra in (["--quiet"], [], ["--json"]):
            self.assertIn("NOT PRIVATE", self.fit("--seed", "1", *extra).stderr)
        self.assertFalse(self.saved()["private"])
        for command in (["show", self.model], ["predict", "-m", self.model, "-d", self.table]):
            self.assertIn("NOT PRIVATE", run(*command).stderr)
        shown = run("show", self.model).stdout
        self.assertNotIn("Privacy:", shown)
        self.assertIn("Without the seed:", shown)

    def test_names_taken_from_the_header_are_said_to_be_public(self):
        done = self.fit("--label", "buys", "--labels", "no,yes", schema=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("taken as public", done.stderr)
        self.assertIn("color, big, age", done.stderr)

    def test_shares_are_released_only_when_paid_for(self):
        self.assertIsNone(self.saved()["shares"] if self.fit().returncode == 0 else 0)
        plain = self.saved()["parameters"]["rate"]
        done = self.fit("--shares", "0.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        model = self.saved()
        self.assertEqual(model["guarantee"]["epsilon"], 1)
        self.assertLess(model["parameters"]["rate"], plain)
        self.assertAlmostEqual(model["parameters"]["share_scale"], 10, 6)
        self.assertEqual(len(model["shares"]), len(model["rules"]) + 1)
        total = sum(share["negative"] + share["positive"] for share in model["shares"])
        self.assertLess(abs(total - 3000), 700)  # 12 draws of scale 10 at most
        self.assertIn("[about", run("show", self.model).stdout)
        self.assertEqual(self.fit("--shares", "1").returncode, 2)


class BadInputTest(CoverTest):
    def test_a_bad_row_is_named(self):
        for row, said in (
            ("red,1,old,yes", "line 3, column 'age': 'old': expected a finite number"),
            ("red,perhaps,3,yes", "line 3, column 'big'"),
            ("red,1,3,maybe", "line 3, column 'buys'"),
            ("red,1", "line 3"),
        ):
            table = self.file("bad.csv", "color,big,age,buys\nred,1,20,yes\n" + row + "\n")
            done = self.fit("--strict", data=table)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(self.model))
            self.assertIn(said, self.fit(data=table).stderr)
            self.assertIn(said, self.report(data=table)["bad_rows"][0])
            os.remove(self.model)

    def test_bad_rows_are_blank_where_rows_are_public_and_left_out_elsewhere(self):
        with open(self.table, encoding="utf-8") as file:
            text = file.read()
        table = self.file("bad.csv", text + "red,1,old,yes\nred,1\n\nred,1,3,maybe\n")
        report = self.report("--skip-bad", data=table)
        # The blank line is a row as well, on which there is nothing.
        self.assertEqual((report["rows"], report["skipped"]), (3004, 3))
        self.assertIn("skipped", report["not_covered"])
        self.assertIn("3 bad rows", self.fit("--skip-bad", data=table).stderr)
        report = self.report("--skip-bad", "--relation", "add-remove", data=table)
        self.assertEqual((report["rows"], report["skipped"]), (None, 3))

    def test_a_table_without_rows_is_a_table(self):
        for text in ("", "color,big,age,buys\n"):
            self.assertEqual(self.report(data=self.file("empty.csv", text))["rows"], 0)

    def test_what_is_public_is_checked_before_any_row(self):
        cases = (
            (["--reward", "0", "--bonus", "5"], "--reward"),
            (["--reward", "2"], "reward"),
            (["--cap", "10", "--bonus", "5"], "--cap"),
            (["--epsilon", "0"], "epsilon"),
            (["--literals", "4"], "literals"),
            (["--label", "sells"], "no column 'sells' for the label"),
        )
        for arguments, said in cases:
            done = self.fit(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
        self.schema = self.file("wrong.json", '{"columns":[{"name":"age","type":"number"}]}')
        self.assertIn("age", self.fit().stderr)
        self.schema = self.file("wrong.json", '{"columns":[{"name":"height","type":"boolean"}]}')
        self.assertIn("no column 'height'", self.fit("--label", "buys", "--labels", "no,yes").stderr)
        latin = self.file("latin.csv", "caf\u00e9,y\n1,1\n", encoding="latin-1")
        done = self.fit(data=latin, schema=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("UTF-8", done.stderr)

    def test_a_file_that_is_no_model_is_refused(self):
        for command in (["show", self.schema], ["predict", "-m", self.schema, "-d", self.table], ["show", "absent"]):
            done = run(*command)
            self.assertEqual(done.returncode, 2)
            self.assertIn(command[-1] if command[-1] == "absent" else "schema.json", done.stderr)


class PlanTest(CoverTest):
    def plan(self, *arguments):
        done = run("plan", "greedy-cover", *PRIVACY, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_plan_has_its_keys_and_touches_no_data(self):
        plan = self.plan("--schema", self.schema)
        for key in ("model", "parameters", "guarantee", "samples_required", "verdict"):
            self.assertIn(key, plan)
        self.assertIsNone(plan["verdict"])
        self.assertEqual(self.plan()["parameters"]["schema_assumed"], True)
        self.fit()
        self.assertEqual(plan["parameters"]["rate"], self.saved()["parameters"]["rate"])

    def test_the_verdict_follows_the_rows(self):
        needed = self.plan("--schema", self.schema)["samples_required"]
        self.assertEqual(self.plan("--schema", self.schema, "--rows", str(needed))["verdict"], "comfortable")
        self.assertEqual(self.plan("--schema", self.schema, "--rows", "10")["verdict"], "hopeless")
        self.assertGreater(self.plan("--schema", self.schema, "--error", "0.01")["samples_required"], needed)
        text = run("plan", "greedy-cover", *PRIVACY, "--rows", "1e4")
        self.assertIn("samples required", text.stdout)
        self.assertIn("logistic regression", text.stdout)


if __name__ == "__main__":
    SOTTO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
