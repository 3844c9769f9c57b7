"""Models that start from a training set and then predict without a time limit.

`fit` reads the training set; every prediction after it is a round. They need 10^5 rows and more.
"""
from sotto.models import Everlasting, Rectangles, Stumps

__all__ = ["Everlasting", "Rectangles", "Stumps"]
