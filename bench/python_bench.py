#!/usr/bin/env python3
"""How fast is the Python module beside the command line? python_bench.py SOTTO [ROUNDS]

Plays the same rows by `sotto run` and by the classes, best of five each, and prints
JSON: rounds a processor-second, and the ratio to the command line, whose start and plan
(a run of one row) are not counted. All of it is one thread, so on an idle machine these
are rounds a second. Answers are compared before anything is timed. River and
scikit-learn are timed beside it where they are installed. Needs NumPy; run with
PYTHONPATH=build/release/python.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy

import sotto

COLUMNS = {"tide": 14, "leader": 1, "pop": 1}
SHARED = {"epsilon": 1, "delta": 1e-6, "seed": 1, "anyway": True}


def draw(columns, rounds):
    chance = numpy.random.default_rng(7)
    x = numpy.round(chance.random((rounds, columns)), 6)
    return x, (x[:, 0] > 0.5).astype(int)


def best(action, times=5):
    fastest = float("inf")
    for _ in range(times):
        start = time.process_time()
        action()
        fastest = min(fastest, time.process_time() - start)
    return fastest


def of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Subject:
    def __init__(self, program, model, rounds, folder):
        self.program, self.model, self.rounds = program, model, rounds
        self.x, self.y = draw(COLUMNS[model], rounds)
        self.data = folder / f"{model}.csv"
        self.one_row = folder / f"{model}1.csv"
        self.predictions = folder / f"{model}.predictions"
        names = [f"x{i}" for i in range(self.x.shape[1])]
        with open(self.data, "w", encoding="ascii") as file:
            file.write(",".join(names + ["y"]) + "\n")
            for row, label in zip(self.x, self.y):
                file.write(",".join(repr(float(value)) for value in row) + f",{label}\n")
        with open(self.data, encoding="ascii") as file:
            self.one_row.write_text(file.readline() + file.readline())
        self.names = names

    def command(self, data, *more):
        """The processor time of a run, start and plan included."""
        words = [self.program, "run", self.model, "-d", str(data), "--horizon", str(self.rounds), "--force"]
        words += ["--epsilon", "1", "--delta", "1e-6", "--seed", "1", "--quiet", *more]
        before = of_children()
        subprocess.run(words, check=True, capture_output=True)
        return of_children() - before

    def made(self):
        return getattr(sotto, self.model.capitalize())(**SHARED, horizon=self.rounds, columns=self.names)

    def check(self):
        self.command(self.data, "-p", str(self.predictions))
        expected = numpy.array(self.predictions.read_text().split(), dtype=float)
        found = numpy.array(self.made().run(self.x, self.y).predictions, dtype=float)
        assert numpy.array_equal(found, expected), self.model

    def by_command(self):
        start = min(self.command(self.one_row) for _ in range(5))
        return min(self.command(self.data) for _ in range(5)) - start

    def in_bulk(self):
        """Without the plan that precedes the first round, as the command line's own figure."""
        fastest = float("inf")
        for _ in range(5):
            model = self.made()
            model._begin(None)
            fastest = min(fastest, best(lambda: model.run(self.x, self.y), 1))
        return fastest

    def one_by_one(self, rounds):
        rows = [dict(zip(self.names, row)) for row in self.x[:rounds].tolist()]
        labels = self.y[:rounds].tolist()

        def loop(predict, learn):
            for x, y in zip(rows, labels):
                predict(x)
                learn(x, y)

        fastest = float("inf")
        for _ in range(5):
            model = self.made()
            model._begin(None)
            fastest = min(fastest, best(lambda: loop(model.predict_one, model.learn_one), 1))
        return fastest


def beside(subject, rounds):
    """River and scikit-learn, without privacy, one at a time and in bulk."""
    found = {}
    try:
        from river import linear_model
        rows = [dict(zip(subject.names, row)) for row in subject.x[:rounds].tolist()]
        model = linear_model.LogisticRegression()
        start = time.process_time()
        for x, y in zip(rows, subject.y[:rounds].tolist()):
            model.predict_one(x)
            model.learn_one(x, y)
        found["river_one_by_one"] = rounds / (time.process_time() - start)
    except ImportError:
        pass
    try:
        from sklearn.linear_model import SGDClassifier
        few = min(rounds, 5000)
        model = SGDClassifier(loss="log_loss")
        model.partial_fit(subject.x[:1], subject.y[:1], classes=[0, 1])
        start = time.process_time()
        for i in range(few):
            model.predict(subject.x[i:i + 1])
            model.partial_fit(subject.x[i:i + 1], subject.y[i:i + 1])
        found["sklearn_one_by_one"] = few / (time.process_time() - start)
        start = time.process_time()
        SGDClassifier(loss="log_loss", max_iter=1, tol=None).fit(subject.x, subject.y)
        found["sklearn_one_pass_fit"] = subject.rounds / (time.process_time() - start)
    except ImportError:
        pass
    return found


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 300_000
    report = {"rounds": rounds, "bulk": []}
    with tempfile.TemporaryDirectory() as folder:
        for model in COLUMNS:
            subject = Subject(program, model, rounds, pathlib.Path(folder))
            subject.check()
            command, bulk = subject.by_command(), subject.in_bulk()
            report["bulk"].append({"model": model, "columns": COLUMNS[model],
                                   "command_rounds_per_processor_second": rounds / command,
                                   "python_rounds_per_processor_second": rounds / bulk, "ratio": command / bulk})
            if model == "tide":
                few = min(rounds, 200_000)
                report["one_by_one"] = {"sotto": few / subject.one_by_one(few), **beside(subject, few)}
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
