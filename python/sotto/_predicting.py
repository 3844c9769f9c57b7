"""Predictions of online models from what they published: no round, no cost."""
from array import array

from sotto import _core, _data
from sotto._core import FailedPrecondition
from sotto._data import as_array
from sotto._labels import from_places
from sotto._sklearn import available_if, not_fitted


def _has_scores(model):
    return model._entry["scores"] and model._estimator_type == "classifier"


def _has_probabilities(model):
    return _has_scores(model) and model._entry["probabilities"]


def predict_by_rule(published, names, x, strict):
    """Places of the predictions of a rule, which has only the columns that it asks about."""
    facts = published.facts()
    if facts["constant"]:
        return predict_by_constant(published, x, "labels")
    places = [names.index(name) for name in facts["columns"]]
    columns = [x[:, place] if hasattr(x, "shape") else x[place] for place in places]
    return published.score_table(columns, strict, "labels")


def predict_by_constant(published, x, output):
    """The same for every row but those of blanks, which nobody brought: as in a file."""
    same = _data.doubles(published.score_rows([[]], True, output))[0]
    return array("d", [float("nan") if blank else same for blank in _data.blank_rows(x)]).tobytes()


class Predicting:
    """predict, predict_proba and decision_function of online models."""

    @property
    def _takes_sparse(self):
        return self._entry["scores"] and self.schema is None

    def predict(self, X):
        """Predicts many rows.

        A model that publishes answers from what it has published: it costs nothing, changes nothing
        and works in a forked process. A model with a training set plays a round for each row.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix or list of rows

        Returns
        -------
        array
            Labels. None for a bad row with skip_bad=True or public=True.

        Raises
        ------
        InvalidArgument
            For a bad row.
        FailedPrecondition
            For a model that pays for every answer: use predict_one or run.
        """
        self._check_begun()
        if self._entry["published"]:
            return from_places(self._answer(X, "labels"), self._label())
        if self._entry["trains"]:
            return self._predict_by_rounds(X)
        raise FailedPrecondition(
            f"{self._entry['name']} pays for every answer and publishes nothing of what it learned, so there is no "
            "predict that changes nothing: predict_one and run ask it, one round of the clock for every row")

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Returns the probabilities of all labels for many rows, from what is published, at no cost.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix or list of rows

        Returns
        -------
        array of shape (rows, classes)
            In the order of `classes_`. NaN for a bad row with skip_bad=True.
        """
        self._check_begun()
        return _data.matrix(self._answer(X, "probabilities"), len(self._label()))

    @available_if(_has_scores)
    def decision_function(self, X):
        """Returns the scores of many rows, from what is published, at no cost.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix or list of rows

        Returns
        -------
        array of shape (rows,) or (rows, classes)
            Above 0 for the second of two labels; otherwise the largest is predicted.
        """
        self._check_begun()
        raw, classes = self._answer(X, "scores"), len(self._label())
        return _data.doubles(raw) if classes == 2 else _data.matrix(raw, classes)

    def _answer(self, X, output):
        if self._shape_begun() == "words" and not _data.is_table(X):
            return self._score_rows(_data.listed(X, "X"), self._raises, output)
        wanted = self._shape_begun()
        x = self._in_order(*self._table_to_predict(X, wanted if isinstance(wanted, list) else None), wanted)[1]
        if self._entry["scores"]:
            return self._score_table(x, self._raises, output)
        hypothesis = self._hypothesis()
        if hypothesis is None:
            raise not_fitted(self)
        return predict_by_rule(_core.Published(hypothesis, False), self._columns_begun(), x, self._raises)

    def _predict_by_rounds(self, X):
        wanted = self._columns_begun()
        x = self._in_order(*_data.table(X, wanted, False, self.schema is None), wanted)[1]
        answers = _core.Answers()
        self._play_table(x, None, None, answers, None)
        return as_array(answers.labels())
