"""Online models: users one at a time, labels when they come."""
import copy
import itertools
import json
import os

from sotto import _core, _data
from sotto._core import FailedPrecondition, InvalidArgument
from sotto._estimator import (Estimator, as_array, coded, not_fitted, register_with_river, schema_text,
                              values_of)
from sotto._options import checked
from sotto._run import Progress, Run
from sotto._words import Guarantee, Plan


class OnlineModel(Estimator, _core.Stream):
    """A private model that answers users one at a time and learns from their labels."""

    _more = ("schema", "columns", "classes")
    _loaded = None  # a state to go on from
    _settled = None  # the classes of fit

    def __init__(self, *args, **given):
        _core.Stream.__init__(self, self._row["name"])
        self._keep(args, given)
        register_with_river(type(self))

    # What the extension asks for when the first row comes.
    def _making(self):
        columns = self.columns if self._loaded is None else self._loaded[1] or self.columns
        if columns is not None and self.schema is not None:
            raise InvalidArgument("columns= and schema= both say which columns there are: leave one out")
        return (self._said(), schema_text(self.schema),
                None if columns is None else [checked(str(name), "columns") for name in columns],
                None if self._loaded is None else self._loaded[0])

    def _check_idle(self, verb):
        if self._begun:
            raise FailedPrecondition(f"{verb}: the model is at work, and what it promises was said before its "
                                     "first round. A clone, or fit, starts afresh and spends again")

    def _seeded(self):
        return self.seed is not None or (self._begun and self._facts()["seeded"])

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
        return self._facts()["rounds"] if self._begun else 0

    @property
    def halted(self):
        """Whether its budget is used up. Public."""
        return self._begun and self._facts()["halted"]

    @property
    def hypothesis(self):
        """What may be published of what was learned, a dict; None if nothing may."""
        text = self._hypothesis() if self._begun else None
        return None if text is None else json.loads(text)

    def report(self, public=False):
        """The report of `sotto run --json`: most of it is the operator's own view.

        With public=True only what anybody may see.
        """
        self._check_begun()
        return json.loads(self._report_json(public, False))

    def __sklearn_is_fitted__(self):
        return self._begun

    def _check_begun(self):
        if not self._begun:
            raise not_fitted(self)

    # Bulk.

    def run(self, stream, y=None, user=None, *, progress=False):
        """Plays many rounds: each row's user is answered, then its label is taught.

        `stream` is a DataFrame or an array of rows with `y` (and names in `user`; for a
        DataFrame both may be names of columns), or anything that hands out (x, y) or
        (x, y, user). A bad row ends the run with an exception, as on the command line; the
        rounds before it were played, and `last_run` has them, as after Ctrl-C.
        """
        answers = _core.Answers()
        self.last_run = Run(self, answers)
        try:
            if _data.is_table(stream) or y is not None:
                self._run_table(stream, y, user, answers, progress)
            else:
                self._run_rows(iter(stream), answers, progress)
        except KeyboardInterrupt:
            self.last_run.interrupted = True
            raise
        return self.last_run

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
            taken = [name for name in (y, user) if isinstance(name, str)]
            for name in taken:
                if name not in data.columns:
                    raise InvalidArgument(f"no column {name!r} among those of the table")
            y = data[y] if isinstance(y, str) else y
            user = data[user] if isinstance(user, str) else user
            data = data.drop(columns=taken) if taken else data
        names, x = _data.table(data)
        names, x = self._in_order(names, x)
        return names, x, None if y is None else _data.series(y), None if user is None else list(user)

    def _in_order(self, names, x):
        """Columns by name, in the order of the schema or of the first table."""
        wanted = self._wanted_columns()
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
        if self._begun:
            return self._facts()["columns"]
        if self.schema is not None:
            return [column["name"] for column in json.loads(schema_text(self.schema)).get("columns", [])]
        return None if self.columns is None else [str(name) for name in self.columns]

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
        table, y = _data.table(X), _data.labels(y)
        self._settled = self._settle_classes(y)
        self._reset()
        self._loaded = None
        return self._fit_rows(table, y, user)

    def partial_fit(self, X, y, classes=None, user=None):
        """Plays further rows. `classes`, if it is given, says in public which labels there are."""
        table, y = _data.table(X), _data.labels(y)
        if not self._begun:
            self._settled = self._settle_classes(y, classes)
        return self._fit_rows(table, y, user)

    def _fit_rows(self, table, y, user):
        named = table[0] is not None
        labels = _data.series(y if self._settled is None else coded(y, self._settled, self._strict))
        names, x = self._in_order(*table)
        user = None if user is None else list(user)
        if self._strict:
            _data.check(x, labels)
        self._begin_named(names if names is not None else _data.numbered(_data.width(names, x)))
        if self._row["trains"]:
            self._train(x, labels, user)
        else:
            self._play_table(x, labels, user, _core.Answers(), None)
        self.n_features_in_ = _data.width(names, x)
        if named:
            self.feature_names_in_ = as_array([str(name) for name in names], object)
        labels = self._label() if self._settled is None else self._settled
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
        names, x = self._in_order(*_data.table(X))
        if self._strict:
            _data.check(x, None)
        if self._row["published"]:
            return self._predict_published(names, x)
        if self._row["trains"]:
            answers = _core.Answers()
            self._play_table(x, None, None, answers, None)
            return self._as_classes(answers.labels(self))
        raise FailedPrecondition(
            f"{self._row['name']} pays for every answer and publishes nothing of what it learned, so there is no "
            "predict that changes nothing: predict_one and run ask it, one round of the clock for every row")

    def _predict_published(self, names, x):
        hypothesis = self._hypothesis()
        if hypothesis is None:
            raise not_fitted(self)
        label = self.label if getattr(self, "label", None) else self._label_name()
        columns = self._facts()["columns"]
        told = _core.predict(hypothesis, _core.table_csv(columns, x, None, ""), label, not self._strict)
        places = {str(value): value for value in self._label()}
        return self._as_classes([None if not text else places[text] if places else float(text) for text in told])

    def _label_name(self):
        described = self._label_in_schema()
        return described.get("column", "y") if isinstance(described, dict) else "y"

    def _as_classes(self, labels):
        if self._settled is not None:
            labels = [None if label is None else self._settled[label] for label in labels]
        return as_array(labels)

    def score(self, X, y):
        """The share of rows whose label predict tells: exact, and so the operator's own view
        of whatever rows these are."""
        told = values_of(self.predict(X))
        return sum(a == b for a, b in zip(told, values_of(y))) / max(len(told), 1)

    # States. One state has one continuation.

    def save(self, path):
        """Writes the state to a file, as `sotto run --save` does.

        It holds the secret key and data: whoever reads it can undo the privacy.
        """
        self._check_begun()
        _core.write_state(os.fspath(path), self._state())

    @classmethod
    def load(cls, path, *, schema=None, columns=None):
        """Goes on from a saved state, as if it had not been saved. The columns must be said
        again (a state holds none): by schema, by columns, or by the first row.

        Each continuation with other data spends the guarantee again.
        """
        name, settings, state = _core.read_state(os.fspath(path))
        if name != cls._row["name"]:
            raise InvalidArgument(f"{os.fspath(path)}: a state of {name}, not of {cls._row['name']}")
        kept = json.loads(settings)
        params = {word.name: kept[word.option["name"]] for word in cls._keywords
                  if kept.get(word.option["name"]) is not None}
        made = cls(**params, schema=schema, columns=columns)
        made._loaded = (state, None)
        if schema is not None or columns is not None:
            made._begin(None)
        return made

    def __getstate__(self):
        """For pickle: THE PICKLE HOLDS THE SECRET KEY and data, as a saved state does."""
        extra = {name: getattr(self, name) for name in ("classes_", "n_features_in_", "feature_names_in_")
                 if hasattr(self, name)}
        begun = (self._state(), self._facts()["columns"]) if self._begun else self._loaded
        return {"params": self.get_params(), "loaded": begun, "settled": self._settled, "extra": extra}

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
            made._loaded = (made._loaded[0], None)
        made._begin(None)
    return made
