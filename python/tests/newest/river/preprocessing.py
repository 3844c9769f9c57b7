from river import base


class StandardScaler(base.Transformer):
    """Subtracts the mean and divides by the deviation of what it has learned."""

    def __init__(self):
        self.counts, self.sums, self.squares = {}, {}, {}

    def clone(self, new_params=None, include_attributes=False):
        return StandardScaler()

    def learn_one(self, x):
        for name, value in x.items():
            self.counts[name] = self.counts.get(name, 0) + 1
            self.sums[name] = self.sums.get(name, 0) + value
            self.squares[name] = self.squares.get(name, 0) + value * value

    def transform_one(self, x):
        return {name: self._scaled(name, value) for name, value in x.items()}

    def _scaled(self, name, value):
        count = self.counts.get(name, 0)
        if count == 0:
            return 0.0
        mean = self.sums[name] / count
        variance = self.squares[name] / count - mean * mean
        return (value - mean) / variance ** 0.5 if variance > 1e-12 else 0.0
