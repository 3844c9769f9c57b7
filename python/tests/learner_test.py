"""POP over learners written in Python: copies stay apart, whatever a learner does."""
import array
import collections
import contextlib
import enum
import functools
import math
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import sotto
from sotto import _core, _learner

# A brisk pop: short phases, little noise, nothing private about it.
BY_HAND = dict(epsilon=16, delta=0.4, copies=15, gap=2, reports=8, stopper=1, noise_scale=1.5, active_share=0.5,
               seed=7)


class Threshold:
    """The library's own learner of one number, again."""

    def __init__(self):
        self.below, self.above = 0.0, 1.0

    def _threshold(self):
        middle = self.below + (self.above - self.below) / 2
        return middle if middle > self.below else self.above

    def predict_one(self, x):
        return x["v"] >= self._threshold()

    def learn_one(self, x, y):
        value = min(max(x["v"], 0.0), 1.0)
        if y:
            if value <= self.below:
                self.below = 0.0
            self.above = min(self.above, value)
        else:
            if value >= self.above:
                self.above = 1.0
            self.below = max(self.below, value)


class ThresholdRows:
    """The same with scikit-learn's verbs."""

    def __init__(self):
        self.inner = Threshold()

    def predict(self, X):
        return [int(self.inner.predict_one({"v": X[0][0]}))]

    def partial_fit(self, X, y):
        self.inner.learn_one({"v": X[0][0]}, bool(y[0]))


class SpoilsItsInput(Threshold):
    def predict_one(self, x):
        answer = super().predict_one(x)
        x["v"] = 0.0
        x["note"] = "seen"
        return answer

    def learn_one(self, x, y):
        super().learn_one(x, y)
        x.clear()


class RemembersQuestions(Threshold):
    """Breaks the rule that a prediction changes no state: without an effect, as long as
    nothing is kept."""

    def predict_one(self, x):
        answer = super().predict_one(x)
        self.above = self.below = 0.0
        return answer


class Zero:
    def predict_one(self, x):
        return 0

    def learn_one(self, x, y):
        pass


class RaisesFloat:
    def __float__(self):
        raise RuntimeError("no")


class Says:
    """Answers whatever it was made with."""

    def __init__(self, answer):
        self.answer = answer

    def predict_one(self, x):
        return RaisesFloat() if self.answer == "object" else self.answer

    def learn_one(self, x, y):
        pass


class Raises(Zero):
    def __init__(self, kind=ValueError):
        self.kind = kind

    def predict_one(self, x):
        raise self.kind("secret")


class RaisesInLessons(Threshold):
    def learn_one(self, x, y):
        self.below = 1.0
        raise ValueError("secret")


INTERRUPTS = 0  # that are still to come, as if from the keyboard


def perhaps_interrupted():
    global INTERRUPTS
    if INTERRUPTS > 0:
        INTERRUPTS -= 1
        raise KeyboardInterrupt


class Slow(Threshold):
    """Is interrupted in its predictions, its lessons, and when its answers are looked at."""

    class Answer:
        def __init__(self, value):
            self.value = value

        def __float__(self):
            perhaps_interrupted()
            return float(self.value)

    def predict_one(self, x):
        below, self.below = self.below, 9.0  # half done
        perhaps_interrupted()
        self.below = below
        return self.Answer(super().predict_one(x))

    def learn_one(self, x, y):
        super().learn_one(x, y)
        perhaps_interrupted()


class Unpicklable(Threshold):
    """Cannot be pickled once it was taught."""

    def learn_one(self, x, y):
        self.hook = lambda: None


class SharesAClass(Threshold):
    seen = []

    def predict_one(self, x):
        return len(SharesAClass.seen) % 2

    def learn_one(self, x, y):
        if y:
            SharesAClass.seen.append(x)


ONE_LIST = []


class HoldsAGlobal(Threshold):
    def __setstate__(self, state):
        self.__dict__.update(state)
        self.box = ONE_LIST


class Holds(Threshold):
    """Takes up something of everybody's when it is unpickled."""

    box = None

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.held = type(self).box


class Plain:
    pass


class Slotted:
    __slots__ = ("value",)


class Kinds(enum.Enum):
    LIST = []


def holders():
    """One for each kind of thing that can change, or holds such a thing."""
    boxes = [collections.deque(), array.array("d", [0]), Plain(), Slotted(), bytearray(1), random.Random(1),
             THE_SINGLE.learn_one, functools.partial(THE_SINGLE.learn_one), ONE_LIST.append, Kinds.LIST]
    with contextlib.suppress(ImportError):
        boxes.append(__import__("numpy").array([ONE_LIST], dtype=object))
    for i, box in enumerate(boxes):
        name = f"Holds{i}"
        globals()[name] = type(name, (Holds,), {"box": box, "__module__": __name__, "__qualname__": name})
        yield globals()[name]


class TellsTheLastQuestion(Zero):
    """All copies answer by what was asked before: no label shows it."""

    last = 0.56  # of the examples below

    def predict_one(self, x):
        answer = TellsTheLastQuestion.last > 0.3
        TellsTheLastQuestion.last = x["v"]
        return answer


class Single(Threshold):
    def __reduce__(self):
        return "THE_SINGLE"


THE_SINGLE = Single()
MODEL = None
REFUSED = []


class CallsItsModel(Zero):
    def predict_one(self, x):
        try:
            MODEL.predict_one({"v": 0.5})
        except sotto.FailedPrecondition as refused:
            REFUSED.append(str(refused))
            raise
        return 1


def stream(rounds, seed=5):
    draw = random.Random(seed)
    for i in range(rounds):
        value = draw.random()
        yield {"v": value}, None if i % 7 == 0 else int(value >= 0.37)


def played(model, rounds=120, seed=5):
    predictions = []
    for x, y in stream(rounds, seed):
        predictions.append(model.predict_one(x))
        if y is not None:
            model.learn_one(x, y)
    return predictions


def copies_of(learner, reuse=False, copies=4):
    """The copies alone: making a whole pop takes a third of a second."""
    slot = _core.LearnerSlot()
    slot.set(_learner.prepare(learner, reuse))
    return _core.LearnerCopies(slot, ["v"], copies)


def votes_of(learner, reuse=False):
    """The copies' votes over a stream, each asked twice."""
    copies = copies_of(learner, reuse)
    votes = []
    for i, (x, y) in enumerate(stream(40)):
        votes += [copies.votes([x["v"]]), copies.votes([x["v"]])]
        if y is not None:
            copies.teach(i % 4, [x["v"]], bool(y))
    return votes


class Answers(unittest.TestCase):
    def test_equal_those_of_the_same_learner_of_the_library(self):
        expected = played(sotto.Pop(learner="threshold", **BY_HAND))
        self.assertIn(1, expected)
        self.assertIn(0, expected)
        for learner, reuse in ((Threshold, False), (Threshold(), True), (lambda: ThresholdRows(), False)):
            self.assertEqual(played(sotto.Pop(learner=learner, reuse=reuse, **BY_HAND)), expected)

    def test_equal_those_of_a_bulk_run(self):
        rows = list(stream(120))
        runs = [sotto.Pop(learner=learner, **BY_HAND).run(rows) for learner in ("threshold", Threshold)]
        self.assertEqual(list(runs[0].predictions), list(runs[1].predictions))


class Votes(unittest.TestCase):
    expected = None

    def setUp(self):
        self.expected = votes_of(Threshold)
        self.assertGreater(len(set(self.expected)), 2)

    def test_are_the_same_of_rows_and_of_objects_that_are_kept(self):
        self.assertEqual(votes_of(ThresholdRows), self.expected)
        self.assertEqual(votes_of(Threshold, reuse=True), self.expected)

    def test_do_not_depend_on_what_a_learner_does_to_its_input(self):
        self.assertEqual(votes_of(SpoilsItsInput), self.expected)
        self.assertEqual(votes_of(SpoilsItsInput, reuse=True), self.expected)

    def test_do_not_depend_on_what_a_prediction_leaves_behind(self):
        self.assertEqual(votes_of(RemembersQuestions), self.expected)
        self.assertNotEqual(votes_of(RemembersQuestions, reuse=True), self.expected)

    def test_are_0_for_what_is_no_answer(self):
        for answer in (None, math.nan, "1", b"1", 2, -1, 0.5, 10**400, [1], {}, "object"):
            self.assertEqual(set(votes_of(Says(answer))), {0}, answer)
        for answer in (1, True, 1.0):
            self.assertEqual(set(votes_of(Says(answer))), {4})

    def test_are_0_for_exceptions(self):
        for kind in (ValueError, RecursionError, SystemExit, GeneratorExit, MemoryError):
            self.assertEqual(set(votes_of(Raises(kind))), {0})

    def test_are_those_of_an_untaught_copy_if_lessons_fail(self):
        for learner in (RaisesInLessons, Unpicklable):
            copies = copies_of(learner)
            for i, (x, y) in enumerate(stream(20)):
                copies.teach(i % 4, [x["v"]], bool(y))
                self.assertEqual((copies.votes([0.4]), copies.votes([0.6])), (0, 4))

    def test_are_refused_for_copies_and_features_that_are_not_there(self):
        copies = copies_of(Threshold)
        for wrong in (-1, 4):
            with self.assertRaises(sotto.InvalidArgument):
                copies.teach(wrong, [0.5], True)
        with self.assertRaises(sotto.InvalidArgument):
            copies.votes([0.5, 0.5])


class Guarantees(unittest.TestCase):
    def test_say_what_they_suppose(self):
        model = sotto.Pop(learner=Threshold, **BY_HAND)
        model.predict_one({"v": 0.5})
        self.assertIn("Assumption that cannot be checked", str(model.guarantee))
        self.assertNotIn("reuse", str(model.guarantee))
        self.assertEqual(model.guarantee.epsilon, 16)
        self.assertIn("reuse", str(sotto.Pop(learner=Threshold, reuse=True, **BY_HAND).guarantee))
        self.assertIn("Threshold", str(model.report()))
        self.assertIn("Assumption that cannot be checked", str(model.report()))


class Replay(unittest.TestCase):
    """One label changes at most one vote."""

    examples = [((0.1 + 0.02 * i,), i % 3 == 0) for i in range(24)]

    def most_moved(self, copies_taught):
        """The most votes of a round that one label moves, if each teaches so many copies."""
        def votes(other):
            copies = copies_of(Threshold, copies=8)
            counts = []
            for i, (x, y) in enumerate(self.examples):
                counts.append(copies.votes(list(x)))
                for further in range(copies_taught):
                    copies.teach((i + further) % 8, list(x), y != (i == other))
            return counts
        as_given = votes(None)
        return max(abs(a - b) for i in range(len(self.examples)) for a, b in zip(as_given, votes(i)))

    def test_finds_no_fault_in_learners_that_have_none(self):
        self.assertEqual(self.most_moved(1), 1)
        sotto.check_learner(ThresholdRows, self.examples)
        sotto.check_learner(Threshold, [({"v": x[0]}, y) for x, y in self.examples])

    def test_refutes_an_ensemble_that_teaches_two_copies(self):
        self.assertGreater(self.most_moved(2), 1)

    def test_refutes_copies_that_share_a_memory(self):
        with self.assertRaisesRegex(sotto.InvalidArgument, "votes"):
            sotto.check_learner(SharesAClass, self.examples)

    def test_changes_features_and_leaves_out_labels_too(self):
        with self.assertRaisesRegex(sotto.InvalidArgument, "features of round 9 moves 8 votes of round 10"):
            sotto.check_learner(TellsTheLastQuestion, self.dicts())
        with self.assertRaisesRegex(sotto.InvalidArgument, "same features"):
            sotto.check_learner(Threshold, [({"v": 1}, 0), ({"w": 1}, 0)])
        sotto.check_learner(Threshold, self.dicts(), reuse=True)

    def dicts(self):
        return [({"v": x[0]}, y) for x, y in self.examples]

    def test_is_not_even_needed_where_two_copies_hold_one_thing(self):
        for learner in (HoldsAGlobal, THE_SINGLE, *holders()):
            with self.assertRaisesRegex(sotto.InvalidArgument, "two of its copies"):
                sotto.Pop(learner=learner, **BY_HAND).predict_one({"v": 0.5})


class Refusals(unittest.TestCase):
    def test_name_what_is_no_learner(self):
        for wrong in (5, object(), lambda: None, lambda: 3, int, ValueError, [Threshold]):
            with self.assertRaisesRegex(sotto.InvalidArgument, "learner"):
                sotto.Pop(learner=wrong, **BY_HAND).predict_one({"v": 0.5})
        with self.assertRaisesRegex(sotto.InvalidArgument, "Python program"):
            sotto.Pop(learner="python:somewhere.Learner", **BY_HAND).predict_one({"v": 0.5})
        with self.assertRaisesRegex(sotto.InvalidArgument, "pickled"):
            held = Threshold()
            held.hook = lambda: None
            sotto.Pop(learner=held, **BY_HAND).predict_one({"v": 0.5})

    def test_of_a_call_into_the_model_at_work_are_votes(self):
        global MODEL
        MODEL = sotto.Pop(learner=CallsItsModel, **BY_HAND)
        MODEL.predict_one({"v": 0.5})
        self.assertTrue(REFUSED)


class Interrupts(unittest.TestCase):
    def test_come_after_the_round(self):
        model = sotto.Pop(learner=Raises(KeyboardInterrupt), **BY_HAND)
        with contextlib.suppress(KeyboardInterrupt):
            model.predict_one({"v": 0.5})
            for _ in range(1000):
                pass
            self.fail("the interrupt was lost")
        self.assertEqual(model.rounds, 1)

    def test_move_no_vote_and_lose_no_lesson(self):
        global INTERRUPTS
        for reuse in (False, True):
            expected = votes_of(Threshold)
            for interrupts in (1, 2, 5):
                copies, votes = copies_of(Slow, reuse), []
                for i, (x, y) in enumerate(stream(40)):
                    for _ in range(2):
                        INTERRUPTS = interrupts if i % 3 == 0 else 0
                        votes.append(self.interrupted(lambda: copies.votes([x["v"]]), INTERRUPTS))
                    if y is not None:
                        INTERRUPTS = interrupts if i % 3 == 1 else 0
                        self.interrupted(lambda: copies.teach(i % 4, [x["v"]], bool(y)), INTERRUPTS)
                self.assertEqual(votes, expected)

    def interrupted(self, call, expected):
        """What a call gives, if its interrupts come when it is over."""
        caught = []
        signal.signal(signal.SIGINT, lambda *_: caught.append(1))
        result = call()
        for _ in range(100):
            pass
        self.assertEqual(len(caught), 1 if expected else 0)
        return result

    def test_a_program_that_ends_while_copies_are_at_work(self):
        program = ("import sotto, threading, time\n"
                   "class L:\n"
                   "    def predict_one(self, x): return 1\n"
                   "    def learn_one(self, x, y): pass\n"
                   f"model = sotto.Pop(learner=L, columns=['v'], **{BY_HAND!r})\n"
                   "model._begin(None)\n"
                   "def rows():\n"
                   "    while True: yield [1.0], 1\n"
                   "threading.Thread(target=lambda: model.run(rows()), daemon=True).start()\n"
                   "time.sleep(0.2)\n")
        for _ in range(3):
            done = subprocess.run([sys.executable, "-c", program], timeout=300, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def tearDown(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)


class States(unittest.TestCase):
    def test_go_on_as_if_nothing_had_happened(self):
        rows = list(stream(120))
        whole = list(sotto.Pop(learner=Threshold, **BY_HAND).run(rows).predictions)
        model = sotto.Pop(learner=Threshold, **BY_HAND)
        predictions = list(model.run(rows[:60]).predictions)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state")
            model.save(path)
            with self.assertRaisesRegex(sotto.InvalidArgument, "say base_learner="):
                sotto.Pop.load(path)
            loaded = sotto.Pop.load(path, learner=Threshold, columns=["v"])
            self.assertEqual(predictions + list(loaded.run(rows[60:]).predictions), whole)
        copied = pickle.loads(pickle.dumps(model))
        self.assertEqual(predictions + list(copied.run(rows[60:]).predictions), whole)

    def test_say_again_what_answers_rest_on(self):
        model = sotto.Pop(learner=Threshold, reuse=True, **BY_HAND)
        model.open({"v": 0.5})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "state")
            model.save(path)
            loaded = sotto.Pop.load(path, learner=Threshold, columns=["v"])
        for made in (model, loaded, pickle.loads(pickle.dumps(model))):
            self.assertIn("reuse=True", str(made.guarantee))
            self.assertIn("reuse=True", str(made.report()))

    def test_are_not_continued_by_a_forked_process(self):
        model = sotto.Pop(learner=Threshold, **BY_HAND)
        model.predict_one({"v": 0.5})
        child = os.fork()
        if child == 0:
            try:
                model.predict_one({"v": 0.5})
                os._exit(1)
            except sotto.FailedPrecondition:
                os._exit(0)
            finally:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        model.predict_one({"v": 0.5})

    def test_are_one_for_many_threads(self):
        model = sotto.Pop(learner=Threshold, **BY_HAND)
        model.predict_one({"v": 0.5})
        def work():
            for x, _ in stream(20):
                model.predict_one(x)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(model.rounds, 81)


class OfOthers(unittest.TestCase):
    def test_scikit_learn_learns_by_partial_fit(self):
        try:
            from sklearn.linear_model import SGDClassifier
        except ImportError:
            self.skipTest("no scikit-learn")
        model = sotto.Pop(learner=SGDClassifier(random_state=0), **BY_HAND)
        draw = random.Random(3)
        wrong = 0
        for i in range(160):
            x = {"a": draw.uniform(-1, 1), "b": draw.uniform(-1, 1)}
            y = int(x["a"] > 0)
            wrong += i >= 80 and model.predict_one(x) != y
            if i < 80:
                model.predict_one(x)
            model.learn_one(x, y)
        self.assertLess(wrong, 32)


class Raising:
    """Fails from its third lesson on, and in every prediction after it."""

    def __init__(self):
        self.lessons = 0

    def predict_one(self, x):
        if self.lessons >= 2:
            raise ZeroDivisionError("by the learner")
        return 0

    def learn_one(self, x, y):
        self.lessons += 1


class Untaught(Raising):
    """Cannot predict before its first lesson, as scikit-learn's cannot."""

    def predict_one(self, x):
        if self.lessons == 0:
            raise ValueError("not fitted")
        return 0


class Faults(unittest.TestCase):
    def model(self, learner):
        return sotto.PrivateEnsemble(epsilon=4, delta=1e-5, horizon=400, base_learner=learner, copies=5, gap=2,
                                     reports=20, stopper=0.5, columns=["a"], force=True, seed=1)

    def test_a_learner_that_raises_is_reported_to_the_operator(self):
        rows, labels = [[i % 2] for i in range(60)], [i % 2 for i in range(60)]
        model = self.model(Raising)
        with self.assertWarnsRegex(UserWarning, "ZeroDivisionError: by the learner"):
            model.run(rows, labels)
        count, first = model.learner_faults()
        self.assertGreater(count, 0)
        self.assertEqual(first, "ZeroDivisionError: by the learner")
        self.assertEqual(model.report()["learner_faults"], {"count": count, "first": first})
        self.assertNotIn("learner_faults", model.report(public=True))

    def test_one_that_has_learned_nothing_yet_is_not(self):
        model = self.model(Untaught)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for i in range(40):
                model.predict_one([i % 2])
                model.learn_one([i % 2], i % 2)
        self.assertEqual(model.learner_faults(), (0, ""))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
