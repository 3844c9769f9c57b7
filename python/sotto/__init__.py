"""Private online learning: River's verbs for streams, scikit-learn's for batches.

Every user is answered in turn and tells a label afterwards; what anybody else
can see is private, with the guarantee that each model states before any data.
"""
from sotto._core import (BudgetExhausted, Corruption, FailedPrecondition, InvalidArgument,
                         NotConverged, SottoError, Unavailable, __version__)

__all__ = ["BudgetExhausted", "Corruption", "FailedPrecondition", "InvalidArgument",
           "NotConverged", "SottoError", "Unavailable", "__version__"]
