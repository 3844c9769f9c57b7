"""Predictions from what is published: probabilities, scores, files, forks, sparse rows and words."""
import json
import os
import pathlib
import pickle
import resource
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy
import pandas
import scipy.sparse

import sotto

SCHEMA = {"columns": [{"name": "a", "type": "number", "range": [0, 1]}, {"name": "b", "type": "number", "range": [0, 1]},
                      {"name": "c", "type": "category", "values": ["red", "blue"]}],
          "label": {"column": "y", "classes": ["low", "middle", "high"]}}


def frame(rows=4000):
    chance = numpy.random.default_rng(3)
    made = pandas.DataFrame({"a": chance.random(rows), "b": chance.random(rows),
                             "c": pandas.Categorical(chance.choice(["red", "blue"], rows), ["red", "blue"])})
    return made, numpy.array(["low", "middle", "high"])[(made["a"] * 2.999).astype(int)]


def documents(rows=2000):
    """Dicts of words; the word spam decides."""
    chance = numpy.random.default_rng(5)
    made, labels = [], []
    for _ in range(rows):
        words = chance.choice(200, 8, replace=False)
        made.append({f"w{word}": 1 for word in words})
        labels.append(int(chance.random() < 0.5))
        made[-1]["spam" if labels[-1] else "ham"] = 1
    return made, labels


class Probabilities(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_classes(self):
        x, y = frame()
        model = sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=4000, schema=SCHEMA, seed=1).fit(x, y)
        chances, scores = model.predict_proba(x), model.decision_function(x)
        self.assertEqual((chances.shape, scores.shape), ((4000, 3), (4000, 3)))
        self.assertTrue(numpy.allclose(chances.sum(axis=1), 1))
        for best in (chances, scores):
            self.assertEqual(list(model.classes_[best.argmax(axis=1)]), list(model.predict(x)))
        self.assertEqual(model.rounds, 4000)  # nothing was played
        self.assertGreater(model.score(x, y), 0.7)
        one = model.predict_proba_one({"a": 0.9, "b": 0.1, "c": "red"})
        last = model.predict_proba([{"a": 0.9, "b": 0.1, "c": "red"}])[0]
        self.assertEqual([one[name] for name in model.classes_], list(last))

    def test_two_labels_and_their_names(self):
        x, y = frame()
        y = numpy.where(x["a"] > 0.5, "yes", "no")
        schema = {**SCHEMA, "label": {"column": "y", "negative": "no", "positive": "yes"}}
        model = sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=4000, schema=schema, seed=1).fit(x, y)
        scores = model.decision_function(x)
        self.assertEqual(scores.shape, (4000,))
        self.assertEqual(list(model.predict(x)), list(numpy.where(scores > 0, "yes", "no")))
        self.assertTrue(((model.predict_proba(x)[:, 1] > 0.5) == (scores > 0)).all())

    def test_only_where_they_are_published(self):
        model = sotto.PrivateRuleLearner(epsilon=8)
        for name in ("predict_proba", "decision_function"):
            self.assertFalse(hasattr(model, name))
            self.assertFalse(hasattr(sotto.PrivateDecisionTree(epsilon=1), name))
            self.assertFalse(hasattr(sotto.TideRegressor(epsilon=1), name))
            self.assertTrue(hasattr(sotto.TideClassifier(epsilon=1), name))
        self.assertTrue(hasattr(sotto.PrivateWinnow(epsilon=1, margin=0.1), "decision_function"))

    def test_a_bad_row(self):
        x, y = frame(500)
        bad = [{"a": 0.5, "b": 0.5, "c": "red"}, {"a": 0.5, "b": 0.5, "c": "green"}]
        model = sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=500, schema=SCHEMA, seed=1, force=True).fit(x, y)
        with self.assertRaisesRegex(sotto.InvalidArgument, "row 1, column 'c'"):
            model.predict_proba(bad)
        model = sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=500, schema=SCHEMA, seed=1, force=True,
                                     skip_bad=True).fit(x, y)
        self.assertTrue(numpy.isnan(model.predict_proba(bad)[1]).all())
        self.assertIsNone(model.predict(bad)[1])


class Missing(unittest.TestCase):
    def test_blanks_and_new_values_are_values(self):
        warnings.simplefilter("ignore")
        x, y = frame()
        schema = sotto.schema(x, ranges=(0, 1), label="y", classes=["low", "middle", "high"], public=True, missing=True,
                              other=True)
        chance = numpy.random.default_rng(2)
        x.loc[chance.random(4000) < 0.3, "b"] = numpy.nan
        x["c"] = x["c"].astype(object)
        x.loc[chance.random(4000) < 0.3, "c"] = "green"
        x.loc[chance.random(4000) < 0.1, "c"] = None
        model = sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=4000, schema=schema, seed=1)
        model.fit(x, y)
        self.assertEqual(model.report()["answered"], 4000)
        self.assertGreater(model.score(x, y), 0.6)
        read = sotto.load_published(model.hypothesis)
        self.assertTrue((read.predict_proba(x) == model.predict_proba(x)).all())
        self.assertIsInstance(model.predict_one({"a": 0.5, "c": "violet"}), str)
        schema = sotto.schema(["age", "hours"], ranges=(0, 60), missing=["hours"])
        model = sotto.TideClassifier(epsilon=8, delta=1e-6, schema=schema, seed=1)
        self.assertEqual(model.predict_one({"age": 5}), 0)
        with self.assertRaisesRegex(sotto.InvalidArgument, "did you mean 'hours'"):  # not taken for a missing value
            model.predict_one({"age": 5, "hour": 7})


class Files(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, document):
        path = pathlib.Path(self.folder.name) / "model.json"
        path.write_text(json.dumps(document))
        return path

    def test_they_predict_as_the_model_did(self):
        x, y = frame()
        numbers = x[["a", "b"]].to_numpy()
        two = (x["a"] > 0.5).astype(int).to_numpy()
        plain = {"columns": SCHEMA["columns"]}
        models = (sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=4000, schema=SCHEMA, seed=1).fit(x, y),
                  sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=4000, seed=1).fit(numbers, two),
                  sotto.PrivateWinnow(epsilon=8, delta=1e-6, margin=0.2, horizon=4000, force=True, seed=1).fit(
                      numbers, two),
                  sotto.PrivateRuleLearner(epsilon=8, horizon=4000, schema=plain, seed=1).fit(x, two),
                  sotto.PrivateDecisionTree(epsilon=8, schema=plain, seed=1).fit(x, two),
                  sotto.PrivateDecisionList(epsilon=8, delta=1e-6, schema=plain, seed=1).fit(x, two))
        for model in models:
            with self.subTest(type(model).__name__):
                document = model.hypothesis if hasattr(model, "hypothesis") else model.model_
                data = numbers if not hasattr(model, "feature_names_in_") else x
                read = sotto.load_published(self.file(document))
                self.assertEqual([str(label) for label in read.predict(data)],
                                 [str(label) for label in model.predict(data)])
                again = pickle.loads(pickle.dumps(read))
                self.assertEqual(list(again.predict(data)), list(read.predict(data)))
                self.assertEqual(list(sotto.load_published(document).predict(data)), list(read.predict(data)))
                self.assertIn("NOT PRIVATE", repr(read) + str(read.guarantee))
                self.assertIn("<table>", read._repr_html_())
        read = sotto.load_published(models[0].hypothesis)
        self.assertTrue((read.predict_proba(x) == models[0].predict_proba(x)).all())
        self.assertEqual(read.score(x, y), models[0].score(x, y))
        self.assertEqual(read.predict_one({"a": 0.9, "b": 0.1, "c": "red"}), "high")
        self.assertEqual(set(read.predict_proba_one({"a": 0.9, "b": 0.1, "c": "red"})), {"low", "middle", "high"})

    def test_a_rule_that_asks_about_no_column(self):
        rows = pandas.DataFrame({"a": [0.1, 0.9] * 10, "b": [1, 2] * 10})
        model = sotto.Tree(epsilon=16, seed=0).fit(rows, [1] * 20)
        self.assertEqual(model.model_["hypothesis"]["columns"], [])
        again = sotto.load_published(self.file(model.model_))
        for table in (rows, rows.to_numpy(), rows.to_numpy().tolist(), rows.to_dict("records")):
            self.assertEqual(list(model.predict(table)), [1] * 20)
            self.assertEqual(list(again.predict(table)), [1] * 20)
        self.assertEqual(list(again.predict(scipy.sparse.csr_matrix(rows.to_numpy()))), [1] * 20)

    def test_a_constant_rule_has_no_prediction_for_a_row_of_blanks(self):
        """As `sotto predict`, which prints an empty line for it."""
        model = sotto.Tree(epsilon=16, seed=0).fit(pandas.DataFrame({"a": [0.1, 0.9] * 10, "b": [1, 2] * 10}), [1] * 20)
        blank = float("nan")
        rows = pandas.DataFrame({"a": [0.1, blank, 0.3], "b": [0.2, blank, blank]})
        published = sotto.load_published(model.model_)
        self.assertEqual(list(model.predict(rows)), [1, None, 1])
        for table in (rows, rows.to_numpy(), rows.to_numpy().tolist(), rows.astype("category"),
                      [{"a": 0.1, "b": 0.2}, {"a": None, "b": ""}, {"a": 0.3}]):
            with self.subTest(type(table)):
                self.assertEqual(list(published.predict(table)), [1, None, 1])

    def test_a_rule_that_asks_only_if_a_field_is_missing(self):
        rows = pandas.DataFrame({"a": [0.5, float("nan")] * 200, "b": [1.0, 2.0, 3.0, 4.0] * 100})
        schema = sotto.schema(rows, ranges={"a": (0, 1), "b": (0, 5)}, missing=["a"])
        model = sotto.Stump(epsilon=16, seed=0, schema=schema).fit(rows, [0, 1] * 200)
        self.assertEqual(list(model.predict(rows)), [0, 1] * 200, model.text_)
        again = sotto.load_published(self.file(model.model_))
        self.assertEqual(list(again.predict(rows)), [0, 1] * 200)

    def test_files_that_are_none(self):
        with self.assertRaisesRegex(sotto.InvalidArgument, "No such file"):
            sotto.load_published("no/such/file.json")
        for document in ({}, {"model": "nonsense"}, {"model": "tide"}):
            with self.assertRaises(sotto.InvalidArgument):
                sotto.load_published(self.file(document))


class Forks(unittest.TestCase):
    def test_what_is_published_is_there_after_a_fork_and_nothing_else(self):
        x, y = frame(1000)
        warnings.simplefilter("ignore")
        model = sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=1000, schema=SCHEMA, seed=1, force=True).fit(x, y)
        wanted = list(model.predict(x))
        child = os.fork()
        if child == 0:
            same = list(model.predict(x)) == wanted and len(model.predict_proba(x)) == 1000
            try:
                model.predict_one({"a": 0.5, "b": 0.5, "c": "red"})
            except sotto.FailedPrecondition:
                os._exit(0 if same else 1)
            os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


class Sparse(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.rows, self.y = documents()

    def matrix(self):
        names = sorted({name for row in self.rows for name in row})
        places = {name: place for place, name in enumerate(names)}
        made = scipy.sparse.lil_matrix((len(self.rows), len(names)))
        for i, row in enumerate(self.rows):
            for name, value in row.items():
                made[i, places[name]] = value
        return made.tocsr()

    def models(self):
        yield lambda **more: sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=3000, seed=1, batch=100, **more)
        yield lambda **more: sotto.PrivateWinnow(epsilon=8, delta=1e-6, margin=0.1, max_nonzeros=16, horizon=3000,
                                                 force=True, seed=1, **more)

    def test_matrices_are_as_their_arrays(self):
        x = self.matrix()
        for make in self.models():
            model = make()
            model.fit(x, self.y)
            dense = make(columns=x.shape[1])
            dense.fit(x.toarray(), self.y)
            self.assertEqual(list(model.predict(x)), list(dense.predict(x.toarray())))
            self.assertEqual(list(model.predict(x)), list(model.predict(x.toarray())))
            self.assertEqual(list(model.decision_function(x.tocoo())), list(model.decision_function(x)))
            self.assertGreater(model.score(x, self.y), 0.6)
            self.assertEqual(model.n_features_in_, x.shape[1])
            self.assertEqual(len(model.run(x[:10], self.y[:10])), 10)
            row = {int(place): 1.0 for place in x[0].indices}
            self.assertIsInstance(model.predict_one(row), int)
            self.assertIsInstance(pickle.loads(pickle.dumps(model)).predict_one(x[0]), int)
            with self.assertRaisesRegex(sotto.InvalidArgument, "features"):
                model.predict(x[:, 1:])
        with self.assertRaisesRegex(sotto.InvalidArgument, "sparse"):
            sotto.PrivateDecisionTree(epsilon=1).fit(x, self.y)

    def test_words(self):
        for make in self.models():
            model = make(columns="words", hash_bits=8)
            model.fit(self.rows, self.y)
            self.assertEqual(model.rounds, 2000)
            self.assertGreater(model.score(self.rows, self.y), 0.6)
            self.assertEqual(model.predict_one({"new": 1, "spam": 3}), model.predict([{"new": 1, "spam": 3}])[0])
            self.assertEqual(len(model.run(zip(self.rows[:5], self.y))), 5)
            with self.assertRaises(sotto.InvalidArgument):
                model.predict_one([1, 2])
            with self.assertRaises(sotto.InvalidArgument):
                model.predict_one({"spam": float("nan")})
            read = sotto.load_published(model.hypothesis, columns="words")
            self.assertEqual(list(read.predict(self.rows)), list(model.predict(self.rows)))

    def test_words_are_those_of_vw(self):
        lines = [f"{label} | " + " ".join(f"{name}:{value}" for name, value in row.items())
                 for row, label in zip(self.rows, self.y)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.vw"
            path.write_text("\n".join(lines) + "\n")
            done = subprocess.run([PROGRAM, "run", "tide", "--epsilon", "8", "--delta", "1e-6", "--horizon", "3000",
                                   "--seed", "1", "--hash-bits", "8", "--batch", "100", "--data", str(path), "--json", "--quiet"],
                                  capture_output=True, text=True, check=True)
        model = sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=3000, seed=1, columns="words", hash_bits=8, batch=100)
        model.fit(self.rows, self.y)
        self.assertEqual(model.report()["mistakes"], json.loads(done.stdout)["mistakes"])


class Memory(unittest.TestCase):
    PROGRAM = """
import resource, sys, warnings
import numpy, sotto
warnings.simplefilter("ignore")
rows = int(sys.argv[1])
x = numpy.random.default_rng(1).random((rows, 14))
names = [f"c{i + 1}" for i in range(14)]
schema = sotto.schema(names, ranges=(0, 1))
models = [sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=1000, schema=schema, seed=1, force=True),
          sotto.PrivateDecisionTree(epsilon=8, schema=schema, seed=1)]
for model in models:
    model.fit(x[:1000], (x[:1000, 0] > 0.5).astype(int))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model.predict(x)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""

    def test_predict_takes_little_more_than_its_answers(self):
        done = subprocess.run([sys.executable, "-c", self.PROGRAM, "300000"], capture_output=True, text=True, check=True)
        for grown in map(float, done.stdout.split()):
            self.assertLess(grown, 30)  # megabytes; the table has 32, the answers 2
        self.assertTrue(resource)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
