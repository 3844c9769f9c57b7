"""Two worlds that differ in what one user does: everybody else hears and sees the same.

The verbs of a stream are played in all ways in which one user can use them or misuse them,
beside others who come before and after; what reaches the session of the others is recorded by
a learner. `Careless` and `Patient` are how one would write learn_one without thinking of that;
both are refuted.
"""
import functools
import itertools
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


class Twin:
    """A model whose learn_one does something else with questions that wait for their labels."""

    def __init__(self):
        self.model, self.asked = model(), {}

    def __getattr__(self, name):
        return getattr(self.model, name)

    def predict_one(self, x, user=None):
        self.asked[user] = x
        return self.model.predict_one(x, user)


class Careless(Twin):
    """Takes a row that is not the one asked about for a new round: River's habit."""

    def learn_one(self, x, y, user=None):
        if x != self.asked.get(user):
            self.model.tick()
            return
        self.model.learn_one(x, y, user)


class Patient(Twin):
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
            hear(lambda: made.learn_one(x, 0, name))  # a round of its own
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

    def test_twins_are_refuted(self):
        for twin in (Careless, Patient):
            self.assertNotEqual(self.compare(twin), [], twin.__name__)


class Tables(unittest.TestCase):
    """One row of a table, whatever it is, with skip_bad: all else is as if nobody had come."""

    @staticmethod
    def view(rows, labels, names, place):
        made = sotto.Leader(epsilon=0.1, seed=1, columns=COLUMNS, hash_bits=0, horizon=100_000, anyway=True,
                            skip_bad=True, rounds_per_user=2)
        told = made.run(rows, labels, names).predictions
        return told[:place] + told[place + 1:], made.rounds, made.hypothesis, made.report(public=True)

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


class Types(unittest.TestCase):
    """One value may decide of which type a column is, and must not decide what others' mean."""

    SCHEMA = {"columns": [{"name": "a", "type": "category", "values": ["true", "false", "1", "2", "100000"]},
                          {"name": "b", "type": "number", "range": [0, 9]}]}

    @staticmethod
    def frames(values, last):
        """The values with one more, in all types of columns that could hold them."""
        pandas = __import__("pandas")
        for dtype in (None, object, "category", "boolean" if values[0] is True else "Float64"):
            try:
                a = pandas.Series(values + [last], dtype=dtype)
            except (TypeError, ValueError):
                continue
            yield pandas.DataFrame({"a": a, "b": [1.0] * len(a)})

    def others(self, frame):
        made = sotto.Leader(epsilon=0.1, seed=1, schema=self.SCHEMA, horizon=100_000, anyway=True, skip_bad=True)
        told = made.run(frame, [None] * len(frame)).predictions
        return told[:-1], made.rounds

    def test_of_features_say_nothing_of_other_rows(self):
        for values in ([True, False, True], [1, 2, 1], [1.0, 2.0, 1.0], [100000, 1, 2]):
            for last in (values[0], None, 2.5, "x", "\ud800", 1j, float("nan"), object()):
                for frame in self.frames(values, last):
                    with self.subTest(values=values, last=last, dtype=frame["a"].dtype):
                        self.assertEqual(self.others(frame), ([0, 0, 0], 4))

    def test_of_arrays_say_nothing_either(self):
        numpy = __import__("numpy")
        for values in ([True, False, True], [1, 2, 1], [1.0, 2.0, 1.0], [100000, 1, 2]):
            for last in (values[0], 2, 2.5, None, "x", 1j):
                if values[0] is True and last == "x":
                    continue  # NumPy's texts of True and False are texts
                made = sotto.Leader(epsilon=0.1, seed=1, schema={"columns": [
                    {"name": "a", "type": "category", "values": ["true", "false", "1", "2", "100000"]}]},
                    horizon=100_000, anyway=True, skip_bad=True)
                with self.subTest(values=values, last=last):
                    told = made.run(numpy.array(values + [last]).reshape(-1, 1), [None] * 4)
                    self.assertEqual(told.predictions[:3], [0, 0, 0])

    def test_of_labels_say_nothing_of_other_rows(self):
        for last in (True, None, 2.5, "x", "\ud800", 1j):
            for frame in self.frames([True, False, True], last):
                made = sotto.Leader(epsilon=0.1, seed=1, labels="false,true", columns=["b"], horizon=100_000, anyway=True,
                                    skip_bad=True)
                made.run(frame[["b"]], frame["a"])
                with self.subTest(last=last, dtype=frame["a"].dtype):
                    self.assertEqual((made.rounds, made.report()["labelled"]), (4, 4 if last is True else 3))

    def test_of_which_nothing_can_be_used_are_empty_rows(self):
        numpy = __import__("numpy")
        for column in ([1, 2j], numpy.array(["2020-01-01", "NaT"], "M8[s]"), numpy.array([1, 2], "m8[s]")):
            rows = numpy.array(column).reshape(-1, 1)
            for play in ("run", "fit", "partial_fit"):
                made = sotto.Leader(epsilon=0.1, seed=1, columns=["a"], horizon=100_000, anyway=True, skip_bad=True)
                getattr(made, play)(rows, [0, 1])
                self.assertEqual(made.rounds, 2)

    def test_are_the_same_to_batch_models(self):
        pandas = __import__("pandas")
        labels = [0, 1] * 200
        told = []
        for dtype in (bool, object, "boolean", "category"):
            made = sotto.Tree(epsilon=5, seed=3, schema={"columns": [
                {"name": "a", "type": "category", "values": ["True", "False"]}]}, depth=1)
            made.fit(pandas.DataFrame({"a": pandas.Series([False, True] * 200, dtype=dtype)}), labels)
            told.append(made.model_)
        self.assertEqual(told, [told[0]] * len(told))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
