"""Functions over all models: ranking, loading a state, showing a published model."""
import json
import os

from sotto import _core, _options, models
from sotto._core import InvalidArgument
from sotto._estimator import schema_text
from sotto._words import Plan

_FACTS = _options.keywords_of(_core.fact_options())


def plan(schema=None, **facts):
    """Plans of all models for these public facts, ranked.

    The facts are the options of `sotto plan`: epsilon, delta, horizon, noise, drift, ...
    """
    known = {word.name for word in _FACTS}
    for name in facts:
        if name not in known:
            raise TypeError(f"plan() got an unexpected keyword argument {name!r}; there are {sorted(known)}")
    missing = [word.name for word in _FACTS if word.required and word.name not in facts]
    if missing:
        raise TypeError(f"plan() missing the keyword argument {missing[0]!r}")
    return Plan(*_core.plan_all(_options.to_settings(_FACTS, facts), schema_text(schema)))


def load(path, *, schema=None, columns=None, classes=None, learner=None):
    """Resumes a saved state of any model: see OnlineModel.load; `learner` as in Pop.load."""
    name = _core.read_state(_options.path_of(path))[0]
    more = {} if learner is None else {"learner": learner}
    for made in (getattr(models, known) for known in models.__all__):
        if made._entry["name"] == name and hasattr(made, "load"):
            return made.load(path, schema=schema, columns=columns, classes=classes, **more)
    raise InvalidArgument(f"{os.fspath(path)}: a state of an unknown model")


def show(published):
    """A published model as human-readable text: the `hypothesis` of an online model, the
    `model_` of a batch model, or the text of such a file."""
    text = published if isinstance(published, str) else json.dumps(published)
    return _core.show(text)
