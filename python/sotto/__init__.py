"""Private online learning: River's verbs for streams, scikit-learn's for batches.

Every user is answered in turn and tells a label afterwards; what anybody else
can see is private, with the guarantee that each model states before any data.

    model = sotto.Tide(epsilon=1, delta=1e-6)
    for x, y in stream:
        print(model.predict_one(x))
        model.learn_one(x, y)

The classes are made from the registry of the library: one for each model of
`sotto run` and of `sotto fit`, with the same options.
"""
from sotto import _core, _options
from sotto._batch import BatchModel
from sotto._core import (BudgetExhausted, Corruption, FailedPrecondition, InvalidArgument,
                         NotConverged, Round, SottoError, Unavailable, __version__)
from sotto._estimator import schema_text as _schema_text
from sotto._online import OnlineModel
from sotto._run import Run
from sotto._schema import schema
from sotto._words import Guarantee, Plan

__all__ = ["BatchModel", "BudgetExhausted", "Corruption", "FailedPrecondition", "Guarantee", "InvalidArgument",
           "NotConverged", "OnlineModel", "Plan", "Round", "Run", "SottoError", "Unavailable", "__version__",
           "load", "plan", "schema"]

_MORE = {
    "schema": "columns, types, values and ranges, in public: a dict or the path of a JSON file",
    "columns": "without a schema: the names of the columns, in public (left out: as the first row has them)",
    "classes": "of fit: the two labels, or 'public' if those that occur in y are publicly known (left out: 0/1, "
               "-1/+1, False/True, or what the schema says)",
}


def _docstring(row, keywords, more):
    lines = [row["help"][0].upper() + row["help"][1:] + ".", ""]
    if row.get("promise"):
        lines += [f"Something is promised of its mistakes on: {row['promise']}.", ""]
    if row.get("publishes"):
        lines += [f"Publishes: {row['publishes']}.", ""]
    lines.append("Keywords:")
    lines += [f"    {word.name}: {word.describe()}" for word in keywords]
    lines += [f"    {name}: {_MORE[name]}" for name in more]
    return "\n".join(lines)


def _make_class(row, base):
    name = "".join(part.capitalize() for part in row["name"].split("-"))
    keywords = _options.keywords_of(row["options"])
    signature = _options.signature_of(keywords, base._more)
    made = type(name, (base,), {
        "__doc__": _docstring(row, keywords, base._more), "__module__": "sotto",
        "_row": row, "_keywords": keywords,
        "__signature__": signature.replace(parameters=list(signature.parameters.values())[1:])})
    globals()[name] = made
    __all__.append(name)


for _row in _core.online_models():
    _make_class(_row, OnlineModel)
for _row in _core.batch_models():
    _make_class(_row, BatchModel)
_FACTS = _options.keywords_of(_core.fact_options())


def plan(schema=None, **facts):
    """Of every model what it would do for these public facts, the most promising first.

    The facts are the options of `sotto plan`: epsilon, delta, horizon, noise, drift, ...
    """
    known = {word.name for word in _FACTS}
    for name in facts:
        if name not in known:
            raise TypeError(f"plan() got an unexpected keyword argument {name!r}; there are {sorted(known)}")
    missing = [word.name for word in _FACTS if word.required and word.name not in facts]
    if missing:
        raise TypeError(f"plan() missing the keyword argument {missing[0]!r}")
    document, text = _core.plan_all(_options.said(_FACTS, facts), _schema_text(schema))
    return Plan(document, text)


def load(path, *, schema=None, columns=None):
    """Goes on from a saved state, whichever model's it is: see OnlineModel.load."""
    import os
    name = _core.read_state(os.fspath(path))[0]
    for made in list(globals().values()):
        if isinstance(made, type) and issubclass(made, OnlineModel) and made._row.get("name") == name:
            return made.load(path, schema=schema, columns=columns)
    raise InvalidArgument(f"{os.fspath(path)}: a state of an unknown model")
