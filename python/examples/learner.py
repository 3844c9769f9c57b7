#!/usr/bin/env python3
"""A learner of your own, made private: POP over a Python object with River's verbs.

    python3 learner.py [--rounds N] [--seed S]

Some hundred copies of a small learner vote; each user hears the noisy majority, and each
label teaches one copy. The guarantee names what has to be believed of the learner.
"""
import argparse
import random

import sotto


class Middle:
    """1 above the middle between the largest 0 and the smallest 1 that it has seen."""

    def __init__(self):
        self.below, self.above = 0.0, 1.0

    def predict_one(self, x):
        return x["score"] >= (self.below + self.above) / 2

    def learn_one(self, x, y):
        if y:
            self.above = min(self.above, x["score"])
        else:
            self.below = max(self.below, x["score"])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=12_000)
    parser.add_argument("--seed", type=int, help="experiments only: the run is then not private")
    options = parser.parse_args(arguments)
    chance = random.Random(2)
    scores = [chance.random() for _ in range(options.rounds)]

    # Made-up examples try to refute that the copies are apart; that they fail proves nothing.
    sotto.check_learner(Middle, [({"score": i / 20}, i >= 8) for i in range(20)])
    model = sotto.Pop(epsilon=4, delta=1e-5, horizon=options.rounds, learner=Middle, columns=["score"], seed=options.seed)
    print(model.plan())
    run = model.run(({"score": score}, int(score >= 0.4)) for score in scores)
    wrong = [prediction != int(score >= 0.4) for prediction, score in zip(run.predictions, scores)]
    half = options.rounds // 2
    print(f"wrong: {sum(wrong[:half])} in the first half, {sum(wrong[half:])} in the second (the operator's own view)")
    print(model.guarantee["assumption"])
    return {"first": sum(wrong[:half]), "second": sum(wrong[half:]), "assumption": model.guarantee["assumption"]}


if __name__ == "__main__":
    main()
