"""Private online learning: River's verbs for streams, scikit-learn's for tables.

Each user gets a prediction and sends a label later. Everything that others can see is private,
with the guarantee that each model states before any data.

    model = sotto.TideClassifier(epsilon=1, delta=1e-6)
    for x, y in stream:
        print(model.predict_one(x))
        model.learn_one(x, y)

Online      TideClassifier, TideRegressor (start here), PrivateRuleLearner, PrivateWinnow,
            PointPredictor, PrivateEnsemble
Tables      PrivateDecisionTree, PrivateDecisionStump, PrivateDecisionList, PrivateThreshold,
            PrivateInterval
More        sotto.everlasting, sotto.theory, sotto.mechanisms (counts, alarms, quantiles), sotto.errors
Budget      Budget: one limit for all releases about the same people
Service     Client, AsyncClient: predictions and labels of `sotto serve`
Functions   plan, schema, load, load_published, show, account, check_learner

help(sotto.TideClassifier) describes one of them.
"""
from sotto import _built  # first: says so if this is another Python
from sotto import errors, everlasting, mechanisms, models, theory
from sotto._batch import BatchModel
from sotto._budget import Budget
from sotto._choice import load, plan, show
from sotto._core import Round, __version__
from sotto._learner import check_learner
from sotto._online import OnlineModel
from sotto._published import PublishedModel, load_published
from sotto._run import Run
from sotto._schema import schema
from sotto._words import Guarantee, Plan
from sotto.errors import (BudgetExhausted, Corruption, FailedPrecondition, InvalidArgument, NotConverged, SottoError,
                          Unavailable)
from sotto.mechanisms import BetweenThresholds, Counter, Histogram, Monitor, Quantiles, Selection, SparseVector, account
from sotto.models import (PointPredictor, PrivateDecisionList, PrivateDecisionStump, PrivateDecisionTree,
                          PrivateEnsemble, PrivateInterval, PrivateRuleLearner, PrivateThreshold, PrivateWinnow,
                          TideClassifier, TideRegressor)

# No __all__: help(sotto) would print all classes in full. Public names have no underscore.


def __getattr__(name):
    """Other names: those of models, as the command line has them, all mechanisms, and clients of the service."""
    if name in ("AsyncClient", "Client"):
        from sotto import client
        return getattr(client, name)
    for module in (models, mechanisms):
        if name in module.__all__ or name in getattr(module, "ALIASES", ()):
            return getattr(module, name)
    raise AttributeError(f"module 'sotto' has no attribute {name!r}")


def __dir__():
    hidden = {"_built"}
    aliases = set(models.ALIASES) | set(models.__all__) | set(mechanisms.__all__)
    clients = {"AsyncClient", "Client"}
    return sorted({name for name in globals() if name not in hidden} | aliases | clients)
