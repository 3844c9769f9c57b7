"""Published models, read from their files: they predict anywhere, at no cost."""
import json
import os

from sotto import _core, _data
from sotto._core import InvalidArgument
from sotto._estimator import refuse
from sotto._labels import coded, explained, from_places
from sotto._options import path_of
from sotto._predicting import predict_by_constant
from sotto._sklearn import available_if
from sotto._words import Guarantee, card


def load_published(file, *, columns=None, classes=None):
    """Reads a published model: what `sotto run --publish`, `sotto fit` and `hypothesis` write.

    Parameters
    ----------
    file : str, PathLike or dict
        Path of the file, or the model itself: `hypothesis` of an online model, `model_` of a batch
        model.
    columns : 'words', optional
        For a model of dicts of any names.
    classes : sequence, optional
        Names of the labels in Python, in the order of the file. Default: those of the file.

    Returns
    -------
    PublishedModel

    Examples
    --------
    >>> model = sotto.load_published("model.json")            # doctest: +SKIP
    >>> model.predict([[34, 40]])                             # doctest: +SKIP
    """
    if columns not in (None, "words"):
        raise InvalidArgument("columns: the file names its columns; 'words' for dicts of any names")
    if isinstance(file, dict):
        text = json.dumps(file)
    else:
        try:
            with open(path_of(file), encoding="utf-8") as opened:
                text = opened.read()
        except OSError as error:
            raise InvalidArgument(f"{os.fspath(file)}: {error.strerror}") from None
        except ValueError:
            raise InvalidArgument(f"{os.fspath(file)!a} is not a model file (it is not UTF-8)") from None
    return PublishedModel(text, columns == "words", classes)


class PublishedModel:
    """A published model. `predict` is public knowledge applied to a row: it costs nothing.

    It can be copied, pickled and used in any process. Made by `load_published`.

    Attributes
    ----------
    classes_ : array
        Labels; absent for numbers.
    feature_names_in_ : array
        Columns, if they have names.
    n_features_in_ : int
    """

    def __init__(self, text, any_names=False, classes=None):
        self._text, self._any_names = text, any_names
        self._made = _core.Published(text, any_names)
        self._model = json.loads(text)
        self._facts = self._made.facts()
        self._set_labels(classes)
        self.n_features_in_ = self._facts["width"]
        if self._facts["columns"]:
            self.feature_names_in_ = _data.as_array(self._facts["columns"], object)

    def _set_labels(self, classes):
        self._named, self._labels = classes, self._facts["labels"]
        if classes is not None:
            self._labels = _data.as_list(classes, "classes")
            if len(self._labels) != len(self._facts["labels"]):
                raise InvalidArgument(f"classes: {len(self._labels)} of them: expected {len(self._facts['labels'])}")
        if self._labels:
            self.classes_ = _data.as_array(self._labels)

    def __reduce__(self):
        return PublishedModel, (self._text, self._any_names, self._named)

    @property
    def _estimator_type(self):
        return "regressor" if self._facts["number"] else "classifier"

    def __sklearn_is_fitted__(self):
        return True

    @property
    def model_(self):
        """The file as a dict."""
        return json.loads(self._text)

    @property
    def text_(self):
        """The model, human-readable."""
        return _core.show(self._text)

    @property
    def guarantee(self):
        """The guarantee under which it was published; None if the file has none."""
        made = self._model.get("guarantee")
        return None if made is None else Guarantee(json.dumps(made), self._model.get("private") is False)

    def predict(self, X):
        """Predicts many rows.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix or list of rows
            Columns by name; of an array, or of lists, in the order of the file.

        Returns
        -------
        array

        Raises
        ------
        InvalidArgument
            For a bad row.
        """
        return from_places(self._answer(X, "labels"), self._labels)

    def predict_one(self, x):
        """Predicts one row: a dict, a list or an array."""
        return _data.as_list(self.predict([x]))[0]

    @available_if(lambda model: model._facts["probabilities"])
    def predict_proba(self, X):
        """Returns the probabilities of all labels for many rows, an array in the order of `classes_`."""
        return _data.matrix(self._answer(X, "probabilities"), len(self._labels))

    @available_if(lambda model: model._facts["probabilities"])
    def predict_proba_one(self, x):
        """Returns {label: probability} for one row."""
        return dict(zip(self._labels, _data.as_list(self.predict_proba([x])[0])))

    @available_if(lambda model: model._facts["scores"] and not model._facts["number"])
    def decision_function(self, X):
        """Returns the scores of many rows: above 0 for the second of two labels, or one for each class."""
        raw = self._answer(X, "scores")
        return _data.doubles(raw) if len(self._labels) == 2 else _data.matrix(raw, len(self._labels))

    def score(self, X, y, **unsupported):
        """Returns the fraction of correct predictions, or R^2 for numbers. Not covered by the guarantee."""
        refuse(unsupported, "score")
        predictions, y = _data.as_list(self.predict(X)), _data.labels(y)
        _data.check_length(len(predictions), len(y))
        if not self._labels:
            return explained(predictions, _data.as_list(y))
        wanted = coded(y, self._labels)
        pairs = [(a, self._labels[b]) for a, b in zip(predictions, wanted) if b is not None]
        return sum(a == b for a, b in pairs) / max(len(pairs), 1)

    def _answer(self, X, output):
        if self._any_names and not _data.is_table(X):
            return self._made.score_rows(_data.listed(X, "X"), True, output)
        columns = self._facts["columns"]
        names, x = _data.table(X, columns or None, True, False)
        _data.check_size(x)
        if self._facts["constant"]:
            return predict_by_constant(self._made, x, output)
        if names is not None and columns:
            missing = [name for name in columns if name not in names]
            if missing:
                raise InvalidArgument(f"no column {missing[0]!r} among those of the table")
            x = [x[names.index(name)] for name in columns]
        elif _data.width(None, x) != self._facts["width"]:
            raise InvalidArgument(f"X has {_data.width(None, x)} features, but the model is expecting "
                                  f"{self._facts['width']} features as input")
        return self._made.score_table(x, True, output)

    def __repr__(self):
        private = self._model.get("private")
        seeded = ", NOT PRIVATE: seeded" if private is False else ""
        return f"<PublishedModel of {self._facts['model']}: {self.n_features_in_} features{seeded}>"

    def _repr_html_(self):
        return card(repr(self), [("guarantee", self.guarantee), ("model", self.text_)])
