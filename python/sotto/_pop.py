"""POP, whose learner may be a Python object."""
import json

from sotto import _core, _learner, _options
from sotto._core import InvalidArgument
from sotto._online import OnlineModel
from sotto._words import Guarantee


class PopModel(OnlineModel):
    """`learner` is one of the names below, or an object, a class or a function
    that makes one, with predict_one and learn_one (River's) or predict and partial_fit
    (scikit-learn's). Its copies are what it is pickled to. They see the features as the
    schema encodes them, by name (predict_one) or as an array of one row (predict), and
    labels as False/True or 0/1. An answer of 1 is a vote for 1; anything else, an exception
    included, is one for 0. The guarantee names what cannot be checked.
    """

    _more = OnlineModel._more + ("reuse",)
    _named = None  # the learner, and what it is called

    def _prepare(self):
        self._slot = _core.LearnerSlot()
        _core.Stream.__init__(self, self._slot)

    def _settings(self):
        params = self.get_params()
        if _learner.is_object(self.learner):
            params["learner"] = self._learner_text()
        return _options.to_settings(self._keywords, params)

    def _learner_text(self):
        """Computed once for each learner: a factory is called once for its name."""
        if self._named is None or self._named[0] is not self.learner:
            self._named = (self.learner, _learner.name_of(self.learner))
        return _learner.text_of(self._named[1], self.reuse)

    def _making(self):
        if _learner.is_object(self.learner):
            self._slot.set(_learner.prepare(self.learner, bool(self.reuse)))
        else:
            self._slot.clear()
        return super()._making()

    @property
    def guarantee(self):
        """The guarantee for everything but a user's own predictions and the operator's view; for
        a Python learner with its assumption."""
        promise = super().guarantee
        if not _learner.is_object(self.learner):
            return promise
        assumption = _learner.ASSUMPTION + (_learner.REUSED if self.reuse else "")
        return Guarantee(json.dumps({**promise, "text": f"{promise} {assumption}", "assumption": assumption}))

    @classmethod
    def load(cls, path, *, schema=None, columns=None, classes=None, learner=None):
        """As OnlineModel.load. Pass a learner that is a Python object again.

        The state then holds pickles of its copies, and reading pickles runs what they
        say: load only what you saved.
        """
        params, loaded = cls._read(path)
        made_with = params.get("learner", "")
        if made_with.startswith("python:") and not _learner.is_object(learner):
            raise InvalidArgument(f"the state was made with {made_with}: say learner=...")
        if learner is not None:
            params["learner"] = learner
        if _learner.is_reused(made_with):
            params["reuse"] = True
        return cls._go_on(params, loaded, schema=schema, columns=columns, classes=classes)
