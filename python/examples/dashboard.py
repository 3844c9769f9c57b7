#!/usr/bin/env python3
"""A day of visits on a private dashboard: a running count, an alarm, a median, frequent pages.

    python3 dashboard.py [--minutes N] [--seed S]

Each number may be shown to anybody. Neighbours are days in which one visit is there or is
not. All mechanisms see the same visits, so their guarantees add up: the last line says to what.
"""
import argparse
import random

import sotto


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=int, default=1440)
    parser.add_argument("--seed", type=int, help="experiments only: nothing is then private")
    options = parser.parse_args(arguments)
    chance = random.Random(8)
    visits = [chance.randrange(20) for _ in range(options.minutes)]
    seconds = [chance.expovariate(1 / 90) for _ in range(sum(visits))]
    pages = chance.choices(["home", "prices", "help", "jobs"] + [f"user/{i}" for i in range(500)],
                           weights=[50, 20, 10, 5] + [0.01] * 500, k=sum(visits))
    each = {"epsilon": 0.5, "delta": 1e-7, "seed": options.seed}

    counter = sotto.Counter(horizon=options.minutes, **each)
    estimates = counter.add_many(visits)
    print(f"visits so far: about {estimates[-1]}; {counter.describe()}")

    goal = 5 * options.minutes  # public, as all that is not a visit
    monitor = sotto.Monitor(threshold=goal, horizon=options.minutes, **each)
    print(f"{goal} visits were reached about minute {len(monitor.add_many(visits))}")

    stays = sotto.Quantiles(seconds, horizon=30, relation="add-remove", **each)
    median = stays.quantile(0.5, low=0, high=3600)
    print(f"half of the visits are shorter than about {median:.0f} s")

    histogram = sotto.Histogram(relation="add-remove", **each)
    frequent = histogram.release(pages)
    print("pages that many see:", ", ".join(f"{page} ({count})" for page, count in frequent.items()))

    spent = [mechanism.guarantee for mechanism in (counter, monitor, stays, histogram)]
    print(f"for one visit, all four together: epsilon {sum(promise.epsilon for promise in spent):.4g}, "
          f"delta {sum(promise.delta for promise in spent):.4g}")
    return {"visits": (estimates[-1], sum(visits)), "error": counter.error_bound, "median": median,
            "pages": frequent, "private": counter.private}


if __name__ == "__main__":
    main()
