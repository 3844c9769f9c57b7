"""Same key, same data, same answers: same_answers_test.py SOTTO

Every model of the registry is run by the command line and by its Python class, on the
same rows with the same seed: rows with names of users, missing rows and missing labels,
with a schema and without. All that is told must be equal, in bulk and row by row, and so
must what is published and a state that one saves and the other loads.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import warnings

import sotto

ROWS = 60
POP = {"copies": 60, "reports": 20, "learner": "perceptron"}
# Options that some models need on three numbers; the others need none.
NEEDS = {
    "tide": {},
    "leader": {},
    "littlestone": {"class": "thresholds:4"},
    "pop": POP,
    "rectangles": {"error": 0.5},
    "stumps": {"error": 0.5},
    "everlasting": {"teachers": 60, "reports": 20, "phase-rounds": 25, "learner": "perceptron"},
    "winnow": {"margin": 0.5},
    "points": {"hash-bits": 0},
}
for entry in sotto._core.online_models():
    NEEDS.setdefault(entry["name"], {})
SHARED = {"epsilon": 3, "delta": 1e-6, "horizon": ROWS, "seed": 5, "anyway": True}
SCHEMA = {"columns": [{"name": "a", "type": "number", "range": [-1, 1]},
                      {"name": "b", "type": "number", "range": [-1, 1]},
                      {"name": "c", "type": "category", "values": ["-1", "1", "red"]}],
          "label": {"column": "y", "negative": "0", "positive": "1"}}


def draw_rows(model, seed=3):
    """Rows of (x, y, user): three features, some users twice, some rows and labels missing."""
    draw = random.Random(seed)
    made = []
    for i in range(ROWS):
        x = [draw.choice((0, 1, 2, 3)) if model == "littlestone" else draw.choice((-1, 1)) for _ in range(3)]
        y = int(x[0] > 0)
        if i % 11 == 5:
            made.append((None, None, "gone"))
        else:
            made.append((x, None if i % 7 == 3 else y, f"u{i % 20}" if i % 3 == 0 else None))
    return made


def csv_of(rows):
    lines = ["a,b,c,user,y"]
    for x, y, user in rows:
        fields = [""] * 3 if x is None else [str(value) for value in x]
        lines.append(",".join(fields + [user or "", "" if y is None else str(y)]))
    return "\n".join(lines) + "\n"


def number(text):
    """A line of predictions; a number with a point as Python has it."""
    return float(text) if "." in text or "e-" in text else text or None


def class_of(model):
    return getattr(sotto, "".join(part.capitalize() for part in model.split("-")))


class SameAnswers(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def command(self, model, options, rows, labelled, *more):
        (self.path / "rows.csv").write_text(csv_of(rows))
        words = [PROGRAM, "run", model, "-d", str(self.path / "rows.csv"), "-p", str(self.path / "told"), "--quiet"]
        for name, value in {**SHARED, **options}.items():
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        if labelled is not None:
            (self.path / "train.csv").write_text(csv_of(labelled))
            words += ["--train", str(self.path / "train.csv")]
        ran = subprocess.run(words + list(more), capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, (words, ran.stderr))
        return self.as_text(number(line) for line in (self.path / "told").read_text().split("\n")[:-1])

    def model(self, name, options, labelled, **more):
        keywords = {("class_" if key == "class" else key.replace("-", "_")): value
                    for key, value in {**SHARED, **options}.items()}
        made = class_of(name)(**keywords, **more)
        if labelled is not None:
            made.columns = ["a", "b", "c"] if made.schema is None else None
            x = [row[0] or [None] * 3 for row in labelled]
            made.fit(x, [row[1] for row in labelled], [row[2] for row in labelled])
        return made

    @staticmethod
    def as_text(values):
        return ["" if value is None else f"{value:.17g}" if isinstance(value, float) else str(value)
                for value in values]

    def compare(self, name, options, schema=None):
        rows = draw_rows(name)
        labelled = draw_rows(name, 4) if class_of(name)._entry["trains"] else None
        more = []
        if schema is not None:
            (self.path / "s.json").write_text(json.dumps(schema))
            more = ["--schema", str(self.path / "s.json")]
        publishes = class_of(name)._entry["published"]
        if publishes:
            more += ["--publish", str(self.path / "h")]
        expected = self.command(name, options, rows, labelled, *more)
        self.assertTrue(any(expected))
        keywords = {"schema": schema} if schema else {"columns": ["a", "b", "c"]}
        # In bulk, from rows and from columns.
        model = self.model(name, options, labelled, **keywords)
        self.assertEqual(self.as_text(model.run(rows).predictions), expected)
        if publishes:
            self.assertEqual(model.hypothesis, json.loads((self.path / "h").read_text()))
        model = self.model(name, options, labelled, **keywords)
        x = [row[0] or [None] * 3 for row in rows]
        model.run(x, [row[1] for row in rows], [row[2] for row in rows])
        self.assertEqual(self.as_text(model.last_run.predictions), expected)
        # One at a time, by River's verbs and by rounds.
        model = self.model(name, options, labelled, **keywords)
        predictions = []
        for x, y, user in rows:
            if x is None:
                model.tick(user)
                predictions.append(None)
                continue
            row = dict(zip("abc", x))
            predictions.append(model.predict_one(row, user))
            model.learn_one(row, y, user)
        self.assertEqual(self.as_text(predictions), expected)
        model = self.model(name, options, labelled, **keywords)
        predictions = []
        for x, y, user in rows:
            opened = model.open(x if x is not None else [None] * 3, user)
            predictions.append(opened.prediction)
            opened.close(y)
        self.assertEqual(self.as_text(predictions), expected)

    def states(self, name, options):
        rows = draw_rows(name)
        labelled = draw_rows(name, 4) if class_of(name)._entry["trains"] else None
        expected = self.command(name, options, rows, labelled)
        model = self.model(name, options, labelled, columns=["a", "b", "c"])
        first = self.as_text(model.run(rows[:30]).predictions)
        model.save(self.path / "state")
        (self.path / "rest.csv").write_text(csv_of(rows[30:]))
        ran = subprocess.run([PROGRAM, "run", name, "-d", str(self.path / "rest.csv"), "--load",
                              str(self.path / "state"), "-p", str(self.path / "told"), "--quiet"],
                             capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(first + (self.path / "told").read_text().split("\n")[:-1], expected)
        loaded = sotto.load(self.path / "state", columns=["a", "b", "c"])
        self.assertEqual(first + self.as_text(loaded.run(rows[30:]).predictions), expected)

    def test_every_model_is_here(self):
        self.assertLessEqual(set(NEEDS), {row["name"] for row in sotto._core.online_models()})

    def test_numbers(self):
        for name, options in NEEDS.items():
            with self.subTest(model=name):
                self.compare(name, options)

    def test_a_schema(self):
        for name in ("tide", "leader", "points", "pop"):
            with self.subTest(model=name):
                options = NEEDS[name] if name != "points" else {}
                self.compare(name, options, SCHEMA)

    def test_classes_and_numbers_as_labels(self):
        for label in ({"column": "y", "classes": ["0", "1", "many"]}, {"column": "y", "range": [0, 1]}):
            with self.subTest(label=label):
                self.compare("tide", {}, {**SCHEMA, "label": label})

    def test_states_go_from_one_to_the_other(self):
        for name, options in NEEDS.items():
            with self.subTest(model=name):
                self.states(name, options)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
