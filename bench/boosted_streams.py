#!/usr/bin/env python3
"""A boosted learner without privacy on the streams of real_streams_bench.

  boosted_streams.py FOLDER [STREAM...]

Histogram gradient boosting (python3-sklearn, its defaults), learned anew from
all rows so far whenever their number has grown by a quarter, from 1,000 on;
before that the first label. Prints JSON: the error over all rows from the first on, in % or as
a mean absolute error, as the benchmark does. Rows are taken in their order.
"""

import csv
import gzip
import json
import sys
import time

import numpy
from sklearn.ensemble import (HistGradientBoostingClassifier,
                              HistGradientBoostingRegressor)

FIRST = 1000
STREAMS = ["adult", "elec", "bank", "air", "kdd", "letter", "bike"]


def read(folder, name):
    """Features as numbers, labels, and whether the label is a number."""
    with open(f"{folder}/{name}.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    label = schema.get("label", {})
    with gzip.open(f"{folder}/{name}.csv.gz", "rt") as file:
        rows = list(csv.reader(file))
    place = {column: i for i, column in enumerate(rows[0])}
    columns = []
    for column in schema["columns"]:
        fields = [row[place[column["name"]]] for row in rows[1:]]
        if column["type"] == "category":
            code = {value: i for i, value in enumerate(column["values"])}
            columns.append([code.get(field, -1) for field in fields])
        else:
            columns.append([float(field) for field in fields])
    y = [row[place[label.get("column", rows[0][-1])]] for row in rows[1:]]
    number = "range" in label
    y = numpy.array([float(v) for v in y]) if number else numpy.array(y)
    return numpy.array(columns).T, y, number


def play(x, y, number):
    """The sum of losses, each block predicted by what came before it."""
    loss = 0.0
    done = 0
    model = None
    while done < len(y):
        end = min(len(y), max(FIRST, done + done // 4))
        block = slice(done, end)
        if model is None:
            guess = numpy.full(end - done, numpy.mean(y[:1]) if number else y[0])
        else:
            guess = model.predict(x[block])
        loss += (numpy.abs(guess - y[block]) if number else
                 100.0 * (guess != y[block])).sum()
        done = end
        if done == len(y):
            break
        make = (HistGradientBoostingRegressor if number
                else HistGradientBoostingClassifier)
        model = make(random_state=1).fit(x[:done], y[:done])
    return loss / len(y)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    results = []
    for name in sys.argv[2:] or STREAMS:
        x, y, number = read(sys.argv[1], name)
        begin = time.process_time()
        loss = play(x, y, number)
        results.append({"stream": name, "method": "boosted", "loss": loss,
                        "seconds": time.process_time() - begin})
        print(results[-1], file=sys.stderr)
    print(json.dumps({"results": results}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
