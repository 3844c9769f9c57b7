#!/usr/bin/env python3
"""Outputs that must not change by accident: golden_test.py SOTTO [--record]

Each case is a command with a fixed seed. Its standard output, its predictions
and the file it writes are compared, by hash, with golden.json. What a machine's
speed decides is left out. A deliberate change is recorded with --record and
explained in the commit that makes it.

A model may keep its cases in its own folder, sotto/models/NAME/golden.json: the
input and the command of each case, and what was recorded.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "golden.json"
MODELS = HERE.parent.parent / "sotto" / "models"
TIMES = re.compile(r'"(seconds|rounds_per_second)":[^,}]*|^time .*$', re.M)

THRESHOLD = "generate threshold --rounds 20000 --seed 7"
HALFSPACE = "generate halfspace --rounds 20000 --seed 7 --features 20 --margin 0.5"
LIST = "generate decision-list --rounds 4000 --seed 7 --length 4"
POP = "run pop --epsilon 3 --delta 1e-6 --horizon 20000 --seed 5 -d - -p p"
POINT = "generate point --rounds 20000 --seed 7"
POINTS = "run points --epsilon 3 --delta 1e-6 --horizon 20000 --seed 5 -d - -p p"
WINNOW = "run winnow --epsilon 1 --delta 1e-6 --horizon 20000 --margin 0.5 --seed 5 -d - -p p"

# name: (what goes in, the command)
CASES = {
    "generate": (None, THRESHOLD),
    "pop": (THRESHOLD, POP),
    "pop-json": (THRESHOLD, POP + " --json"),
    "pop-public": (THRESHOLD, POP + " --public"),
    "pop-late": (THRESHOLD, POP + " --label-delay 3"),
    "pop-linear": (HALFSPACE, POP + " --learner perceptron --copies 200"),
    "pop-majority": (THRESHOLD, POP + " --variant majority"),
    "pop-paper": (THRESHOLD, POP + " --variant paper"),
    "winnow": (HALFSPACE, WINNOW),
    "winnow-public": (HALFSPACE, WINNOW + " --public --json"),
    "winnow-paper": (HALFSPACE, WINNOW + " --calibration paper"),
    "points": (POINT, POINTS),
    "points-late": (POINT, POINTS + " --label-delay 3 --relation add-remove --json"),
    "points-public": (POINT, POINTS + " --public"),
    "fit": (LIST, "fit greedy-cover --epsilon 1 --delta 1e-6 --seed 5 -d - --schema s.json --out p"),
    "count": ("seq 300", "count --epsilon 1 --horizon 300 --seed 5"),
    "count-sqrt": ("seq 300", "count --epsilon 1 --delta 1e-6 --horizon 300 --seed 5 --mechanism sqrt"),
    "monitor": ("seq 300", "monitor --threshold 900 --epsilon 1 --horizon 300 --seed 5"),
    "quantile": ("seq 1 10 999", "quantile --data numbers --epsilon 1 --delta 1e-6 --horizon 100 --seed 5"),
    "plan-pop": (None, "plan pop --epsilon 1 --delta 1e-6 --horizon 1e5 --json"),
    "plan-winnow": (None, "plan winnow --epsilon 1 --delta 1e-6 --horizon 3e5 --features 100 --margin 0.5 --json"),
    "plan-points": (None, "plan points --epsilon 1 --delta 1e-6 --horizon 1e6 --json"),
    "account": (None, "account --mechanism gaussian --noise-scale 50 --compositions 1000 --delta 1e-6 --json"),
}


def prepare(folder):
    (folder / "numbers").write_text("".join(f"{n}\n" for n in range(1, 1001)))
    columns = [{"name": f"x{i}", "type": "boolean"} for i in range(1, 11)]
    label = {"column": "y", "negative": "0", "positive": "1"}
    (folder / "s.json").write_text(json.dumps({"label": label, "columns": columns}))
    # A training set of a threshold, for models that start from one.
    rows = (n * 7919 % 20000 / 20000 for n in range(20000))
    (folder / "train.csv").write_text("x,y\n" + "".join(f"{x},{int(x >= 0.4)}\n" for x in rows))
    # Points of a class that is right from 60 on.
    (folder / "points.csv").write_text("x,y\n" + "".join(f"{n * 37 % 255},{int(n * 37 % 255 >= 60)}\n"
                                                        for n in range(20000)))


def digest(data):
    return hashlib.sha256(TIMES.sub("", data.decode()).encode()).hexdigest()[:16]


def play(sotto, folder, source, command):
    fed = b""
    if source:
        words = source.split()
        program = words if words[0] == "seq" else [sotto] + words
        fed = subprocess.run(program, capture_output=True, check=True).stdout
    ran = subprocess.run([sotto] + command.split(), input=fed, cwd=folder, capture_output=True)
    written = folder / "p"
    found = {"exit": ran.returncode, "out": digest(ran.stdout)}
    if written.exists():
        found["file"] = digest(written.read_bytes())
        written.unlink()
    return found


def model_cases():
    """The cases in the folders of models: file -> name -> case."""
    return {path: json.loads(path.read_text()) for path in sorted(MODELS.glob("*/golden.json"))}


def main():
    sotto = str(pathlib.Path(sys.argv[1]).resolve())
    models = model_cases()
    cases = dict(CASES)
    for own in models.values():
        cases.update({name: (case["input"], case["command"]) for name, case in own.items()})
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        for case, (source, command) in cases.items():
            found[case] = play(sotto, folder, source, command)
    if "--record" in sys.argv:
        RECORD.write_text(json.dumps({case: found[case] for case in CASES}, indent=1) + "\n")
        for path, own in models.items():
            path.write_text(json.dumps({name: {**case, "recorded": found[name]} for name, case in own.items()},
                                       indent=1) + "\n")
        return 0
    recorded = json.loads(RECORD.read_text())
    for own in models.values():
        recorded.update({name: case.get("recorded") for name, case in own.items()})
    wrong = [case for case in cases if found[case] != recorded.get(case)]
    for case in wrong:
        print(f"{case}: {found[case]}, recorded {recorded.get(case)}: sotto {cases[case][1]}", file=sys.stderr)
    print(f"{len(cases) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
