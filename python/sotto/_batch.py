"""Batch models: a table in, something that may be published out."""
import json

from sotto import _core, _data
from sotto._core import InvalidArgument
from sotto._estimator import NO_LABEL, Estimator, as_array, coded, not_fitted, schema_text, users_of
from sotto._words import Guarantee, Plan


class BatchModel(Estimator):
    """A private fit of a table: what it learned may be published."""

    _more = ("schema", "classes")

    def __init__(self, *args, **given):
        if not self._row:
            raise TypeError("BatchModel() is what models have in common: make one of them, sotto.Tree for example")
        self._keep(args, given)

    def plan(self):
        """What the fit would do, before any data is touched."""
        return Plan(*_core.plan(self._row["name"], self._said(), schema_text(self.schema))[:3])

    def _seeded(self):
        # Of what was learned, whatever the keywords say since.
        return getattr(self, "_fit_seeded", self.seed is not None)

    @property
    def guarantee(self):
        """What is promised for the model that a fit returns."""
        if hasattr(self, "_guarantee"):
            return Guarantee(self._guarantee, self._seeded())
        return Guarantee(_core.plan(self._row["name"], self._said(), schema_text(self.schema))[3], self._seeded())

    def fit(self, X, y, user=None):
        """Learns from the rows. Every fit is a release of its own: two fits on the same rows
        spend the guarantee twice.

        `user` says whose row each is: names one after the other, or the name of a column of a
        DataFrame, whose column `user` is used by default. A row without a name is a user of its
        own. Of each user the first `rounds_per_user` rows count, also those that cannot be used.
        """
        X, users = self._split_users(X, user)
        wanted = None if _data.is_table(X) else self._columns_in_schema()
        names, x = _data.table(X, wanted, self._strict, self.schema is None)
        y = _data.labels(y)
        self._settled = self._settle_classes(y)
        known = self._read_labels()[0]
        labels = y if self._settled is None else self._recoded(y, known)
        if self._strict:
            _data.check(x, labels)
        if names is None:
            count = _data.width(names, x)
            names = wanted if wanted is not None and len(wanted) == count else _data.numbered(count)
        if users is not None:
            _data.check_length(_data.height(x), len(users))
        column = self._unused_name(names)
        csv = self._csv(names, x, _data.series(labels, self._strict), users, column)
        made = _core.fit(self._row["name"], self._said(), schema_text(self.schema), csv,
                         None if users is None else column)
        self._model, self._text, self._notes, self._guarantee = made
        self._fit_seeded = self.seed is not None
        self._columns = names
        self.n_features_in_ = len(names)
        if _data.is_frame(X):
            self.feature_names_in_ = as_array(names, object)
        self.classes_ = as_array(known if self._settled is None else self._settled)
        return self

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
        """Labels by the names that the schema, or the table, has for them."""
        if len(known) != len(self._settled):
            raise InvalidArgument(f"classes: {len(self._settled)} of them: expected {len(known)}")
        return [place if place is None or place == NO_LABEL else known[place]
                for place in coded(y, self._settled, self._strict)]

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    @property
    def model_(self):
        """What was learned, as it may be published: a dict."""
        if not hasattr(self, "_model"):
            raise not_fitted(self)
        return json.loads(self._model)

    @property
    def text_(self):
        """The same as a person would read it."""
        if not hasattr(self, "_model"):
            raise not_fitted(self)
        return self._text

    def predict(self, X):
        """Labels by what was learned: costs nothing."""
        if not hasattr(self, "_model"):
            raise not_fitted(self)
        if self._user_column is not None and _data.has_column(X, self._user_column):
            X = _data.without_column(X, self._user_column)[0]
        wanted = None if _data.is_table(X) else self._columns
        names, x = _data.table(X, wanted, self._strict, self.schema is None)
        if _data.width(names, x) != len(self._columns):
            raise InvalidArgument(f"X has {_data.width(names, x)} features, but {type(self).__name__} is "
                                  f"expecting {len(self._columns)} features as input")
        if self._strict:
            _data.check(x, None)
        csv = self._csv(names if names is not None else self._columns, x)
        told = _core.predict(self._model, csv, self._label_name(), not self._strict)
        return self._from_texts(told)

    def _repr_html_(self):
        from html import escape
        shown = self._text if hasattr(self, "_text") else repr(self)
        return f"<pre>{escape(shown)}</pre>"
