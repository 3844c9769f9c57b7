"""Users of tables in fit(X, y, user=...): the first rows of a name count, later ones are empty."""
import sys
import unittest

import numpy
import pandas

import sotto

COUNT = 60
OTHERS = [[0.1 + 0.8 * (i * 37 % COUNT) / COUNT] for i in range(COUNT)]
LABELS = [int(x[0] >= 0.5) for x in OTHERS]
NAMES = [f"v{i}" for i in range(COUNT)]
OWN = [[0.1]] * 200


def stump(**more):
    return sotto.Stump(epsilon=1, seed=3, **more)


def fitted(own=OWN, names=None, model=stump, **more):
    """What is published with rows of one user behind those of others."""
    names = ["u"] * len(own) if names is None else names
    made = model(**more)
    made.fit(OTHERS + own, LABELS + [1] * len(own), user=NAMES + names)
    return made.model_


def cover(**more):
    return sotto.GreedyCover(epsilon=1, delta=1e-6, rules=3, seed=3, **more)


class UsersTest(unittest.TestCase):
    def test_later_rows_of_a_user_are_empty_places(self):
        for model in (stump, cover):
            for limit in (1, 3):
                some = {"rounds_per_user": limit, "skip_bad": True, "model": model}
                blanked = fitted(OWN[:limit] + [None] * (200 - limit), **some)
                self.assertEqual(fitted(**some), blanked)
                self.assertNotEqual(fitted(**some), fitted(names=[None] * 200, **some))

    def test_a_row_that_cannot_be_used_uses_up_a_place(self):
        blank = fitted([None] * 200, skip_bad=True)
        for bad in (["x"], [None], [1, 2], [float("nan")], ["a\nb"], None, [object()]):
            self.assertEqual(fitted([bad] + OWN[1:], skip_bad=True), blank, bad)

    def test_a_name_beyond_the_limit_of_every_format_is_an_empty_place(self):
        some = {"rounds_per_user": 200, "skip_bad": True}
        self.assertEqual(fitted(names=["n" * 1024] * 200, **some), fitted(**some))
        blank = fitted([None] * 200, **some)
        self.assertEqual(fitted(names=["n" * 1025] * 200, **some), blank)
        self.assertNotEqual(fitted(**some), blank)

    def test_names_are_of_any_kind_and_stay_apart(self):
        usual = fitted()
        for name in ("a,b", 'a"b', "a\nb", "0", 7, True, 2.5):
            self.assertEqual(fitted(names=[name] * 200), usual, name)
        two = fitted(names=["a", " b"] * 100, skip_bad=True)
        self.assertEqual(two, fitted(OWN[:2] + [None] * 198, ["a", "b"] + [None] * 198, skip_bad=True))
        # A row whose name is neither text nor number is a bad row: an empty place.
        self.assertEqual(fitted(names=[object()] * 200), fitted([None] * 200, [None] * 200))
        with self.assertRaises(sotto.InvalidArgument):
            stump().fit(OTHERS, LABELS, user=["u"])
        with self.assertRaises(sotto.InvalidArgument):
            stump().fit(OTHERS, LABELS, user="who")

    def test_may_be_a_column_and_is_no_feature(self):
        rows, labels, names = OTHERS + OWN, LABELS + [1] * 200, NAMES + ["u"] * 200
        usual = stump().fit(pandas.DataFrame(rows, columns=["a"]), labels, user=pandas.Series(names))
        for column, said in (("user", None), ("user", "user"), ("who", "who")):
            frame = pandas.DataFrame(rows, columns=["a"])
            frame[column] = names
            model = stump().fit(frame, labels, user=said)
            self.assertEqual(model.model_, usual.model_)
            self.assertEqual(model.n_features_in_, 1)
            self.assertEqual(list(model.predict(frame)), list(usual.predict(frame[["a"]])))
        dicts = [{"a": row[0], "user": name} for row, name in zip(rows, names)]
        model = stump().fit(dicts, labels)
        self.assertEqual(model.model_, usual.model_)
        self.assertEqual(list(model.predict(dicts)), list(usual.predict(frame[["a"]])))
        array = stump().fit(numpy.array(rows), labels, user=numpy.array(names))
        self.assertEqual(list(array.predict(numpy.array(rows))), list(usual.predict(frame[["a"]])))

    def test_a_column_of_users_is_a_feature_if_another_one_names_them(self):
        frame = pandas.DataFrame({"user": [row[0] for row in OTHERS]})
        model = stump().fit(frame, LABELS, user=NAMES)
        self.assertEqual(list(model.feature_names_in_), ["user"])
        self.assertEqual(len(model.predict(frame)), COUNT)
        both = pandas.DataFrame({"user": frame["user"], "user_": frame["user"]})
        self.assertEqual(len(stump(label="user__").fit(both, LABELS, user=NAMES).predict(both)), COUNT)


if __name__ == "__main__":
    sys.argv.pop(1)  # the program, which these tests do not need
    unittest.main()
