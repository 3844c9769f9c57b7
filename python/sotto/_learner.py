"""A learner that somebody wrote in Python, as the copies of POP need it.

River's verbs (predict_one, learn_one) or scikit-learn's (predict, partial_fit).
What can be found out before any data is found out here; what happens to the
copies afterwards is the extension's part.
"""
import enum
import gc
import inspect
import logging
import pickle
import types

from sotto import _core
from sotto._core import InvalidArgument

ASSUMPTION = (
    "Assumption that cannot be checked: the learner is deterministic or has randomness of its own, keeps no memory "
    "outside of what it is pickled to (no globals, class attributes, files, threads), and tells nobody what it is "
    "told.")
REUSED = " And a prediction changes no state (reuse=True)."


def is_object(learner):
    """Whether it is given as an object or a factory, and not by its name."""
    return learner is not None and not isinstance(learner, str)


def prepare(learner, reuse=False):
    """What the extension is told of a learner, which is pickled and never touched again."""
    made = _made(learner)
    verbs = _verbs(made)
    state = _pickled(made)
    _check_apart(state)
    classes = verbs == "rows" and _takes_classes(made.partial_fit)
    return (verbs, classes, bool(reuse), state, text_of(made), ASSUMPTION + (REUSED if reuse else ""))


def text_of(learner):
    """As --learner, reports and states name it."""
    kind = type(_made(learner))
    return f"python:{kind.__module__}.{kind.__qualname__}"


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
_ONE_OF_A_KIND = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType,
                  types.CodeType, enum.Enum, logging.Logger, types.GetSetDescriptorType, property)
_BOXES = (list, dict, set, bytearray, memoryview)


def _boxes(learner):
    """The things that can change and hang on a learner, by identity."""
    found, seen, waiting = {}, set(), [learner]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, _ONE_OF_A_KIND):
            continue
        seen.add(id(thing))
        if isinstance(thing, _BOXES) or type(thing).__name__ == "ndarray":
            found[id(thing)] = thing
        waiting.extend(gc.get_referents(thing))
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


def check_learner(learner, examples, copies=8):
    """Tries to refute that the copies of a learner are apart, by replaying examples.

    `examples` are (x, y) with x a dict of numbers, or a sequence of them, and y 0 or 1;
    they may be made up. In turn each label is the other one, and all else is as it was:
    then one copy was taught otherwise, and at most one vote of any round may differ.
    Raises InvalidArgument with the rounds if more do, or if the same examples give other
    votes the second time. That it raises nothing proves nothing.
    """
    examples = list(examples)
    if not examples:
        raise InvalidArgument("check_learner needs examples")
    first = examples[0][0]
    names = [str(name) for name in (first if isinstance(first, dict) else range(len(first)))]
    examples = [([float(value) for value in (x.values() if isinstance(x, dict) else x)], bool(y))
                for x, y in examples]
    slot = _core.LearnerSlot()
    slot.set(prepare(learner))

    def votes(other):
        ensemble = _core.LearnerCopies(slot, names, copies)
        told = []
        for i, (x, y) in enumerate(examples):
            told.append(ensemble.votes(x))
            ensemble.teach(i % copies, x, y != (i == other))
        return told

    as_given = votes(None)
    if votes(None) != as_given:
        raise InvalidArgument("the same examples gave other votes the second time: the learner is not "
                              "deterministic, or remembers something outside of its copies")
    for i in range(len(examples)):
        for j, (one, two) in enumerate(zip(as_given, votes(i))):
            if abs(one - two) > 1:
                raise InvalidArgument(f"the label of round {i} moves {abs(one - two)} votes of round {j}: the copies "
                                      "are not apart")
