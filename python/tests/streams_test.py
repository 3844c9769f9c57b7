"""Users one at a time: River's verbs, rounds that are closed later, states, what is shown to whom."""
import copy
import inspect
import json
import pathlib
import pickle
import random
import sys
import tempfile
import types
import unittest
import unittest.mock
import warnings

import sotto

NUMBERS = ["a", "b", "c"]


def stream(rounds, seed=1):
    draw = random.Random(seed)
    for _ in range(rounds):
        x = {name: draw.choice((-1, 1)) for name in NUMBERS}
        yield x, int(x["a"] > 0)


def tide(**more):
    return sotto.Tide(**{"epsilon": 3, "delta": 1e-6, "horizon": 3000, "seed": 1, **more})


def leader(**more):
    """Begins in no time."""
    return sotto.Leader(**{"epsilon": 1, "columns": NUMBERS, "horizon": 1000, "anyway": True, **more})


class Accuracy:
    """As River's metric of that name."""

    def __init__(self):
        self.right = self.seen = 0

    def update(self, y_true, y_pred):
        self.seen += 1
        self.right += y_true == y_pred

    def get(self):
        return self.right / self.seen


def progressive_val_score(dataset, model, metric):
    """River's loop: a question with a copy of the features, the answer with the features."""
    for x, y in dataset:
        y_pred = model.predict_one(x=copy.deepcopy(x))
        if y_pred is not None:
            metric.update(y_true=y, y_pred=y_pred)
        model.learn_one(x=x, y=y)
    return metric


class River(unittest.TestCase):
    def test_a_loop_of_its_kind_learns(self):
        model = tide()
        self.assertGreater(progressive_val_score(stream(3000), model, Accuracy()).get(), 0.9)
        self.assertEqual(model.rounds, 3000)

    def test_probabilities_are_of_both_labels(self):
        model = tide()
        for x, y in stream(2000):
            probabilities = model.predict_proba_one(x)
            self.assertAlmostEqual(sum(probabilities.values()), 1)
            model.learn_one(x, y)
        self.assertGreater(model.predict_proba_one({"a": 1, "b": 1, "c": 1})[1], 0.5)

    def test_a_model_without_probabilities_says_so(self):
        # The number of rounds does not reveal if the user before could be answered.
        clocks = []
        for before in ([1], [None]):
            model = leader(columns=["a"], skip_bad=True)
            model.predict_one(before, user="before")
            for _ in range(2):
                with self.assertRaisesRegex(sotto.FailedPrecondition, "no probabilities"):
                    model.predict_proba_one([1])
            clocks.append(model.rounds)
        self.assertEqual(clocks, [1, 1])
        numbers = tide(schema={"columns": [{"name": "a", "type": "number", "range": [0, 1]}],
                               "label": {"column": "y", "range": [0, 10]}})
        with self.assertRaisesRegex(sotto.FailedPrecondition, "no probabilities of numbers"):
            numbers.predict_proba_one([1])

    def test_learning_without_asking_is_a_round(self):
        model = tide()
        for x, y in stream(50):
            model.learn_one(x, y)
        self.assertEqual(model.rounds, 50)
        self.assertEqual(model.report()["labelled"], 50)

    def test_asking_twice_costs_twice(self):
        model = tide()
        x = {"a": 1, "b": 1, "c": 1}
        model.predict_one(x)
        model.predict_one(x)
        model.learn_one(x, 1)
        self.assertEqual(model.rounds, 2)
        self.assertEqual(model.report()["labelled"], 1)

    def test_whose_label_it_is_never_depends_on_rows(self):
        one, two, other = ({"a": a, "b": 1, "c": 1} for a in (1, 0.5, -1))
        model = tide()
        model.predict_one(one)
        model.predict_one(two)
        with self.assertRaisesRegex(sotto.FailedPrecondition, "another x"):
            model.learn_one(other, 1)
        self.assertEqual((model.rounds, model.report()["labelled"]), (2, 0))
        # The question is over, as it would be with its own row: what comes next is a round.
        model.learn_one(two, 1)
        self.assertEqual((model.rounds, model.report()["labelled"]), (3, 1))

    def test_the_label_of_the_only_question_is_its_own_whatever_the_row_is_by_now(self):
        x, scaled = {"a": 1, "b": 1, "c": 1}, {"a": 0.5, "b": 0.1, "c": 0}
        models = [tide(), tide()]
        for _ in range(600):
            for model, taught in zip(models, (x, scaled)):
                model.predict_one(x)
                model.learn_one(taught, 1)
        self.assertEqual([model.report()["labelled"] for model in models], [600, 600])
        self.assertEqual(models[0].hypothesis, models[1].hypothesis)  # features of the question were learned
        models[0].predict_one(x)
        models[0].learn_one({"a": "no number"}, 1)
        self.assertEqual(models[0].report()["labelled"], 601)

    def test_misspelt_names_are_refused_after_their_round(self):
        schema = sotto.schema(["age", "hours"], ranges={"age": (18, 90), "hours": (0, 60)})
        for more, row, words in (
                ({"schema": schema}, {"agee": 30, "hourss": 1}, "unknown columns 'agee', 'hourss'; did you mean 'age', 'hours'"),
                ({"schema": schema}, {"age": 30, "hour": 1}, "unknown columns 'hour'; did you mean 'hours'"),
                ({"schema": schema}, {"x": 1, "z": 2}, "unknown columns 'x', 'z': expected 'age', 'hours'"),
                ({"columns": ["age", "hours"]}, {"agee": 30, "hours": 1}, "did you mean 'age'")):
            model = sotto.TideClassifier(epsilon=1, delta=1e-6, seed=1, **more)
            with self.assertRaisesRegex(sotto.InvalidArgument, words):
                model.predict_one(row)
            # To all others it looks as if no user had come.
            self.assertEqual((model.rounds, model.report()["answered"]), (1, 0))
        model = sotto.TideClassifier(epsilon=1, delta=1e-6, seed=1, schema=schema)
        self.assertEqual(model.predict_one({"age": 30, "hours": 1, "agee": 5, "id": 7}), 0)  # further names
        self.assertIsNone(model.predict_one({}))

    def test_names_of_users_tell_whose_label_it_is(self):
        model = tide(rounds_per_user=2)
        for name in ("ann", "bob"):
            model.predict_one({"a": 1, "b": 1, "c": 1}, user=name)
        model.learn_one({"a": 1, "b": 1, "c": 1}, 1, user="ann")
        model.learn_one({"a": 1, "b": 1, "c": 1}, 0, user="bob")
        self.assertEqual((model.rounds, model.report()["labelled"]), (2, 2))

    def test_a_bad_row_of_a_user_does_not_block_later_labels(self):
        model = leader(rounds_per_user=10, hash_bits=0)
        for name in ("ann", None):
            with self.assertRaises(sotto.InvalidArgument):
                model.predict_one(["red", 1, 1], user=name)
            for _ in range(3):
                model.predict_one([1, 1, 1], user=name)
            model.learn_one([1, 1, 1], 1, user=name)
        self.assertEqual((model.rounds, model.report()["labelled"]), (8, 2))
        self.assertFalse(model._has_questions())  # nothing piles up

    def test_keys_that_are_no_texts(self):
        model = leader(columns=None)
        model.predict_one({1: 1, 2: -1})
        model.learn_one({"1": 1, "2": -1}, 1)
        self.assertEqual((model.rounds, model.report()["labelled"]), (1, 1))
        with self.assertRaises(sotto.InvalidArgument):
            model.predict_one({1: 1, 3: 1})

    def test_signatures_are_pythons(self):
        model = leader()
        for verb in ("predict_one", "predict_proba_one", "learn_one", "open", "close", "empty_round", "tick"):
            self.assertIn(str(inspect.signature(getattr(model, verb))),
                          ("(x, user=None)", "(x, y, user=None, w=None)", "(ticket, y)", "(user=None)"))
        with self.assertRaisesRegex(TypeError, "missing 1 required positional argument: 'x'"):
            model.predict_one()
        self.assertIsNone(model.close(leader().open({}).ticket, 1))  # a label of no one
        with self.assertRaisesRegex(sotto.InvalidArgument, "^ticket"):
            model.close(7, 1)

    def test_a_user_without_rounds_is_told_what_is_published_and_teaches_nothing(self):
        model = tide()
        x = {"a": 1, "b": 1, "c": 1}
        self.assertIsNotNone(model.predict_one(x, "ann"))
        model.learn_one(x, 1, "ann")
        published = model.predict_proba([x])[0]
        self.assertEqual(list(model.predict_proba_one(x, "ann").values()), list(published))
        model.learn_one(x, 1, "ann")
        again = model.open(x, "ann")
        self.assertEqual((again.prediction, again.ticket), (list(model.predict([x]))[0], None))
        self.assertEqual((again.answered, repr(again)),
                         (True, "<sotto round, answered from what is published, NOT PRIVATE: seeded>"))
        again.close(0)
        self.assertFalse(again.closed)
        report = model.report()
        self.assertEqual([report[key] for key in ("rounds", "answered", "labelled", "refused")], [3, 1, 1, 2])
        self.assertEqual(report["free_answers"]["answered"], 2)

    def test_a_user_without_rounds_is_told_nothing_if_nothing_is_published(self):
        model = sotto.Points(epsilon=1, delta=1e-6, columns=["a"], points=8, horizon=1000, seed=1, force=True)
        self.assertIsNotNone(model.predict_one([1], "ann"))
        model.learn_one([1], 1, "ann")
        self.assertIsNone(model.predict_one([1], "ann"))
        model.learn_one([1], 1, "ann")
        self.assertEqual((model.rounds, model.report()["labelled"]), (2, 1))


class Names(unittest.TestCase):
    """One name is one user, however it is written; two names are two."""

    def users(self, names):
        """How many there are, of one round each, in a table, in a stream, and one at a time."""
        rows = [[1, 1, 1]] * len(names)
        counts = {leader().run(rows, [1] * len(names), names).report()["answered"],
                  leader().run(zip(rows, [1] * len(names), names)).report()["answered"]}
        model = leader()
        counts.add(sum(model.open([1, 1, 1], name).ticket is not None for name in names))
        self.assertEqual(len(counts), 1, names)
        return counts.pop()

    def test_spaces_around_a_name_are_none_of_it(self):
        model = leader()
        self.assertIsNotNone(model.open([1, 1, 1], "ann").ticket)
        for name in (" ann", "ann\t", "  ann "):
            self.assertIsNone(model.open([1, 1, 1], name).ticket)
        self.assertIsNotNone(model.open([1, 1, 1], "an n").ticket)

    def test_a_name_has_at_most_1024_bytes_as_in_every_format(self):
        self.assertEqual(self.users(["n" * 1024, "n" * 1023, "\u00e9" * 512]), 3)
        self.assertEqual(self.users(["n" * 1024] * 2), 1)
        self.assertEqual(self.users(["n" * 1025, "\u00e9" * 512 + "e"]), 0)

    def test_whole_numbers_have_all_their_digits(self):
        import numpy
        for names in ([2**60, 2**60 + 1], numpy.array([2**60, 2**60 + 1]), numpy.array([2**64 - 1, 2**64 - 2], "u8"),
                      [True, "True"], [True, 0], [0, -1], [10**30, 10**30 + 1], ["a", "b"],
                      numpy.array([2**60, 2**60 + 1, "bob"])[:2]):
            self.assertEqual(self.users(names), 2, names)
        for names in ([10**6, "1000000"], [1e6, 10**6], [3, 3.0, "3"], [numpy.int64(2**60), 2**60, str(2**60)],
                      [True, 1, 1.0, "1", numpy.True_], [False, 0, -0.0]):
            self.assertEqual(self.users(names), 1, names)
            # One more name makes texts of all that are in an array with it.
            model = leader()
            rows, labels = [[1, 1, 1]] * 2, [1, 1]
            model.run(rows, labels, numpy.array([names[0], names[0]]))
            self.assertEqual(model.run(rows, labels, numpy.array([names[0], "bob"])).report()["answered"], 2, names)
            self.assertIsNone(model.open([1, 1, 1], "bob").ticket)
        self.assertEqual(self.users([None, float("nan"), ""]), 3)  # missing names are all different


class Classes(unittest.TestCase):
    """Labels by other names, in every verb."""

    def test_in_every_verb(self):
        for classes in (["ham", "spam"], [-1, 1], [10, 20], [True, False], [("a", 1), ("b", 2)]):
            with self.subTest(classes=classes):
                model = leader(classes=classes)
                self.assertIn(model.predict_one([1, 1, 1]), classes)
                model.learn_one([1, 1, 1], classes[1])
                model.open([1, 1, 1]).close(classes[0])
                self.assertIn(model.open([1, 1, 1]).prediction, classes)
                rows, labels = [[1, -1, 1]] * 4, classes * 2
                self.assertIn(model.run(rows, labels).predictions[0], classes)
                self.assertIn(model.run(zip(rows, labels)).predictions[3], classes)
                self.assertEqual(model.report()["labelled"], 10)
                predictions = model.run(rows, [classes[0], "eggs"] * 2).predictions
                self.assertEqual([one is None for one in predictions], [False, True] * 2)
                for wrong in ("eggs", [], {}, object(), 7.5):
                    with self.assertRaises(sotto.InvalidArgument):
                        model.open([1, 1, 1]).close(wrong)

    def test_places_are_those_of_the_labels(self):
        """As 0 and 1, by another name."""
        rows = list(stream(400))
        plain, named = tide(columns=NUMBERS), tide(columns=NUMBERS, classes=["ham", "spam"])
        predictions = plain.run(rows).predictions
        again = named.run([(x, ["ham", "spam"][y]) for x, y in rows]).predictions
        self.assertEqual([["ham", "spam"][one] for one in predictions], again)
        self.assertEqual(plain.hypothesis, named.hypothesis)
        with tempfile.TemporaryDirectory() as folder:
            named.save(pathlib.Path(folder) / "state")
            loaded = sotto.load(pathlib.Path(folder) / "state", columns=NUMBERS, classes=["ham", "spam"])
        x = [list(x.values()) for x, _ in rows[:20]]
        self.assertEqual(list(loaded.predict(x)), list(named.predict(x)))
        self.assertEqual({*loaded.predict_proba_one(x[0])}, {"ham", "spam"})

    def test_classes_that_are_none(self):
        for classes in (5, ["a"], ["a", "a"], ["a", "b", "c"], [[], {}]):
            with self.assertRaises(sotto.InvalidArgument):
                leader(classes=classes).open([1, 1, 1])


class Rounds(unittest.TestCase):
    def test_labels_come_late_in_any_order_or_never(self):
        model = tide()
        opened = [model.open(x) for x, _ in stream(20)]
        self.assertTrue(all(one.answered and one.prediction in (0, 1) for one in opened))
        for one in reversed(opened[::2]):
            one.close(1)
            one.close(1)
            with self.assertRaisesRegex(sotto.InvalidArgument, "takes no such label"):
                one.close(0)
        self.assertEqual(model.report()["labelled"], 10)

    def test_tickets_outlive_the_object(self):
        model = tide(columns=NUMBERS)
        ticket = model.open([1, 1, 1]).ticket
        model = pickle.loads(pickle.dumps(model))
        model.close(ticket, 1)
        self.assertEqual(model.report()["labelled"], 1)
        for forged in ("0" * 32, "", "nonsense"):
            with self.assertRaises(sotto.InvalidArgument):
                model.close(forged, 1)

    def test_a_history_is_played_and_then_users_are_answered(self):
        """As if all of them had been asked one at a time."""
        rows = list(stream(300))
        asked, played = tide(columns=NUMBERS), tide(columns=NUMBERS)
        predictions = []
        for x, y in rows:
            predictions.append(asked.predict_one(x))
            asked.learn_one(x, y)
        opened = [asked.open(x) for x, _ in rows[:20]]
        first = played.run(rows).predictions
        self.assertEqual(first, predictions)
        self.assertEqual([played.open(x).prediction for x, _ in rows[:20]], [one.prediction for one in opened])
        self.assertEqual(len(played.run(rows[:50])), 50)


class BadRows(unittest.TestCase):
    BAD = [None, {}, {"a": 1}, {"a": 1, "b": 2, "c": "red"}, {"a": 1, "b": 2, "c": None}, [1, 2], [1, 2, 3, 4], "abc",
           b"abc", 7, float("nan"), [1, 2, float("inf")], [1, 2, 10**400], {"a": 1, "b": 2, "c": [3]}, object(),
           {"a": 1, "b": 2, "c": 3j}, [1, 2, "\ud800"], (), set(), {"a": 1, "b": 2, "c": 3, "d": 4},
           memoryview(bytes(6)).cast("B", (2, 3))]

    def test_each_is_one_empty_round_and_then_an_exception(self):
        model = tide(columns=NUMBERS, hash_bits=0)
        for number, x in enumerate(self.BAD, 1):
            with self.subTest(x=x):
                try:
                    self.assertIsNone(model.predict_one(x))  # an empty row is an empty round
                    self.assertEqual(x, {})
                except sotto.InvalidArgument:
                    pass
                self.assertEqual(model.rounds, number)
        self.assertEqual(model.report()["answered"], 0)

    def test_what_follows_does_not_depend_on_them(self):
        """Two worlds: one user's row cannot be used, or nobody comes. All else is equal."""
        for bad in ([1, 2], [None] * 3, "abc"):
            with self.subTest(bad=bad):
                self.assertEqual(self.others(bad), self.others(None))

    @staticmethod
    def others(bad):
        model, predictions = tide(columns=NUMBERS, hash_bits=0, public=False), []
        for number, (x, y) in enumerate(stream(300)):
            if number == 100:
                try:
                    model.tick() if bad is None else model.predict_one(bad)
                except sotto.InvalidArgument:
                    pass
                if bad is not None:
                    model.learn_one(bad, 1)
                continue
            predictions.append(model.predict_one(x))
            model.learn_one(x, y)
        return predictions, model.rounds, model.report(public=True)

    def test_skip_bad_makes_no_exception(self):
        model = tide(columns=NUMBERS, skip_bad=True)
        self.assertIsNone(model.predict_one([1]))
        self.assertEqual(model.rounds, 1)

    def test_a_bad_label_is_refused(self):
        model = tide(columns=NUMBERS)
        x = [1, 1, 1]
        labels = (7, "spam", 0.5, object(), float("inf"), 10**400)
        for y in labels:
            model.predict_one(x)
            with self.subTest(y=y), self.assertRaises(sotto.InvalidArgument):
                model.learn_one(x, y)
            self.assertFalse(model._has_questions())
        self.assertEqual((model.rounds, model.report()["labelled"]), (len(labels), 0))

    def test_a_run_plays_an_empty_round_for_it(self):
        for more in ({}, {"skip_bad": True}, {"public": True}):
            model = tide(columns=NUMBERS, **more)
            rows = list(stream(10)) + [({"a": 1}, 1)] + list(stream(10))
            predictions = model.run(rows).predictions
            self.assertEqual([place for place, one in enumerate(predictions) if one is None], [10])
            self.assertEqual((len(predictions), model.rounds, model.report().get("skipped", 1)), (21, 21, 1))
        self.assertEqual(tide(columns=NUMBERS).fit([[1, 1, 1], ["x"], [1, 1, 1]], [1, 1, "x"]).report()["answered"], 1)

    def test_a_training_set_has_an_empty_row_for_it(self):
        rows, labels = [[i / 40] for i in range(40)], [int(i > 20) for i in range(40)]
        views = []
        for row, label in (([None], None), (["x"], 1), ([1, 2], 0), ([0.5], "x")):
            model = sotto.Stumps(epsilon=3, delta=1e-5, columns=["a"], seed=1, anyway=True)
            model.fit(rows + [row] + rows, labels + [label] + labels)
            views.append([model.predict_one([i / 9]) for i in range(9)] + list(model.predict([["x"], [1, 2], [0.9]])))
            self.assertEqual((model.rounds, views[-1][-3:-1]), (12, [None, None]))
        self.assertEqual(views, views[:1] * 4)

    def test_an_empty_round_has_two_names(self):
        model = tide(columns=NUMBERS, rounds_per_user=2)
        model.empty_round()
        model.tick(user="ann")
        model.empty_round(user="ann")
        self.assertIsNone(model.open([1, 1, 1], user="ann").ticket)
        report = model.report()
        self.assertEqual((model.rounds, report["absent"], report["refused"]), (4, 3, 1))

    def test_errors_quote_nothing_of_a_row_if_all_is_public(self):
        secret = "alice-has-it"
        model = tide(columns=NUMBERS, hash_bits=0)
        with self.assertRaisesRegex(sotto.InvalidArgument, secret):  # the operator's own
            model.predict_one([1, 1, secret])
        model = tide(columns=NUMBERS, hash_bits=0, public=True)
        run = model.run([([1, 1, secret], 1)] + [([1, 1, 1], 1)] * 5)
        self.assertEqual(run.predictions[0], None)
        for shown in (repr(run), run.text(), run.html(), json.dumps(run.report()), repr(model)):
            self.assertNotIn(secret, shown)
        self.assertNotIn("labelled", run.report())


class Views(unittest.TestCase):
    def test_what_anybody_may_see_has_no_exact_counts(self):
        model = tide(columns=NUMBERS)
        model.run(stream(500))
        own, public = model.report(), model.report(public=True)
        self.assertIn("mistakes", own)
        self.assertEqual({"labelled", "answered", "baselines"} & set(public), set())
        self.assertIsNone(public["mistakes"])
        self.assertNotIn("mistakes", repr(model))

    def test_a_seed_marks_everything(self):
        model = tide(columns=NUMBERS)
        self.assertIn("NOT PRIVATE", repr(model))
        for shown in (model.run(stream(200)), model.guarantee, model.open([1, 1, 1]), model.last_run.text()):
            self.assertIn("NOT PRIVATE", str(shown))
        self.assertFalse(model.private)
        self.assertNotIn("NOT PRIVATE", str(tide(seed=None).guarantee))
        fitted = sotto.Stump(epsilon=1, seed=1).fit([[0], [1]], [0, 1]).set_params(seed=None)
        for shown in (fitted, fitted.text_, fitted.guarantee):
            self.assertIn("NOT PRIVATE", str(shown))
        self.assertFalse(fitted.private or fitted.model_["private"])
        self.assertIs(model.hypothesis["private"], False)
        with tempfile.TemporaryDirectory() as folder:
            model.save(pathlib.Path(folder) / "state")
            self.assertIn("NOT PRIVATE", repr(sotto.load(pathlib.Path(folder) / "state", columns=NUMBERS)))
            waits = sotto.load(pathlib.Path(folder) / "state")  # for its first row, which has the columns
            for loaded in (waits, pickle.loads(pickle.dumps(waits))):
                self.assertEqual((loaded.private, loaded.rounds), (False, model.rounds))
                for shown in (loaded, loaded.guarantee):
                    self.assertIn("NOT PRIVATE", str(shown))
                with self.assertRaisesRegex(sotto.FailedPrecondition, "columns"):
                    loaded.hypothesis
            waits.save(pathlib.Path(folder) / "again")
            self.assertEqual(sotto.load(pathlib.Path(folder) / "again", columns=NUMBERS).rounds, model.rounds)
        for shown in (sotto.show(model.hypothesis), sotto.show(fitted.model_), model.report()["guarantee"]["text"],
                      model.last_run.report(public=True)["guarantee"]["text"], fitted._repr_html_()):
            self.assertIn("NOT PRIVATE", shown)
        self.assertNotIn("NOT PRIVATE", sotto.show(sotto.Stump(epsilon=1).fit([[0], [1]], [0, 1]).model_))
        self.assertIn("NOT PRIVATE", repr(pickle.loads(pickle.dumps(model))))

    def test_two_models_have_two_keys(self):
        hypotheses = []
        for _ in range(2):
            model = tide(seed=None, columns=NUMBERS)
            model.run(stream(600))
            hypotheses.append(model.hypothesis)
        self.assertNotEqual(hypotheses[0], hypotheses[1])

    def test_the_guarantee_is_known_before_any_data(self):
        model = tide(columns=NUMBERS)
        before = model.guarantee
        self.assertEqual((before.epsilon, before.delta), (3, 1e-6))
        self.assertIn("3", str(before))
        model.run(stream(10))
        self.assertEqual(model.guarantee, before)

    def test_pages_for_notebooks(self):
        model = tide(columns=NUMBERS)
        ranking = sotto.plan(epsilon=3, delta=1e-6, horizon=10**6)
        for shown in (model.plan(), ranking, pickle.loads(pickle.dumps(ranking)), model.run(stream(500))):
            page = shown._repr_html_()
            self.assertIn("<iframe", page)
            self.assertIn("&lt;svg", page)
            self.assertNotIn("<script", shown.html())
        self.assertIn("tide", str(ranking))
        self.assertIn("#aa3333", model.guarantee._repr_html_())
        self.assertNotIn("#aa3333", tide(seed=None).guarantee._repr_html_())
        self.assertEqual(tide().run([])._repr_html_(), "<Run of TideClassifier: 0 rounds, NOT PRIVATE: seeded>")

    def test_a_bar_of_progress_if_tqdm_is_there(self):
        """A stand-in for tqdm.auto.tqdm: told of every round, and closed whatever happens."""
        calls = []

        class Bar:
            def __init__(self, total=None, unit=None):
                calls.append((total, unit))

            def update(self, rounds):
                calls.append(rounds)

            def close(self):
                calls.append("closed")

        auto = types.ModuleType("tqdm.auto")
        auto.tqdm = Bar
        rows = list(stream(500))
        with unittest.mock.patch.dict(sys.modules, {"tqdm": types.ModuleType("tqdm"), "tqdm.auto": auto}):
            tide(columns=NUMBERS).run(rows, progress=True)
            self.assertEqual((calls[0], sum(calls[1:-1]), calls[-1]), ((None, "round"), 500, "closed"))
            calls.clear()
            tide(columns=NUMBERS).run([list(x.values()) for x, _ in rows], [y for _, y in rows], progress=True)
            self.assertEqual((calls[0], sum(calls[1:-1]), calls[-1]), ((500, "round"), 500, "closed"))
            calls.clear()
            with self.assertRaises(ZeroDivisionError):
                tide(columns=NUMBERS).run((rows[i // (i < 5)] for i in range(9)), progress=True)
            self.assertEqual(calls[-1], "closed")
        with unittest.mock.patch.dict(sys.modules, {"tqdm": None}):  # not installed: no bar
            self.assertEqual(len(tide(columns=NUMBERS).run(rows, progress=True)), 500)

    def test_a_dict_with_other_names_is_no_row_anywhere(self):
        row = {"a": 1, "b": 1, "c": 1, "d": 1}
        for play in (lambda model: model.run([row], [1]), lambda model: model.run(iter([(row, 1)])),
                     lambda model: [model.predict_one(row)]):
            model = leader(skip_bad=True)  # which predict_one needs
            played = play(model)
            self.assertEqual([*getattr(played, "predictions", played)], [None])
            self.assertEqual(model.rounds, 1)

    def test_labels_of_a_run_are_those_of_a_fit(self):
        numpy = __import__("numpy")
        x, y = numpy.ones((4, 3)), numpy.array([[0], [1], [0], [1]])
        model = leader()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.run(x, y)
        self.assertEqual(model.report()["labelled"], 4)
        for wrong in (numpy.array(3), numpy.ones((4, 2))):
            with self.assertRaisesRegex(sotto.InvalidArgument, "1d array"):
                model.run(x, wrong)

    def test_classes_are_those_said_last_before_it_begins(self):
        model = leader(classes=["a", "b"], columns=None)
        with self.assertRaises(sotto.SottoError):
            model.predict_one("nope")
        model.classes = ["c", "d"]
        self.assertIn(model.predict_one([1, 1, 1]), ("c", "d"))

    def test_a_label_that_is_missing_closes_nothing(self):
        opened = leader().open([1, 1, 1])
        for missing in (None, float("nan")):
            opened.close(missing)
            self.assertFalse(opened.closed)
        opened.close(1)
        self.assertTrue(opened.closed)

    def test_a_warning_of_a_useless_run(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tide(horizon=10**7, columns=NUMBERS, delta=1e-2).open([1, 1, 1])
        self.assertTrue(any("delta" in str(one.message) for one in caught))


class States(unittest.TestCase):
    def test_a_pickle_goes_on_as_if_nothing_had_happened(self):
        rows = list(stream(400))
        whole = tide().run(rows).predictions
        model = tide()
        first = model.run(rows[:200]).predictions
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(first + again.run(rows[200:]).predictions, whole)

    def test_a_fit_of_a_loaded_model_never_goes_on_from_its_state(self):
        heard = []

        class Calls(list):
            """A row that calls the model when it ends."""

            def __del__(self):
                if model is not None:
                    heard.append(model.open([1, 1, 1]).ticket)

        first = leader()
        first.run([([1, 1, 1], 1)] * 3)
        model = pickle.loads(pickle.dumps(first))
        self.assertEqual(model.rounds, 3)
        after = [model.open([1, 1, 1]).ticket for _ in range(3)]
        model.predict_one(Calls([1, 1, 1]))
        model.fit([[1, 1, 1]] * 2, [0, 1])
        self.assertEqual(len(heard), 1)
        self.assertNotIn(heard[0], after)
        self.assertIsNone(model._loaded)
        model = None

    def test_a_question_that_waits_is_in_a_pickle(self):
        model = leader(rounds_per_user=5)
        for name in (None, "ann"):
            model.predict_one([1, -1, 1], name)
            model.predict_one([1, 1, 1], name)
        pickled = pickle.dumps(model)
        for name in (None, "ann"):
            again = pickle.loads(pickled)
            with self.assertRaisesRegex(sotto.FailedPrecondition, "another x"):
                again.learn_one([1, 1, -1], 1, name)
        again = pickle.loads(pickled)
        for name in (None, "ann"):
            again.learn_one([1, 1, 1], 1, name)
        self.assertEqual((again.rounds, again.report()["labelled"]), (4, 2))

    def test_a_question_that_waits_is_not_in_a_file_which_says_so(self):
        model = leader()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            model.predict_one([1, 1, 1])
            with self.assertRaisesRegex(UserWarning, "waits for its label"):
                model.save(pathlib.Path(folder) / "state")
            model.learn_one([1, 1, 1], 1)
            model.save(pathlib.Path(folder) / "state")

    def test_what_a_model_at_work_promised_stays(self):
        model = leader()
        model.epsilon = 2
        model.predict_one([1, 1, 1])
        for name in ("epsilon", "rounds_per_user", "seed", "columns"):
            with self.assertRaisesRegex(sotto.FailedPrecondition, "at work"):
                setattr(model, name, 99)
        self.assertIn("epsilon=2", repr(model))

    def test_a_model_at_work_is_not_copied(self):
        model = tide()
        self.assertEqual(copy.deepcopy(model).get_params(), model.get_params())
        model.learn_one({"a": 1, "b": 1, "c": 1}, 1)
        for make in (copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(sotto.FailedPrecondition, "at work"):
                make(model)

    def test_states_that_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "state"
            with self.assertRaises(sotto.Unavailable):
                sotto.load(path)
            path.write_bytes(b"nonsense" * 10)
            with self.assertRaises(sotto.Corruption):
                sotto.load(path)
            model = tide(columns=NUMBERS)
            with self.assertRaises(sotto.FailedPrecondition):
                model.save(path)
            model.run(stream(10))
            model.save(path)
            with self.assertRaisesRegex(sotto.InvalidArgument, "state of tide"):
                sotto.Pop.load(path)
            with self.assertRaises(sotto.InvalidArgument):
                sotto.load(path, columns=["a", "b"])


class Keywords(unittest.TestCase):
    def test_they_are_those_of_the_tables(self):
        for made in (getattr(sotto, name) for name in sotto.models.__all__ if name != "PrivateDecisionList"):
            with self.subTest(model=made.__name__):
                self.assertIn("epsilon", made.__doc__)
                for args, given, words in (((), {}, "missing the keyword argument"), ((1,), {}, "keywords only"),
                                           ((), {"epsilon": 1, "nonsense": 2}, "argument 'nonsense'"),
                                           ((), {"epsilom": 1}, "did you mean 'epsilon'")):
                    with self.assertRaisesRegex(TypeError, rf"{made.__name__}(Classifier)?\(\) .*{words}"):
                        made(*args, **given)
                self.assertNotRegex(made.__doc__, "--[a-z]")
                self.assertRegex(made.__doc__, r"\nParameters\n----------\nepsilon : float\n    \w")
                self.assertTrue(all(len(line) <= 100 for line in made.__doc__.splitlines()))

    def test_older_names_are_aliases(self):
        for short, name in (("Leader", "PrivateRuleLearner"), ("Pop", "PrivateEnsemble"), ("Winnow", "PrivateWinnow"),
                            ("Points", "PointPredictor"), ("Tree", "PrivateDecisionTree"),
                            ("Stump", "PrivateDecisionStump"), ("Finite", "PrivateFiniteClass")):
            self.assertIs(getattr(sotto, short), getattr(sotto, name))
        exported = {}
        exec("from sotto import *", exported)
        self.assertIn("TideClassifier", exported)
        self.assertFalse({"List", "Tree", "Rank", "Zone", "Account", "Mirror"} & set(exported))
        self.assertIs(sotto.theory.PrivateLittlestone, sotto.Littlestone)
        self.assertIs(sotto.everlasting.Stumps, sotto.Stumps)
        self.assertEqual([type(sotto.PrivateDecisionList(epsilon=1, delta=1e-6, method=method)).__name__
                          for method in ("cover", "list")], ["GreedyCover", "List"])

    def test_older_keywords_are_aliases(self):
        old = sotto.Pop(epsilon=1, delta=1e-6, anyway=True, learner="perceptron", noise=0.1, random_state=3)
        new = sotto.PrivateEnsemble(epsilon=1, delta=1e-6, force=True, base_learner="perceptron", label_noise=0.1,
                                    seed=3)
        self.assertEqual(old.get_params(), new.get_params())
        self.assertEqual((old.anyway, old.learner, old.random_state, new.noise), (True, "perceptron", 3, 0.1))
        self.assertFalse({"anyway", "learner", "noise", "random_state"} & set(new.get_params()))
        old.set_params(random_state=5)
        self.assertEqual(old.seed, 5)
        self.assertFalse(old.private)
        with self.assertRaisesRegex(TypeError, "twice"):
            sotto.Tide(epsilon=1, seed=1, random_state=2)
        self.assertEqual(sotto.plan(epsilon=1, horizon=1000, noise=0.1), sotto.plan(epsilon=1, horizon=1000,
                                                                                    label_noise=0.1))

    def test_refusals_have_the_words_of_the_command_line_and_keywords_for_flags(self):
        for keywords, words in (({"epsilon": -1}, "^epsilon must be greater than 0, got '-1'"),
                                ({"epsilon": float("nan")}, "^epsilon must be greater than 0, got 'nan'"),
                                ({"epsilon": "x"}, "^epsilon must be a number, got 'x'"),
                                ({"epsilon": 1, "delta": 2}, "^delta must be between 0 and 0.5, got '2'"),
                                ({"epsilon": 1, "relation": "swap"},
                                 "^relation must be one of replace, add-remove, got 'swap'"),
                                ({"epsilon": 1, "horizon": 0.5},
                                 "^horizon must be an integer such as 1000 or 1e3, got '0.5'"),
                                ({"epsilon": None}, "epsilon"),
                                ({"epsilon": 1, "rounds_per_user": 0}, "^rounds_per_user must be at least 1, got '0'")):
            with self.subTest(keywords=keywords), self.assertRaisesRegex(sotto.InvalidArgument, words):
                sotto.Tide(**keywords).open([1.0])

    def test_what_is_no_argument_is_named(self):
        for call, words in ((lambda: leader().fit(None, None), "^X: "), (lambda: leader().fit([[1, 1, 1]], 5), "^y: "),
                            (lambda: leader(columns=5).open([1]), "^columns: "),
                            (lambda: leader(columns=5).run([[1]], [1]), "^columns: "),
                            (lambda: leader().fit([[1, 1, 1]], [1], user=5), "^user: "),
                            (lambda: leader().run(5), "^stream: "), (lambda: leader().run(None), "^stream: "),
                            (lambda: sotto.Stump(epsilon=1).fit("abc", [1]), "^X: ")):
            with self.assertRaisesRegex(sotto.InvalidArgument, words):
                call()
        for base in (sotto.OnlineModel, sotto.BatchModel):
            with self.assertRaisesRegex(TypeError, "make one of them"):
                base(epsilon=1)

    def test_a_run_of_nothing(self):
        self.assertEqual(len(tide().run([])), 0)
        self.assertEqual(len(tide(columns=NUMBERS).run(iter(()))), 0)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
