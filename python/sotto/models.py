"""The classes, one for each model of the registry, with its options as keywords.

Each has a name that explains itself; the name of the model is an alias: `Leader` is
`PrivateRuleLearner`. The build writes models.pyi, which says the same for type checkers
(tools/python_stubs.py).
"""
from sotto import _core, _docs, _options
from sotto._batch import BatchModel
from sotto._online import OnlineModel
from sotto._pop import PopModel
from sotto._tide import TideModel

__all__ = []

_BASES = {"pop": PopModel, "tide": TideModel}  # of models with more than their registry entry
# Names that explain themselves. A model that is not listed has its own name.
_NAMES = {"finite": "PrivateFiniteClass", "interval": "PrivateInterval", "leader": "PrivateRuleLearner",
          "littlestone-erm": "PrivateLittlestoneErm", "littlestone": "PrivateLittlestone", "points": "PointPredictor",
          "pop": "PrivateEnsemble", "stump": "PrivateDecisionStump", "threshold": "PrivateThreshold",
          "tree": "PrivateDecisionTree", "winnow": "PrivateWinnow"}
ALIASES = {}  # short name: class


def _property_of(name):
    def get(self):
        return getattr(self, name)

    def put(self, value):
        setattr(self, name, value)

    return property(get, put, doc=f"Alias of {name}.")


def _add(name, base, members):
    made = type(name, (base,), {"__module__": __name__, **members})
    globals()[name] = made
    __all__.append(name)
    return made


def _make_class(entry, base):
    short = "".join(part.capitalize() for part in entry["name"].split("-"))
    keywords = _options.keywords_of(entry["options"])
    aliases = _options.aliases_of(keywords)
    signature = _options.signature_of(keywords, base._more)
    made = _add(_NAMES.get(entry["name"], short), base, {
        "__doc__": _docs.docstring(entry, keywords, base, aliases),
        "__init__": _options.init_of(signature),
        "__signature__": signature.replace(parameters=list(signature.parameters.values())[1:]),
        "_entry": entry, "_keywords": keywords, **{old: _property_of(new) for old, new in aliases.items()}})
    if made.__name__ != short:
        ALIASES[short] = made


for _entry in _core.online_models():
    _make_class(_entry, _BASES.get(_entry["name"], OnlineModel))
for _entry in _core.batch_models():
    _make_class(_entry, BatchModel)

for _kind, _what in (("classifier", "labels and classes"), ("regressor", "numbers")):
    TideModel._kinds[_kind] = _add("Tide" + _kind.capitalize(), globals()["Tide"], {  # noqa: F821
        "_kind": _kind, "__doc__": f"Tide for {_what}.\n\n" + (globals()["Tide"].__doc__ or "")})


class PrivateDecisionList(BatchModel):
    """A decision list, by one of two methods.

    Parameters
    ----------
    method : {'cover', 'list'}, default 'cover'
        'cover' makes a `GreedyCover`, for many categories; 'list' a `List`, which asks about one
        column at a time.
    **keywords
        Those of `GreedyCover` or `List`.
    """

    def __new__(cls, *args, method="cover", **given):
        classes = {"cover": globals()["GreedyCover"], "list": globals()["List"]}
        if method not in classes:
            raise TypeError(f"PrivateDecisionList() method={method!r}: expected one of {sorted(classes)}")
        return classes[method](*args, **given)


__all__.append("PrivateDecisionList")
ALIASES["Tide"] = globals()["Tide"]


def __getattr__(name):
    """Short names."""
    if name in ALIASES:
        return ALIASES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
