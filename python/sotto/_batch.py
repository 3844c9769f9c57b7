"""Batch models: a table in, a model that may be published out."""
import json

from sotto import _core, _data
from sotto._core import InvalidArgument
from sotto._data import as_array, users_of
from sotto._estimator import Estimator, refuse, schema_text
from sotto._labels import NO_LABEL, coded, from_places
from sotto._predicting import predict_by_rule
from sotto._sklearn import not_fitted
from sotto._words import Guarantee, Plan


class BatchModel(Estimator):
    """A private batch model: fits a table, and the result may be published."""

    _more = ("schema", "classes")

    def __init__(self, *args, **given):
        if not self._entry:
            raise TypeError("BatchModel() is what models have in common: make one of them, "
                            "sotto.PrivateDecisionTree for example")
        self._start(args, given)

    def _start(self, args, given):
        self._keep(args, given)

    def plan(self):
        """Returns parameters and forecast of the fit. Reads no data.

        Returns
        -------
        Plan
        """
        return Plan(*_core.plan(self._entry["name"], self._settings(), schema_text(self.schema))[:3])

    def _seeded(self):
        # Says it of the fitted model, even if the keywords were changed since.
        return getattr(self, "_fit_seeded", self.seed is not None)

    @property
    def guarantee(self):
        """Guarantee of the fitted model."""
        if hasattr(self, "_guarantee"):
            return Guarantee(self._guarantee, self._seeded())
        return Guarantee(_core.plan(self._entry["name"], self._settings(), schema_text(self.schema))[3], self._seeded())

    def fit(self, X, y, user=None, **unsupported):
        """Fits the rows. A bad row is an empty one.

        Every fit is a separate release: two fits on the same rows spend the guarantee twice.

        Parameters
        ----------
        X : array, DataFrame or list of rows
            The columns of an array are those of the schema, in its order.
        y : array or list
            Labels.
        user : array, list or str, optional
            User of each row, or the name of a column. The column `user` of a DataFrame is used by
            default. A row without a name is a separate user. The first `rounds_per_user` rows of
            each user count, bad rows included.

        Returns
        -------
        self
        """
        refuse(unsupported, "fit")
        X, users = self._split_users(X, user)
        wanted = None if _data.is_frame(X) else self._columns_in_schema()
        names, x = _data.table(X, None if _data.is_table(X) else wanted, False, self.schema is None)
        y = _data.labels(y)
        self._settled = self._settle_classes(y)
        self._warn_of_signs(y)
        known = self._read_labels()[0]
        labels = y if self._settled is None else self._recoded(y, known)
        labels = _data.series(labels, False)
        _data.check_size(x, labels)
        if names is None:
            names = self._names_by_place(_data.width(names, x), wanted)
        if users is not None:
            _data.check_length(_data.height(x), len(users))
        column = self._unused_name(names)
        csv = self._csv(names, x, labels, users, column)
        made = _core.fit(self._entry["name"], self._settings(), schema_text(self.schema), csv,
                         None if users is None else column)
        self._model, self._text, self._notes, self._guarantee = made
        self._fit_seeded = self.seed is not None
        self._columns = names
        self.n_features_in_ = len(names)
        if _data.is_frame(X):
            self.feature_names_in_ = as_array(names, object)
        self.classes_ = as_array(known if self._settled is None else self._settled)
        return self

    def _names_by_place(self, count, wanted):
        """Names of the columns of rows without names: the schema's, in its order, or c1, c2, ..."""
        if wanted is None:
            return _data.numbered(count)
        if len(wanted) != count:
            raise InvalidArgument(f"X has {count} features, but the schema has {len(wanted)} columns")
        return wanted

    def _split_users(self, X, user):
        """Rows without their users, and the users; None if there are none. No user is a feature."""
        self._user_column = None
        if user is None and self._label_name() != "user" and _data.has_column(X, "user"):
            user = "user"
        if not isinstance(user, (str, int)):
            return X, users_of(user)
        if not _data.has_column(X, user):
            raise InvalidArgument(f"no column {user!r} among those of the table")
        self._user_column = user
        X, users = _data.without_column(X, user)
        return X, users_of(users)

    def _unused_name(self, names):
        """For the users, where a feature or the label is called user."""
        name = "user"
        while name in names or name == self._label_name():
            name += "_"
        return name

    def _recoded(self, y, known):
        """Labels by their names in the schema or the table."""
        if len(known) != len(self._settled):
            raise InvalidArgument(f"classes: {len(self._settled)} of them: expected {len(known)}")
        return [place if place is None or place == NO_LABEL else known[place]
                for place in coded(y, self._settled, False)]

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    def _check_fitted(self):
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    @property
    def model_(self):
        """The published model, a dict."""
        self._check_fitted()
        return json.loads(self._model)

    @property
    def text_(self):
        """The published model, human-readable."""
        self._check_fitted()
        return self._text

    @property
    def notes_(self):
        """Notes of the fit, the number of bad rows for example. Operator only."""
        self._check_fitted()
        return self._notes

    def predict(self, X):
        """Predicts many rows with the published model, at no cost.

        Parameters
        ----------
        X : array, DataFrame or list of rows

        Returns
        -------
        array
            Labels. None for a bad row with skip_bad=True.

        Raises
        ------
        InvalidArgument
            For a bad row.
        """
        self._check_fitted()
        if self._user_column is not None and _data.has_column(X, self._user_column):
            X = _data.without_column(X, self._user_column)[0]
        wanted = None if _data.is_table(X) else self._columns
        names, x = self._table_to_predict(X, wanted)
        if _data.width(names, x) != len(self._columns):
            raise InvalidArgument(f"X has {_data.width(names, x)} features, but {type(self).__name__} is "
                                  f"expecting {len(self._columns)} features as input")
        names = names if names is not None else self._columns
        raw = predict_by_rule(_core.Published(self._model, False), names, x, self._raises)
        return from_places(raw, _data.as_list(self.classes_))

    def _facts_shown(self):
        """For a notebook: the fitted model, which is public."""
        if not self.__sklearn_is_fitted__():
            return [("fitted", "not yet")]
        return [("model", self._text), ("guarantee", self.guarantee)]
