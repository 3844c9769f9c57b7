"""What scikit-learn's users expect: its checks of estimators, pipelines, cross-validation."""
import sys
import unittest
import warnings

import numpy
import pandas
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import (GridSearchCV, StratifiedKFold, cross_val_score, cross_validate,
                                     train_test_split)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import sotto

# The checks that are not met, and why. docs/how-to/scikit-learn.md has the same table.
NOT_MET = {
    "check_dtype_object": "a row that holds a dict is an empty one",
    "check_complex_data": "a row that holds a complex number is an empty one",
    "check_estimators_nan_inf": "a row that holds NaN is an empty one",
}


# Checks that compare two fits of the same rows, or want none wrong: noise may fail them. Without a seed.
NOISY = {"check_classifier_data_not_an_array", "check_classifiers_classes", "check_fit_idempotent",
         "check_supervised_y_2d"}
# Checks of models over a finite class of points, whose rows are integers: they predict real numbers.
POINTS = {"check_dict_unchanged", "check_estimators_dtypes", "check_estimators_pickle", "check_fit_score_takes_y",
          "check_classifiers_train"}
# Keywords of each batch model for the checks.
BATCH = {"finite": {"hypothesis_class": "thresholds:64"}, "greedy-cover": {"delta": 1e-6, "rules": 4, "cuts": 3},
         "interval": {}, "list": {"delta": 1e-6, "rules": 4, "cuts": 3},
         "littlestone-erm": {"delta": 1e-6, "hypothesis_class": "thresholds:8"}, "stump": {}, "threshold": {},
         "tree": {}}


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

    def test_every_batch_model_without_a_seed_meets_all_but_these(self):
        entries = {entry["name"] for entry in sotto._core.batch_models()}
        self.assertEqual(entries, set(BATCH))
        for made in (getattr(sotto.models, name) for name in sotto.models.__all__):
            name = made._entry.get("name")
            if name in BATCH:
                with self.subTest(name):
                    model = made(epsilon=16, classes="public", **BATCH[name])
                    self.assertTrue(model.private)
                    failed = failed_checks(model)
                    self.assertLessEqual(set(NOT_MET), failed)
                    points = POINTS if "hypothesis_class" in BATCH[name] else set()
                    self.assertLessEqual(failed, set(NOT_MET) | NOISY | points)

    def test_the_first_snippets_of_the_guide(self):
        schema = sotto.schema(["a", "b", "c"], ranges=(0, 20))
        clf = sotto.PrivateDecisionTree(epsilon=3, schema=schema, random_state=0)
        X, y = [[1, 2, 3], [11, 12, 13]], [0, 1]
        clf.fit(X, y)
        self.assertEqual(len(clf.predict([[4, 5, 6], [14, 15, 16]])), 2)
        iris = load_iris()
        order = numpy.random.default_rng(1).permutation(3000)  # online models play rows in their order
        X, y = numpy.repeat(iris.data, 20, axis=0)[order], numpy.repeat(iris.target, 20)[order]
        names = [f"c{i}" for i in range(4)]
        schema = sotto.schema(names, ranges=(-3, 3), label="y", classes=[0, 1, 2])
        pipe = make_pipeline(StandardScaler(), sotto.TideClassifier(epsilon=8, delta=1e-6, schema=schema,
                                                                    horizon=3000, random_state=0))
        X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
        pipe.fit(X_train, y_train)
        self.assertGreater(accuracy_score(pipe.predict(X_test), y_test), 0.8)
        self.assertGreater(roc_auc_score(y_test, pipe.predict_proba(X_test), multi_class="ovr"), 0.9)
        result = cross_validate(pipe, X, y, cv=StratifiedKFold(3, shuffle=True, random_state=0))
        self.assertGreater(result["test_score"].mean(), 0.7)

    def test_an_online_model_meets_all_but_these(self):
        model = sotto.Winnow(epsilon=8, delta=1e-6, margin=0.5, clip=True, horizon=100, classes="public", seed=1,
                             anyway=True)
        self.assertEqual(failed_checks(model), set(NOT_MET))


class Scores(unittest.TestCase):
    """A score means what it says, or is refused."""

    def setUp(self):
        warnings.simplefilter("ignore")
        self.x, self.y = draw()

    def test_all_spellings_of_two_labels(self):
        model = sotto.Stump(epsilon=16, seed=1)
        for labels in (self.y, self.y * 2 - 1, self.y == 1, (self.y * 2 - 1).astype(float), self.y.astype(str)):
            self.assertGreater(model.fit(self.x, labels).score(self.x, labels), 0.9)
        schema = {"columns": [{"name": f"c{i}", "type": "number", "range": [0, 1]} for i in (1, 2, 3, 4)],
                  "label": {"column": "y", "negative": "no", "positive": "yes"}}
        names = numpy.array(["no", "yes"])[self.y]
        model = sotto.Stump(epsilon=16, seed=1, schema=schema).fit(self.x, names)
        self.assertEqual((list(model.classes_), set(model.predict(self.x))), (["no", "yes"], {"no", "yes"}))
        self.assertGreater(model.score(self.x, names), 0.9)
        model = sotto.Leader(epsilon=16, seed=1, horizon=400, anyway=True)
        scores = {model.fit(self.x, labels).score(self.x, labels) for labels in (self.y, self.y * 2 - 1, self.y == 1)}
        self.assertEqual(len(scores), 1)
        self.assertGreater(scores.pop(), 0.7)

    def test_signs_are_warned_of_or_declared(self):
        signs = self.y * 2 - 1
        makers = [lambda **more: sotto.PrivateDecisionStump(epsilon=16, seed=1, **more),
                  lambda **more: sotto.TideClassifier(epsilon=8, delta=1e-6, horizon=400, force=True, seed=1, **more)]
        for make in makers:
            with self.assertWarnsRegex(UserWarning, r"classes=\[-1, 1\]"):
                make().fit(self.x, signs)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                model = make(classes=[-1, 1]).fit(self.x, signs)
                make().fit(self.x, self.y)
            self.assertEqual(set(model.predict(self.x)), {-1, 1})
            self.assertGreater((model.predict(self.x) == signs).mean(), 0.6)
        model = makers[1]()
        model.predict_one(self.x[0])
        with self.assertWarnsRegex(UserWarning, "predictions are 0/1"):
            model.learn_one(self.x[0], -1)

    def test_columns_of_an_array_are_those_of_the_schema(self):
        schema = sotto.schema(["w", "x", "y0", "z"], ranges=(0, 1))
        for made in (sotto.PrivateDecisionTree, sotto.PrivateDecisionStump, sotto.TideClassifier,
                     sotto.PrivateRuleLearner):
            more = {"delta": 1e-6, "horizon": 400, "force": True} if made._entry.get("labels") else {}
            model = made(epsilon=8, schema=schema, seed=1, **more).fit(self.x, self.y)
            frame = pandas.DataFrame(self.x, columns=["w", "x", "y0", "z"])
            self.assertEqual(list(model.predict(self.x)), list(model.predict(frame)))
            with self.assertRaisesRegex(sotto.InvalidArgument, "features"):
                made(epsilon=16, schema=schema, **more).fit(self.x[:, :3], self.y)

    def test_texts_that_read_as_numbers_stay_texts(self):
        names = numpy.array(["0", "1"])[self.y]
        for classes in (["0", "1"], numpy.array(["0", "1"]), "public"):
            for model in (sotto.Stump(epsilon=16, seed=1, classes=classes),
                          sotto.Leader(epsilon=16, seed=1, horizon=400, anyway=True, classes=classes)):
                model.fit(self.x, names)
                self.assertEqual(list(model.classes_), ["0", "1"])
                self.assertLessEqual(set(model.predict(self.x)), {"0", "1"})
                self.assertGreater(model.score(self.x, names), 0.7)

    def test_labels_that_are_none_and_of_another_number(self):
        for model in (sotto.Stump(epsilon=16, seed=1), sotto.Leader(epsilon=16, seed=1, horizon=400, anyway=True)):
            model.fit(self.x, self.y)
            for wrong in (self.y[:3], numpy.repeat("eggs", 400), self.y + 0.5, None):
                with self.assertRaises(sotto.InvalidArgument):
                    model.score(self.x, wrong)

    def test_numbers_are_scored_as_numbers(self):
        schema = sotto.schema(["a", "b"], ranges=(0, 1), label="y", label_range=(0, 1))
        model = sotto.Tide(epsilon=8, delta=1e-6, horizon=400, schema=schema, seed=1, anyway=True)
        self.assertTrue(is_regressor(model) and not is_classifier(model))
        self.assertTrue(is_classifier(sotto.Tide(epsilon=1)))
        x = self.x[:, :2]
        model.fit(x, x[:, 0])
        predictions, mean = model.predict(x), x[:, 0].mean()
        self.assertAlmostEqual(model.score(x, x[:, 0]),
                               1 - ((predictions - x[:, 0]) ** 2).sum() / ((x[:, 0] - mean) ** 2).sum())
        self.assertGreater(model.score(x, x[:, 0]), 0.3)


class Gaps(unittest.TestCase):
    """What is hidden or missing is nobody's value."""

    def setUp(self):
        self.x, self.y = draw()

    def model(self, **more):
        return sotto.Leader(**{"epsilon": 1, "seed": 1, "horizon": 400, "hash_bits": 0, "anyway": True, **more})

    def test_a_mask_hides(self):
        for x in (self.x, (self.x * 10).astype(int), self.x.astype("f4")):
            hidden = numpy.ma.masked_array(x, mask=True)
            part = numpy.ma.masked_array(x, mask=numpy.tile(numpy.arange(4) == 1, (400, 1)))
            for masked in (hidden, part):
                model = self.model(skip_bad=True)
                self.assertEqual(model.run(masked, self.y).predictions, [None] * 400)
                self.assertIsNone(model.predict_one(masked[0]))
                self.assertEqual(self.model().fit(masked, self.y).report()["answered"], 0)
            with self.assertRaises(sotto.InvalidArgument):
                self.model().predict_one(part[0])
        self.assertIsNone(self.model().predict_one([numpy.ma.masked] * 4))
        labels = numpy.ma.masked_array(self.y, mask=self.y == 1)
        for model in (self.model(), self.model(classes=[0, 1])):
            self.assertEqual(model.fit(self.x, labels).report()["labelled"], (self.y == 0).sum())
        with self.assertRaises(TypeError):
            sotto.Counter(epsilon=1, horizon=10).add_many(numpy.ma.masked_array([1, 2], mask=[True, False]))

    def test_categories_and_gaps_of_pandas_as_labels(self):
        labels = pandas.Series([1, 0, 1, 0] * 100, dtype="category")
        self.assertEqual(self.model().fit(self.x, labels).report()["labelled"], 400)
        for gaps in (pandas.Series([1, 0, None, 0] * 100, dtype="Int64"), [1, 0, pandas.NA, 0] * 100):
            for model in (self.model(), self.model(classes=[0, 1])):
                self.assertEqual(model.fit(self.x, gaps).report()["labelled"], 300)


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
        predictions = sotto.Stump(epsilon=8, seed=1, classes=["ham", "spam"]).fit(x, names).predict(x)
        self.assertEqual(set(predictions), {"ham", "spam"})
        self.assertRegex(sotto.Stump(epsilon=8, seed=1).fit(x, names).notes_, "^400 bad rows: 400 unknown label")

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

    def test_rows_that_cannot_be_used_are_empty_in_a_fit_and_raise_in_predict(self):
        x, y = draw(2000)
        x[7, 1], names = numpy.nan, numpy.array(["ham", "spam"])[y]
        names[9] = "eggs"
        for more in ({"public": True}, {"skip_bad": True}, {}):
            model = sotto.Tide(epsilon=3, delta=1e-6, seed=2, horizon=2000, classes=["ham", "spam"], **more)
            model.fit(x, names)
            self.assertEqual((model.rounds, model.report().get("skipped", 2)), (2000, 2))
            if more:
                predictions = model.predict(x)
                self.assertIsNone(predictions[7])
                self.assertLess(sum(a != b for a, b in zip(predictions, names)), 600)
        with self.assertRaisesRegex(sotto.InvalidArgument, "contains NaN"):
            model.predict(x)

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
