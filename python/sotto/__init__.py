"""Private online learning: River's verbs for streams, scikit-learn's for batches.

Each user gets a prediction and sends a label later. What all others can see is private,
with the guarantee that each model states before any data.

    model = sotto.Tide(epsilon=1, delta=1e-6)
    for x, y in stream:
        print(model.predict_one(x))
        model.learn_one(x, y)

The classes come from the registry of the library: one for each model of `sotto run` and
`sotto fit`, with the same options.
"""
from sotto import _built  # first: says so if this is another Python
from sotto import models
from sotto._batch import BatchModel
from sotto._choice import load, plan, show
from sotto._core import (BudgetExhausted, Corruption, FailedPrecondition, InvalidArgument,
                         NotConverged, Round, SottoError, Unavailable, __version__)
from sotto._learner import check_learner
from sotto._online import OnlineModel
from sotto._run import Run
from sotto._schema import schema
from sotto._words import Guarantee, Plan
from sotto.mechanisms import (Account, BetweenThresholds, Counter, Histogram, Mirror, Monitor, Quantiles, Rank,
                              Selection, SparseVector, Zone, account)
from sotto.models import *  # noqa: F401,F403: whatever models there are

__all__ = ["BatchModel", "BudgetExhausted", "Corruption", "FailedPrecondition", "Guarantee", "InvalidArgument",
           "NotConverged", "OnlineModel", "Plan", "Round", "Run", "SottoError", "Unavailable", "__version__",
           "load", "plan", "schema", "show"] + models.__all__
__all__ += ["Account", "BetweenThresholds", "Counter", "Histogram", "Mirror", "Monitor", "Quantiles", "Rank",
            "Selection", "SparseVector", "Zone", "account", "check_learner"]
