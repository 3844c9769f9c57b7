"""A learner written in Python, as the copies of POP need it.

River's verbs (predict_one, learn_one) or scikit-learn's (predict, partial_fit).
What can be found out before any data is found out here; what happens to the
copies afterwards is the extension's part.
"""
import datetime
import decimal
import enum
import fractions
import gc
import inspect
import logging
import pickle
import re
import types
import uuid

from sotto import _core
from sotto._core import InvalidArgument
from sotto._data import listed, loaded

ASSUMPTION = (
    "Assumption that cannot be checked: the learner is deterministic or has randomness of its own that is pickled with "
    "it, keeps no memory outside of what it is pickled to (no globals, class attributes, files, threads, no random "
    "generator of the whole process), and tells nobody what it is told.")
REUSED = " And a prediction changes no state (reuse=True)."
_REUSES = " (reuse)"  # behind its name


def is_object(learner):
    """True if it is an object or a factory, not a name."""
    return learner is not None and not isinstance(learner, str)


def prepare(learner, reuse=False):
    """Facts about a learner for the extension. The learner is pickled and never used again."""
    made = _made(learner)
    verbs = _verbs(made)
    state = _pickled(made)
    _check_apart(state)
    classes = verbs == "rows" and _takes_classes(made.partial_fit)
    return (verbs, classes, bool(reuse), state, text_of(name_of(made), reuse), ASSUMPTION + (REUSED if reuse else ""))


def name_of(learner):
    kind = type(_made(learner))
    return f"{kind.__module__}.{kind.__qualname__}"


def text_of(name, reuse):
    """As --learner, reports and states say it: what answers rest on is still known after a load."""
    return f"python:{name}{_REUSES if reuse else ''}"


def is_reused(text):
    return text.startswith("python:") and text.endswith(_REUSES)


def _has_verbs(learner):
    return any(all(callable(getattr(learner, verb, None)) for verb in pair)
               for pair in (("predict_one", "learn_one"), ("predict", "partial_fit")))


def _made(learner):
    """The object itself, or what its class or factory makes."""
    if not isinstance(learner, type) and _has_verbs(learner):
        return learner
    if not callable(learner):
        raise InvalidArgument(f"learner: an object of type {type(learner).__name__} has neither predict_one and "
                              "learn_one nor predict and partial_fit, and makes none that has")
    made = learner()
    if isinstance(made, type) or not _has_verbs(made):
        raise InvalidArgument(f"learner: what the factory makes, of type {type(made).__name__}, has neither "
                              "predict_one and learn_one nor predict and partial_fit")
    return made


def _verbs(learner):
    return "one" if callable(getattr(learner, "predict_one", None)) and callable(
        getattr(learner, "learn_one", None)) else "rows"


def _takes_classes(partial_fit):
    try:
        return "classes" in inspect.signature(partial_fit).parameters
    except (TypeError, ValueError):
        return False


def _pickled(learner):
    try:
        return pickle.dumps(learner)
    except Exception as error:  # whatever a learner's own methods raise
        raise InvalidArgument(f"learner: it cannot be pickled, which is how its copies are kept apart: "
                              f"{type(error).__name__}: {error}") from error


# Things that are one and the same everywhere in the process; what hangs on them is
# not looked at.
_ONE_OF_A_KIND = (type, types.ModuleType, types.FunctionType, types.CodeType, logging.Logger,
                  types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType,
                  types.WrapperDescriptorType, types.GenericAlias, property)
# Types that never change; what they refer to may.
_FIXED = frozenset((type(None), type(...), type(NotImplemented), bool, int, float, complex, str, bytes, range, slice,
                    tuple, frozenset, re.Pattern, datetime.date, datetime.time, datetime.datetime, datetime.timedelta,
                    datetime.timezone, decimal.Decimal, fractions.Fraction, uuid.UUID,
                    types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType))


def _never_changes(thing):
    numpy = loaded("numpy")
    return (type(thing) in _FIXED or isinstance(thing, enum.Enum)
            or numpy is not None and isinstance(thing, (numpy.dtype, numpy.generic, numpy.ufunc)))


def _held(thing):
    """Objects that an object refers to, also those that the garbage collector does not know."""
    numpy = loaded("numpy")
    if isinstance(thing, enum.Enum):
        return [thing.value]
    if numpy is not None and isinstance(thing, numpy.ndarray) and thing.dtype.hasobject:
        return thing.ravel().tolist() + gc.get_referents(thing)
    return gc.get_referents(thing)


def _boxes(learner):
    """The things that may change and hang on a learner, by identity: all of a type that is not
    known to be fixed."""
    found, seen, waiting = {}, set(), [learner]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, _ONE_OF_A_KIND):
            continue
        seen.add(id(thing))
        if not _never_changes(thing):
            found[id(thing)] = thing
        waiting.extend(_held(thing))
    return found


def _check_apart(state):
    """Two copies made of the same bytes must not hold one thing between them that can change."""
    try:
        first, second = pickle.loads(state), pickle.loads(state)
        apart = first is not second and _has_verbs(first)
    except Exception as error:  # whatever a learner's own methods raise
        raise InvalidArgument(f"learner: what it is pickled to cannot be read: {type(error).__name__}: "
                              f"{error}") from error
    shared = set(_boxes(first)) & set(_boxes(second))
    if not apart or shared:
        what = "are one object" if not apart else f"hold one {type(_boxes(first)[min(shared)]).__name__} in common"
        raise InvalidArgument(f"learner: two of its copies {what}, so that one could tell the other what it "
                              "learned")


def check_learner(learner, examples, copies=8, reuse=False):
    """Tries to refute that the copies of a learner are apart, by replaying examples.

    `examples` are (x, y) with x a dict of numbers, or a sequence of them, and y 0 or 1;
    they may be made up. In turn each round has the other label, none, or the features of the
    next example, and all else is as it was: then one copy was taught otherwise, and at most
    one vote of any other round may differ. Raises InvalidArgument with the rounds if more do,
    or if the same examples give other votes the second time. That it raises nothing proves
    nothing.
    """
    names, rows = _rows(listed(examples, "examples"))
    slot = _core.LearnerSlot()
    slot.set(prepare(learner, reuse))

    def votes(changed):
        ensemble = _core.LearnerCopies(slot, names, copies)
        predictions = []
        for i, (x, y) in enumerate(changed):
            predictions.append(ensemble.votes(x))
            if y is not None:
                ensemble.teach(i % copies, x, y)
        return predictions

    as_given = votes(rows)
    if votes(rows) != as_given:
        raise InvalidArgument("the same examples gave other votes the second time: the learner is not "
                              "deterministic, or remembers something outside of its copies")
    for i, (x, y) in enumerate(rows):
        following = rows[(i + 1) % len(rows)][0]
        for what, other in (("label", (x, not y)), ("missing label", (x, None)), ("features", (following, y))):
            predictions = votes(rows[:i] + [other] + rows[i + 1:])
            _check_moved(i, what, as_given, predictions)


def _rows(examples):
    """Names, and examples by places."""
    if not examples:
        raise InvalidArgument("check_learner needs examples")
    first = examples[0][0]
    keys = list(first) if isinstance(first, dict) else range(len(first))
    try:
        return [str(key) for key in keys], [([float(x[key]) for key in keys], bool(y)) for x, y in examples]
    except (KeyError, IndexError):
        raise InvalidArgument("examples: expected the same features in each") from None


def _check_moved(i, what, as_given, predictions):
    for j, (one, two) in enumerate(zip(as_given, predictions)):
        if j != i and abs(one - two) > 1:  # the prediction of its own round is its own user's
            raise InvalidArgument(f"the {what} of round {i} moves {abs(one - two)} votes of round {j}: the copies "
                                  "are not apart")
