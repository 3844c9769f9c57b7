"""Online models: one user at a time, labels at any time."""
import difflib
import itertools
import json

from sotto import _core, _data, _river
from sotto._core import FailedPrecondition, InvalidArgument
from sotto._data import users_of
from sotto._estimator import Estimator, refuse, schema_text
from sotto._fitting import Fitting
from sotto._labels import coded, is_minus_one
from sotto._options import checked
from sotto._predicting import Predicting
from sotto._run import Progress, Run
from sotto._sklearn import not_fitted
from sotto._states import Saved
from sotto._words import Guarantee, Plan, marked

WORDS = "words"  # columns of dicts of any names


class OnlineModel(Estimator, _river.RiverModel, Fitting, Predicting, Saved, _core.Stream):
    """A private online model: answers users one at a time and learns from the labels they send back."""

    _more = ("schema", "columns", "classes")
    _loaded = None  # a state to resume: bytes, columns, whether it is seeded, rounds
    _places = None  # number of columns of the sparse matrix that it begins with

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
        self._start(args, given)

    def _start(self, args, given):
        self._keep(args, given)
        _river.register(self)

    # Called by the extension for the first row.
    def _making(self):
        loaded = self._loaded  # another thread may resume it
        columns = self.columns if loaded is None else loaded[1] or self.columns
        if columns is None:
            columns = self._places
        if columns is not None and self.schema is not None:
            raise InvalidArgument("columns= and schema= both say which columns there are: leave one out")
        if self._settled is None:
            self._settled = self._settle_classes(None)
        return (self._settings(), schema_text(self.schema), self._shape(columns),
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
        """Returns parameters, bounds and forecast. Reads no data.

        Returns
        -------
        Plan
        """
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
        """Returns the report of `sotto run --json`.

        Parameters
        ----------
        public : bool, default False
            Only the part that is safe to publish. Otherwise most of it is operator only.

        Returns
        -------
        dict
        """
        self._check_begun()
        return marked(json.loads(self._report_json(bool(public), False)))

    def _facts_shown(self):
        """For a notebook: public facts."""
        facts = [("rounds", self.rounds)]
        if self._begun:
            facts.append(("halted", self.halted))
        try:
            facts.append(("guarantee", self.guarantee))
        except _core.SottoError as error:
            facts.append(("not possible", error))
        return facts

    def __sklearn_is_fitted__(self):
        return self._begun

    def _check_begun(self):
        if not self._begun:
            raise not_fitted(self)

    # One user at a time.

    def open(self, x, user=None):
        """Plays one round for one user. Send the label later, in any order, or never.

        It is one round, whatever x is: a bad row is an empty round, and then raises InvalidArgument
        for the caller who brought it (not with skip_bad=True or public=True).

        Parameters
        ----------
        x : dict, list, array or row of pandas
        user : str or int, optional
            Name for the per-user limit. Without one it is a user of this round only.

        Returns
        -------
        Round
            With `prediction`, `ticket` and `close(y)`. For this user only.
        """
        return self._open(x, user)

    def close(self, ticket, y):
        """Sends the label of an open round by its ticket, as Round.close.

        Parameters
        ----------
        ticket : str or None
            None is the ticket of an empty round, which takes no label.
        y : label
        """
        if ticket is None:
            return
        if not isinstance(ticket, str):
            raise InvalidArgument(f"ticket: an object of type {type(ticket).__name__}: expected a text")
        self._close(checked(ticket, "ticket"), y)

    def empty_round(self, user=None):
        """Plays an empty round: a user was expected and did not come.

        To all other users it looks like any other round. `tick` is the same.

        Parameters
        ----------
        user : str or int, optional
        """
        self._empty_round(user)

    tick = empty_round

    def predict_one(self, x, user=None):
        """Plays one round and returns the prediction for the user who brings x.

        Every call is a round of the clock, and of the user if there is a name. Send the label by
        learn_one(x, y), before the next call under the same name, or without one.

        Parameters
        ----------
        x : dict, list, array or row of pandas
        user : str or int, optional

        Returns
        -------
        label
            None for an empty row, and for a user over the limit if the model publishes nothing.
        """
        return self._predict_one(x, user)

    def predict_proba_one(self, x, user=None):
        """Plays one round, as predict_one, and returns the probabilities of all labels.

        Parameters
        ----------
        x : dict, list, array or row of pandas
        user : str or int, optional

        Returns
        -------
        dict
            {label: probability}; empty for an empty round.

        Raises
        ------
        FailedPrecondition
            Before the round, for a model without probabilities.
        """
        return self._predict_proba_one(x, user)

    def learn_one(self, x, y, user=None, w=None):
        """Sends the label of the last predict_one under that name, or without one.

        If there was only one since the last label, the label is its own, whatever x is by now: a
        scaler before the model may have changed it. After several, x must be the row of the last.
        The round is closed then, also if x is another row or y is no label. Without such a round it
        plays one and drops the prediction. For delayed labels use open and close.

        Parameters
        ----------
        x : dict, list, array or row of pandas
        y : label
            None if the label is missing.
        user : str or int, optional
        w : None
            River's weight of a row. Refused: all rows count alike.
        """
        if w is not None:
            refuse({"w": w}, "learn_one")
        if is_minus_one(y):
            self._warn_of_signs([y])
        self._learn_one(x, y, user)

    # Bulk.

    def run(self, stream, y=None, user=None, *, progress=False):
        """Plays many rounds: predicts each row, then learns its label.

        A bad row is an empty round, counted in `report()`. After Ctrl-C, or an exception of the
        stream itself, `last_run` has the rounds that were played.

        Parameters
        ----------
        stream : DataFrame, array, sparse matrix, or iterable
            A table of rows, with `y`; or an iterable of (x, y) or (x, y, user).
        y : array, list or str, optional
            Labels of a table; for a DataFrame also the name of a column.
        user : array, list or str, optional
            User names of a table; for a DataFrame also the name of a column.
        progress : bool, default False
            Shows a bar, if tqdm is installed.

        Returns
        -------
        Run
        """
        answers = _core.Answers()
        made = Run(self, answers)
        self.last_run = made  # until another thread runs
        try:
            if (_data.is_table(stream) or y is not None) and not self._any_names(stream):
                self._run_table(stream, y, user, answers, progress)
            else:
                rows = stream if y is None else self._zipped(stream, y, user)
                self._run_rows(rows_of(rows), answers, progress)
        except KeyboardInterrupt:
            made.interrupted = True
            raise
        return made

    def _run_table(self, data, y, user, answers, progress):
        names, x, y, user = self._columns(data, y, user)
        self._note_places(x)
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
        self._warn_of_signs(y)
        return _data.series(y if self._settled is None else coded(y, self._settled, False), False)

    def _in_order(self, names, x, wanted):
        """Columns by name, in the order of the schema or of the first table."""
        if wanted is None or names is None:
            count = None if wanted is None else wanted if isinstance(wanted, int) else len(wanted)
            if count is not None and _data.width(names, x) != count:
                raise InvalidArgument(f"X has {_data.width(names, x)} features, but {type(self).__name__} is "
                                      f"expecting {count} features as input")
            return names, x
        if isinstance(wanted, int):
            raise InvalidArgument(f"a table with names: the model began with {wanted} columns without names")
        missing = [name for name in wanted if name not in names]
        if missing:
            raise InvalidArgument(f"no column {missing[0]!r} among those of the table{near(missing[0], names)}")
        return wanted, [x[names.index(name)] for name in wanted]

    def _wanted_columns(self):
        return self._shape_begun() if self._begun else self._given_columns()

    def _given_columns(self):
        if self.schema is not None:
            return self._columns_in_schema()
        return self._shape(self.columns)

    def _shape(self, columns):
        """Names of the columns, the number of columns of sparse rows, or WORDS; None if they are not known."""
        if columns is None:
            return None
        if self._entry["scores"] and (isinstance(columns, str) and columns == WORDS
                                      or isinstance(columns, int) and not isinstance(columns, bool) and 0 < columns < 2**31):
            return columns
        return [checked(str(name), "columns") for name in _data.listed(columns, "columns")]

    def _note_places(self, x):
        """A sparse matrix that the model begins with says how many columns there are."""
        if not self._begun:
            self._places = x.shape[1] if isinstance(x, _data.SparseRows) and self.schema is None else None

    def _any_names(self, data):
        """True for rows that are dicts of any names."""
        return not _data.is_table(data) and isinstance(self.columns, str) and self.columns == WORDS

    def _zipped(self, X, y, user):
        """Rows of dicts with their labels and users."""
        rows, labels = _data.listed(X, "X"), _data.as_list(y, "y")
        users = [None] * len(rows) if user is None else users_of(user)
        _data.check_length(len(rows), len(labels))
        _data.check_length(len(rows), len(users))
        return zip(rows, labels, users)

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


def near(name, names):
    found = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {found[0]!r} for it?" if found else ""


def rows_of(stream):
    try:
        return iter(stream)
    except TypeError:
        raise InvalidArgument(f"stream: an object of type {type(stream).__name__}: expected rows") from None
