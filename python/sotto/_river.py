"""River's protocol: what its pipelines, metrics and evaluations ask a model for."""
import copy

from sotto._core import FailedPrecondition
from sotto._data import loaded


class RiverModel:
    """Attributes and methods of River's base classes."""

    _supervised = True  # learn_one takes y

    @property
    def _multiclass(self):
        return not self._is_binary()

    def _get_params(self):
        return self.get_params()

    def clone(self, new_params=None, include_attributes=False):
        """Returns a fresh model with the same keywords, which has seen no data.

        Parameters
        ----------
        new_params : dict, optional
            Keywords to change.
        include_attributes : bool, default False
            River's flag to copy what was learned. Refused: a copy of a running model would use the
            same noise twice.
        """
        if include_attributes:
            raise FailedPrecondition("clone: include_attributes=True would continue one model twice: save and load it")
        return type(self)(**{**copy.deepcopy(self.get_params()), **(new_params or {})})

    def __or__(self, other):
        return pipeline(self, other)

    def __ror__(self, other):
        return pipeline(other, self)

    @property
    def _raw_memory_usage(self):
        return len(self._state()) if self._begun else 0

    @property
    def _memory_usage(self):
        return f"{self._raw_memory_usage / 1024:.2f} KB"


def pipeline(first, second):
    compose = loaded("river.compose")
    return NotImplemented if compose is None else compose.Pipeline(first, second)


def register(model):
    """Registers the class of a model with River as a classifier or regressor, if River was imported."""
    base = loaded("river.base")
    cls = type(model)
    if base is None or cls in register.known:
        return
    kind = base.Regressor if model._estimator_type == "regressor" else base.Classifier
    kind.register(cls)
    register.known.add(cls)


register.known = set()
