import abc


class EstimatorMeta(abc.ABCMeta):
    """A pipeline is what its last step is."""

    def __instancecheck__(cls, instance):
        if super().__instancecheck__(instance):
            return True
        return hasattr(instance, "_last_step") and isinstance(instance._last_step, cls)


class Estimator(metaclass=EstimatorMeta):
    @property
    def _supervised(self):
        return True

    def __or__(self, other):
        from river import compose
        return compose.Pipeline(self, other)


class Classifier(Estimator):
    @abc.abstractmethod
    def learn_one(self, x, y):
        pass


class Regressor(Estimator):
    @abc.abstractmethod
    def learn_one(self, x, y):
        pass


class Transformer(Estimator):
    @property
    def _supervised(self):
        return False
