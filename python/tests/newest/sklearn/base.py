"""clone, kinds of estimators, and a pipeline of two steps."""
import copy

from sklearn.utils import get_tags


def clone(estimator):
    """Parameters must come back as they were given: the same objects."""
    params = {name: copy.deepcopy(value) for name, value in estimator.get_params(deep=False).items()}
    made = type(estimator)(**params)
    for name, value in made.get_params(deep=False).items():
        if value is not params[name]:
            raise RuntimeError(f"the constructor changes {name}")
    return made


def is_classifier(estimator):
    return get_tags(estimator).estimator_type == "classifier"


def is_regressor(estimator):
    return get_tags(estimator).estimator_type == "regressor"


def check_is_fitted(estimator):
    from sklearn.exceptions import NotFittedError
    if get_tags(estimator).requires_fit and not estimator.__sklearn_is_fitted__():
        raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet.")


def response(estimator, X):
    """Scores for a metric: the first of these methods that there is, and the classes."""
    for name in ("predict_proba", "decision_function", "predict"):
        method = getattr(estimator, name, None)
        if method is not None:
            return name, method(X), (estimator.classes_ if is_classifier(estimator) else None)
    raise AttributeError("no method for predictions")


def check_interface(estimator):
    """What the common checks ask of the interface alone, before any data."""
    for cls in type(estimator).mro():
        if ({"_more_tags", "_get_tags"} & set(vars(cls))) and "__sklearn_tags__" not in vars(cls):
            raise TypeError(f"{cls.__name__} has tags of before 1.6 only")
    tags = get_tags(estimator)
    kinds = {"classifier": tags.classifier_tags, "regressor": tags.regressor_tags}
    if kinds[tags.estimator_type] is None or not tags.target_tags.required:
        raise ValueError("tags do not fit the estimator's type")
    repr(estimator)
    if estimator.set_params() is not estimator:
        raise ValueError("set_params does not return the estimator")
    try:
        estimator.set_params(no_such_parameter=1)
    except ValueError:
        return clone(estimator)
    raise ValueError("set_params accepts anything")
