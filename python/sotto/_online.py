"""Online models: users one at a time, labels when they come."""
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
    """A private model that answers users one at a time and learns from their labels."""

    _more = ("schema", "columns", "classes")
    _loaded = None  # a state to go on from: bytes, columns, whether it is seeded, rounds

    def __new__(cls, *args, **given):
        """Whole from the beginning: there are other ways to make an object than to call its class."""
        if not cls._row:
            raise TypeError("OnlineModel() is what models have in common: make one of them, sotto.Tide for example")
        made = super().__new__(cls)
        made._prepare()
        return made

    def _prepare(self):
        _core.Stream.__init__(self, self._row["name"])

    def __init__(self, *args, **given):
        self._keep(args, given)
        register_with_river(type(self))

    # What the extension asks for when the first row comes.
    def _making(self):
        loaded = self._loaded  # which may be gone on from in another thread
        columns = self.columns if loaded is None else loaded[1] or self.columns
        if columns is not None and self.schema is not None:
            raise InvalidArgument("columns= and schema= both say which columns there are: leave one out")
        if self._settled is None:
            self._settled = self._settle_classes(None)
        return (self._said(), schema_text(self.schema), None if columns is None else names_of(columns),
                None if loaded is None else loaded[0], self._settled)

    def _check_idle(self, verb):
        if self._begun or (self._loaded is not None and verb != "set_params"):
            raise FailedPrecondition(f"{verb}: the model is at work, and what it promises was said before its "
                                     "first round. A clone, or fit, starts afresh and spends again")

    def __setattr__(self, name, value):
        """Keywords of a model at work stay as they are: its guarantee was stated."""
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
        """What the model would do, before any data is touched."""
        return Plan(*_core.plan(self._row["name"], self._said(), schema_text(self.schema))[:3])

    @property
    def guarantee(self):
        """What is promised for everything that is not its own user's or the operator's."""
        if self._begun:
            return Guarantee(self._facts()["guarantee"], self._seeded())
        plan = _core.plan(self._row["name"], self._said(), schema_text(self.schema))
        return Guarantee(plan[3], self._seeded())

    @property
    def rounds(self):
        """The public clock: how many rounds there were, whatever became of them."""
        if self._begun:
            return self._facts()["rounds"]
        return 0 if self._loaded is None else self._loaded[3]

    @property
    def halted(self):
        """Whether its budget is used up. Public."""
        return self._at_work() and self._facts()["halted"]

    @property
    def hypothesis(self):
        """What may be published of what was learned, a dict; None if nothing may."""
        text = self._hypothesis() if self._at_work() else None
        return None if text is None else json.loads(text)

    def _at_work(self):
        """Whether it has begun. A state that waits for its columns is refused: what it holds is
        not known before."""
        if not self._begun and self._loaded is not None:
            self._begin(None)
        return self._begun

    def report(self, public=False):
        """The report of `sotto run --json`: most of it is the operator's own view.

        With public=True only what anybody may see.
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
        """One round for one user: a Round with its prediction, which takes its label later
        (round.close(y)), in any order, or never.

        A tick of the clock, whatever x is: a row that cannot be used is an empty round, and then
        an InvalidArgument.
        """
        return self._open(x, user)

    def close(self, ticket, y):
        """The label of a round that was opened, by its ticket: as Round.close.

        None is the ticket of a round that answered nobody: its label is nobody's.
        """
        if ticket is None:
            return
        if not isinstance(ticket, str):
            raise InvalidArgument(f"ticket: an object of type {type(ticket).__name__}: expected a text")
        self._close(checked(ticket, "ticket"), y)

    def tick(self, user=None):
        """An empty round: somebody was expected and did not come. To everybody else it looks
        like any other round."""
        self._tick(user)

    def predict_one(self, x, user=None):
        """One round: what the user who brings x (a dict, a list, an array, a row of pandas) is
        told, for that user alone; None for a user who has had all rounds.

        There is no prediction without a round: asking twice is two rounds of the clock, and of
        the user if there is a name. The label comes by learn_one(x, y), before the next question
        under the same name, or without one.
        """
        return self._predict_one(x, user)

    def predict_proba_one(self, x, user=None):
        """As predict_one, a round as well: {label: probability} of both labels, or of the class
        told.

        Raises FailedPrecondition, before the round, for a model that has none.
        """
        return self._predict_proba_one(x, user)

    def learn_one(self, x, y, user=None):
        """The label of the round that was asked about last, under that name or without one; x
        must be the same row, and y None if its label never came.

        That round is over then, also if x is another row or y no label. Without such a round it
        is a round of its own, whose answer nobody sees. For labels that come late and in any
        order: open and close.
        """
        self._learn_one(x, y, user)

    # Bulk.

    def run(self, stream, y=None, user=None, *, progress=False):
        """Plays many rounds: each row's user is answered, then its label is taught.

        `stream` is a DataFrame or an array of rows with `y` (and names in `user`; for a
        DataFrame both may be names of columns), or anything that hands out (x, y) or
        (x, y, user). A bad row ends the run with an exception, as on the command line; the
        rounds before it were played, and `last_run` has them, as after Ctrl-C.
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
        """Of a run: a label that is none of the classes makes its row one that cannot be used."""
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
        return self._columns_begun() if self._begun else self._said_columns()

    def _said_columns(self):
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
        """Starts afresh and plays all rows, or hands a model that starts from a labelled set
        its rows.

        Every fit is a release of its own: two fits on the same rows spend the guarantee twice.
        """
        wanted = self._said_columns()
        table, y = _data.table(X, wanted, self._strict, self.schema is None), _data.labels(y)
        settled = self._settle_classes(y)
        rows = self._rows_of(table, y, user, settled, wanted)
        self._loaded = None  # first: what ends with the session may call the model
        self._reset()
        self._settled = settled
        return self._fit_rows(*rows)

    def partial_fit(self, X, y, classes=None, user=None):
        """Plays further rows. `classes`, if it is given, says in public which labels there are."""
        wanted = self._wanted_columns()
        table, y = _data.table(X, wanted, self._strict, self.schema is None), _data.labels(y)
        settled = self._settled if self._begun else self._settle_classes(y, classes)
        rows = self._rows_of(table, y, user, settled, wanted)
        self._settled = settled
        return self._fit_rows(*rows)

    def _rows_of(self, table, y, user, settled, wanted):
        """All that can be refused before anything begins."""
        names, x = table
        named = names is not None
        names, x = self._in_order(names, x, wanted)
        labels = _data.series(y if settled is None else coded(y, settled, self._strict), self._strict)
        user = users_of(user)
        if self._strict:
            _data.check(x, labels)
        for column in (labels, user):
            if column is not None:
                _data.check_length(_data.height(x), _data.length(column))
        names = names if named else _data.numbered(_data.width(names, x))
        return names, x, labels, user, named

    def _fit_rows(self, names, x, labels, user, named):
        self._begin_named(names)
        if self._row["trains"]:
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
        """Labels for many rows.

        Of a model that publishes what it learned: by what is published, which costs nothing
        and changes nothing. Of one that starts from a labelled set: every row is a question,
        one round each. All others pay for answers, so there is no such predict: it is refused.
        """
        if not self._begun:
            raise not_fitted(self)
        wanted = self._columns_begun()
        names, x = self._in_order(*_data.table(X, wanted, self._strict, self.schema is None), wanted)
        if self._strict:
            _data.check(x, None)
        if self._row["published"]:
            return self._predict_published(names, x)
        if self._row["trains"]:
            answers = _core.Answers()
            self._play_table(x, None, None, answers, None)
            return as_array(answers.labels())
        raise FailedPrecondition(
            f"{self._row['name']} pays for every answer and publishes nothing of what it learned, so there is no "
            "predict that changes nothing: predict_one and run ask it, one round of the clock for every row")

    def _predict_published(self, names, x):
        hypothesis = self._hypothesis()
        if hypothesis is None:
            raise not_fitted(self)
        csv = self._csv(self._columns_begun(), x)
        return self._from_texts(_core.predict(hypothesis, csv, self._label_name(), not self._strict))

    # States. One state has one continuation.

    def save(self, path):
        """Writes the state to a file, as `sotto run --save` does.

        It holds the secret key and data: whoever reads it can undo the privacy.
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
        """Goes on from a saved state, as if it had not been saved. The columns must be said
        again (a state holds none): by schema, by columns, or by the first row; classes too, if
        labels had other names.

        Each continuation with other data spends the guarantee again.
        """
        return cls._go_on(*cls._read(path), schema=schema, columns=columns, classes=classes)

    @classmethod
    def _read(cls, path):
        """The keywords that a saved state was made with, and what `_loaded` is to be."""
        name, settings, state, seeded, rounds = _core.read_state(path_of(path))
        if name != cls._row["name"]:
            raise InvalidArgument(f"{os.fspath(path)}: a state of {name}, not of {cls._row['name']}")
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
        """A copy of a model at work would be a second continuation: refused."""
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
