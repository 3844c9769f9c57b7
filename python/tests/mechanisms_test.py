"""Mechanisms and accounting: what the command line answers, and nothing that crashes."""
import array
import copy
import doctest
import json
import math
import os
import pickle
import random
import subprocess
import sys
import tempfile
import threading
import unittest
from fractions import Fraction

import sotto
from sotto import mechanisms

try:
    import numpy
except ImportError:
    numpy = None

COUNTS = [random.Random(1).randrange(4) for _ in range(50)]


def program(*arguments, lines=()):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input="".join(f"{line}\n" for line in lines),
                          capture_output=True, text=True, check=True)
    return done.stdout


def counter(**more):
    return sotto.Counter(**{"epsilon": 1, "horizon": 1000, "seed": 3, **more})


def one_of_each(**more):
    """Every class, with a call that draws noise."""
    return [
        (sotto.Counter(1, **more), lambda m: m.add(1)),
        (sotto.Monitor(1, threshold=100, horizon=100, **more), lambda m: m.add(1)),
        (sotto.Quantiles(range(100), epsilon=1, delta=1e-6, horizon=100, **more), lambda m: m.rank(50)),
        (sotto.SparseVector(1, threshold=100, **more), lambda m: m.test(0)),
        (sotto.BetweenThresholds(1, delta=1e-6, low=400, high=600, **more), lambda m: m.test(0)),
        (sotto.Mirror(1, delta=1e-6, **more), lambda m: m.next(True)),
        (sotto.Selection(3, epsilon=1, **more), lambda m: m.choose([1, 2, 3])),
        (sotto.Histogram(1, delta=1e-6, **more), lambda m: m.release(["a"] * 100)),
    ]


class SameAsTheCommandLine(unittest.TestCase):
    def test_account(self):
        printed = json.loads(program("account", "--mechanism", "above-threshold", "--reports", 100,
                                     "--target-epsilon", 1, "--delta", 1e-6, "--json"))
        answer = sotto.account("above-threshold", reports=100, target_epsilon=1, delta=1e-6)
        self.assertEqual((answer.epsilon, answer.delta, answer.noise_scale, answer.method),
                         (printed["epsilon"], printed["delta"], printed["noise_scale"], printed["method"]))
        text = program("account", "--mechanism", "pure", "--epsilon-each", 0.1, "--compositions", 10, "--delta",
                       1e-6)
        self.assertIn(sotto.account("pure", epsilon_each=0.1, compositions=10, delta=1e-6).guarantee, text)

    def test_count(self):
        printed = program("count", "--epsilon", 1, "--delta", 1e-6, "--horizon", 1000, "--seed", 3, lines=COUNTS)
        self.assertEqual([int(line) for line in printed.split()], list(counter(delta=1e-6).add_many(COUNTS)))

    def test_monitor(self):
        printed = program("monitor", "--epsilon", 1, "--threshold", 40, "--horizon", 1000, "--seed", 3, lines=COUNTS)
        monitor = sotto.Monitor(1, threshold=40, horizon=1000, seed=3)
        answers = list(monitor.add_many(COUNTS))
        self.assertEqual([line == "above" for line in printed.split()], answers)
        self.assertTrue(answers[-1] and monitor.halted)
        with self.assertRaises(sotto.FailedPrecondition):
            monitor.add(1)

    def test_quantile(self):
        data = [3 * i % 1000 / 10 for i in range(1000)]
        queries = [-1, 20.5, 50, 99, 50]
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.writelines(f"{number}\n" for number in data)
            file.flush()
            printed = program("quantile", "--data", file.name, "--epsilon", 1, "--delta", 1e-6, "--horizon", 100,
                              "--seed", 3, lines=queries)
        quantiles = sotto.Quantiles(data, epsilon=1, delta=1e-6, horizon=100, seed=3)
        estimates, errors = quantiles.ranks(queries)
        self.assertEqual([int(line) for line in printed.split()], list(estimates))
        self.assertEqual(len(errors), 5)

    def test_refusals(self):
        with self.assertRaisesRegex(sotto.InvalidArgument, "does not take gap"):
            sotto.account("laplace", noise_scale=1, gap=3, delta=1e-6)
        with self.assertRaisesRegex(sotto.InvalidArgument, "horizon"):
            sotto.Counter(1, horizon=0)
        with self.assertRaisesRegex(sotto.InvalidArgument, "epsilon"):
            sotto.Counter(-1)


class Bulk(unittest.TestCase):
    def test_equals_one_call_after_the_other(self):
        single = counter()
        self.assertEqual(list(counter().add_many(COUNTS)), [single.add(count) for count in COUNTS])
        bits = [True, False] * 40
        mirror = sotto.Mirror(1, delta=1e-6, seed=3)
        self.assertEqual(list(sotto.Mirror(1, delta=1e-6, seed=3).next_many(bits)),
                         [mirror.next(bit) for bit in bits])
        values = [0, 5, 100, 900, 3] * 20
        one, many = [sotto.SparseVector(1, threshold=500, reports=9, seed=3) for _ in range(2)]
        answers = list(many.test_many(values))
        self.assertEqual(answers, [one.test(value) for value in values[:len(answers)]])
        self.assertEqual((one.halted, many.halted, many.reports_left), (True, True, 0))
        one, many = [sotto.BetweenThresholds(1, delta=1e-6, low=400, high=600, reports=3, seed=3) for _ in range(2)]
        zones, noisy = many.test_many([500, 0, 1000, 510.7, 0])
        words = [one.test(value) for value in (500, 0, 1000, 510, 0)]
        self.assertEqual([("low", "medium", "high")[zone + 1] for zone in zones], [word.zone for word in words])
        self.assertEqual(list(noisy), [word.noisy or 0 for word in words])

    def test_takes_whole_numbers_wherever_they_are(self):
        expected = list(counter().add_many(COUNTS))
        shapes = [tuple(COUNTS), iter(COUNTS), array.array("h", COUNTS), memoryview(bytes(COUNTS)),
                  array.array("Q", COUNTS), bytearray(COUNTS)]
        if numpy is not None:
            shapes += [numpy.array(COUNTS, dtype=kind) for kind in ("i1", "u2", "i4", "u8", "i8")]
            shapes += [numpy.repeat(COUNTS, 2)[::2], numpy.array(COUNTS)[::-1][::-1]]
        for shape in shapes:
            self.assertEqual(list(counter().add_many(shape)), expected)
        self.assertEqual(list(counter().add_many([])), [])

    def test_is_all_or_nothing_at_the_horizon(self):
        short = counter(horizon=10)
        with self.assertRaises(sotto.FailedPrecondition):
            short.add_many([1] * 11)
        self.assertEqual(short.steps, 0)
        short.add_many([1] * 10)
        with self.assertRaises(sotto.FailedPrecondition):
            short.add(1)


class PrivateValues(unittest.TestCase):
    def test_out_of_range_are_cut_and_never_refused(self):
        most = 2**30
        for value, cut in ((-5, 0), (-10**30, 0), (most + 1, most), (2**63, most), (10**400, most), (True, 1)):
            self.assertEqual(counter().add(value), counter().add(cut))
            self.assertEqual(list(counter().add_many([value])), list(counter().add_many([cut])))
        self.assertEqual(list(counter().add_many(array.array("Q", [2**64 - 1]))), [counter().add(most)])
        choose = sotto.Selection(3, epsilon=1)
        self.assertEqual(choose.choose([10**50, -10**50, 0]), 0)
        vector = sotto.SparseVector(1, threshold=0, reports=100)
        values = (10**50, -10**50, math.inf, -math.inf, math.nan, None, Fraction(10**400), Fraction(-10**400))
        self.assertEqual([vector.test(value) for value in values],
                         [True, False, True, False, False, False, True, False])
        sotto.Quantiles([1.0, Fraction(10**400)] * 10, epsilon=1, delta=1e-6, horizon=10).rank(0)

    def test_that_are_missing_are_below_nothing(self):
        data = [1.0] * 500 + [None, math.nan] * 500
        self.assertLess(sotto.Quantiles(data, epsilon=8, delta=1e-3, horizon=10).rank(math.inf).estimate, 1100)
        if numpy is not None:
            sotto.Quantiles(numpy.array([1.0, math.nan, math.inf]), epsilon=1, delta=1e-6, horizon=10).rank(0)

    def test_are_refused_by_their_type_alone(self):
        for wrong in (None, "1", b"1", 1.0, math.nan, [1], object(), 1j):
            with self.assertRaises(TypeError):
                counter().add(wrong)
            with self.assertRaises(TypeError):
                counter().add_many([1, wrong])
        for wrong in (None, 3, "12", b"12", [[1]], [1.5], array.array("d", [1.0])):
            with self.assertRaises(TypeError):
                counter().add_many(wrong)
        if numpy is not None:
            for wrong in (numpy.array([1.0]), numpy.array([[1]]), numpy.array(3), numpy.array(["a"]),
                          numpy.array([None]), numpy.array(["2020"], dtype="datetime64")):
                with self.assertRaises(TypeError):
                    counter().add_many(wrong)
            self.assertEqual(counter().add(numpy.bool_(True)), counter().add(1))
            self.assertEqual(counter().add(numpy.int8(3)), counter().add(3))
        with self.assertRaises(TypeError):
            sotto.Quantiles(["a"], epsilon=1, delta=1e-6, horizon=10)
        with self.assertRaises(TypeError):
            sotto.Histogram(1, delta=1e-6).release([1, 2])
        with self.assertRaises(sotto.InvalidArgument):
            sotto.Selection(3, epsilon=1).choose([1, 2])


class Seeds(unittest.TestCase):
    def test_mark_everything_as_not_private(self):
        for mechanism, call in one_of_each(seed=1):
            self.assertFalse(mechanism.private)
            self.assertIn("NOT PRIVATE", repr(mechanism))
            self.assertIn("NOT PRIVATE", str(mechanism.guarantee))
            call(mechanism)
        for mechanism, call in one_of_each():
            self.assertTrue(mechanism.private)
            self.assertNotIn("NOT PRIVATE", repr(mechanism) + str(mechanism.guarantee))
            self.assertGreater(mechanism.guarantee.epsilon, 0)
            call(mechanism)

    def test_are_all_that_two_objects_can_have_in_common(self):
        several = {tuple(counter(seed=None).add_many([0] * 40)) for _ in range(8)}
        self.assertEqual(len(several), 8)
        several = {tuple(counter().add_many([0] * 40)) for _ in range(8)}
        self.assertEqual(len(several), 1)


class OneContinuation(unittest.TestCase):
    def test_is_refused_to_a_forked_process(self):
        several = one_of_each()
        child = os.fork()
        if child == 0:
            refused = 0
            for mechanism, call in several:
                try:
                    call(mechanism)
                except sotto.FailedPrecondition:
                    refused += 1
            os._exit(0 if refused == len(several) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        for mechanism, call in several:
            call(mechanism)

    def test_is_not_copied(self):
        for mechanism, _ in one_of_each():
            for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaises(TypeError):
                    attempt(mechanism)

    def test_is_shared_by_threads(self):
        shared = counter(horizon=10**6)
        threads = [threading.Thread(target=lambda: [shared.add_many([1] * 100) for _ in range(20)])
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(shared.steps, 8000)


class Rubbish(unittest.TestCase):
    values = (None, "x", b"x", math.nan, math.inf, -1, 0, 10**400, -10**400, 2.5, [], {}, object(), 1j, True, "nan")

    def refused_or_made(self, make):
        try:
            make()
        except (TypeError, ValueError, ArithmeticError, sotto.SottoError):
            pass

    def test_a_delta_is_one(self):
        for delta in (-1, 1, 7, 1e300):
            for form in ("auto", "noisy threshold"):
                with self.assertRaisesRegex(sotto.InvalidArgument, "delta"):
                    sotto.SparseVector(1, threshold=1, delta=delta, form=form)

    def test_never_crashes(self):
        makers = [
            (sotto.Counter, dict(epsilon=1, delta=1e-6, horizon=10, mechanism="auto", expected_events=3,
                                 rounds_per_user=1, seed=1)),
            (sotto.Monitor, dict(epsilon=1, threshold=10, horizon=10, rounds_per_user=1, seed=1)),
            (sotto.Quantiles, dict(data=[1], epsilon=1, delta=1e-6, horizon=10, relation="replace", seed=1)),
            (sotto.SparseVector, dict(epsilon=1, threshold=1, delta=1e-6, reports=1, sensitivity=1, monotone=False,
                                      charge="above", form="auto", seed=1)),
            (sotto.BetweenThresholds, dict(epsilon=1, delta=1e-6, low=1, high=9, reports=1, sensitivity=1, seed=1)),
            (sotto.Mirror, dict(epsilon=1, delta=1e-6, delay=1, kind="random-step", seed=1)),
            (sotto.Selection, dict(candidates=3, epsilon=1, sensitivity=1, monotone=False, seed=1)),
            (sotto.Histogram, dict(epsilon=1, delta=1e-6, relation="replace", seed=1)),
            (sotto.account, dict(mechanism="pure", epsilon_each=1, compositions=1, delta=1e-6)),
        ]
        for make, good in makers:
            make(**good)
            for name in good:
                for value in self.values:
                    self.refused_or_made(lambda: make(**{**good, name: value}))
        for mechanism, _ in one_of_each():
            for name in dir(type(mechanism)):
                method = getattr(type(mechanism), name)
                if name.startswith("_") or not callable(method):
                    continue
                for value in self.values:
                    self.refused_or_made(lambda: method(mechanism, value))


class Answers(unittest.TestCase):
    def test_find_the_median(self):
        quantiles = sotto.Quantiles(range(10**5), epsilon=1, delta=1e-6, horizon=100)
        self.assertAlmostEqual(quantiles.quantile(0.5, 0, 10**5), 5e4, delta=5e3)
        for wrong in ((0, 0, 1), (0.5, 1, 0), (0.5, math.nan, 1)):
            with self.assertRaises(ValueError):
                quantiles.quantile(*wrong)

    def test_divide_by_the_sensitivity(self):
        vector = sotto.SparseVector(16, threshold=50, sensitivity=0.25, reports=10)
        self.assertEqual([vector.test(value) for value in (20, 80.5)], [False, True])

    def test_choose_what_was_named(self):
        selection = sotto.Selection(("red", "green"), epsilon=16)
        self.assertEqual(selection.choose([0, 1000]), "green")
        self.assertIn("permute-and-flip", selection.reason)
        self.assertGreater(selection.loss_bound(), -1)

    def test_show_items_in_the_order_of_their_texts(self):
        items = ["z", "a", "\ud800"] * 200 + ["rare"]
        shown = list(sotto.Histogram(1, delta=1e-6).release(items))
        self.assertEqual(shown, ["a", "z", "\ud800"])


class Documentation(unittest.TestCase):
    def test_is_true(self):
        for module in (mechanisms, sotto._account):
            done = doctest.testmod(module)
            self.assertEqual((done.failed, done.attempted > 0), (0, True))

    def test_says_of_every_class_what_is_compared_and_released(self):
        for name in mechanisms.__all__:
            made = getattr(mechanisms, name)
            if isinstance(made, type) and issubclass(made, mechanisms._Mechanism):
                for word in ("Neighbours:", "Released:"):
                    self.assertIn(word, made.__doc__, name)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
