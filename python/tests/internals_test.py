"""No call of the extension crashes: objects that no constructor made, odd arguments, odd arrays.

Each call runs in a forked child, which must end by itself.
"""
import contextlib
import copy
import faulthandler
import inspect
import os
import pickle
import signal
import sys
import tempfile
import unittest
import warnings

import numpy

import sotto
from sotto import _core

FOLDER = tempfile.TemporaryDirectory()  # for what a call writes
CLASSES = {name: made for name, made in vars(_core).items()
           if inspect.isclass(made) and not issubclass(made, BaseException)}
FUNCTIONS = {name: made for name, made in vars(_core).items() if inspect.isbuiltin(made)}


class Nothing:
    """Is nothing that anyone expects."""


ODD = [(), (None,), (Nothing(),), ([],), ([None],), ("x",), (-1,), (1e308,), (b"\0",), ([("epsilon", "1")],),
       (None, None), ("tide", []), ([[1]], [1]), ({}, 1), (None,) * 3, (None,) * 4, (None,) * 5, (0,) * 5, ([],) * 5,
       (None,) * 9]
OLD = Nothing()

ARRAYS = {
    "datetime64": numpy.array(["2020-01-01", "NaT"], "M8[s]"), "timedelta64": numpy.array([1, 2], "m8[ns]"),
    "object": numpy.array([1, None], object), "complex": numpy.array([1, 2j]), "text": numpy.array(["a", "1"]),
    "bytes": numpy.array([b"a", b"1"]), "structured": numpy.array([(1, 2.0)] * 2, "i4,f8"),
    "void": numpy.zeros(2, "V3"), "masked": numpy.ma.masked_array([1, 2], [True, False]), "bool": numpy.array([True, False]),
    "empty": numpy.zeros(0), "no dimension": numpy.array(1), "three": numpy.zeros((2, 1, 2)),
    "huge": numpy.broadcast_to(numpy.int8(1), (2, 2)), "subarray": numpy.zeros(2, "(2,)i4"),
    "read only": numpy.frombuffer(b"\1" * 16, "i8"), "memoryview": memoryview(b"12"), "cast": memoryview(b"12").cast("c"),
    "bytearray": bytearray(b"12"), "recarray": numpy.rec.array([(1, 2.0)]), "matrix": numpy.asmatrix([1, 2]),
    "backwards": numpy.arange(4)[::-2], "column": numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))[:, ::-1],
    **{kind: numpy.array([1, 2], kind) for kind in ("f2", "g", "G", ">i4", ">f8", "u8", "i1", "F")},
    **{f"scalar {kind}": numpy.ones(1, "i8").astype(kind)[0] for kind in ("M8[s]", "M8[ns]", "m8[ns]", "f2", "g", "O",
                                                                          "D", "S1", "U1", "?")},
    "scalar void": numpy.zeros(1, "V3")[0], "scalar structured": numpy.zeros(1, "i4,f8")[0],
    "scalar NaT": numpy.datetime64("NaT"), "scalar masked": numpy.ma.masked, "undated": numpy.datetime64(5, "ns"),
}


def crash(action, seconds=60):
    """How a child that does this ends: nothing, or what it wrote before it died."""
    with tempfile.TemporaryFile("w+") as log:
        child = os.fork()
        if child == 0:
            os.chdir(FOLDER.name)
            faulthandler.enable(log)
            signal.alarm(seconds)
            code = 1
            try:
                action()
                code = 0
            except BaseException as error:
                log.write(f"{type(error).__name__}: {error}")
                log.flush()
            os._exit(code)
        status = os.waitpid(child, 0)[1]
        log.seek(0)
        return None if status == 0 else f"status {status}: {log.read()[:400]}"


def members(made):
    """What the extension defines in a class: methods, and properties as methods."""
    for name, member in vars(made).items():
        member = member.fget if isinstance(member, property) else getattr(made, name)
        if callable(member) and not inspect.isclass(member):
            yield name, member


def unmade(made):
    """Objects of a class whose constructor never ran, or failed."""
    for kind in (made, type("Sub", (made,), {}), type("Slotted", (made,), {"__slots__": ()})):
        with contextlib.suppress(TypeError):
            yield made.__new__(kind)
            failed = kind.__new__(kind)
            with contextlib.suppress(Exception):
                failed.__init__(OLD, OLD, OLD)
            yield failed


def refuse(call, *arguments):
    """An exception; AssertionError if there is none."""
    try:
        call(*arguments)
    except Exception as error:
        if isinstance(error, AssertionError):
            raise
        return
    raise AssertionError(f"{call} accepted {arguments}")


def survive(call, *arguments):
    with contextlib.suppress(Exception):
        call(*arguments)


def counter(**more):
    return sotto.Counter(**{"epsilon": 1, "horizon": 100, "seed": 1, **more})


def leader(**more):
    return sotto.Leader(**{"epsilon": 1, "delta": 1e-6, "horizon": 3000, "seed": 1, "columns": ["a", "b"],
                           "anyway": True, **more})


def answers():
    model = leader()
    model.run([([1, 1], 1)])
    return model.last_run._answers


def slot():
    made = _core.LearnerSlot()
    made.set(("one", False, False, pickle.dumps(Learner()), "python:learner", ""))
    return made


class Learner:
    def predict_one(self, x):
        return 1

    def learn_one(self, x, y):
        pass


# How to make an object of each class; what is missing here is named by a test.
MADE = {
    "Answers": answers, "Counter": lambda: counter()._core, "LearnerSlot": slot,
    "Histogram": lambda: sotto.Histogram(epsilon=1, delta=1e-6)._core,
    "LearnerCopies": lambda: _core.LearnerCopies(slot(), ["a", "b"], 3),
    "BetweenThresholds": lambda: sotto.BetweenThresholds(epsilon=1, delta=1e-6, low=0, high=99)._core,
    "Mirror": lambda: sotto.Mirror(epsilon=1, delta=1e-6)._core,
    "Monitor": lambda: sotto.Monitor(epsilon=1, threshold=5, horizon=100)._core,
    "Published": lambda: _core.Published(sotto.Stump(epsilon=1, seed=1).fit([[1], [2]], [0, 1])._model, False),
    "Quantiles": lambda: sotto.Quantiles([1.0, 2.0], epsilon=1, delta=1e-6, horizon=100)._core,
    "Round": lambda: leader().open([1, 1]), "Selection": lambda: sotto.Selection(2, epsilon=1)._core,
    "SparseVector": lambda: sotto.SparseVector(epsilon=1, threshold=0)._core, "Stream": leader,
}


class Made(unittest.TestCase):
    """Objects that a constructor made, or none."""

    def check(self, action, **what):
        with self.subTest(**what):
            self.assertIsNone(crash(action))

    def test_every_class_can_be_made_here(self):
        self.assertEqual(set(MADE), set(CLASSES))
        for name, make in MADE.items():
            self.assertIsInstance(make(), CLASSES[name])

    def test_objects_that_were_never_made_refuse_every_call(self):
        for name, made in CLASSES.items():
            for method, member in members(made):
                if method in ("__init__", "__new__"):
                    continue
                self.check(lambda: [refuse(member, object, *arguments)
                                    for object in unmade(made) for arguments in ODD], made=name, method=method)

    def test_objects_that_were_never_made_are_no_arguments(self):
        for name, made in CLASSES.items():
            for target, make in MADE.items():
                self.check(lambda: [survive(member, whole, *[object] * count)
                                    for whole in [make()] for _, member in members(CLASSES[target])
                                    for object in unmade(made) for count in range(6)], made=name, target=target)

    def test_copies_and_pickles_are_refused(self):
        for name, make in MADE.items():
            if name != "Stream":  # a model that has not begun is copied
                for way in (copy.copy, copy.deepcopy, pickle.dumps):
                    self.check(lambda: refuse(way, make()), made=name, way=way)
            self.check(lambda: [survive(way, object) for object in unmade(CLASSES[name])
                                for way in (copy.copy, copy.deepcopy, pickle.dumps, repr, hash, str, dir)], made=name)

    def test_a_constructor_that_runs_twice_changes_nothing(self):
        made = counter()._core
        made.add(1)
        made.__init__([("epsilon", "1"), ("horizon", "5")])
        self.assertEqual(made.steps(), 1)

    def test_odd_arguments(self):
        for name, make in MADE.items():
            for method, member in members(CLASSES[name]):
                self.check(lambda: [survive(member, make(), *arguments) for arguments in ODD], made=name, method=method)
        for name, call in FUNCTIONS.items():
            self.check(lambda: [survive(call, *arguments) for arguments in ODD], function=name)
            self.check(lambda: [survive(call, "stump", *arguments) for arguments in ODD], function=name)

    def test_a_table_of_other_columns_than_the_models(self):
        for x in ([[1], [1], [1]], [[1]], [], numpy.ones((1, 9))):
            def play():
                model = leader()
                model._begin(None)
                refuse(model._play_table, x, [1], None, _core.Answers(), None)
            self.check(play, x=x)


class Arrays(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def check(self, call, what):
        """No array ends the process, wherever it stands among the arguments."""
        def each(arrays):
            for array in arrays:
                for arguments in ((array,), (array, array), (array, [0, 1]), ([[1, 2]] * 2, array),
                                  ([[1, 2]] * 2, [0, 1], array)):
                    survive(call, *arguments)
        if crash(lambda: each(ARRAYS.values())) is not None:
            for name, array in ARRAYS.items():  # which one it is
                with self.subTest(what, array=name):
                    self.assertIsNone(crash(lambda: each([array])))

    def test_of_mechanisms(self):
        for name, make in MADE.items():
            for method, member in members(CLASSES[name]):
                if method not in ("__init__", "__new__"):
                    self.check(lambda *arguments: member(make(), *arguments), f"{name}.{method}")
        self.check(lambda data: sotto.Quantiles(data, epsilon=1, delta=1e-6, horizon=100), "Quantiles")

    def test_of_models(self):
        for verb in ("run", "fit", "partial_fit", "predict_one", "learn_one", "open", "predict", "score"):
            self.check(lambda *arguments: getattr(leader(skip_bad=True), verb)(*arguments), verb)
        for number, call in enumerate((sotto.Stump(epsilon=1).fit, sotto.schema, lambda x: leader(columns=x).open([1, 1]),
                                       lambda x: leader(classes=x).open([1, 1]), lambda x: leader(seed=x).open([1, 1]))):
            self.check(call, number)

    def test_mean_what_their_values_mean(self):
        for name in ("bool", "backwards", "read only", ">i4", "u8", "i1"):
            if name != ">i4":
                self.assertEqual(list(counter().add_many(ARRAYS[name])), list(counter().add_many(ARRAYS[name].tolist())))
            self.assertEqual(*([sotto.Quantiles(data, epsilon=1, delta=1e-6, horizon=9, seed=1).rank(1.5)]
                               for data in (ARRAYS[name], ARRAYS[name].tolist())))
        for name in ("f2", "g", ">f8", "u8", "i1"):
            self.assertEqual(*(leader(hash_bits=0).predict_one(x) for x in (ARRAYS[name], [1.0, 2.0])))

    def test_that_hold_no_numbers_are_refused_by_type(self):
        for name, array in ARRAYS.items():
            if name in ("datetime64", "timedelta64", "structured", "void", "complex", "G", "F", "undated", "recarray",
                        "scalar NaT", "scalar M8[s]", "scalar M8[ns]", "scalar m8[ns]", "scalar D"):
                for call in (counter().add_many, counter().add, sotto.Mirror(epsilon=1, delta=1e-6).next_many,
                             sotto.Selection(2, epsilon=1).choose, sotto.SparseVector(epsilon=1, threshold=0).test_many,
                             lambda x: sotto.Quantiles(x, epsilon=1, delta=1e-6, horizon=9)):
                    with self.subTest(array=name), self.assertRaises(TypeError):
                        call(array)
                if name not in ("F", "G"):  # complex numbers that are real
                    with self.subTest(array=name), self.assertRaises(sotto.InvalidArgument):
                        leader().predict_one(array)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
