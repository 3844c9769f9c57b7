"""Functions over all models: ranking, loading a state, showing a published model."""
import json
import os

from sotto import _core, _options, models
from sotto._core import InvalidArgument
from sotto._estimator import schema_text
from sotto._words import Plan

_FACTS = _options.keywords_of(_core.fact_options())


def plan(schema=None, **facts):
    """Ranks all models for public facts. Reads no data.

    Parameters
    ----------
    schema : dict, str or PathLike, optional
        Columns of the table: a dict, or the path of a JSON file.
    **facts
        Options of `sotto plan`: epsilon, delta, horizon, label_noise, drift, ...

    Returns
    -------
    Plan
    """
    aliases = _options.aliases_of(_FACTS)
    facts = {aliases.get(name, name): value for name, value in facts.items()}
    known = {word.name for word in _FACTS}
    for name in facts:
        if name not in known:
            raise TypeError(f"plan() got an unexpected keyword argument {name!r}; there are {sorted(known)}")
    missing = [word.name for word in _FACTS if word.required and word.name not in facts]
    if missing:
        raise TypeError(f"plan() missing the keyword argument {missing[0]!r}")
    return Plan(*_core.plan_all(_options.to_settings(_FACTS, facts), schema_text(schema)))


def load(path, *, schema=None, columns=None, classes=None, base_learner=None, learner=None):
    """Resumes a saved state of any model.

    Resume each state once: a second resume with other data spends the guarantee again.

    Parameters
    ----------
    path : str or PathLike
    schema, columns
        The columns, as before: a state holds none. By default the first row names them.
    classes : sequence, optional
        Names of the labels, if they had others than 0/1.
    base_learner : object, optional
        The learner of a PrivateEnsemble, if it is a Python object; `learner` is an alias.

    Returns
    -------
    OnlineModel
    """
    name = _core.read_state(_options.path_of(path))[0]
    learner = learner if base_learner is None else base_learner
    more = {} if learner is None else {"base_learner": learner}
    for made in (getattr(models, known) for known in models.__all__):
        if made._entry.get("name") == name and hasattr(made, "load"):
            return made.load(path, schema=schema, columns=columns, classes=classes, **more)
    raise InvalidArgument(f"{os.fspath(path)}: a state of an unknown model")


def show(published):
    """Returns a published model as human-readable text.

    Parameters
    ----------
    published : dict or str
        The `hypothesis` of an online model, the `model_` of a batch model, or the text of a file.

    Returns
    -------
    str
    """
    text = published if isinstance(published, str) else json.dumps(published)
    return _core.show(text)
