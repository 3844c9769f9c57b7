"""Two worlds that differ in what one user does: everybody else hears and sees the same.

The verbs of a stream are played in all ways in which one user can use them or misuse them,
beside others who come before and after; what reaches the session of the others is recorded by
a learner. `Careless` and `Patient` are how one would write learn_one without thinking of that;
both are refuted.
"""
import functools
import itertools
import json
import pickle
import sys
import unittest

import sotto

COLUMNS = ["a", "b"]
GOOD, OTHER, BAD = [1, 0], [0, 1], ["nonsense", None]


LESSONS = []  # of all copies


class Records:
    """A learner whose answers depend on nothing: what can differ is what it is taught."""

    def predict_one(self, x):
        return 1

    def learn_one(self, x, y):
        LESSONS.append(([x["a"], x["b"]], y))


@functools.cache
def begun():
    made = sotto.Pop(learner=Records(), epsilon=16, delta=0.4, copies=15, gap=2, reports=8, stopper=1, noise_scale=1.5,
                     active_share=0.5, seed=7, columns=COLUMNS, hash_bits=0, anyway=True)
    made._begin(None)
    return pickle.dumps(made)


def model():
    """Planning takes time: all go on from one that has begun."""
    return pickle.loads(begun())


class BrokenVariant:
    """A model whose learn_one does something else with questions that wait for their labels."""

    def __init__(self):
        self.model, self.asked = model(), {}

    def __getattr__(self, name):
        return getattr(self.model, name)

    def predict_one(self, x, user=None):
        self.asked[user] = x
        return self.model.predict_one(x, user)


class Careless(BrokenVariant):
    """Takes a row that is not the one asked about for a new round: River's habit."""

    def learn_one(self, x, y, user=None):
        if x != self.asked.get(user):
            self.model.tick()
            return
        self.model.learn_one(x, y, user)


class Patient(BrokenVariant):
    """Lets a question wait on if what comes is no label of its row: kind, and seen by whoever
    comes next."""

    def learn_one(self, x, y, user=None):
        if user in self.asked and (x != self.asked[user] or y not in (0, 1, None)):
            raise sotto.InvalidArgument("no label of that row")
        self.asked.pop(user, None)
        self.model.learn_one(x, y, user)


def quietly(action):
    """What a call tells everybody but its own user: nothing, whether it raises or not."""
    try:
        return action()
    except sotto.SottoError:
        return None


def asked(stream, x, user):
    """A user who is asked about and gives, or does not give, a label: one tick. Without a name
    learn_one is called all the same: it tells whose question is over."""
    for label in (None, 0, 1, "nonsense"):
        for labelled in (x, OTHER):
            def act(label=label, labelled=labelled):
                quietly(lambda: stream().predict_one(x, user))
                if label is not None or user is None:
                    quietly(lambda: stream().learn_one(labelled, label, user))
            yield act

            def late(label=label):
                opened = quietly(lambda: stream().open(x, user))
                if opened is not None and label is not None:
                    quietly(lambda: opened.close(label))
            yield late


def ways(stream, user):
    """All that one user can do in one tick."""
    yield lambda: stream().tick(user)
    for x in (GOOD, BAD, [1, 2, 3], None):
        yield from asked(stream, x, user)
        for label in (0, 1, "nonsense", None):
            yield lambda x=x, label=label: quietly(lambda: stream().learn_one(x, label, user))


def view(make, way, user):
    """What the others hear, and what is public, if one user does that."""
    made = make()
    seen = []
    LESSONS.clear()

    def hear(action):
        try:
            seen.append(action())
        except sotto.SottoError as refused:
            seen.append(str(refused))

    def others(names):
        for name in names:
            x = [1, 1] if name == "ann" else [0, 0]
            hear(lambda: made.learn_one(x, 0, name))  # a separate round
            hear(lambda: made.predict_one(x, name))
            hear(lambda: made.learn_one(x, 1, name))
            hear(lambda: made.open(x).close(0))

    others(["ann", None])
    action = next(itertools.islice(ways(lambda: made, user), way, None))
    action()
    others([None, "bob"])
    seen.append((made.rounds, made.halted, made.hypothesis, made.report(public=True)))
    return seen, [lesson for lesson in LESSONS if lesson[0] in ([1, 1], [0, 0])]


class Worlds(unittest.TestCase):
    def compare(self, make):
        """The ways in which what others see is not as if nobody had come."""
        differ = []
        for user in (None, "victim"):
            count = sum(1 for _ in ways(lambda: None, user))
            nobody = view(make, 0, user)
            differ += [(user, way) for way in range(count) if view(make, way, user) != nobody]
        return differ

    def test_nobody_else_sees_what_a_user_does(self):
        self.assertEqual(self.compare(model), [])

    def test_what_others_say_is_learned(self):
        lessons = view(model, 0, None)[1]
        self.assertEqual({y for _, y in lessons}, {False, True})
        self.assertGreaterEqual(len(lessons), 8)

    def test_broken_variants_are_refuted(self):
        for variant in (Careless, Patient):
            self.assertNotEqual(self.compare(variant), [], variant.__name__)


class Tables(unittest.TestCase):
    """One row of a table, whatever it is: all else is as if nobody had come."""

    @staticmethod
    def view(rows, labels, names, place):
        made = sotto.Leader(epsilon=0.1, seed=1, columns=COLUMNS, hash_bits=0, horizon=100_000, anyway=True,
                            rounds_per_user=2)
        predictions = made.run(rows, labels, names).predictions
        return predictions[:place] + predictions[place + 1:], made.rounds, made.hypothesis, made.report(public=True)

    def worlds(self, row, label, leave_out=False):
        rows, labels, names = [GOOD, OTHER] * 4, [1, 0] * 4, ["ann", "bob", "eve", None] * 2
        rows[3:4], labels[3:4], names[3:4] = ([], [], []) if leave_out else ([row], [label], ["ann"])
        return self.view(rows, labels, names, 3)

    def test_nobody_else_sees_what_a_row_holds(self):
        nobody = self.worlds(None, None)
        for row in (GOOD, BAD, None, [1], [1, 2, 3], {"a": 1}, {"a": 1, "b": 0}, {"a": 1, "b": 0, "c": 0}, "ab", 7,
                    object(), [object(), "\ud800"]):
            for label in (0, None, "nonsense", object()):
                with self.subTest(row=row, label=label):
                    self.assertEqual(self.worlds(row, label), nobody)

    def test_a_twin_that_leaves_such_rows_out_is_refuted(self):
        self.assertNotEqual(self.worlds(BAD, 0, leave_out=True), self.worlds(None, None))


ASKED = []


class Asked(Records):
    """Tells what a row is to the model."""

    def predict_one(self, x):
        ASKED.append(x)
        return 1

    def learn_one(self, x, y):
        ASKED.append(y)


class Types(unittest.TestCase):
    """One value may decide of which type a column is, and must not decide what others' mean."""

    SCHEMA = {"columns": [{"name": "a", "type": "category", "values": ["true", "false", "1", "2", "100000"]}]}
    VALUES = [True, False, True], [1, 2, 1], [1.0, 2.0, 1.0], [100000, 1, 2]
    OTHERS = None, 2, 2.5, "x", b"x", "\ud800", 1j, float("nan"), object()

    @staticmethod
    @functools.cache
    def begun(**more):
        made = sotto.Pop(learner=Asked(), epsilon=16, delta=0.4, copies=15, gap=2, reports=8, stopper=1, noise_scale=1.5,
                         active_share=0.5, seed=7, anyway=True,
                         **{name: json.loads(text) for name, text in more.items()})
        made._begin(None)
        return pickle.dumps(made)

    def reached(self, rows, y, **more):
        """What the model is asked and taught of the first three of four rows, whose columns
        have the types of all four."""
        made = pickle.loads(self.begun(**{name: json.dumps(value) for name, value in more.items()}))
        ASKED.clear()
        made.run(rows[:3], y[:3])
        return list(ASKED)

    @staticmethod
    def frames(values, last):
        """The values with one more, in all types of columns that could hold them."""
        pandas = __import__("pandas")
        for dtype in (None, object, "category", "boolean" if values[0] is True else "Float64"):
            try:
                yield pandas.Series(values + [last], dtype=dtype)
            except (TypeError, ValueError):
                continue

    @staticmethod
    def arrays(values, last):
        numpy = __import__("numpy")
        try:
            yield numpy.array(values + [last])
        except UnicodeEncodeError:  # NumPy has no such texts
            pass

    def test_of_features_say_nothing_of_other_rows(self):
        for values in self.VALUES:
            expected = self.reached([[value] for value in values], [None] * 4, schema=self.SCHEMA)
            self.assertEqual(len(expected), 3)
            for last in self.OTHERS:
                for column in (*self.frames(values, last), *self.arrays(values, last)):
                    rows = column.to_frame("a") if hasattr(column, "to_frame") else column.reshape(-1, 1)
                    with self.subTest(values=values, last=last, dtype=column.dtype):
                        self.assertEqual(self.reached(rows, [None] * 4, schema=self.SCHEMA), expected)

    def test_of_labels_say_nothing_of_other_rows(self):
        for values, more in (([True, False, True], {"labels": "false,true"}), ([True, False, True], {"classes": [0, 1]}),
                             ([0, 1, 1], {"classes": [0, 1]}), ([0, 1, 1], {}), ([-1.0, 1.0, 1.0], {"classes": [-1, 1]}),
                             ([0, 1, 1], {"classes": ["0", "1"]})):
            more = {"columns": ["b"], **more}
            rows = [[1], [2], [3], [4]]
            expected = self.reached(rows, values + [values[0]], **more)
            self.assertGreater(len(expected), 3)  # some are taught
            for last in self.OTHERS:
                for column in (*self.frames(values, last), *self.arrays(values, last)):
                    with self.subTest(values=values, last=last, dtype=column.dtype, more=more):
                        self.assertEqual(self.reached(rows, column, **more), expected)

    def test_of_which_nothing_can_be_used_are_empty_rows(self):
        numpy = __import__("numpy")
        for column in ([1j, 2j], numpy.array(["2020-01-01", "NaT"], "M8[s]"), numpy.array([1, 2], "m8[s]")):
            rows = numpy.array(column).reshape(-1, 1)
            for play in ("run", "fit", "partial_fit"):
                made = sotto.Leader(epsilon=0.1, seed=1, columns=["a"], horizon=100_000, anyway=True)
                getattr(made, play)(rows, [0, 1])
                self.assertEqual(made.rounds, 2)

    def test_are_the_same_to_batch_models(self):
        pandas = __import__("pandas")
        labels = [0, 1] * 200
        models = []
        for dtype in (bool, object, "boolean", "category"):
            made = sotto.Tree(epsilon=5, seed=3, schema={"columns": [
                {"name": "a", "type": "category", "values": ["True", "False"]}]}, depth=1)
            made.fit(pandas.DataFrame({"a": pandas.Series([False, True] * 200, dtype=dtype)}), labels)
            models.append(made.model_)
        self.assertEqual(models, [models[0]] * len(models))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
