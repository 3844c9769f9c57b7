"""Saved states and pickles of online models. One state has one continuation."""
import copy
import json
import os
import warnings

from sotto import _core
from sotto._core import InvalidArgument
from sotto._options import path_of


class Saved:
    """Saves and resumes an online model."""

    def save(self, path):
        """Writes the state to a file, as `sotto run --save` does.

        It holds the secret key and data: anyone who reads it can undo the privacy.

        Parameters
        ----------
        path : str or PathLike
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
        """Resumes a saved state.

        Resume each state once: a second resume with other data spends the guarantee again.

        Parameters
        ----------
        path : str or PathLike
        schema, columns
            The columns, as before: a state holds none. By default the first row names them.
        classes : sequence, optional
            Names of the labels, if they had others than 0/1.

        Returns
        -------
        OnlineModel
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
            loaded = (state, self._shape_begun(), self._seeded(), rounds)
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
