import math

from river import base


class Accuracy:
    requires_labels = True

    def __init__(self):
        self.right = self.seen = 0

    def works_with(self, model):
        return isinstance(model, base.Classifier)

    def update(self, y_true, y_pred):
        self.right, self.seen = self.right + (y_true == y_pred), self.seen + 1

    def get(self):
        return self.right / max(self.seen, 1)


class LogLoss(Accuracy):
    requires_labels = False

    def update(self, y_true, y_pred):
        self.right -= math.log(max(y_pred.get(y_true, 0.0), 1e-15))
        self.seen += 1


class MAE(Accuracy):
    def works_with(self, model):
        return isinstance(model, base.Regressor)

    def update(self, y_true, y_pred):
        self.right, self.seen = self.right + abs(y_true - y_pred), self.seen + 1
