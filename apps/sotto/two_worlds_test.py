#!/usr/bin/env python3
"""Two worlds that differ in one user's row: two_worlds_test.py SOTTO

For every model and format `audit_models` (sotto/testing/model_audit) makes the cases, with a few of their
options: docs/audit.md. Beside it, and knowing nothing of it, every online model is
run here on csv in both worlds with the same seed, and everything that is declared
public is compared: standard output under --public, the predictions of all other
users, the published hypothesis, the page of plots, the exit code, the sizes of files.
Of every batch model it is the report of `fit`, but for what it says is not covered, and
of users with several rows in a table also the published model.

* A row that is unusable, absent, blank, or of a user who has no rounds left is an
  empty round: those worlds must be equal byte for byte.
* A row that is replaced by another, or present in one world only, changes the
  noise that follows (it is a function of the history), so numbers may differ;
  everything else must be equal: lines, words, empty lines and their places.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROWS = 60
CHANGED = 20  # the row of the protected user
TIME = re.compile(r"^time .*$|\"(seconds|rounds_per_second)\":[^,}]*|[\d.]+ s, [\d,]+ rounds/s", re.M)
NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?(e[-+]?\d+)?")


def rows(seed):
    """Three features in {-1, 1}, labels by the sign of the first, mostly."""
    draw = random.Random(seed)
    made = []
    for _ in range(ROWS):
        x = [draw.choice((-1, 1)) for _ in range(3)]
        made.append((x, int(x[0] > 0)))
    return made


class Csv:
    ending, flags, beyond = "csv", False, []
    bad = ["1,x,1,1", "1,1", "1,1,1,7", '"1,1,1,1', "1,1,,1"]

    def line(self, x, y):
        return ",".join(map(str, x + [y]))

    def file(self, lines):
        return "\n".join(["a,b,c,y"] + lines) + "\n"


class Libsvm(Csv):
    ending, flags = "libsvm", True
    bad = ["1 1:x", "7 1:1", "1 1:1:1", "1 0:1"]

    def line(self, x, y):
        return f"{y} " + " ".join(f"{i + 1}:{v}" for i, v in enumerate(x))

    def file(self, lines):
        return "\n".join(lines) + "\n"


class Vw(Libsvm):
    ending = "vw"
    bad = ["1 | a:x", "7 | a:1", "1 no bar a:1", "1 | a:nan"]

    def line(self, x, y):
        return f"{y} | " + " ".join(f"{i}:{v}" for i, v in enumerate(x))


class Jsonl(Libsvm):
    ending = "jsonl"
    bad = ['{"x":[1,[1],1],"y":1}', '{"x":[1,1,1],"y":7}', '{"x":[1,1', "not json", '{"x":[1,1,1],"y":1,"y":0}']

    def line(self, x, y):
        return json.dumps({"x": x, "y": y})


class Model:
    """What a model needs to run on three features: its own example's options, unless a line below says otherwise."""

    def __init__(self, flags, declared_flags=None):
        self.flags = flags  # where the stream tells how many features there are
        self.declared_flags = declared_flags  # where they must be declared; None: they need not be
        self.declared = declared_flags is not None

    def flags_for(self, form):
        return self.flags if not form.flags or not self.declared else self.declared_flags


POP = ["--copies", "60", "--reports", "20", "--learner"]
EVER = ["--teachers", "60", "--reports", "20", "--phase-rounds", "25", "--learner"]
PAPER = ["--class", "thresholds:4", "--calibration", "paper", "--teachers", "30", "--limit", "5", "--changes", "3"]
MODELS = {
    "tide": Model([]),
    "leader": Model([], ["--features", "3"]),
    "littlestone": Model(["--class", "thresholds:4"]),
    "littlestone of the paper": Model(PAPER),
    "pop": Model(POP + ["perceptron"], POP + ["perceptron:features=3"]),
    "rectangles": Model(["--error", "0.5"], ["--error", "0.5", "--features", "3"]),
    "stumps": Model(["--error", "0.5"], ["--error", "0.5", "--features", "3"]),
    "everlasting": Model(EVER + ["perceptron"], EVER + ["perceptron:features=3"]),
    "winnow": Model(["--margin", "0.5"], ["--margin", "0.5", "--features", "3"]),
    "points": Model(["--hash-bits", "0"], ["--features", "3"]),
}


# Batch models, on the same features.
FITS = {
    "greedy-cover": ["--label", "y"],
    "threshold": [],
    "interval": [],
    "stump": [],
    "tree": [],
    "list": [],
    "finite": ["--class", "thresholds:4"],
    "littlestone-erm": ["--class", "thresholds:4"],
}


# Options of an example that the runs here set by themselves.
SET_HERE = {"--epsilon", "--delta", "--horizon", "--features", "--training-rows"}


def model_of_example(sotto, name):
    words = re.search(rf"^  sotto run {name} (.*) -d ", help_of(sotto, name), re.M).group(1).split()
    pairs = zip(words[::2], words[1::2])
    return Model([word for pair in pairs if pair[0] not in SET_HERE for word in pair] + ["--force"])


def add_models(sotto):
    """Every model of the registry takes part, also one that has no line above."""
    listed = subprocess.run([sotto, "plan", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1000", "--json"],
                            capture_output=True, text=True, check=True)
    for name in (plan["model"] for plan in json.loads(listed.stdout)["models"]):
        runs = subprocess.run([sotto, "run", name, "--help"], capture_output=True).returncode == 0
        if runs and name not in MODELS:
            MODELS[name] = model_of_example(sotto, name)
        if not runs:
            FITS.setdefault(name, [])


class World:
    """All that a run leaves for others to see."""

    def __init__(self, sotto, folder, model, form, lines, more, train=None, public=True):
        data = folder / f"rows.{form.ending}"
        data.write_text(form.file(lines))
        for name in ("p", "h", "page", "state"):
            (folder / name).unlink(missing_ok=True)
        command = [sotto, "run", model.split()[0], "--epsilon", "3", "--delta", "1e-6", "--horizon", str(ROWS), "--seed", "5",
                   "-d", str(data), "-p", str(folder / "p")]
        command += ["--report", str(folder / "page"), "--public"] if public else []
        command += MODELS[model].flags_for(form) + more
        if trains(sotto, model):
            labelled = folder / f"train.{form.ending}"
            labelled.write_text(form.file(train or [form.line(x, y) for x, y in rows(3)]))
            command += ["--train", str(labelled)]
        if "--publish" in help_of(sotto, model):
            command += ["--publish", str(folder / "h")]
        ran = subprocess.run(command, capture_output=True, text=True)
        self.command = command
        self.exit = ran.returncode
        self.out = TIME.sub("", ran.stdout)
        self.error = ran.stderr
        self.predictions = (folder / "p").read_text().split("\n") if (folder / "p").exists() else None
        self.page = TIME.sub("", (folder / "page").read_text()) if (folder / "page").exists() else None
        self.hypothesis = (folder / "h").read_text() if (folder / "h").exists() else None


HELP = {}


def help_of(sotto, model):
    if model not in HELP:
        HELP[model] = subprocess.run([sotto, "run", model.split()[0], "--help-all"], capture_output=True, text=True).stdout
    return HELP[model]


def trains(sotto, model):
    """Whether it starts from a labelled set."""
    return "--train" in help_of(sotto, model)


def others(predictions, own):
    return None if predictions is None else [line for i, line in enumerate(predictions) if i not in own]


def skeleton(text):
    """Words without numbers; columns are as wide as their numbers."""
    return None if text is None else re.sub(" +", " ", NUMBER.sub("#", text))


def drawing(page):
    """The page without what is drawn from numbers."""
    if page is None:
        return None
    page = re.sub(r'<div class="published">.*?<!-- published -->', "<published/>", skeleton(page), flags=re.S)
    return re.sub(r"<svg.*?</svg>", "<svg/>", page, flags=re.S)


def hypothesis_facts(text):
    if text is None:
        return None
    model = json.loads(text)
    return sorted(model), model["rounds"], model["guarantee"]


class Checker:
    def __init__(self, sotto):
        self.sotto = sotto
        self.passed = 0
        self.failed = 0

    def expect(self, what, here, there, name):
        if here == there:
            self.passed += 1
            return
        self.failed += 1
        print(f"{name}: {what} differs: {str(here)[:300]!r} / {str(there)[:300]!r}", file=sys.stderr)

    def same(self, here, there, own, name):
        """Empty rounds of two kinds."""
        for what in ("exit", "out", "error", "page", "hypothesis"):
            self.expect(what, getattr(here, what), getattr(there, what), name)
        self.expect("predictions", here.predictions, there.predictions, name)

    def alike(self, here, there, own, name):
        """A round replaced, or empty in one world only."""
        self.expect("exit", here.exit, there.exit, name)
        self.expect("error", skeleton(here.error), skeleton(there.error), name)
        self.expect("out", skeleton(here.out), skeleton(there.out), name)
        self.expect("page", drawing(here.page), drawing(there.page), name)
        self.expect("hypothesis", hypothesis_facts(here.hypothesis), hypothesis_facts(there.hypothesis), name)
        shapes = [[len(line) for line in others(world.predictions, own)] for world in (here, there)]
        self.expect("predictions", *shapes, name)
        self.expect("rounds", len(here.predictions) - 1, ROWS, name)

    def run(self):
        add_models(self.sotto)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for model in MODELS:
                self.rows_of_nobody(folder, model, Csv())
            for model in MODELS:
                self.rows_of_a_user(folder, model)
            for model in ("tide", "leader", "winnow", "pop", "points"):
                for form in (Csv(), Libsvm(), Vw(), Jsonl()):
                    self.default_mode(folder, model, form)
            self.rows_of_a_table(folder)
            self.users_of_a_table(folder)
            self.users_of_private_ranges(folder)
        self.every_model()
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0

    def every_model(self):
        """The generated cases, at a small size."""
        done = subprocess.run([pathlib.Path(self.sotto).with_name("audit_models"), "--quick", "--options", "1", "--pairs",
                               "1", "--runs", "0", "--threads", "1"], capture_output=True, text=True)
        self.expect("audit_models", done.returncode, 0, done.stdout + done.stderr)

    def world(self, folder, model, form, lines, changed, more=()):
        lines = list(lines)
        lines[CHANGED] = changed
        return World(self.sotto, folder, model, form, lines, list(more))

    def rows_of_nobody(self, folder, model, form):
        lines = [form.line(x, y) for x, y in rows(1)]
        x, y = rows(1)[CHANGED]
        tag = f"{model} {form.ending}"
        here = self.world(folder, model, form, lines, lines[CHANGED])
        self.expect("exit", here.exit, 0, f"{tag}: {here.error}")
        if here.predictions is None:
            return
        other = self.world(folder, model, form, lines, form.line([-v for v in x], 1 - y))
        self.alike(here, other, {CHANGED}, f"{tag} replaced")
        blank = self.world(folder, model, form, lines, "")
        self.alike(here, blank, {CHANGED}, f"{tag} blank")
        declared = MODELS[model].declared
        for bad in form.bad + (form.beyond if declared else []):
            unusable = self.world(folder, model, form, lines, bad)
            self.same(blank, unusable, {CHANGED}, f"{tag} unusable {bad!r}")
        if trains(self.sotto, model):
            self.rows_of_the_labelled_set(folder, model, form, lines)

    def default_mode(self, folder, model, form):
        """Without --public: one bad row leaves predictions, hypothesis and exit code as a blank row does."""
        lines = [form.line(x, y) for x, y in rows(1)]

        def world(changed, *more):
            changed_lines = lines[:CHANGED] + [changed] + lines[CHANGED + 1:]
            return World(self.sotto, folder, model, form, changed_lines, list(more), public=False)

        blank = world("")
        self.expect("exit", blank.exit, 0, f"{model} {form.ending}: {blank.error}")
        for bad in form.bad:
            tag = f"{model} {form.ending} default {bad!r}"
            unusable = world(bad)
            for what in ("exit", "predictions", "hypothesis"):
                self.expect(what, getattr(blank, what), getattr(unusable, what), tag)
            self.expect("the row is bad", "bad rows" in unusable.out, True, tag)
            self.expect("rounds", len(unusable.predictions or []) - 1, ROWS, tag)
        strict = world(form.bad[0], "--strict")
        self.expect("strict", (strict.exit, strict.predictions, strict.hypothesis), (2, None, None), form.ending)
        strict = world(lines[CHANGED], "--strict")
        self.expect("strict", (strict.exit, strict.predictions, strict.hypothesis), (0, None, None), form.ending)

    def rows_of_the_labelled_set(self, folder, model, form, lines):
        """One of the rows that the model starts from, in both worlds."""
        tag = f"{model} {form.ending} labelled"
        made = rows(3)
        x, y = made[CHANGED]

        def world(changed):
            train = [form.line(*row) for row in made]
            train[CHANGED] = changed
            return World(self.sotto, folder, model, form, lines, [], train)

        here = world(form.line(x, y))
        self.alike(here, world(form.line([-v for v in x], 1 - y)), set(), f"{tag} replaced")
        blank = world("")
        self.alike(here, blank, set(), f"{tag} blank")
        self.same(blank, world(form.bad[0]), set(), f"{tag} unusable {form.bad[0]!r}")

    def rows_of_a_table(self, folder):
        """A row replaced, left blank, without a label, unreadable; or not there."""
        listed = subprocess.run([self.sotto, "fit", "--help-all"], capture_output=True, text=True).stdout
        models = re.findall(r"^  ([a-z][a-z-]+) ", listed.split("\nModels\n")[1].split("\n\n")[0], re.M)
        self.expect("batch models", sorted(models), sorted(FITS), "fit --help")
        form = Csv()
        lines = [form.line(x, y) for x, y in rows(1)]
        for model in FITS:
            for relation in ("replace", "add-remove"):
                here = self.report_of(folder, model, relation, lines)
                for changed in [["-1,1,-1,0"], [""], ["1,1,1,"], ["1,x,1,1"]] + [[]] * (relation == "add-remove"):
                    there = self.report_of(folder, model, relation, lines[:CHANGED] + changed + lines[CHANGED + 1:])
                    self.expect("fit", here, there, f"{model} {relation} {changed}")

    def users_of_a_table(self, folder):
        """A user with two rows to use and more in the table. Whatever the later ones hold, the model
        is the same; so it is for two ways to use up a place without a row."""
        places = (CHANGED, CHANGED + 3, CHANGED + 7, CHANGED + 20)

        def table(own):
            lines = [f"{x[0]},{x[1]},{x[2]},v{i},{y}" for i, (x, y) in enumerate(rows(2))]
            for place, line in zip(places, own):
                lines[place] = line
            return ["a,b,c,user,y"] + lines

        good, other, absent, bad = "1,1,1,u,0", "-1,1,-1,u,1", ",,,u,", '1,1,1,u,"7'
        for model in FITS:
            def fit(*own, relation="replace"):
                report = self.report_of(folder, model, relation, table(own), header=False, more=["--rounds-per-user", "2"])
                return report, (folder / "model").read_bytes()
            for relation in ("replace", "add-remove"):
                here = fit(good, good, good, good, relation=relation)
                for later in (other, absent, bad, ""):
                    self.expect("model", here, fit(good, good, later, other, relation=relation), f"{model} later {later!r}")
                for first in (other, absent, bad):
                    self.expect("fit", here[0], fit(first, good, good, good, relation=relation)[0], f"{model} {first!r}")
                self.expect("model", fit(absent, bad, good, other, relation=relation),
                            fit(bad, absent, other, good, relation=relation), f"{model} used up")

    def users_of_private_ranges(self, folder):
        """The same for ranges: here only numbers matter, and one user's never show."""
        def ranges(*own):
            others = [f"{10 + i % 50},v{i}" for i in range(2000)]
            (folder / "table.csv").write_text("\n".join(["x,user"] + others + list(own)) + "\n")
            done = subprocess.run([self.sotto, "schema", "--private-ranges", str(folder / "table.csv"), "--epsilon", "1",
                                   "--rounds-per-user", "2", "--seed", "5"], capture_output=True, text=True)
            self.expect("exit", done.returncode, 0, done.stderr)
            return done.stdout, done.stderr
        here = ranges("20,u", "20,u", *["1e9,u"] * 300)
        for own in (["1e9,u", "1e9,u"] + ["20,u"] * 300, ["x,u", "1e9,u,1"] + ["1e9,u"] * 300, ["", ""] + [""] * 300):
            self.expect("ranges", here, ranges(*own), f"ranges {own[0]!r}")

    def report_of(self, folder, model, relation, lines, header=True, more=()):
        """What a fit tells, but for what it says is not covered."""
        (folder / "table.csv").write_text(Csv().file(lines) if header else "\n".join(lines) + "\n")
        done = subprocess.run([self.sotto, "fit", model, "--epsilon", "3", "--delta", "1e-6", "--relation", relation,
                               "--skip-bad", "--seed", "5", "-d", str(folder / "table.csv"), "-o",
                               str(folder / "model"), "--json", *more] + FITS[model], capture_output=True, text=True)
        self.expect("exit", done.returncode, 0, f"fit {model}: {done.stderr}")
        report = json.loads(done.stdout or '{"not_covered": []}')
        return done.stderr, {key: value for key, value in report.items() if key not in report["not_covered"]}

    def rows_of_a_user(self, folder, model):
        """The user of the changed row comes again, and has one round."""
        form = Csv()
        form.file = lambda lines: "\n".join(["a,b,c,user,y"] + lines) + "\n"
        form.line = lambda x, y: f"{x[0]},{x[1]},{x[2]},,{y}"
        again = CHANGED + 7
        made = rows(2)
        lines = [f"{x[0]},{x[1]},{x[2]},{'u' if i in (CHANGED, again) else f'v{i}'},{y}" for i, (x, y) in enumerate(made)]
        here = self.world(folder, model, form, lines, lines[CHANGED])
        x, y = made[CHANGED]
        own = {CHANGED, again}
        other = self.world(folder, model, form, lines, f"{-x[0]},{x[1]},{x[2]},u,{1 - y}")
        self.alike(here, other, own, f"{model} user replaced")
        absent = self.world(folder, model, form, lines, ",,,u,")
        self.alike(here, absent, own, f"{model} user absent")
        for bad in (f",{x[1]},{x[2]},u,{y}",):
            unusable = self.world(folder, model, form, lines, bad)
            self.same(absent, unusable, own, f"{model} user unusable {bad!r}")
            # The bad row took the user's round. Models that publish answer the next one from what is public.
            public = "--publish" in help_of(self.sotto, model)
            self.expect("the user's second round", unusable.predictions[again],
                        absent.predictions[again] if public else "", f"{model} user {bad!r}")


if __name__ == "__main__":
    sys.exit(Checker(str(pathlib.Path(sys.argv[1]).resolve())).run())
