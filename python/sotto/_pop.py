"""POP, whose learner may be a Python object."""
import json
import warnings

from sotto import _core, _learner, _options
from sotto._core import InvalidArgument
from sotto._online import OnlineModel
from sotto._words import Guarantee


class PopModel(OnlineModel):
    """`base_learner` is one of the names below, or an object, a class or a function
    that makes one, with predict_one and learn_one (River's) or predict and partial_fit
    (scikit-learn's). Its copies are what it is pickled to. They see the features as the
    schema encodes them, by name (predict_one) or as an array of one row (predict), and
    labels as False/True or 0/1. An answer of 1 is a vote for 1; anything else, an exception
    included, is one for 0. The guarantee names what cannot be checked.
    """

    _more = OnlineModel._more + ("reuse",)
    _named = None  # the learner, and what it is called
    _warned_of_faults = False

    def _prepare(self):
        self._slot = _core.LearnerSlot()
        _core.Stream.__init__(self, self._slot)

    def _settings(self):
        params = self.get_params()
        if _learner.is_object(self.base_learner):
            params["base_learner"] = self._learner_text()
        return _options.to_settings(self._keywords, params)

    def _learner_text(self):
        """Computed once for each learner: a factory is called once for its name."""
        if self._named is None or self._named[0] is not self.base_learner:
            self._named = (self.base_learner, _learner.name_of(self.base_learner))
        return _learner.text_of(self._named[1], self.reuse)

    def _making(self):
        if _learner.is_object(self.base_learner):
            self._slot.set(_learner.prepare(self.base_learner, bool(self.reuse)))
        else:
            self._slot.clear()
        return super()._making()

    @property
    def guarantee(self):
        """The guarantee for everything but a user's own predictions and the operator's view; for
        a Python learner with its assumption."""
        promise = super().guarantee
        if not _learner.is_object(self.base_learner):
            return promise
        assumption = _learner.ASSUMPTION + (_learner.REUSED if self.reuse else "")
        return Guarantee(json.dumps({**promise, "text": f"{promise} {assumption}", "assumption": assumption}))

    def learner_faults(self):
        """Returns the number of exceptions of the copies of a Python learner, and the first one. Operator only.

        An exception counts as a vote for 0, or as a label that was not learned. Those of a copy that
        has learned nothing yet do not count.

        Returns
        -------
        tuple of int and str
        """
        return self._slot.faults()

    def _look_at_faults(self):
        """Warns the operator, once."""
        count, first = self.learner_faults()
        if count and not self._warned_of_faults:
            self._warned_of_faults = True
            warnings.warn(f"the learner raised {first!r}: an exception is a vote for 0, or a label that is not learned. "
                          "learner_faults() counts them", stacklevel=3)

    def predict_one(self, x, user=None):
        prediction = super().predict_one(x, user)
        self._look_at_faults()
        return prediction

    def learn_one(self, x, y, user=None, w=None):
        super().learn_one(x, y, user, w)
        self._look_at_faults()

    def run(self, stream, y=None, user=None, *, progress=False):
        try:
            return super().run(stream, y, user, progress=progress)
        finally:
            self._look_at_faults()

    def partial_fit(self, X, y, classes=None, user=None, **unsupported):
        super().partial_fit(X, y, classes, user, **unsupported)
        self._look_at_faults()
        return self

    def report(self, public=False):
        made = super().report(public)
        count, first = self.learner_faults()
        if count and not public and not made.get("public"):
            made["learner_faults"] = {"count": count, "first": first}
        return made

    predict_one.__doc__, learn_one.__doc__ = OnlineModel.predict_one.__doc__, OnlineModel.learn_one.__doc__
    run.__doc__, report.__doc__ = OnlineModel.run.__doc__, OnlineModel.report.__doc__
    partial_fit.__doc__ = OnlineModel.partial_fit.__doc__

    @classmethod
    def load(cls, path, *, schema=None, columns=None, classes=None, base_learner=None, learner=None):
        """Resumes a saved state, as OnlineModel.load.

        Resume each state once: a second resume with other data spends the guarantee again. A state
        with a Python learner holds pickles of its copies, and reading pickles runs what they say:
        load only what you saved.

        Parameters
        ----------
        path : str or PathLike
        schema, columns, classes
            As before: a state holds none of them.
        base_learner : object, optional
            The Python object of before; `learner` is an alias.

        Returns
        -------
        PrivateEnsemble
        """
        learner = learner if base_learner is None else base_learner
        params, loaded = cls._read(path)
        made_with = params.get("base_learner", "")
        if made_with.startswith("python:") and not _learner.is_object(learner):
            raise InvalidArgument(f"the state was made with {made_with}: say base_learner=...")
        if learner is not None:
            params["base_learner"] = learner
        if _learner.is_reused(made_with):
            params["reuse"] = True
        return cls._go_on(params, loaded, schema=schema, columns=columns, classes=classes)
