"""Users one at a time: River's verbs, rounds that are closed later, states, what is shown to whom."""
import copy
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
            told = model.predict_proba_one(x)
            self.assertAlmostEqual(sum(told.values()), 1)
            model.learn_one(x, y)
        self.assertGreater(model.predict_proba_one({"a": 1, "b": 1, "c": 1})[1], 0.5)

    def test_a_model_without_probabilities_says_so(self):
        model = sotto.Leader(epsilon=1, columns=["a"], horizon=1000, anyway=True)
        with self.assertRaisesRegex(sotto.FailedPrecondition, "no probabilities"):
            model.predict_proba_one([1])

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
        model = tide()
        model.predict_one({"a": 1, "b": 1, "c": 1})
        with self.assertRaisesRegex(sotto.FailedPrecondition, "another x"):
            model.learn_one({"a": -1, "b": 1, "c": 1}, 1)
        self.assertEqual(model.rounds, 1)
        model.learn_one({"a": 1, "b": 1, "c": 1}, 1)
        self.assertEqual(model.report()["labelled"], 1)

    def test_names_of_users_tell_whose_label_it_is(self):
        model = tide(rounds_per_user=2)
        for name in ("ann", "bob"):
            model.predict_one({"a": 1, "b": 1, "c": 1}, user=name)
        model.learn_one({"a": 1, "b": 1, "c": 1}, 1, user="ann")
        model.learn_one({"a": 1, "b": 1, "c": 1}, 0, user="bob")
        self.assertEqual((model.rounds, model.report()["labelled"]), (2, 2))

    def test_a_user_without_rounds_is_told_nothing(self):
        model = tide()
        x = {"a": 1, "b": 1, "c": 1}
        self.assertIsNotNone(model.predict_one(x, "ann"))
        model.learn_one(x, 1, "ann")
        self.assertIsNone(model.predict_one(x, "ann"))
        model.learn_one(x, 1, "ann")
        self.assertEqual(model.rounds, 2)


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
        told = []
        for x, y in rows:
            told.append(asked.predict_one(x))
            asked.learn_one(x, y)
        opened = [asked.open(x) for x, _ in rows[:20]]
        first = played.run(rows).predictions
        self.assertEqual(first, told)
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
                    self.assertIsNone(model.predict_one(x))  # a row of nothing is nobody
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
        model, told = tide(columns=NUMBERS, hash_bits=0, public=False), []
        for number, (x, y) in enumerate(stream(300)):
            if number == 100:
                try:
                    model.tick() if bad is None else model.predict_one(bad)
                except sotto.InvalidArgument:
                    pass
                if bad is not None:
                    model.learn_one(bad, 1)
                continue
            told.append(model.predict_one(x))
            model.learn_one(x, y)
        return told, model.rounds, model.report(public=True)

    def test_skip_bad_makes_no_exception(self):
        model = tide(columns=NUMBERS, skip_bad=True)
        self.assertIsNone(model.predict_one([1]))
        self.assertEqual(model.rounds, 1)

    def test_a_bad_label_is_refused(self):
        model = tide(columns=NUMBERS)
        x = [1, 1, 1]
        model.predict_one(x)
        for y in (7, "spam", 0.5, object(), float("inf"), 10**400):
            with self.subTest(y=y), self.assertRaises(sotto.InvalidArgument):
                model.learn_one(x, y)
        model.learn_one(x, None)
        self.assertEqual(model.rounds, 1)

    def test_a_run_ends_at_a_bad_row_and_keeps_what_was_played(self):
        model = tide(columns=NUMBERS)
        rows = list(stream(10)) + [({"a": 1}, 1)] + list(stream(10))
        with self.assertRaisesRegex(sotto.InvalidArgument, "row 10"):
            model.run(rows)
        self.assertEqual(len(model.last_run.predictions), 10)
        self.assertEqual(model.rounds, 10)

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
        self.assertIn("NOT PRIVATE", repr(pickle.loads(pickle.dumps(model))))

    def test_two_models_have_two_keys(self):
        told = []
        for _ in range(2):
            model = tide(seed=None, columns=NUMBERS)
            model.run(stream(600))
            told.append(model.hypothesis)
        self.assertNotEqual(told[0], told[1])

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
        self.assertEqual(tide().run([])._repr_html_(), "<Run of Tide: 0 rounds, NOT PRIVATE: seeded>")

    def test_a_bar_of_progress_if_tqdm_is_there(self):
        """A stand-in for tqdm.auto.tqdm: told of every round, and closed whatever happens."""
        told = []

        class Bar:
            def __init__(self, total=None, unit=None):
                told.append((total, unit))

            def update(self, rounds):
                told.append(rounds)

            def close(self):
                told.append("closed")

        auto = types.ModuleType("tqdm.auto")
        auto.tqdm = Bar
        rows = list(stream(500))
        with unittest.mock.patch.dict(sys.modules, {"tqdm": types.ModuleType("tqdm"), "tqdm.auto": auto}):
            tide(columns=NUMBERS).run(rows, progress=True)
            self.assertEqual((told[0], sum(told[1:-1]), told[-1]), ((None, "round"), 500, "closed"))
            told.clear()
            tide(columns=NUMBERS).run([list(x.values()) for x, _ in rows], [y for _, y in rows], progress=True)
            self.assertEqual((told[0], sum(told[1:-1]), told[-1]), ((500, "round"), 500, "closed"))
            told.clear()
            with self.assertRaises(sotto.InvalidArgument):
                tide(columns=NUMBERS).run(rows[:5] + [({}, 7)], progress=True)
            self.assertEqual(told[-1], "closed")
        with unittest.mock.patch.dict(sys.modules, {"tqdm": None}):  # not installed: no bar
            self.assertEqual(len(tide(columns=NUMBERS).run(rows, progress=True)), 500)

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
        for made in (getattr(sotto, name) for name in sotto.models.__all__):
            with self.subTest(model=made.__name__):
                self.assertIn("epsilon", made.__doc__)
                for args, given, words in (((), {}, "missing the keyword argument"), ((1,), {}, "keywords only"),
                                           ((), {"epsilon": 1, "nonsense": 2}, "argument 'nonsense'"),
                                           ((), {"epsilom": 1}, "did you mean 'epsilon'")):
                    with self.assertRaisesRegex(TypeError, rf"{made.__name__}\(\) .*{words}"):
                        made(*args, **given)
                self.assertNotIn("--", made.__doc__)

    def test_refusals_have_the_words_of_the_command_line(self):
        for keywords, words in (({"epsilon": -1}, "--epsilon '-1': expected above 0"),
                                ({"epsilon": float("nan")}, "--epsilon 'nan'"),
                                ({"epsilon": "x"}, "--epsilon 'x'"),
                                ({"epsilon": 1, "delta": 2}, "--delta '2'"),
                                ({"epsilon": 1, "relation": "swap"}, "--relation 'swap'"),
                                ({"epsilon": 1, "horizon": 0.5}, "--horizon '0.5'"),
                                ({"epsilon": None}, "--epsilon")):
            with self.subTest(keywords=keywords), self.assertRaisesRegex(sotto.InvalidArgument, words):
                sotto.Tide(**keywords).open([1.0])

    def test_a_run_of_nothing(self):
        self.assertEqual(len(tide().run([])), 0)
        self.assertEqual(len(tide(columns=NUMBERS).run(iter(()))), 0)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
