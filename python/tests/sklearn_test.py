"""What scikit-learn's users expect: its checks of estimators, pipelines, cross-validation."""
import sys
import unittest
import warnings

import numpy
import pandas
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

import sotto

# The checks that are not met, and why. docs/python.md has the same table.
NOT_MET = {
    "check_dtype_object": "a row that cannot be used is InvalidArgument, a ValueError, whatever is wrong with it",
}


def failed_checks(estimator):
    failed = set()
    for made, check in check_estimator(estimator, generate_only=True):
        try:
            check(made)
        except unittest.SkipTest:
            pass
        except Exception:
            failed.add(check.func.__name__)
    return failed


def draw(rows=400, columns=4):
    chance = numpy.random.default_rng(1)
    x = chance.random((rows, columns))
    return x, (x[:, 1] > 0.5).astype(int)


class Checks(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_a_batch_model_meets_all_but_these(self):
        self.assertEqual(failed_checks(sotto.Stump(epsilon=16, classes="public", seed=1)), set(NOT_MET))

    def test_an_online_model_meets_all_but_these(self):
        model = sotto.Winnow(epsilon=8, delta=1e-6, margin=0.5, clip=True, horizon=100, classes="public", seed=1,
                             anyway=True)
        self.assertEqual(failed_checks(model), set(NOT_MET))


class Habits(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_a_pipeline_is_cross_validated(self):
        x, y = draw()
        pipeline = make_pipeline(MinMaxScaler(), sotto.Stump(epsilon=3, seed=2))
        scores = cross_val_score(pipeline, x, y, cv=4)
        self.assertGreater(scores.min(), 0.8)

    def test_an_online_model_in_a_pipeline(self):
        x, y = draw(2000)
        schema = sotto.schema(["c1", "c2", "c3", "c4"], ranges=(0, 1))
        model = sotto.Tide(epsilon=3, delta=1e-6, schema=schema, seed=2, horizon=2000)
        scores = cross_val_score(make_pipeline(MinMaxScaler(clip=True), model), x, y, cv=3)
        self.assertGreater(scores.mean(), 0.7)

    def test_a_search_sets_parameters(self):
        x, y = draw()
        search = GridSearchCV(sotto.Stump(epsilon=1, seed=3), {"epsilon": [0.5, 4]}, cv=2).fit(x, y)
        self.assertIn(search.best_params_["epsilon"], (0.5, 4))

    def test_clones_start_afresh(self):
        x, y = draw()
        model = sotto.Winnow(epsilon=1, delta=1e-6, margin=0.25, anyway=True, horizon=400).fit(x, y)
        copy = clone(model)
        self.assertEqual(copy.get_params(), model.get_params())
        self.assertEqual(copy.rounds, 0)
        self.assertEqual(model.rounds, 400)

    def test_a_plan_of_a_batch_model_counts_with_its_schema(self):
        few, many = (sotto.Tree(epsilon=1, schema=sotto.schema([f"c{i}" for i in range(n)], ranges=(0, 1))).plan()
                     for n in (2, 50))
        self.assertLess(few["samples_required"], many["samples_required"])
        with self.assertRaisesRegex(sotto.InvalidArgument, "^schema"):
            sotto.Tree(epsilon=1, schema={"columns": 7}).plan()
        with self.assertRaisesRegex(sotto.InvalidArgument, "^schema"):
            sotto.Tree(epsilon=1, schema={"columns": 7}).fit([[1]], [1])
        for made in (sotto.GreedyCover(epsilon=1, delta=1e-6, literals=1), sotto.LittlestoneErm(
                epsilon=1, delta=1e-6, class_="thresholds:4", rows=1000)):
            names = [word.name for word in made._keywords]
            self.assertEqual(len(names), len(set(names)))

    def test_labels_of_any_kind_if_they_are_declared(self):
        x, y = draw()
        names = numpy.array(["ham", "spam"])[y]
        told = sotto.Stump(epsilon=8, seed=1, classes=["ham", "spam"]).fit(x, names).predict(x)
        self.assertEqual(set(told), {"ham", "spam"})
        with self.assertRaises(sotto.InvalidArgument):
            sotto.Stump(epsilon=8, seed=1).fit(x, names)

    def test_a_model_that_pays_for_answers_has_no_predict(self):
        x, y = draw()
        model = sotto.Pop(epsilon=1, delta=1e-6, learner="perceptron", copies=40, reports=10, horizon=400,
                          anyway=True)
        model.partial_fit(x, y)
        with self.assertRaisesRegex(sotto.FailedPrecondition, "pays for every answer"):
            model.predict(x)
        self.assertEqual(model.rounds, 400)

    def test_categories_of_pandas_make_a_schema_if_they_are_public(self):
        chance = numpy.random.default_rng(2)
        frame = pandas.DataFrame({"size": chance.random(3000),
                                  "color": pandas.Categorical(chance.choice(["red", "blue"], 3000)),
                                  "old": chance.random(3000) > 0.5})
        frame["y"] = (frame["color"] == "red").astype(int)
        with self.assertRaisesRegex(sotto.InvalidArgument, "publicly known"):
            sotto.schema(frame, label="y")
        schema = sotto.schema(frame, label="y", ranges={"size": (0, 1)}, public=True)
        model = sotto.Tide(epsilon=3, delta=1e-6, schema=schema, seed=1, horizon=3000)
        model.run(frame, y="y")
        self.assertLess(model.report()["mistakes"], 300)
        self.assertGreater(model.score(frame.drop(columns="y"), frame["y"]), 0.9)

    def test_rows_that_cannot_be_used_are_told_unless_all_is_public(self):
        x, y = draw(2000)
        x[7, 1], names = numpy.nan, numpy.array(["ham", "spam"])[y]
        names[9] = "eggs"
        for more in ({"public": True}, {"skip_bad": True}):
            model = sotto.Tide(epsilon=3, delta=1e-6, seed=2, horizon=2000, classes=["ham", "spam"], **more)
            told = model.fit(x, names).predict(x)
            self.assertEqual((model.rounds, told[7]), (2000, None))
            self.assertLess(sum(a != b for a, b in zip(told, names)), 600)
        model = sotto.Tide(epsilon=3, delta=1e-6, horizon=2000, classes=["ham", "spam"])
        with self.assertRaisesRegex(sotto.InvalidArgument, "contains NaN"):
            model.fit(x[:9], names[:9])
        with self.assertRaisesRegex(sotto.InvalidArgument, "none of the classes"):
            model.fit(x[10:12], ["ham", "eggs"])

    def test_partial_fit_goes_on(self):
        x, y = draw(600)
        model = sotto.Winnow(epsilon=3, delta=1e-6, margin=0.25, seed=1, anyway=True, horizon=600)
        for part in range(3):
            self.assertIs(model.partial_fit(x[part * 200:(part + 1) * 200], y[part * 200:(part + 1) * 200],
                                            classes=[0, 1]), model)
        self.assertEqual(model.rounds, 600)
        with self.assertRaisesRegex(sotto.FailedPrecondition, "at work"):
            model.set_params(epsilon=1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
