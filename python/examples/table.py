#!/usr/bin/env python3
"""A table in pandas, its categories as a public schema, and one private pass over it.

    python3 table.py [TABLE.csv[.gz] SCHEMA.json] [--rounds N] [--page PAGE.html] [--seed S]

With a table of your own the schema says what is public about it; without one, a table is
generated and the schema made from its categories, which are public because they are ours.
"""
import argparse
import json
import pathlib

import numpy
import pandas

import sotto


def generated(rows):
    """Who earns much, by age, hours and job; one label in ten is wrong."""
    chance = numpy.random.default_rng(3)
    jobs = numpy.array(["clerk", "cook", "engineer", "farmer", "nurse"])
    frame = pandas.DataFrame({"age": chance.integers(18, 80, rows), "hours": chance.integers(10, 60, rows),
                              "job": pandas.Categorical(chance.choice(jobs, rows), categories=jobs),
                              "married": chance.random(rows) < 0.5})
    score = 0.05 * frame["hours"] + 2.0 * (frame["job"] == "engineer") + 1.0 * frame["married"]
    frame["y"] = ((score > 2.8) != (chance.random(rows) < 0.1)).astype(int)
    return frame, sotto.schema(frame, label="y", ranges={"age": (18, 80), "hours": (0, 60)}, public=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", nargs="?")
    parser.add_argument("schema", nargs="?")
    parser.add_argument("--rounds", type=int, default=40_000, help="of the generated table")
    parser.add_argument("--page", help="where the page of plots goes")
    parser.add_argument("--seed", type=int, help="experiments only: the run is then not private")
    options = parser.parse_args(arguments)
    if options.table:
        frame, schema = pandas.read_csv(options.table), json.loads(pathlib.Path(options.schema).read_text())
    else:
        frame, schema = generated(options.rounds)
    label = schema["label"]["column"]

    ranking = sotto.plan(schema=schema, epsilon=1, delta=1e-6, horizon=len(frame))
    print(ranking["models"][0]["model"], "is the most promising of", len(ranking["models"]), "models")
    model = sotto.Tide(epsilon=1, delta=1e-6, horizon=len(frame), schema=schema, seed=options.seed)
    run = model.run(frame, y=label)
    print(run.text())
    if options.page:
        pathlib.Path(options.page).write_text(run.html())

    # The weights are public, so using them is free; how often they are right is not public.
    score = model.score(frame.drop(columns=label), frame[label])
    report = run.report()
    print(f"the published weights are right on {score:.1%} of the rows (the operator's own view)")
    return {"mistakes": report.get("mistakes"), "majority": report["baselines"]["majority"], "score": score}


if __name__ == "__main__":
    main()
