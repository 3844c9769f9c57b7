"""Two worlds that differ in what one user does: everybody else hears and sees the same.

The verbs of a stream are played in all ways in which one user can use them or misuse them,
beside others who come before and after. `Careless` is how one would write learn_one without
thinking of that; it is refuted.
"""
import itertools
import sys
import unittest

import sotto

COLUMNS = ["a", "b"]
GOOD, OTHER, BAD = [1, 0], [0, 1], ["nonsense", None]


def model():
    """Its answers do not depend on labels before the first fit: what can differ is the verbs."""
    return sotto.Leader(epsilon=0.1, seed=1, columns=COLUMNS, hash_bits=0, horizon=100_000, anyway=True)


class Careless:
    """Takes a row that is not the one asked about for a new round: River's habit."""

    def __init__(self):
        self.model, self.asked = model(), None

    def __getattr__(self, name):
        return getattr(self.model, name)

    def predict_one(self, x, user=None):
        self.asked = x
        return self.model.predict_one(x, user)

    def learn_one(self, x, y, user=None):
        if x != self.asked:
            self.model.tick()
            return
        self.model.learn_one(x, y, user)


def quietly(action):
    """What a call tells everybody but its own user: nothing, whether it raises or not."""
    try:
        return action()
    except sotto.SottoError:
        return None


def asked(stream, x, user):
    """A user who is asked about and gives, or does not give, a label: one tick."""
    for label in (None, 0, 1, "nonsense"):
        for labelled in (x, OTHER):
            def act(label=label, labelled=labelled):
                quietly(lambda: stream().predict_one(x, user))
                if label is not None:
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

    def others(names):
        for name in names:
            x = [1, 1] if name == "ann" else [0, 0]
            seen.append(made.predict_one(x, name))
            made.learn_one(x, 1, name)
            seen.append(made.open(x).close(0))

    others(["ann", None])
    action = next(itertools.islice(ways(lambda: made, user), way, None))
    action()
    others(["bob", None])
    seen.append((made.rounds, made.halted, made.hypothesis, made.report(public=True)))
    return seen


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

    def test_a_careless_twin_is_refuted(self):
        self.assertNotEqual(self.compare(Careless), [])


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
        for row in (GOOD, BAD, None, [1], [1, 2, 3], {"a": 1}, {"a": 1, "b": 0}, "ab", 7, object(), [object(), "\ud800"]):
            for label in (0, None, "nonsense", object()):
                with self.subTest(row=row, label=label):
                    self.assertEqual(self.worlds(row, label), nobody)

    def test_a_twin_that_leaves_such_rows_out_is_refuted(self):
        self.assertNotEqual(self.worlds(BAD, 0, leave_out=True), self.worlds(None, None))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
