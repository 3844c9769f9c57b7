import collections
import inspect
import types

from river import base


class Function(base.Transformer):
    def __init__(self, function):
        self.function = function

    def learn_one(self, x):
        pass

    def transform_one(self, x):
        return self.function(x)


def accepted(step, method):
    return set(inspect.signature(getattr(type(step), method)).parameters) - {"self", "x", "y"}


class Pipeline(base.Estimator):
    """Steps before the last learn in learn_one, so the last sees other values there than in predict_one."""

    def __init__(self, *steps):
        self.steps = collections.OrderedDict()
        for step in steps:
            step = Function(step) if isinstance(step, types.FunctionType) else step
            self.steps[type(step).__name__] = step

    @property
    def _last_step(self):
        return list(self.steps.values())[-1]

    @property
    def _supervised(self):
        return any(step._supervised for step in self.steps.values())

    @property
    def _multiclass(self):
        return self._last_step._multiclass

    def clone(self, new_params=None, include_attributes=False):
        new_params = new_params or {}
        return Pipeline(*(step.clone(new_params.get(name, {}), include_attributes=include_attributes)
                          for name, step in self.steps.items()))

    def _transformed(self, x):
        for step in list(self.steps.values())[:-1]:
            x = step.transform_one(x)
        return x

    def predict_one(self, x, **params):
        return self._last_step.predict_one(self._transformed(x), **self._route("predict_one", params))

    def predict_proba_one(self, x, **params):
        return self._last_step.predict_proba_one(self._transformed(x), **self._route("predict_proba_one", params))

    def _route(self, method, params):
        return {name: params[name] for name in accepted(self._last_step, method) & set(params)}

    def learn_one(self, x, y=None, **params):
        for step in list(self.steps.values())[:-1]:
            step.learn_one(x)
            x = step.transform_one(x)
        self._last_step.learn_one(x=x, y=y, **self._route("learn_one", params))
