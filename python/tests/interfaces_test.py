"""The newest interfaces of River and scikit-learn, by the stand-ins in newest/."""
import pathlib
import random
import sys
import unittest
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "newest"))

import river  # noqa: E402
import sklearn.exceptions  # noqa: E402
from river import base, compose, evaluate, metrics, preprocessing  # noqa: E402
from sklearn.base import check_interface, check_is_fitted, clone, is_classifier, is_regressor, response  # noqa: E402
from sklearn.utils import get_tags  # noqa: E402

import sotto  # noqa: E402

SCHEMA = sotto.schema(["age", "hours"], ranges={"age": (18, 90), "hours": (0, 60)})
NUMBERS = sotto.schema(["age", "hours"], ranges={"age": (18, 90), "hours": (0, 60)}, label="y", label_range=(0, 1))
CLASSES = sotto.schema(["age", "hours"], ranges={"age": (18, 90), "hours": (0, 60)}, label="y",
                       classes=["low", "middle", "high"])


def rows(count, label=lambda hours: int(hours > 30)):
    chance = random.Random(1)
    for _ in range(count):
        x = {"age": chance.uniform(18, 90), "hours": chance.uniform(0, 60)}
        yield x, label(x["hours"])


def classifier(**more):
    return sotto.TideClassifier(**{"epsilon": 4, "delta": 1e-6, "horizon": 4000, "random_state": 1, **more})


class ScikitLearn(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.x, self.y = zip(*rows(2000))
        self.x = [[row["age"], row["hours"]] for row in self.x]

    def test_every_class_has_the_interface(self):
        more = {"delta": 1e-6, "margin": 0.25, "horizon": 1000, "literals": 1, "hypothesis_class": "thresholds:4",
                "rows": 1000, "features": 2, "force": True}
        for name in sotto.models.__all__:
            made = getattr(sotto, name)
            if not made._entry:
                continue
            words = {word.name for word in made._keywords}
            schema = {"schema": NUMBERS} if name == "TideRegressor" else {}
            model = made(epsilon=4, **{key: value for key, value in more.items() if key in words}, **schema)
            with self.subTest(name):
                copy = check_interface(model)
                self.assertEqual(copy.get_params(), model.get_params())
                self.assertEqual(is_regressor(model), name == "TideRegressor")
                self.assertEqual(is_classifier(model), name != "TideRegressor")
                with self.assertRaises(sklearn.exceptions.NotFittedError):
                    check_is_fitted(model)
                self.assertFalse(hasattr(model, "text_"))

    def test_kinds_of_labels(self):
        self.assertTrue(get_tags(classifier(schema=CLASSES)).classifier_tags.multi_class)
        self.assertFalse(get_tags(classifier(schema=SCHEMA)).classifier_tags.multi_class)
        self.assertIsInstance(sotto.Tide(epsilon=1, schema=NUMBERS), sotto.TideRegressor)
        self.assertIsInstance(sotto.Tide(epsilon=1, schema=SCHEMA), sotto.TideClassifier)
        with self.assertRaisesRegex(sotto.InvalidArgument, "label_range"):
            sotto.TideRegressor(epsilon=1, delta=1e-6, schema=SCHEMA).fit(self.x, self.y)
        with self.assertRaisesRegex(sotto.InvalidArgument, "TideRegressor"):
            sotto.TideClassifier(epsilon=1, delta=1e-6, schema=NUMBERS).fit(self.x, self.y)

    def test_a_metric_finds_its_method(self):
        model = clone(classifier(schema=SCHEMA)).fit(self.x, self.y)
        name, scores, classes = response(model, self.x[:3])
        self.assertEqual((name, len(scores), len(scores[0]), list(classes)), ("predict_proba", 3, 2, [0, 1]))
        winnow = sotto.PrivateWinnow(epsilon=4, delta=1e-6, margin=0.25, clip=True, horizon=2000, force=True, seed=1)
        self.assertEqual(response(winnow.fit(self.x, self.y), self.x[:3])[0], "decision_function")
        tree = sotto.PrivateDecisionTree(epsilon=4, schema=SCHEMA, seed=1).fit(self.x, self.y)
        self.assertEqual(response(tree, self.x[:3])[0], "predict")

    def test_weights_are_refused(self):
        for model in (classifier(schema=SCHEMA), sotto.PrivateDecisionTree(epsilon=4, schema=SCHEMA)):
            with self.assertRaisesRegex(sotto.InvalidArgument, "all rows count alike"):
                model.fit(self.x, self.y, sample_weight=[1] * 2000)
            model.fit(self.x, self.y, sample_weight=None)
            with self.assertRaisesRegex(TypeError, "unexpected"):
                model.fit(self.x, self.y, nonsense=1)


class River(unittest.TestCase):
    """The first snippets of River's guide, and what its evaluation needs."""

    def setUp(self):
        warnings.simplefilter("ignore")

    def test_the_first_snippet(self):
        model = compose.Pipeline(preprocessing.StandardScaler(), classifier())
        metric = metrics.Accuracy()
        for x, y in rows(4000):
            prediction = model.predict_one(x)
            metric.update(y_true=y, y_pred=prediction)
            model.learn_one(x, y)
        self.assertGreater(metric.get(), 0.7)

    def test_progressive_validation_of_every_kind(self):
        private = classifier(schema=SCHEMA)
        self.assertGreater(evaluate.progressive_val_score(rows(4000), private, metrics.Accuracy()).get(), 0.8)
        self.assertLess(evaluate.progressive_val_score(rows(4000), private.clone(), metrics.LogLoss()).get(), 0.55)
        numbers = sotto.TideRegressor(epsilon=4, delta=1e-6, horizon=4000, schema=NUMBERS, seed=1)
        data = rows(4000, lambda hours: hours / 60)
        self.assertLess(evaluate.progressive_val_score(data, numbers, metrics.MAE()).get(), 0.2)
        for model, metric in ((private, metrics.MAE()), (numbers, metrics.Accuracy())):
            with self.assertRaisesRegex(ValueError, "not compatible"):
                evaluate.progressive_val_score(rows(1), model, metric)

    def test_a_scaler_before_a_model(self):
        model = preprocessing.StandardScaler() | classifier()
        self.assertIsInstance(model, base.Classifier)
        self.assertGreater(evaluate.progressive_val_score(rows(4000), model, metrics.Accuracy()).get(), 0.7)
        self.assertEqual(model._last_step.rounds, 4000)
        self.assertEqual(model.clone()._last_step.rounds, 0)
        from_function = (lambda x: {name: value / 100 for name, value in x.items()}) | classifier()
        self.assertIsInstance(from_function.predict_one({"age": 30, "hours": 4}), int)

    def test_several_questions_need_their_own_rows(self):
        model = classifier(schema=SCHEMA)
        (one, _), (two, _) = list(rows(2))
        model.predict_one(one)
        model.predict_one(two)
        with self.assertRaisesRegex(sotto.FailedPrecondition, "another x"):
            model.learn_one(one, 1)
        self.assertEqual(model.rounds, 2)

    def test_all_probabilities_and_users(self):
        model = classifier(schema=CLASSES, rounds_per_user=2)
        label = lambda hours: ["low", "middle", "high"][int(hours // 20.001)]  # noqa: E731
        data = ((x, y, {"user": f"u{i}"}) for i, (x, y) in enumerate(rows(3000, label)))
        evaluate.progressive_val_score(data, model, metrics.Accuracy())
        chances = model.predict_proba_one({"age": 40, "hours": 55})
        self.assertEqual(set(chances), {"low", "middle", "high"})
        self.assertAlmostEqual(sum(chances.values()), 1)
        model.learn_one({"age": 40, "hours": 55}, None)
        self.assertEqual(max(chances, key=chances.get), model.predict_one({"age": 40, "hours": 55}))

    def test_weights_are_refused(self):
        data = [({"age": 40, "hours": 55}, 1, {"w": 2.0})]
        with self.assertRaisesRegex(sotto.InvalidArgument, "all rows count alike"):
            evaluate.progressive_val_score(data, classifier(schema=SCHEMA), metrics.Accuracy())

    def test_attributes(self):
        model = classifier(schema=SCHEMA)
        self.assertEqual((model._supervised, model._multiclass, model._raw_memory_usage), (True, False, 0))
        model.predict_one({"age": 40, "hours": 55})
        self.assertGreater(model._raw_memory_usage, 0)
        self.assertEqual(model.clone({"epsilon": 2}).epsilon, 2)
        with self.assertRaises(sotto.FailedPrecondition):
            model.clone(include_attributes=True)
        self.assertTrue(river)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
