#!/usr/bin/env python3
"""Visitors of a shop: each is told at once what suits, and buys a day later or never.

    python3 visitors.py [--rounds N] [--seed S]

Predict now, label later, in any order; a restart in the middle; names that come back are
not answered twice. Nobody who sees the answers of all others learns who came.
"""
import argparse
import collections
import pathlib
import random
import tempfile

import sotto

SCHEMA = {"columns": [{"name": "age", "type": "number", "range": [18, 90]},
                      {"name": "device", "type": "category", "values": ["phone", "laptop", "shop"]},
                      {"name": "member", "type": "boolean"}],
          "label": {"column": "bought", "negative": "no", "positive": "yes"}}


def visitor(chance):
    """What somebody brings, and what will turn out. One label in five never comes."""
    x = {"age": chance.randint(18, 90), "device": chance.choice(["phone", "laptop", "shop"]),
         "member": chance.random() < 0.4}
    likes = x["member"] or (x["device"] == "shop" and x["age"] > 40)
    buys = "yes" if likes != (chance.random() < 0.1) else "no"
    return x, buys if chance.random() < 0.8 else None


def serve(model, rounds, chance, waiting):
    """Answers visitors; labels come back about a hundred visitors later, shuffled."""
    right = labelled = 0
    for _ in range(rounds):
        x, later = visitor(chance)
        opened = model.open(x, user=f"user{chance.randrange(100 * rounds)}")
        waiting.append((opened.ticket, opened.prediction, later))
        if len(waiting) > 100:
            waiting.rotate(chance.randrange(100))
            ticket, prediction, label = waiting.popleft()
            if ticket is not None and label is not None:
                model.close(ticket, label)
                right, labelled = right + (prediction == label), labelled + 1
    return right, labelled


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=40_000)
    parser.add_argument("--seed", type=int, help="experiments only: the run is then not private")
    options = parser.parse_args(arguments)
    chance, waiting = random.Random(5), collections.deque()
    model = sotto.Tide(epsilon=1, delta=1e-6, horizon=options.rounds, schema=SCHEMA, seed=options.seed)
    print(model.guarantee)

    first = serve(model, options.rounds // 2, chance, waiting)
    with tempfile.TemporaryDirectory() as folder:  # a restart: tickets stay good
        state = pathlib.Path(folder) / "shop.state"
        model.save(state)  # holds the key and data: as secret as they are
        model = sotto.load(state, schema=SCHEMA)
    second = serve(model, options.rounds - options.rounds // 2, chance, waiting)

    shares = [right / labelled for right, labelled in (first, second)]
    print(f"right: {shares[0]:.1%} in the first half, {shares[1]:.1%} in the second (the operator's own view)")
    print("what anybody may keep:")
    print(sotto.show(model.hypothesis))
    return {"first": shares[0], "second": shares[1], "rounds": model.rounds}


if __name__ == "__main__":
    main()
