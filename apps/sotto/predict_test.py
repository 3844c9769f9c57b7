#!/usr/bin/env python3
"""`sotto predict`: one way to read a table, for every model. predict_test.py SOTTO"""
import json
import random

from program import FolderTest, main, run, start, write

RUN = ["--epsilon", "8", "--delta", "1e-6", "--horizon", "4000", "--quiet"]
COLUMNS = [{"name": "age", "type": "number", "range": [0, 100], "missing": True},
           {"name": "job", "type": "category", "values": ["a", "b"], "missing": True, "other": True},
           {"name": "big", "type": "boolean"}]


def rows(count=4000, words=("false", "true"), blanks=0.0):
    """Age, job, big and a label that they decide; some fields are blank or new."""
    draw = random.Random(3)
    for _ in range(count):
        age, job, big = draw.uniform(0, 100), draw.choice("ab"), draw.choice("01")
        label = words[int(age > 50 or job == "a")]
        age = "" if draw.random() < blanks else f"{age:.3f}"
        job = draw.choice(["", "?", "z"]) if draw.random() < blanks else job
        yield age, job, big, label


class PredictTest(FolderTest):
    def table(self, name, header="age,job,big,y", **options):
        lines = [",".join(row) for row in rows(**options)]
        write(self.path(name), "\n".join([header, *lines, ""]).encode())
        return self.path(name)

    def schema(self, **label):
        schema = {"columns": COLUMNS, **({"label": {"column": "y", **label}} if label else {})}
        write(self.path("s.json"), json.dumps(schema).encode())
        return self.path("s.json")

    def good(self, *words, **options):
        done = run(*words, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def tide(self, table, *more):
        self.good("run", "tide", *RUN, "-d", table, "--hypothesis", self.path("m.json"), *more)
        return self.path("m.json")

    def score(self, model, table, *more):
        return json.loads(self.good("predict", "-m", model, "-d", table, "--json", *more).stdout)

    def test_a_model_is_right_on_its_own_file(self):
        table = self.table("t.csv", words=("false", "true"))
        score = self.score(self.tide(table, "--schema", self.schema()), table)
        self.assertEqual(score["rows"], 4000)
        self.assertLess(score["error_rate"], 0.15)
        self.assertGreater(score["auc"], 0.9)
        matrix = score["confusion"]
        self.assertEqual(sum(map(sum, matrix)), 4000)
        self.assertEqual(matrix[0][1] + matrix[1][0], score["errors"])
        self.assertEqual(score["labels"], ["0", "1"])
        for fit in ("tree", "greedy-cover"):
            model = self.path("f.json")
            self.good("fit", fit, "--epsilon", "8", "--delta", "1e-6", "--data", table, "--schema", self.schema(),
                      "--out", model)
            self.assertLess(self.score(model, table)["error_rate"], 0.3, fit)

    def test_labels_schema_and_format_are_obeyed_by_all(self):
        table = self.table("t.csv", words=("no", "yes"))
        schema = self.schema(negative="no", positive="yes")
        models = [self.tide(table, "--schema", schema)]
        for fit in ("tree", "greedy-cover"):
            models.append(self.path(fit + ".json"))
            self.good("fit", fit, "--epsilon", "8", "--delta", "1e-6", "-d", table, "--schema", schema, "-o", models[-1])
        other = self.table("o.csv", words=("nein", "ja"))
        lines = [{"x": {"age": float(age), "job": job, "big": big == "1"}, "y": label}
                 for age, job, big, label in rows(words=("no", "yes"))]
        write(self.path("t.jsonl"), "".join(json.dumps(line) + "\n" for line in lines).encode())
        for model in models:
            score = self.score(model, table, "--schema", schema)
            self.assertLess(score["error_rate"], 0.3, model)
            self.assertEqual(self.score(model, other, "--labels", "nein,ja")["errors"], score["errors"])
            self.assertEqual(self.score(model, self.path("t.jsonl"))["errors"], score["errors"])
            first = self.good("predict", "-m", model, "-d", other, "--labels", "nein,ja").stdout.split("\n")[0]
            self.assertIn(first, ("nein", "ja"))
            done = run("predict", "-m", model, "-d", other, "--json")
            self.assertEqual(json.loads(done.stdout)["unknown_labels"], 4000)
            self.assertNotIn("errors", json.loads(done.stdout))
            self.assertIn("none of no, yes", done.stderr)

    def test_probabilities_and_a_threshold(self):
        table = self.table("t.csv", words=("no", "yes"))
        model = self.tide(table, "--schema", self.schema(negative="no", positive="yes"))
        said = [line.split() for line in self.good("predict", "-m", model, "-d", table, "-P").stdout.splitlines()]
        for label, probability in said:
            self.assertEqual(label == "yes", float(probability) > 0.5)
        low = self.score(model, table, "--threshold", "0.01")
        high = self.score(model, table, "--threshold", "0.99")
        self.assertLess(low["confusion"][1][0], high["confusion"][1][0])
        self.assertGreater(low["confusion"][0][1], high["confusion"][0][1])

    def test_a_run_says_the_names_of_labels(self):
        table = self.table("t.csv", words=("no", "yes"))
        schema = self.schema(negative="no", positive="yes")
        self.good("run", "tide", *RUN, "-d", table, "--schema", schema, "-p", self.path("p"))
        with open(self.path("p"), encoding="utf-8") as file:
            self.assertEqual({line.strip() for line in file}, {"no", "yes"})
        live = start("run", "tide", *RUN, "--live", "--schema", schema)
        out, _ = live.communicate('{"id":1,"x":{"age":7,"job":"a","big":1}}\n{"id":2,"x":{"job":null,"big":false}}\n',
                                  timeout=600)
        for line in out.splitlines()[:2]:
            self.assertIn(json.loads(line)["prediction"], ("no", "yes"), line)

    def test_blank_and_new_values_cost_no_row(self):
        table = self.table("t.csv", blanks=0.2)
        schema = self.schema()
        report = json.loads(self.good("run", "tide", *RUN[:-1], "--json", "-d", table, "--schema", schema,
                                      "--compare").stdout)
        self.assertEqual(report["unusable"], 0)
        self.assertLess(report["mistakes"], report["baselines"]["majority"])
        self.assertLess(report["non_private_mistakes"], report["mistakes"])
        for fit in ("tree", "greedy-cover"):
            done = self.good("fit", fit, "--epsilon", "8", "--delta", "1e-6", "-d", table, "--schema", schema, "-o",
                             self.path("f.json"), "--json")
            self.assertNotIn("bad rows", done.stderr)
            self.assertLess(self.score(self.path("f.json"), table)["error_rate"], 0.35, fit)

    def test_a_number_out_of_range_is_moved_and_counted(self):
        write(self.path("t.csv"), b"age,job,big,y\n700,a,1,1\n7,b,0,0\n")
        report = json.loads(self.good("run", "tide", *RUN[:-1], "--json", "-d", self.path("t.csv"), "--schema",
                                      self.schema()).stdout)
        self.assertEqual((report["unusable"], report["clamped"]), (0, 1))

    def test_a_user_over_the_limit_is_answered_by_a_publisher(self):
        lines = [",".join((*row, f"u{i % 50}")) for i, row in enumerate(rows(count=500))]
        write(self.path("t.csv"), "\n".join(["age,job,big,y,user", *lines, ""]).encode())
        for model, answered in (("tide", True), ("leader", True), ("pop", False)):
            more = ["--learner", "winnow"] if model == "pop" else []
            report = json.loads(self.good("run", model, *RUN[:-1], "--json", "-d", self.path("t.csv"), "--schema",
                                          self.schema(), "-p", self.path("p"), "--anyway", *more).stdout)
            with open(self.path("p"), encoding="utf-8") as file:
                empty = [not line.strip() for line in file]
            self.assertEqual(report["refused"], 450)
            self.assertEqual(sum(empty), 0 if answered else 450, model)
            self.assertEqual(report.get("free_answers", {}).get("answered", 0), 450 if answered else 0)
            self.assertEqual(report["answered"], 50)


if __name__ == "__main__":
    main()
