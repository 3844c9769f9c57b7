"""The classes, one for each model of the registry, with its options as keywords.

The build writes models.pyi, which says the same for type checkers (tools/python_stubs.py).
"""
import inspect

from sotto import _core, _options
from sotto._batch import BatchModel
from sotto._online import OnlineModel
from sotto._pop import PopModel

__all__ = []

_MORE = {
    "schema": "columns, types, values and ranges, in public: a dict or the path of a JSON file",
    "columns": "without a schema: the names of the columns, in public (default: those of the first entry)",
    "classes": "what the labels are called in Python, or 'public' if those that occur in the y of fit are publicly "
               "known (default: 0/1, -1/+1, False/True, predicted as 0/1, or what the schema says)",
    "reuse": "of a learner that is a Python object: predict on objects that are kept, faster if it is large, and "
             "trust that a prediction changes none of them",
}
_BASES = {"pop": PopModel}  # of models with more than their registry entry


def _docstring(entry, keywords, base):
    lines = [entry["help"][0].upper() + entry["help"][1:] + ".", ""]
    if entry.get("promise"):
        lines += [f"Something is promised of its mistakes on: {entry['promise']}.", ""]
    if entry.get("publishes"):
        lines += [f"Publishes: {entry['publishes']}.", ""]
    if base in _BASES.values():
        lines += [inspect.getdoc(base), ""]
    lines.append("Keywords:")
    lines += [f"    {word.name}: {word.describe()}" for word in keywords]
    lines += [f"    {name}: {_MORE[name]}" for name in base._more]
    return "\n".join(lines)


def _make_class(entry, base):
    name = "".join(part.capitalize() for part in entry["name"].split("-"))
    keywords = _options.keywords_of(entry["options"])
    signature = _options.signature_of(keywords, base._more)
    made = type(name, (base,), {
        "__doc__": _docstring(entry, keywords, base), "__module__": "sotto",
        "_entry": entry, "_keywords": keywords,
        "__signature__": signature.replace(parameters=list(signature.parameters.values())[1:])})
    globals()[name] = made
    __all__.append(name)


for _entry in _core.online_models():
    _make_class(_entry, _BASES.get(_entry["name"], OnlineModel))
for _entry in _core.batch_models():
    _make_class(_entry, BatchModel)
