"""Online models as scikit-learn fits them: whole tables, one after the other."""
from sotto import _core, _data
from sotto._data import as_array, users_of
from sotto._estimator import refuse
from sotto._labels import coded


class Fitting:
    """fit and partial_fit of online models."""

    def fit(self, X, y, user=None, **unsupported):
        """Starts again and plays all rows, or reads the training set of a model that needs one.

        A bad row is an empty one. Every fit is a separate release: two fits on the same rows spend
        the guarantee twice.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix or list of rows
        y : array or list
            Labels.
        user : array or list, optional
            User names.

        Returns
        -------
        self
        """
        refuse(unsupported, "fit")
        if self._any_names(X):
            settled = self._settle_classes(y)
            rows = self._zipped(X, y, user)
            self._loaded = None
            self._reset()
            return self._fit_words(rows, settled)
        wanted = self._given_columns()
        table, y = _data.table(X, wanted, False, self.schema is None), _data.labels(y)
        settled = self._settle_classes(y)
        rows = self._rows_of(table, y, user, settled, wanted)
        self._loaded = None  # first: what ends with the session may call the model
        self._reset()
        self._settled = settled
        return self._fit_rows(*rows)

    def partial_fit(self, X, y, classes=None, user=None, **unsupported):
        """Plays further rows, as rounds with their labels.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix or list of rows
        y : array or list
            Labels.
        classes : sequence, optional
            Public names of the labels, for the first call.
        user : array or list, optional
            User names.

        Returns
        -------
        self
        """
        refuse(unsupported, "partial_fit")
        if self._any_names(X):
            settled = self._settled if self._begun else self._settle_classes(y, classes)
            return self._fit_words(self._zipped(X, y, user), settled)
        wanted = self._wanted_columns()
        table, y = _data.table(X, wanted, False, self.schema is None), _data.labels(y)
        settled = self._settled if self._begun else self._settle_classes(y, classes)
        rows = self._rows_of(table, y, user, settled, wanted)
        self._settled = settled
        return self._fit_rows(*rows)

    def _rows_of(self, table, y, user, settled, wanted):
        """Checks everything that can be refused before the first round."""
        names, x = table
        named = names is not None
        names, x = self._in_order(names, x, wanted)
        if settled is None:
            self._warn_of_signs(y)
        labels = _data.series(y if settled is None else coded(y, settled, False), False)
        user = users_of(user)
        _data.check_size(x, labels, user)
        names = names if named else _data.numbered(_data.width(names, x))
        return names, x, labels, user, named

    def _fit_words(self, rows, settled):
        """Plays rows that are dicts of any names."""
        self._settled = settled
        self._begin(None)
        self._play_rows(iter(rows), _core.Answers(), None)
        return self._note_classes()

    def _fit_rows(self, names, x, labels, user, named):
        self._note_places(x)
        self._begin_named(names)
        if self._entry["trains"]:
            self._train(x, labels, user)
        else:
            self._play_table(x, labels, user, _core.Answers(), None)
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = as_array([str(name) for name in names], object)
        return self._note_classes()

    def _note_classes(self):
        labels = self._label()
        if labels:
            self.classes_ = as_array(labels)
        return self
