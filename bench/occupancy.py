#!/usr/bin/env python3
"""What do empty places cost? occupancy.py SOTTO [ROWS] [SEEDS]

With the clock `slots:64` of `sotto serve` (docs/how-to/slots.md) places that nobody takes are empty rounds. Plays
`sotto generate life` through tide at occupancies from 1 to 1/8: in each group of 64 rounds the comers have random
places, as the service gives them, and the others are empty. Prints a table of the share of wrong predictions and of
mean log loss, over the labels of all rows: with tide's own batches, and with batches and a start that are longer by
as much as places are empty. The noise comes from seeds: an experiment, not private.

occupancy.py --draw PAGE FIGURE draws the table of a page, docs/how-to/slots.md, as docs/figures/occupancy.svg.
"""
import csv
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

GROUP = 64
DRAW = sys.argv[1] == "--draw"
SOTTO = sys.argv[1]
ROWS = int(float(sys.argv[2])) if len(sys.argv) > 2 and not DRAW else 40_000
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 and not DRAW else 3
NUMBERS = ("age", "income", "hours", "children")


def call(*arguments):
    return subprocess.run([SOTTO, *arguments], check=True, capture_output=True, text=True).stdout


def rows():
    """The rows of life, as lines."""
    for row in csv.DictReader(call("generate", "life", "--rounds", str(ROWS), "--seed", "7").splitlines()):
        label = row.pop("y")
        x = {name: float(value) if name in NUMBERS else value for name, value in row.items()}
        x["member"] = int(x["member"])
        yield json.dumps({"x": x, "y": label} if label else {"x": x})


def write(path, lines, share):
    """The stream with this share of the places taken."""
    draw = random.Random(1)
    taken = int(GROUP * share)
    with open(path, "w") as out:
        for first in range(0, len(lines), taken):
            group = lines[first:first + taken]
            group += ["{}"] * (GROUP - len(group))
            draw.shuffle(group)
            out.write("\n".join(group) + "\n")


def run(path, schema, *more):
    """The share of wrong predictions and the mean log loss."""
    wrong, loss = [], []
    for seed in range(SEEDS):
        report = json.loads(call("run", "tide", "--epsilon", "1", "--delta", "1e-6", "--horizon", str(ROWS), "--force",
                                 "--schema", schema, "-d", path, "--seed", str(seed), "--json", *more))
        wrong.append(100 * report["mistakes"] / report["labelled"])
        loss.append(report["log_loss"])
    return statistics.mean(wrong), statistics.mean(loss), report["parameters"]


def draw(page):
    """SVG of the table of a page."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "scale"))
    from chart import chart
    places, own, longer = [], [], []
    for share, wrong, wrong_longer in re.findall(r"^\| (all|1/\d) \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \|", page, re.M):
        places.append(1 if share == "all" else int(share[2:]))
        own.append(float(wrong))
        longer.append(float(wrong_longer))
    return chart("What empty places cost: wrong predictions, life, epsilon 1", "places for each one that is taken", "wrong, %",
                 [("batches as planned", list(zip(places, own)), False),
                  ("longer batches", list(zip(places, longer)), True)], (1, 8), (23.5, 26.5), x_log=False, y_log=False)


def main():
    if DRAW:
        pathlib.Path(sys.argv[3]).write_text(draw(pathlib.Path(sys.argv[2]).read_text()))
        return
    lines = list(rows())
    print("| places taken | wrong, % | log loss | wrong with longer batches, % | log loss |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        schema = folder + "/schema.json"
        with open(schema, "w") as out:
            out.write(call("generate", "life", "--print-schema"))
        for parts in (1, 2, 4, 8):
            path = folder + "/life.jsonl"
            write(path, lines, 1 / parts)
            wrong, loss, chosen = run(path, schema)
            longer = run(path, schema, "--batch", str(parts * chosen["batch"]), "--start-rows",
                         str(parts * chosen["start_rows"]))
            print(f"| 1/{parts} | {wrong:.2f} | {loss:.4f} | {longer[0]:.2f} | {longer[1]:.4f} |", flush=True)


if __name__ == "__main__":
    main()
