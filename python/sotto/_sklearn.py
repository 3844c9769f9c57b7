"""scikit-learn's protocol: tags of both generations, and methods that only some models have."""
import importlib

from sotto._core import FailedPrecondition
from sotto._data import loaded


def old_tags(model):
    """Tags of scikit-learn before 1.6, a dict."""
    return {"non_deterministic": model.seed is None, "requires_positive_X": False,
            "requires_positive_y": False, "X_types": ["2darray"] + (["sparse"] if model._takes_sparse else []),
            "poor_score": True, "no_validation": False,
            "multioutput": False, "allow_nan": False, "stateless": False, "multilabel": False,
            "_skip_test": False, "_xfail_checks": False, "multioutput_only": False,
            "binary_only": model._is_binary(), "requires_fit": True,
            "preserves_dtype": [], "requires_y": True, "pairwise": False}


def new_tags(model):
    """Tags of scikit-learn from 1.6 on."""
    utils = importlib.import_module("sklearn.utils")
    classifier = model._estimator_type == "classifier"
    return utils.Tags(
        estimator_type=model._estimator_type,
        target_tags=utils.TargetTags(required=True),
        transformer_tags=None,
        classifier_tags=utils.ClassifierTags(poor_score=True, multi_class=not model._is_binary()) if classifier
        else None,
        regressor_tags=None if classifier else utils.RegressorTags(poor_score=True),
        non_deterministic=model.seed is None,
        input_tags=utils.InputTags(sparse=model._takes_sparse))


class _NotFittedYet(FailedPrecondition, AttributeError):
    """As scikit-learn's NotFittedError: hasattr is False for what a fit makes."""


def not_fitted(model):
    """The exception for a model without a fit: also scikit-learn's, if that was imported."""
    text = f"This {type(model).__name__} instance is not fitted yet: nothing was learned that could answer"
    exceptions = loaded("sklearn.exceptions")
    if exceptions is None:
        return _NotFittedYet(text)
    kind = type("NotFitted", (FailedPrecondition, exceptions.NotFittedError), {})
    return kind(text)


class available_if:
    """A method that only models have for which `condition` holds: hasattr is False for all others."""

    def __init__(self, condition):
        self._condition = condition

    def __call__(self, method):
        self._method, self.__doc__ = method, method.__doc__
        return self

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, model, owner=None):
        if model is None:
            return self._method
        if not self._condition(model):
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self._name!r}: the model "
                                 "publishes nothing that has one")
        return self._method.__get__(model, owner)
