"""Exceptions. Each is also the built-in one that a program expects; all are a `SottoError`."""
from sotto._core import (BudgetExhausted, Corruption, FailedPrecondition, InvalidArgument, NotConverged, SottoError,
                         Unavailable)

__all__ = ["BudgetExhausted", "Corruption", "FailedPrecondition", "InvalidArgument", "NotConverged", "SottoError",
           "Unavailable"]

for _name in __all__:
    globals()[_name].__module__ = __name__  # where help() and tracebacks say they are
