"""Online models: one user at a time, labels at any time."""
import copy
import itertools
import json
import os
import warnings

from sotto import _core, _data
from sotto._core import FailedPrecondition, InvalidArgument
from sotto._estimator import Estimator, as_array, coded, not_fitted, register_with_river, schema_text, users_of
from sotto._options import checked, path_of
from sotto._run import Progress, Run
from sotto._words import Guarantee, Plan, marked


class OnlineModel(Estimator, _core.Stream):
    """A private online model: answers users one at a time and learns from the labels they send back."""

    _more = ("schema", "columns", "classes")
    _loaded = None  # a state to resume: bytes, columns, whether it is seeded, rounds

    def __new__(cls, *args, **given):
        """Makes the C++ part: __new__ may be called without __init__."""
        if not cls._entry:
            raise TypeError("OnlineModel() is what models have in common: make one of them, sotto.Tide for example")
        made = super().__new__(cls)
        made._prepare()
        return made

    def _prepare(self):
        _core.Stream.__init__(self, self._entry["name"])

    def __init__(self, *args, **given):
        self._keep(args, given)
        register_with_river(type(self))

    # Called by the extension for the first row.
    def _making(self):
        loaded = self._loaded  # another thread may resume it
        columns = self.columns if loaded is None else loaded[1] or self.columns
        if columns is not None and self.schema is not None:
            raise InvalidArgument("columns= and schema= both say which columns there are: leave one out")
        if self._settled is None:
            self._settled = self._settle_classes(None)
        return (self._settings(), schema_text(self.schema), None if columns is None else names_of(columns),
                None if loaded is None else loaded[0], self._settled)

    def _check_idle(self, verb):
        if self._begun or (self._loaded is not None and verb != "set_params"):
            raise FailedPrecondition(f"{verb}: the model is at work, and what it promises was said before its "
                                     "first round. A clone, or fit, starts afresh and spends again")

    def __setattr__(self, name, value):
        """Refuses to change keywords of a running model: its guarantee was stated."""
        if name in self._names() and (self._begun or self._loaded is not None and name not in self._more):
            self._check_idle(name)
        if name == "classes":
            self.__dict__.pop("_settled", None)
        super().__setattr__(name, value)

    def _seeded(self):
        if self._begun:
            return self._is_seeded()
        return self.seed is not None or (self._loaded is not None and self._loaded[2])

    # Before any data, and public at any time.

    def plan(self):
        """Parameters, bounds and forecast, before any data."""
        return Plan(*_core.plan(self._entry["name"], self._settings(), schema_text(self.schema))[:3])

    @property
    def guarantee(self):
        """The guarantee for everything but a user's own predictions and the operator's view."""
        if self._begun:
            return Guarantee(self._facts()["guarantee"], self._seeded())
        plan = _core.plan(self._entry["name"], self._settings(), schema_text(self.schema))
        return Guarantee(plan[3], self._seeded())

    @property
    def rounds(self):
        """The public clock: number of rounds so far, empty ones included."""
        if self._begun:
            return self._facts()["rounds"]
        return 0 if self._loaded is None else self._loaded[3]

    @property
    def halted(self):
        """True once the budget is used up. Public."""
        return self._at_work() and self._facts()["halted"]

    @property
    def hypothesis(self):
        """The published model, a dict; None if the model publishes nothing."""
        text = self._hypothesis() if self._at_work() else None
        return None if text is None else json.loads(text)

    def _at_work(self):
        """True once it has begun. Raises for a state that waits for its columns."""
        if not self._begun and self._loaded is not None:
            self._begin(None)
        return self._begun

    def report(self, public=False):
        """The report of `sotto run --json`, mostly operator only; with public=True only the
        public part.
        """
        self._check_begun()
        return marked(json.loads(self._report_json(bool(public), False)))

    def __sklearn_is_fitted__(self):
        return self._begun

    def _check_begun(self):
        if not self._begun:
            raise not_fitted(self)

    # One user at a time.

    def open(self, x, user=None):
        """Plays one round for one user and returns a Round with its prediction. Send the label
        later (round.close(y)), in any order, or never.

        One round, whatever x is: a bad row is an empty round, and then an InvalidArgument for the
        caller who brought it (none with skip_bad=True or public=True).
        """
        return self._open(x, user)

    def close(self, ticket, y):
        """Sends the label of an open round by its ticket, as Round.close.

        None is the ticket of an empty round, which takes no label.
        """
        if ticket is None:
            return
        if not isinstance(ticket, str):
            raise InvalidArgument(f"ticket: an object of type {type(ticket).__name__}: expected a text")
        self._close(checked(ticket, "ticket"), y)

    def empty_round(self, user=None):
        """Plays an empty round: a user was expected and did not come. To all other users it
        looks like any other round."""
        self._empty_round(user)

    tick = empty_round

    def predict_one(self, x, user=None):
        """Plays one round and returns the prediction for the user who brings x (a dict, a list,
        an array, a row of pandas); None for a user over the limit.

        Every call is a round of the clock, and of the user if there is a name. Send the label
        by learn_one(x, y), before the next call under the same name, or without one.
        """
        return self._predict_one(x, user)

    def predict_proba_one(self, x, user=None):
        """Plays one round, as predict_one, and returns {label: probability} of both labels, or of
        the predicted class.

        Raises FailedPrecondition, before the round, for a model without probabilities.
        """
        return self._predict_proba_one(x, user)

    def learn_one(self, x, y, user=None):
        """Sends the label of the last predict_one under that name, or without one; x must be the
        same row, and y is None if the label is missing.

        The round is closed then, also if x is another row or y is no label. Without such a round
        it plays one and drops the prediction. For delayed labels use open and close.
        """
        self._learn_one(x, y, user)

    # Bulk.

    def run(self, stream, y=None, user=None, *, progress=False):
        """Plays many rounds: predicts each row, then learns its label.

        `stream` is a DataFrame or an array of rows with `y` (and names in `user`; for a
        DataFrame both may be names of columns), or any iterable of (x, y) or
        (x, y, user). A bad row is an empty round, counted in `report()`. After Ctrl-C, or an
        exception of the stream itself, `last_run` has the rounds that were played.
        """
        answers = _core.Answers()
        made = Run(self, answers)
        self.last_run = made  # until another thread runs
        try:
            if _data.is_table(stream) or y is not None:
                self._run_table(stream, y, user, answers, progress)
            else:
                self._run_rows(rows_of(stream), answers, progress)
        except KeyboardInterrupt:
            made.interrupted = True
            raise
        return made

    def _run_table(self, data, y, user, answers, progress):
        names, x, y, user = self._columns(data, y, user)
        self._begin_named(names if names is not None else _data.numbered(_data.width(names, x)))
        bar = Progress(progress, _data.height(x))
        try:
            self._play_table(x, y, user, answers, bar.between)
        finally:
            bar.close()

    def _columns(self, data, y, user):
        """Names, features, labels and users: y and user may name columns of a DataFrame."""
        if _data.is_frame(data):
            taken = [name for name in (y, user) if isinstance(name, (str, int))]
            for name in taken:
                if name not in data.columns:
                    raise InvalidArgument(f"no column {name!r} among those of the table")
            y = data[y] if isinstance(y, (str, int)) else y
            user = data[user] if isinstance(user, (str, int)) else user
            data = data.drop(columns=taken) if taken else data
        wanted = self._wanted_columns()
        names, x = self._in_order(*_data.table(data, wanted, False, self.schema is None), wanted)
        return names, x, None if y is None else self._labels_of(y), users_of(user)

    def _labels_of(self, y):
        """Labels of a run: an unknown label makes its row a bad one."""
        if self._settled is None and not self._begun:
            self._settled = self._settle_classes(None)
        y = _data.labels(y)
        return _data.series(y if self._settled is None else coded(y, self._settled, False), False)

    def _in_order(self, names, x, wanted):
        """Columns by name, in the order of the schema or of the first table."""
        if wanted is None or names is None:
            if wanted is not None and _data.width(names, x) != len(wanted):
                raise InvalidArgument(f"X has {_data.width(names, x)} features, but {type(self).__name__} is "
                                      f"expecting {len(wanted)} features as input")
            return names, x
        missing = [name for name in wanted if name not in names]
        if missing:
            raise InvalidArgument(f"no column {missing[0]!r} among those of the table")
        return wanted, [x[names.index(name)] for name in wanted]

    def _wanted_columns(self):
        return self._columns_begun() if self._begun else self._given_columns()

    def _given_columns(self):
        if self.schema is not None:
            return self._columns_in_schema()
        return None if self.columns is None else names_of(self.columns)

    def _run_rows(self, rows, answers, progress):
        first = list(itertools.islice(rows, 1))
        if not first:
            return
        if not self._begun:
            known = self._wanted_columns() is not None
            self._begin(None if known else first[0][0] if isinstance(first[0], tuple) and first[0] else first[0])
        bar = Progress(progress, None)
        try:
            self._play_rows(itertools.chain(first, rows), answers, bar.between)
        finally:
            bar.close()

    # Batches, as scikit-learn has them.

    def fit(self, X, y, user=None):
        """Starts again and plays all rows, or reads the training set of a model that needs one.
        A bad row is an empty one.

        Every fit is a separate release: two fits on the same rows spend the guarantee twice.
        """
        wanted = self._given_columns()
        table, y = _data.table(X, wanted, False, self.schema is None), _data.labels(y)
        settled = self._settle_classes(y)
        rows = self._rows_of(table, y, user, settled, wanted)
        self._loaded = None  # first: what ends with the session may call the model
        self._reset()
        self._settled = settled
        return self._fit_rows(*rows)

    def partial_fit(self, X, y, classes=None, user=None):
        """Plays further rows. `classes` are the public names of the labels, if given."""
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
        labels = _data.series(y if settled is None else coded(y, settled, False), False)
        user = users_of(user)
        _data.check_size(x, labels, user)
        names = names if named else _data.numbered(_data.width(names, x))
        return names, x, labels, user, named

    def _fit_rows(self, names, x, labels, user, named):
        self._begin_named(names)
        if self._entry["trains"]:
            self._train(x, labels, user)
        else:
            self._play_table(x, labels, user, _core.Answers(), None)
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = as_array([str(name) for name in names], object)
        labels = self._label()
        if labels:
            self.classes_ = as_array(labels)
        return self

    def predict(self, X):
        """Predictions for many rows.

        With a published model it costs nothing, changes nothing and raises for a bad row, unless
        skip_bad. A model with a training set plays a round for each row. All other models pay
        for answers and raise FailedPrecondition.
        """
        self._check_begun()
        wanted = self._columns_begun()
        if self._entry["published"]:
            return self._predict_published(*self._in_order(*self._table_to_predict(X, wanted), wanted))
        if self._entry["trains"]:
            x = self._in_order(*_data.table(X, wanted, False, self.schema is None), wanted)[1]
            answers = _core.Answers()
            self._play_table(x, None, None, answers, None)
            return as_array(answers.labels())
        raise FailedPrecondition(
            f"{self._entry['name']} pays for every answer and publishes nothing of what it learned, so there is no "
            "predict that changes nothing: predict_one and run ask it, one round of the clock for every row")

    def _predict_published(self, names, x):
        hypothesis = self._hypothesis()
        if hypothesis is None:
            raise not_fitted(self)
        csv = self._csv(self._columns_begun(), x)
        return self._from_texts(_core.predict(hypothesis, csv, self._label_name(), not self._raises))

    # States. One state has one continuation.

    def save(self, path):
        """Writes the state to a file, as `sotto run --save` does.

        It holds the secret key and data: anyone who reads it can undo the privacy.
        """
        if self._loaded is None:
            self._check_begun()
        elif not self._begun:  # as it was
            return _core.write_state(path_of(path), self._loaded[0])
        if self._has_questions():
            warnings.warn("save: a question of predict_one waits for its label, and the file keeps the ticket but not "
                          "the question: after a load learn_one would be a second round. Use open(x) and "
                          "close(ticket, y) for labels that come late", stacklevel=2)
        return _core.write_state(path_of(path), self._state())

    @classmethod
    def load(cls, path, *, schema=None, columns=None, classes=None):
        """Resumes a saved state. Pass the columns again (a state holds none): by schema, by
        columns, or by the first row; also classes, if labels had other names.

        Resume each state once: a second resume with other data spends the guarantee again.
        """
        return cls._go_on(*cls._read(path), schema=schema, columns=columns, classes=classes)

    @classmethod
    def _read(cls, path):
        """Keywords of a saved state, and the value of `_loaded`."""
        name, settings, state, seeded, rounds = _core.read_state(path_of(path))
        if name != cls._entry["name"]:
            raise InvalidArgument(f"{os.fspath(path)}: a state of {name}, not of {cls._entry['name']}")
        kept = json.loads(settings)
        params = {word.name: kept[word.option["name"]] for word in cls._keywords
                  if kept.get(word.option["name"]) is not None}
        return params, (state, None, seeded, rounds)

    @classmethod
    def _go_on(cls, params, loaded, schema, columns, classes):
        made = cls(**params, schema=schema, columns=columns, classes=classes)
        made._loaded = loaded
        if schema is not None or columns is not None:
            made._begin(None)
        return made

    def __getstate__(self):
        """For pickle: THE PICKLE HOLDS THE SECRET KEY and data, as a saved state does."""
        extra = {name: getattr(self, name) for name in ("classes_", "n_features_in_", "feature_names_in_")
                 if hasattr(self, name)}
        loaded, questions = self._loaded, []
        if self._begun:
            state, questions, rounds = self._snapshot()
            loaded = (state, self._columns_begun(), self._seeded(), rounds)
        return {"params": self.get_params(), "loaded": loaded, "settled": self._settled, "extra": extra,
                "questions": questions}

    def __reduce__(self):
        return rebuild, (type(self), self.__getstate__())

    def __copy__(self):
        return self.__deepcopy__({})

    def __deepcopy__(self, memo):
        """Refuses to copy a running model: a copy would be a second continuation."""
        self._check_idle("copy")
        return type(self)(**copy.deepcopy(self.get_params(), memo))


def rebuild(cls, state):
    made = cls(**state["params"])
    made._loaded, made._settled = state["loaded"], state["settled"]
    for name, value in state["extra"].items():
        setattr(made, name, value)
    if made._loaded is not None and (made._loaded[1] or made.schema is not None):
        if made.schema is not None:
            made._loaded = (made._loaded[0], None, *made._loaded[2:])
        made._begin(None)
        made._ask(state["questions"])
    return made


def names_of(columns):
    return [checked(str(name), "columns") for name in _data.listed(columns, "columns")]


def rows_of(stream):
    try:
        return iter(stream)
    except TypeError:
        raise InvalidArgument(f"stream: an object of type {type(stream).__name__}: expected rows") from None
