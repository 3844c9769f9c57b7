"""Nothing that is passed in, and nothing that happens around it, crashes or blocks the module."""
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from decimal import Decimal
from fractions import Fraction

import sotto

NAMES = ["a", "b", "c"]


def tide(**more):
    return sotto.Tide(**{"epsilon": 3, "delta": 1e-6, "horizon": 3000, "seed": 1, "columns": NAMES, **more})


def leader(**more):
    """Begins in no time."""
    return sotto.Leader(**{"epsilon": 1, "delta": 1e-6, "horizon": 3000, "seed": 1, "columns": NAMES, "anyway": True,
                           **more})


class Raises:
    """Whatever it is asked, it raises."""

    def __init__(self, error):
        object.__setattr__(self, "error", error)

    def __getattribute__(self, name):
        if name in ("__class__", "error"):
            return object.__getattribute__(self, name)
        raise object.__getattribute__(self, "error")

    def __float__(self):
        raise object.__getattribute__(self, "error")

    __index__ = __len__ = __iter__ = __bool__ = __hash__ = __float__

    def __getitem__(self, place):
        raise object.__getattribute__(self, "error")


class Stops:
    def __float__(self):
        raise KeyboardInterrupt


class Shrinks:
    """Empties the list or dict that holds it when it is asked for its value."""

    def __init__(self, holder):
        self.holder = holder

    def __float__(self):
        self.holder.clear()
        return 1.0


class Calls:
    """Uses the model that reads it."""

    def __init__(self, model):
        self.model = model

    def __float__(self):
        self.model.predict_one([1, 1, 1])
        return 1.0


class Objects(unittest.TestCase):
    def test_objects_whose_methods_raise(self):
        model = tide()
        for error in (ValueError("no"), ZeroDivisionError(), RecursionError(), AttributeError("no"), StopIteration()):
            for x in ([1, 1, Raises(error)], {"a": 1, "b": 1, "c": Raises(error)}, Raises(error)):
                with self.subTest(error=error), self.assertRaises(sotto.InvalidArgument):
                    model.predict_one(x)
        self.assertEqual(model.rounds, 15)
        with self.assertRaises(KeyboardInterrupt):
            model.predict_one([1, 1, Stops()])

    def test_objects_that_change_what_holds_them(self):
        model = tide()
        row = {"a": 1, "b": 1}
        row["c"] = Shrinks(row)
        with self.assertRaises(sotto.InvalidArgument):
            model.predict_one(row)
        row = {"a": None, "b": 1, "c": 1}
        row["a"] = Shrinks(row)
        with self.assertRaises(sotto.InvalidArgument):
            model.predict_one(row)
        row = [1, 1, 1]
        row[0] = Shrinks(row)
        self.assertIn(model.predict_one(row), (0, 1))

    def test_an_object_that_uses_the_model(self):
        model = tide()
        self.assertIn(model.predict_one([1, 1, Calls(model)]), (0, 1))
        self.assertEqual(model.rounds, 2)

    def test_nonsense_for_every_argument(self):
        nonsense = [None, 0, -1, 1e308, float("nan"), "", "x", b"x", [], {}, (), object(), lambda: 0, type, 10**400, "\ud800",
                    "a\0b"]
        for thing in nonsense:
            for call in (lambda: tide().run(thing), lambda: tide().run([thing]), lambda: tide().run([(thing, 1)]),
                         lambda: tide().run([[1, 1, 1]], [thing]), lambda: tide().run([[1, 1, 1]], thing),
                         lambda: tide().fit(thing, thing), lambda: tide().fit([[1, 1, 1]], thing),
                         lambda: tide(schema=thing).plan(), lambda: tide(columns=thing).open([1, 1, 1]),
                         lambda: tide().open([1, 1, 1], user=thing), lambda: tide().close(thing, 1),
                         lambda: sotto.Stump(epsilon=1).fit(thing, [1]), lambda: sotto.load(thing),
                         lambda: tide(seed=thing).open([1, 1, 1]), lambda: tide(labels=thing).open([1, 1, 1]),
                         lambda: sotto.schema(thing, ranges=thing, label=thing), lambda: sotto.show(thing),
                         lambda: sotto.schema(["a"], ranges=thing, label_range=thing)):
                try:
                    call()
                except (sotto.SottoError, TypeError):  # and no other
                    pass

    def test_the_halves_of_the_extension_on_their_own(self):
        stream = sotto._core.Stream("tide")
        for call in (lambda: stream.predict_one([1]), lambda: stream._play_table([[1]], None, None, None, None),
                     lambda: sotto._core.Stream("nonsense"), lambda: sotto._core.Stream.__new__(sotto._core.Stream).rounds,
                     lambda: sotto._core.Published("{}", False), lambda: sotto._core.fit("stump", [], None, b"")):
            with self.assertRaises(Exception):
                call()

    def test_a_subclass_that_forgets_to_begin(self):
        class Forgetful(sotto.Tide):
            def __init__(self):
                pass
        for made in (Forgetful(), sotto.Tide.__new__(sotto.Tide), sotto.Pop.__new__(sotto.Pop)):
            self.assertEqual(made.rounds, 0)
            for call in (lambda: made.predict_one([1]), lambda: repr(made), lambda: made.fit([[1]], [1])):
                with self.assertRaises(AttributeError):
                    call()
        for call in (lambda: sotto.Round.__new__(sotto.Round), sotto.Round):
            with self.assertRaises(TypeError):
                call()

    def test_no_exception_quotes_a_state_or_other_rows(self):
        """pybind11 would quote all arguments if one of them is of another type."""
        secret, labels = "nobody else's", [0, 1, 0, 1]
        model = leader()
        model.learn_one([1, 1, 1], 1)
        schema = {"columns": [{"name": "a", "type": "category", "values": [secret]}]}
        calls = [lambda: model.save("a\0b"), lambda: model.save(5), lambda: model.report(public="x"),
                 lambda: model.save(os.fsdecode(b"/nowhere/caf\xe9"))]
        try:
            import pandas
        except ImportError:
            pass
        else:
            frame = pandas.DataFrame({"\ud800": [secret] * 4})
            calls += [lambda: sotto.Stump(epsilon=1, label=5, schema=schema).fit([{"a": secret}] * 4, labels),
                      lambda: sotto.Stump(epsilon=1).fit(frame, labels),
                      lambda: leader(columns=None).run(frame, labels),
                      lambda: leader(columns=None, schema='{"columns": "\ud800"}').run([[secret]] * 4, labels)]
        for call in calls:
            try:
                call()
            except Exception as refused:
                self.assertNotIn("Invoked with", str(refused))
                self.assertNotIn(secret, str(refused))
                self.assertNotIn("\\x01", str(refused))

    def test_a_bad_row_is_told_to_nobody_else(self):
        model = sotto.Stumps(epsilon=3, delta=1e-5, columns=["a"], seed=1, anyway=True, hash_bits=0)
        model.fit([[0.2], ["ann's own"], [0.4]] * 10, [0, 1, 1] * 10)  # does not end, nor break it
        self.assertIn(model.predict_one([0.3], user="bob"), (0, 1))
        with self.assertRaisesRegex(sotto.InvalidArgument, "ann's own"):
            model.predict_one(["ann's own"], user="ann")
        self.assertIn(model.predict_one([0.3], user="eve"), (0, 1))
        self.assertEqual(model.rounds, 3)

    def test_a_file_may_have_any_name(self):
        model = leader()
        model.learn_one([1, 1, 1], 1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.fsdecode(os.path.join(os.fsencode(folder), b"caf\xe9.state"))
            model.save(path)
            self.assertEqual(sotto.load(path).rounds, 1)
            with self.assertRaisesRegex(sotto.SottoError, "caf"):
                sotto.load(path + "2")

    def test_huge_tables_of_the_wrong_shape(self):
        import numpy
        model = tide()
        for x in (numpy.zeros((3, 0)), numpy.zeros((0, 3)), numpy.zeros(3), numpy.zeros((2, 2, 2)),
                  numpy.zeros((3, 3), dtype=complex), numpy.zeros((3, 3), dtype="S3"), numpy.zeros((3, 4)),
                  numpy.zeros((3, 3), dtype=object), numpy.array([["x"] * 3]), numpy.zeros((3, 3))[:, ::-1][::-1]):
            for y in (numpy.zeros(3), numpy.zeros(2), numpy.zeros((3, 2)), None, numpy.array(["a"] * 3)):
                try:
                    model.run(x, y)
                except sotto.SottoError:
                    pass
        # Any strides, any type of number.
        wide = numpy.arange(60, dtype=numpy.int16).reshape(10, 6) % 3
        for kind in ("i1", "u2", "i8", "f2", "f4", "f8", ">f8", "?"):
            run = tide().run(wide[::2, ::2].astype(kind), [0, 1, 0, 1, 0])
            self.assertEqual(len(run), 5)


class FitsAgain:
    """Starts its model afresh when it is asked for its value."""

    def __init__(self, model):
        self.model = model

    def __float__(self):
        self.model.fit([[1, -1, 1]] * 5, [1] * 5)
        return 1.0


class Restarted(unittest.TestCase):
    """What was shown before a fit is its own, whatever becomes of the model."""

    def test_rounds_and_runs_outlive_a_fit_that_is_refused(self):
        model = leader()
        opened, run = model.open([1, 1, 1]), model.run([([1, -1, 1], 1)] * 10)
        with self.assertRaises(sotto.InvalidArgument):
            model.fit([[1, 1, 1]], [0, 1])
        self.assertEqual(model.rounds, 11)  # refused before anything was given up
        self.assertIn(opened.prediction, (0, 1))
        opened.close(1)
        self.assertIn("labelled", repr(opened))
        self.assertEqual((len(run.predictions), run.report()["labelled"]), (10, 11))

    def test_rounds_and_runs_outlive_a_fit(self):
        model = leader()
        opened, run = model.open([1, 1, 1]), model.run([([1, -1, 1], 1)] * 10)
        model.fit([[1, -1, 1]] * 500, [1] * 500)
        self.assertEqual((model.rounds, run.report()["rounds"], len(run)), (500, 11, 10))
        opened.close(1)
        self.assertEqual((run.report()["labelled"], model.report()["labelled"]), (11, 500))
        for shown in (run.text(), run.html(), repr(run), repr(opened)):
            self.assertIn("NOT PRIVATE", shown)
        # Other labels now, the old ones then.
        model = leader(classes="public")
        before = model.fit([[1, -1, 1]] * 5, ["a", "b"] * 2 + ["a"]).run([([1, 1, 1], "a")])
        model.fit([[1, -1, 1]] * 5, [3, 4] * 2 + [3])
        self.assertIn(before.predictions[0], ("a", "b"))

    def test_a_fit_that_cannot_begin_leaves_nothing_half_done(self):
        fresh = leader(relation="nonsense")
        for call in (lambda: fresh.fit([[1, 1, 1]], [1]), lambda: fresh._play_table([[1]], None, None, sotto._core.Answers(), None),
                     lambda: fresh._state(), lambda: fresh._facts(), lambda: fresh._label(), lambda: fresh.report(),
                     lambda: leader().run([]).report()):
            with self.assertRaises(sotto.SottoError):
                call()

    def test_a_fit_beside_a_run(self):
        import numpy
        x = numpy.ones((20000, 3))
        model = leader(columns=NAMES)
        model.fit(x[:10], x[:10, 0])
        runs = threading.Thread(target=lambda: [model.run(x, x[:, 0]) for _ in range(3)])
        runs.start()
        while runs.is_alive():
            model.fit(x[:10], x[:10, 0])
        runs.join()
        self.assertIn(model.predict_one([1, 1, 1]), (0, 1))

    def test_a_fit_inside_a_row_and_inside_a_stream(self):
        model = leader()
        row = [1, 1, FitsAgain(model)]
        self.assertIn(model.predict_one(row), (0, 1))
        model.learn_one(row, 1)
        model.open(row).close(1)
        self.assertEqual(len(model.run([row] * 3, [1] * 3)), 3)

        def rows():
            for _ in range(200):
                model.fit([[1, -1, 1]] * 5, [1] * 5)
                yield [1, -1, 1], 1
        self.assertEqual(len(model.run(rows())), 200)
        self.assertEqual(model.rounds, 5)


class OneRow(unittest.TestCase):
    """What one row holds ends nothing for the others."""
    NO_ROWS = [None, [1], [1, 1, 1, 1], {"a": 1}, "abc", 7, object(), [1, 1, "\ud800"], [1, 1, object()],
               [Raises(ValueError("no"))] * 3, Raises(ValueError("no")), {1, 2, 3}]

    def test_a_table_goes_on_without_it(self):
        good = [[1, -1, 1]] * 20
        for bad in self.NO_ROWS:
            with self.subTest(bad=bad):
                predictions = leader().run(good + [bad] + good, [1] * 41).predictions
                self.assertEqual([place for place, one in enumerate(predictions) if one is None], [20])
                self.assertEqual(leader().fit(good + [bad], [1] * 21).rounds, 21)
        self.assertEqual(leader(public=True).fit(good + self.NO_ROWS, [1] * 32).rounds, 32)
        named = [{"a": 1, "b": -1, "c": 1}] * 20
        for bad in (None, [1], "abc", object(), {"a": 1}):
            self.assertIsNone(leader().run(named + [bad], [1] * 21).predictions[20])

    def test_a_stream_goes_on_without_it(self):
        good = [([1, -1, 1], 1)] * 20
        for bad in ([1, 1], ([1, 1],), 7, "ab", ([1, 1, 1], 1, object()), ([1, 1, 1], 1, b"ann"), ([1, 1, 1], "eggs")):
            with self.subTest(bad=bad):
                predictions = leader().run(good + [bad] + good).predictions
                self.assertEqual([place for place, one in enumerate(predictions) if one is None], [20])

    def test_a_batch_goes_on_without_it(self):
        schema = {"columns": [{"name": "c1", "type": "number", "range": [0, 1]},
                              {"name": "c2", "type": "category", "values": ["p", "q"]}]}
        good, labels = [[0.1, "p"], [0.8, "q"]] * 100, [0, 1] * 100
        for bad in ([0.5, "a\nb"], [0.5, "\r"], [0.5, object()], [0.5, "\ud800"], [0.5], None, 7):
            for made in (sotto.Tree, sotto.Stump):
                with self.subTest(bad=bad, made=made):
                    model = made(epsilon=8, seed=1, schema=schema).fit(good + [bad], labels + [1])
                    if bad is not None:  # a row of nothing is an empty one
                        self.assertRegex(model.notes_, "^1 bad row")
                    # A rule reads only the columns that it asks about: the stump's is c1.
                    unread = made is sotto.Stump and isinstance(bad, list) and len(bad) == 2
                    self.assertEqual(len(model.model_["hypothesis"]["columns"]), 1 if made is sotto.Stump else 2)
                    if bad is not None and not unread:
                        with self.assertRaises(sotto.InvalidArgument):
                            model.predict(good[:2] + [bad])
                    model.skip_bad = True
                    predictions = list(model.predict(good[:2] + [bad] + good[:2]))
                    self.assertEqual(predictions[2], list(model.predict([[0.5, "p"]]))[0] if unread else None)
                    self.assertNotIn(None, predictions[:2] + predictions[3:])

    def test_a_name_that_is_none_is_no_answer(self):
        import datetime
        import uuid
        for name in (uuid.UUID(int=1), b"ann", ("ann",), ["ann"], datetime.date(2020, 1, 1), object(), "\ud800"):
            with self.subTest(name=name):
                rows, names = [[1, 1, 1]] * 3, [name] * 3
                self.assertEqual(leader().run(rows, [1] * 3, names).predictions, [None] * 3)
                self.assertEqual(leader().fit(rows, [1] * 3, names).report()["answered"], 0)


class Threads(unittest.TestCase):
    def test_threads_take_turns(self):
        model = tide()
        errors = []

        def work():
            try:
                for _ in range(200):
                    opened = model.open([1, -1, 1])
                    opened.close(1)
            except Exception as error:  # for the main thread
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(errors, [])
        self.assertEqual(model.rounds, 800)
        self.assertEqual(model.report()["labelled"], 800)

    def test_runs_beside_runs_and_questions_about_them(self):
        model = tide()
        rows = [([1, -1, 1], 1)] * 3000
        threads = [threading.Thread(target=model.run, args=(rows,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            model.rounds, repr(model), model.guarantee
        for thread in threads:
            thread.join(60)
        self.assertEqual(model.rounds, 9000)


class Forks(unittest.TestCase):
    def test_a_child_does_not_go_on_with_the_key(self):
        model = tide(seed=None)
        model.learn_one([1, 1, 1], 1)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                model.predict_one([1, 1, 1])
            except sotto.FailedPrecondition as error:
                code = 0 if "fork" in str(error) and "Tide" in repr(model) else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertIn(model.predict_one([1, 1, 1]), (0, 1))

    def test_a_child_makes_keys_of_its_own(self):
        """Models that begin after the fork, in both: their noise differs."""
        model = tide(seed=None)  # not yet at work: made before, begun after
        rows = [([1, 1, -1], 1), ([-1, 1, 1], 0)] * 300
        source, sink = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                fresh = tide(seed=None)
                fresh.run(rows)
                os.write(sink, repr(fresh.hypothesis["groups"]).encode())
            finally:
                os._exit(0)
        os.close(sink)
        model.run(rows)
        with os.fdopen(source, "rb") as pipe:
            other = pipe.read().decode()
        os.waitpid(child, 0)
        self.assertNotEqual(other, "")
        self.assertNotEqual(other, repr(model.hypothesis["groups"]))


class Interrupts(unittest.TestCase):
    def test_nothing_is_lost(self):
        model = tide()
        stop = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))

        handed_out = 0

        def rows():
            nonlocal handed_out
            for i in itertools.count():
                if i == 20000:  # some were played before, however slow it is
                    stop.start()
                handed_out += 1
                yield [1, -1, 1], 1
        with self.assertRaises(KeyboardInterrupt):
            model.run(rows())
        # All but one that was being made, if the interrupt came there.
        self.assertIn(handed_out - model.rounds, (0, 1))
        self.assertTrue(model.last_run.interrupted)
        self.assertEqual(len(model.last_run), model.rounds)
        self.assertGreater(model.rounds, 0)
        self.assertEqual(len(model.run([([1, 1, 1], 1)] * 5)), 5)

    def test_a_stream_that_raises_half_way(self):
        model = tide()

        def rows():
            for _ in range(100):
                yield [1, -1, 1], 1
            raise OSError("the stream broke")
        with self.assertRaisesRegex(OSError, "broke"):
            model.run(rows())
        self.assertEqual(model.rounds, 100)
        self.assertEqual(len(model.last_run.predictions), 100)

    def test_a_cell_that_stops_the_run(self):
        class Stops:
            def __float__(self):
                raise KeyboardInterrupt
        model = tide()
        rows = [[1, -1, 1] for _ in range(100)]
        rows[90] = [1, Stops(), 1]
        with self.assertRaises(KeyboardInterrupt):
            model.run(rows, [1] * 100)
        self.assertTrue(model.last_run.interrupted)
        self.assertEqual((model.rounds, len(model.last_run)), (90, 90))

    def test_a_program_that_ends_before_its_threads(self):
        program = ("import sotto, threading, time, numpy\n"
                   "m = sotto.Tide(epsilon=1, delta=1e-6, columns=['a'], anyway=True, horizon=1000)\n"
                   "m._begin(None)\n"
                   "ones = numpy.ones((3000000, 1))\n"
                   "threading.Thread(target=m.run, args=(ones, ones[:, 0]), daemon=True).start()\n"
                   "time.sleep(0.2)\n")
        done = subprocess.run([sys.executable, "-c", program], timeout=300, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


class Unhashable:
    def __hash__(self):
        raise ValueError("no hash")


class OneOfMany(unittest.TestCase):
    """One row, name or run says nothing of the others."""

    GOOD, LABELS = [[0.1, 1], [0.8, -1]] * 20, [0, 1] * 20
    SCHEMA = {"columns": [{"name": "u", "type": "number", "range": [0, 1]},
                          {"name": "v", "type": "number", "range": [-1, 1]}]}

    def fitted(self, row, schema):
        model = sotto.Stump(epsilon=3, schema=schema, seed=1)
        return model.fit([row] + self.GOOD, [1] + self.LABELS).model_

    def test_the_first_row_does_not_say_how_wide_all_are(self):
        for schema in (None, self.SCHEMA):
            for row in ([0.1, 1, 3], [0.1], {"u": 0.1}, []):
                self.assertEqual(self.fitted(row, schema), self.fitted(None, schema), row)

    def test_a_run_inside_a_run_has_answers_of_its_own(self):
        model, inner = leader(), []

        def rows():
            yield [1, 1, 1], 1
            inner.append(model.run([([1, 1, 1], 1)] * 20))
            yield [1, 1, 1], 1

        self.assertEqual(len(model.run(rows())), 2)
        self.assertEqual(len(inner[0]), 20)

    def test_a_person_has_one_name_and_a_name_one_person(self):
        model = leader(rounds_per_user=1)
        for names in ((1e19, 10**19, "10000000000000000000"), (3, 3.0, "3"), (0, -0.0, "0")):
            rounds = [model.open([1, 1, 1], user=name) for name in names]
            self.assertEqual([opened.ticket is None for opened in rounds], [False, True, True], names)
        for name in (Decimal(3), Fraction(3), 10**5000):
            with self.assertRaisesRegex(sotto.InvalidArgument, "as user"):
                model.predict_one([1, 1, 1], user=name)

    def test_a_label_that_raises_harms_its_row_alone(self):
        model = leader(public=True, seed=None, classes=["h", "s"])
        model.fit([[1, 1, 1]] * 20, ["h"] * 19 + [Unhashable()])
        self.assertEqual(model.rounds, 20)

    def test_a_fit_that_is_refused_leaves_the_model_as_it_was(self):
        model = leader()
        model.run([([1, 1, 1], 1)] * 10)
        with self.assertRaisesRegex(sotto.InvalidArgument, "inconsistent numbers"):
            model.fit([[1, 1, 1]] * 3, [1] * 3, user=["one"])
        self.assertEqual(model.rounds, 10)

    def test_a_loaded_state_keeps_its_promise_before_its_first_row(self):
        with tempfile.TemporaryDirectory() as folder:
            model = leader()
            model.run([([1, 1, 1], 1)] * 10)
            model.save(folder + "/state")
            loaded = sotto.load(folder + "/state")
            with self.assertRaisesRegex(sotto.FailedPrecondition, "at work"):
                loaded.set_params(epsilon=0.01)
            self.assertEqual(loaded.set_params(columns=NAMES).guarantee.epsilon, 1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
