#!/usr/bin/env python3
"""A scikit-learn pipeline and cross-validation over a private rule, and what that costs.

    python3 crossval.py [--epsilon E] [--seed S]

The data are real: Wisconsin breast cancer, 569 rows, which scikit-learn brings along. A
private decision stump at epsilon 1 is right on about nine patients in ten.
"""
import argparse

import numpy
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import sotto

FOLDS = 4


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seed", type=int, help="experiments only: the fits are then not private")
    options = parser.parse_args(arguments)
    x, y = load_breast_cancer(return_X_y=True, as_frame=True)

    # Ranges are public: here by what such numbers can be, never by the rows' own maxima. A step
    # that learns from the rows (StandardScaler) would not be covered; a fixed function is.
    schema = sotto.schema(list(x.columns), ranges=(0, 9))
    pipeline = make_pipeline(FunctionTransformer(numpy.log1p), sotto.Stump(epsilon=options.epsilon, schema=schema,
                                                                          seed=options.seed))
    scores = cross_val_score(pipeline, x, y, cv=FOLDS)
    print(f"right on {scores.mean():.1%} of the rows left out (the operator's own view)")

    # Every row is in all folds but one, and each fit is a separate release.
    together = sotto.account("pure", epsilon_each=options.epsilon, compositions=FOLDS, delta=1e-6)
    print(f"{FOLDS - 1} fits on each row and the last one on all: epsilon {together.epsilon:g} if all are published")
    last = pipeline.fit(x, y)[-1]
    print(last.guarantee)
    print(last.text_)
    return {"score": scores.mean(), "epsilon": together.epsilon}


if __name__ == "__main__":
    main()
