"""Base of online and batch models: keywords, copies, schemas, labels."""
import difflib
import json
import os
import warnings

from sotto import _core, _data, _options, _sklearn
from sotto._core import InvalidArgument
from sotto._data import as_list
from sotto._labels import coded, distinct, explained, has_signs, hashable
from sotto._words import card


def schema_text(schema):
    """The JSON text of a schema: a dict, a path, or the text itself."""
    if schema is None:
        return None
    if isinstance(schema, dict):
        try:
            return json.dumps(schema)
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidArgument(f"schema: no JSON: {error}") from None
    if isinstance(schema, os.PathLike) or (isinstance(schema, str) and not schema.lstrip().startswith("{")):
        try:
            with open(schema, encoding="utf-8") as file:
                return file.read()
        except OSError as error:
            raise InvalidArgument(f"{os.fspath(schema)}: {error.strerror}") from None
        except ValueError:  # also for an invalid path
            raise InvalidArgument(f"schema: {os.fspath(schema)!a} is no file of UTF-8") from None
    if isinstance(schema, str):
        return schema
    raise InvalidArgument(f"schema: an object of type {type(schema).__name__}: expected a dict or a path")


def refuse(unsupported, verb):
    """Raises for keywords of other libraries that a private model cannot have."""
    for name, value in unsupported.items():
        if name not in ("sample_weight", "w"):
            raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}")
        if value is not None:
            raise InvalidArgument(f"{name}: not available. The guarantee fixes how far one row can move the model, so "
                                  "all rows count alike")


class Estimator:
    """Keywords as scikit-learn keeps them: get_params, set_params, clone."""

    _entry = {}
    _keywords = []
    _more = ()
    _settled = None  # the classes of fit
    _required_parameters = ["epsilon"]  # has no default
    _takes_sparse = False
    _warned_of_signs = False

    @property
    def _estimator_type(self):
        """For scikit-learn: labels with a range are numbers."""
        described = self._described_label()
        return "regressor" if isinstance(described, dict) and "range" in described else "classifier"

    def _is_binary(self):
        described = self._described_label()
        return not isinstance(described, dict) or len(described.get("classes") or ()) <= 2

    def _described_label(self):
        """Of the schema; None for an invalid one, which is refused where it is used."""
        try:
            return self._label_in_schema()
        except (ValueError, AttributeError):
            return None

    @classmethod
    def _names(cls):
        return [word.name for word in cls._keywords] + list(cls._more)

    @classmethod
    def _aliases(cls):
        return _options.aliases_of(cls._keywords)

    def _by_keyword(self, given):
        """The same by keywords instead of aliases. Raises for one that is given twice."""
        aliases, made = self._aliases(), {}
        for name, value in given.items():
            name = aliases.get(name, name)
            if name in made:
                raise TypeError(f"{type(self).__name__}() got {name!r} twice: "
                                f"{' and '.join(word for word in given if aliases.get(word, word) == name)}")
            made[name] = value
        return made

    def _keep(self, args, given):
        given = self._by_keyword(given)
        self._check_keywords(args, given)
        for word in self._keywords:
            setattr(self, word.name, given.get(word.name, word.default))
        for name in self._more:
            setattr(self, name, given.get(name))

    def _check_keywords(self, args, given):
        """Raises as Python does for a wrong call, with the name of the class."""
        name = type(self).__name__
        if args:
            raise TypeError(f"{name}() takes keywords only, for example {name}(epsilon=1, ...)")
        for word in given:
            if word not in self._names():
                near = difflib.get_close_matches(word, self._names(), 1)
                hint = f"; did you mean {near[0]!r}?" if near else f"; help(sotto.{name}) names those there are"
                raise TypeError(f"{name}() got an unexpected keyword argument {word!r}{hint}")
        missing = [word.name for word in self._keywords if word.required and word.name not in given]
        if missing:
            raise TypeError(f"{name}() missing the keyword argument {missing[0]!r}")

    def get_params(self, deep=True):
        """Returns the keywords it was made with, as scikit-learn does.

        Parameters
        ----------
        deep : bool
            For scikit-learn; without effect.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params):
        """Changes keywords, but not those of a running model: its guarantee was stated.

        Parameters
        ----------
        **params
            Keywords of the class, or their aliases.

        Returns
        -------
        self
        """
        params = self._by_keyword(params)
        for name in params:
            if name not in self._names():
                raise InvalidArgument(f"Invalid parameter {name!r} for estimator {type(self).__name__}. "
                                      f"Valid parameters are: {self._names()!r}")
        if params:
            self._check_idle("set_params")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def _check_idle(self, verb):
        pass

    @property
    def _raises(self):
        """True if a bad row of predict raises: it plays no round and only its caller sees the
        exception. Otherwise its prediction is None. In rounds and fits a bad row never raises."""
        return not self.skip_bad and not getattr(self, "public", False)

    def _settings(self):
        return _options.to_settings(self._keywords, self.get_params())

    def _words(self):
        parts = []
        for word in self._keywords:
            value = getattr(self, word.name)
            if word.required or value is not word.default and value != word.default:
                parts.append(f"{word.name}={value!r}")
        for name in self._more:
            if getattr(self, name) is not None:
                value = getattr(self, name)
                shown = repr(value)
                parts.append(f"{name}={shown if len(shown) <= 60 else '...'}")
        return ", ".join(parts)

    def __repr__(self):
        seeded = "  # NOT PRIVATE: the noise comes from a seed" if self._seeded() else ""
        return f"{type(self).__name__}({self._words()}){seeded}"

    def _seeded(self):
        return self.seed is not None

    @property
    def private(self):
        """False if a seed makes the noise known to anyone."""
        return not self._seeded()

    def _repr_html_(self):
        return card(repr(self), self._facts_shown())

    def _get_tags(self):
        """For scikit-learn before 1.6."""
        return _sklearn.old_tags(self)

    def __sklearn_tags__(self):
        """For scikit-learn from 1.6 on."""
        return _sklearn.new_tags(self)

    def _label_in_schema(self):
        text = schema_text(self.schema)
        return json.loads(text).get("label") if text is not None else None

    def _label_name(self):
        if getattr(self, "label", None):
            return self.label
        described = self._label_in_schema()
        return described.get("column", "y") if isinstance(described, dict) else "y"

    def _csv(self, names, x, labels, users, user):
        """A table with labels as a csv file. Users are in the column `user`."""
        known = self._values_in_schema() or {}
        values = [known.get(name) or [] for name in names] + [[str(name) for name in self._read_labels()[0]]]
        return _core.table_csv(names + [self._label_name()], x, labels, values, False, users, user)

    def _table_to_predict(self, X, wanted):
        """Names and columns of the rows of predict. Raises for a bad row, if `_raises`."""
        names, x = _data.table(X, wanted, self._raises, self.schema is None)
        if self._raises:
            _data.check_size(x)
            if not self._may_miss():
                _data.check_finite(x)
        return names, x

    def _may_miss(self):
        """True if the schema says of a column that fields may be missing."""
        try:
            return any(column.get("missing") for column in json.loads(schema_text(self.schema) or "{}")["columns"])
        except (ValueError, TypeError, KeyError, AttributeError):
            return False

    def _columns_in_schema(self):
        """None without a schema, and for an invalid one, which is refused where it is used."""
        values = self._values_in_schema()
        return None if values is None else list(values)

    def _values_in_schema(self):
        """The same, with the values of categories."""
        text = schema_text(self.schema)
        try:
            return None if text is None else {column["name"]: column.get("values")
                                              for column in json.loads(text)["columns"]}
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    # Labels of fit, partial_fit and predict. The set of labels is public: it is given, or the
    # usual one. It is never read from private data, unless it is declared public.

    def _settle_classes(self, y, classes=None):
        if classes is None:
            classes = self.classes
        if isinstance(classes, str) and classes == "public":
            classes = None if y is None else distinct(y)
        if classes is None:
            return None
        classes = hashable(as_list(classes, "classes"))
        if len(classes) != 2 and self._label_in_schema() is None:
            raise InvalidArgument(f"Only binary classification is supported without a schema: {len(classes)} "
                                  "classes. A schema says which there are")
        return classes

    def _warn_of_signs(self, y):
        """Warns the operator, once, that predictions are called 0/1 and these labels -1/+1."""
        if self._warned_of_signs or self._settled is not None or self._described_label() is not None:
            return
        if getattr(self, "labels", None) or y is None or not has_signs(y):
            return
        self._warned_of_signs = True
        warnings.warn("y has labels -1/+1, and predictions are 0/1: a metric that compares them counts every 0 as "
                      "wrong. Say classes=[-1, 1], and predictions are -1/+1", stacklevel=4)

    def _read_labels(self, y=()):
        """Names of the labels (none for numbers), and the labels of y by their places."""
        return _core.read_labels(_data.series(y), dict(self._settings()).get("labels", ""), schema_text(self.schema))

    def score(self, X, y, **unsupported):
        """Returns the fraction of correct predictions; R^2 for numeric labels. Operator only.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix or list of rows
        y : array or list
            Labels. Rows without one do not count.

        Returns
        -------
        float
            Exact, and so not covered by the guarantee.
        """
        refuse(unsupported, "score")
        predictions, y = as_list(self.predict(X)), _data.labels(y)
        if self._settled is None:
            names, wanted = self._read_labels(y)
        else:
            names, wanted = self._settled, coded(y, self._settled)
        _data.check_length(len(predictions), len(wanted))
        if not names:
            return explained(predictions, wanted)
        pairs = [(a, names[int(b)]) for a, b in zip(predictions, wanted) if b is not None]
        return sum(a is not None and a == b for a, b in pairs) / max(len(pairs), 1)
