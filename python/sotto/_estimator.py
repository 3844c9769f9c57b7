"""Base of online and batch models: keywords, copies, schemas, labels."""
import difflib
import json
import os
import sys

from sotto import _core, _data, _options
from sotto._core import FailedPrecondition, InvalidArgument
from sotto._data import as_list, loaded, values_of


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


def not_fitted(model):
    """The exception for a model without a fit: scikit-learn's, if that was imported."""
    text = f"This {type(model).__name__} instance is not fitted yet: nothing was learned that could answer"
    exceptions = loaded("sklearn.exceptions")
    if exceptions is None:
        return FailedPrecondition(text)
    kind = type("NotFitted", (FailedPrecondition, exceptions.NotFittedError), {})
    return kind(text)


class Estimator:
    """Keywords as scikit-learn keeps them: get_params, set_params, clone."""

    _entry = {}
    _keywords = []
    _more = ()
    _settled = None  # the classes of fit
    _required_parameters = ["epsilon"]  # has no default

    @property
    def _estimator_type(self):
        """For scikit-learn: labels with a range are numbers."""
        try:
            described = self._label_in_schema()
        except (ValueError, AttributeError):  # an invalid schema is refused where it is used
            described = None
        return "regressor" if isinstance(described, dict) and "range" in described else "classifier"

    @classmethod
    def _names(cls):
        return [word.name for word in cls._keywords] + list(cls._more)

    def _keep(self, args, given):
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
        """The keywords it was made with."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params):
        """Changes keywords, but not those of a running model: its guarantee was stated."""
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

    def _get_tags(self):
        """For scikit-learn."""
        return {"non_deterministic": self.seed is None, "requires_positive_X": False,
                "requires_positive_y": False, "X_types": ["2darray"], "poor_score": True, "no_validation": False,
                "multioutput": False, "allow_nan": False, "stateless": False, "multilabel": False,
                "_skip_test": False, "_xfail_checks": False, "multioutput_only": False,
                "binary_only": self._label_in_schema() is None, "requires_fit": True,
                "preserves_dtype": [], "requires_y": True, "pairwise": False}

    def _label_in_schema(self):
        text = schema_text(self.schema)
        return json.loads(text).get("label") if text is not None else None

    def _label_name(self):
        if getattr(self, "label", None):
            return self.label
        described = self._label_in_schema()
        return described.get("column", "y") if isinstance(described, dict) else "y"

    def _csv(self, names, x, labels=None, users=None, user=""):
        """A table as a csv file: with labels for fit, without for predict. Users are in the column `user`."""
        known = self._values_in_schema() or {}
        values = [known.get(name) or [] for name in names]
        if labels is not None:
            names, values = names + [self._label_name()], values + [[str(name) for name in self._read_labels()[0]]]
        return _core.table_csv(names, x, labels, values, labels is None and self._raises, users, user)

    def _table_to_predict(self, X, wanted):
        """Names and columns of the rows of predict. Raises for a bad row, if `_raises`."""
        names, x = _data.table(X, wanted, self._raises, self.schema is None)
        if self._raises:
            _data.check_size(x)
            _data.check_finite(x)
        return names, x

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

    def _read_labels(self, y=()):
        """Names of the labels (none for numbers), and the labels of y by their places."""
        return _core.read_labels(_data.series(y), dict(self._settings()).get("labels", ""), schema_text(self.schema))

    def _from_texts(self, predictions):
        """Predictions of a published model, as the labels that fit was given."""
        names = self._read_labels()[0]
        places = {str(name): place for place, name in enumerate(names)}
        known = names if self._settled is None else self._settled
        return as_array([None if not text else known[places[text]] if names else float(text) for text in predictions])

    def score(self, X, y):
        """Fraction of correct predictions, among rows with a label; R^2 for numeric labels.
        Exact, and so operator only."""
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


def explained(predictions, wanted):
    """R^2 of the rows that have both."""
    pairs = [(a, b) for a, b in zip(predictions, wanted) if a is not None and b is not None]
    mean = sum(b for _, b in pairs) / max(len(pairs), 1)
    left, all_of_it = sum((a - b) ** 2 for a, b in pairs), sum((b - mean) ** 2 for _, b in pairs)
    return 1 - left / all_of_it if all_of_it > 0 else float(left == 0)


def hashable(classes):
    try:
        if len(set(classes)) == len(classes):
            return classes
    except TypeError:
        pass
    raise InvalidArgument("classes: expected different texts or numbers")


def distinct(y):
    """The labels that occur: only for labels that were declared public."""
    try:
        values = set(value for value in as_list(y) if not is_missing(value))
    except TypeError:  # of one that cannot be looked up
        raise InvalidArgument("classes: expected labels that are texts or numbers") from None
    if any(isinstance(value, complex) or isinstance(value, float) and not value.is_integer() for value in values):
        raise InvalidArgument("Unknown label type: continuous. Labels that are numbers need a schema with their range")
    try:
        return sorted(values, key=lambda value: (isinstance(value, str), value))
    except TypeError:
        raise InvalidArgument("classes: expected labels that are texts or numbers") from None


NO_LABEL = "none of the classes"


def coded(y, classes, strict=True):
    """Labels by their places among the classes."""
    places = {}
    for place, value in enumerate(classes):
        for spelled in spellings(value):
            places.setdefault(spelled, place)
    places.update((value, place) for place, value in enumerate(classes))

    def place_of(value):
        try:
            return None if is_missing(value) else places[value]
        except Exception:  # of the label's own methods, too
            if not strict:
                return NO_LABEL  # a row that cannot be used
            raise InvalidArgument(f"Unknown label type: a label that is none of the classes {classes!r}") from None

    return [place_of(value) for value in values_of(y)]


def spellings(label):
    """Other forms of a label: one text in an array turns all its labels into texts."""
    if isinstance(label, (str, bytes)):
        return [_data.number_of(label)]
    return [str(label), repr(label)] if isinstance(label, (bool, int, float)) else []


def is_missing(value):
    try:
        return value is None or bool(value != value)
    except Exception:  # pandas' NA does not say whether it is itself
        return type(value).__name__ == "NAType"


def users_of(user):
    """Names one after the other."""
    return None if user is None else _data.values_of(user, "user")


def as_array(values, like=None):
    """An array if NumPy is in use, otherwise a list."""
    numpy = loaded("numpy")
    if numpy is None:
        return values
    return numpy.asarray(values) if like is None else numpy.asarray(values, dtype=like)


def register_with_river(cls):
    """Registers the class as a classifier with River, if River was imported."""
    base = loaded("river.base") if "river" in sys.modules else None
    if base is not None and cls not in register_with_river.known:
        base.Classifier.register(cls)
        register_with_river.known.add(cls)


register_with_river.known = set()
