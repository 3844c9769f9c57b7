#!/usr/bin/env python3
"""Two conversations that differ in one user's lines: live_worlds_test.py SOTTO

Every online model that needs no training set talks with SEED, with and without a state
that is saved, loaded and killed on the way. Compared is everything that others see: their
replies byte for byte, the number of rounds, the published hypothesis, the exit code.

* Lines of the protected user that are empty rounds for different reasons, and labels that
  are refused for different reasons, must leave all the rest equal, byte for byte.
* Another round, or another label, changes the noise that follows; then the replies of
  others must be equal but for their numbers: same lines, same keys, same errors.
"""
import json
import os
import random
import re
import shutil

from program import FolderTest, main, run, start, write

ROUNDS = 24
OWN = 7  # the round of the protected user
MODELS = {
    "tide": ["--schema", "SCHEMA"],
    "leader": ["--features", "3"],
    "littlestone": ["--class", "thresholds:4"],
    "pop": ["--copies", "60", "--reports", "20", "--learner", "perceptron:features=3"],
    "winnow": ["--margin", "0.5", "--features", "3"],
    "points": ["--features", "3"],
}
NUMBERS = re.compile(r'"(ticket)":"[0-9a-f]+"|"(prediction|probability)":[^,}]+')


def x_of(model, draw):
    return [draw.randrange(4)] if model == "littlestone" else [draw.choice((-1, 1)) for _ in range(3)]


def rounds_of(model):
    draw = random.Random(3)
    return [{"id": i, "x": x_of(model, draw), "user": f"u{i}"} for i in range(ROUNDS)]


# Lines that the protected user sends instead of a label.
REFUSED_LABELS = [None, '{"ticket":["x"],"y":1}', '{"ticket":"TICKET","y":', '{"ticket"', '{"y":1,"ticket":7}',
                  '{"ticket":"TICKET","y":7}', '{"ticket":"00000000000000000000000000000000","y":1}',
                  '{"ticket":"TICKET","y":1' + " " * (1 << 20)]
# Lines that the protected user sends instead of a round, under the same name or under none.
EMPTY_ROUNDS = ['{"user":"u7"}', '{"user":"u7","x":["?","?",{}]}', '{"user":"u7","x":[1,1,1],"y":"maybe"}']


class Talk:
    """One conversation, in one process or in several with a state between them."""

    def __init__(self, test, model, breaks=()):
        self.test, self.model, self.breaks = test, model, breaks
        self.saved = bool(breaks)
        self.replies, self.own = [], []

    def words(self, fresh):
        flags = ["--save", self.test.state] if self.saved else []
        if not fresh:
            return ["run", self.model, "--live", "--load", self.test.state, *flags, *self.test.schema(self.model)]
        return ["run", self.model, "--live", "--epsilon", "3", "--delta", "1e-6", "--horizon", str(ROUNDS), "--seed", "5",
                "--anyway", *self.test.flags(self.model), *flags]

    def ask(self, line):
        self.process.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def begin(self, fresh):
        more = ["--json"]
        if self.model in ("tide", "leader", "winnow", "littlestone"):
            more += ["--hypothesis", self.test.path("h")]
        self.process = start(*self.words(fresh), *more)

    def interrupt(self, how):
        """kill -9, or an orderly end; then the next process."""
        if how == "kill":
            self.process.kill()
        self.process.communicate()
        self.begin(fresh=False)

    def play(self, own_round=None, own_label=None, label_late=False):
        """Everybody's rounds and labels; those of the protected user are as given."""
        self.begin(fresh=True)
        tickets = {}
        for number, line in enumerate(rounds_of(self.model)):
            if number in self.breaks:
                self.interrupt("kill" if number % 2 else "end")
            mine = number == OWN
            reply = self.ask(own_round if mine and own_round is not None else line)
            (self.own if mine else self.replies).append(reply)
            tickets[number] = json.loads(reply).get("ticket")
            due = number if mine and not label_late else number - 2
            if not mine and due >= 0 and due != OWN:
                self.replies.append(self.label(tickets[due], due % 2))
            if number == OWN + (9 if label_late else 0):
                self.send_own_label(own_label, tickets[OWN])
        out, error = self.process.communicate(timeout=600)
        self.test.assertEqual(self.process.returncode, 0, error)
        self.rounds = json.loads(out.splitlines()[-1])["rounds"]
        self.hypothesis = None
        if os.path.exists(self.test.path("h")):
            with open(self.test.path("h")) as file:
                self.hypothesis = file.read()
            os.remove(self.test.path("h"))
        for name in ("s", "s.journal"):
            path = self.test.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
        return self

    def label(self, ticket, y):
        return self.ask({"ticket": ticket, "y": y})

    def send_own_label(self, label, ticket):
        if label is None:
            return
        text = label if isinstance(label, str) else json.dumps({"ticket": "TICKET", "y": label})
        self.own.append(self.ask(text.replace("TICKET", ticket or "")))

    def seen(self):
        """By everybody else."""
        return self.replies, self.rounds, self.hypothesis

    def shape(self):
        facts = self.hypothesis and sorted(json.loads(self.hypothesis))
        return [NUMBERS.sub("#", reply) for reply in self.replies], self.rounds, facts


class LiveWorldsTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.state = self.path("s")

        columns = [{"name": name, "type": "number", "range": [-1, 1]} for name in "abc"]
        write(self.path("schema"), json.dumps({"columns": columns}).encode())

    def schema(self, model):
        """A state does not hold it."""
        return ["--schema", self.path("schema")] if "SCHEMA" in MODELS[model] else []

    def flags(self, model):
        return self.schema(model) or MODELS[model]

    def talk(self, model, breaks=(), **own):
        return Talk(self, model, breaks).play(**own)

    def test_labels_that_are_refused_leave_the_rest_equal(self):
        for model in MODELS:
            for late in (False, True):
                none = self.talk(model)
                for label in REFUSED_LABELS[1:]:
                    other = self.talk(model, own_label=label, label_late=late)
                    self.assertEqual(other.seen(), none.seen(), (model, label[:40]))
                    self.assertEqual(json.loads(other.own[-1])["ok"], False)

    def test_another_label_changes_only_numbers(self):
        for model in MODELS:
            none = self.talk(model)
            for label in (0, 1):
                for late in (False, True):
                    other = self.talk(model, own_label=label, label_late=late)
                    self.assertEqual(other.shape(), none.shape(), (model, label))
                    self.assertEqual(other.own[-1], '{"ok":true}\n')

    def test_empty_rounds_leave_the_rest_equal_and_other_rounds_change_only_numbers(self):
        for model in MODELS:
            here = self.talk(model, own_label=1)
            empty = [self.talk(model, own_round=line) for line in EMPTY_ROUNDS]
            for talk in empty[1:]:
                self.assertEqual(talk.seen(), empty[0].seen(), model)
            other = rounds_of(model)[OWN]
            other["x"] = [3 - other["x"][0]] if model == "littlestone" else [-v for v in other["x"]]
            for talk in (empty[0], self.talk(model, own_round=json.dumps(other), own_label=0)):
                self.assertEqual(talk.shape(), here.shape(), model)

    def test_states_on_the_way_change_nothing(self):
        """Ends, kills and resumes: the same replies, byte for byte, in both worlds."""
        for model in MODELS:
            for own in ({"own_label": 1}, {"own_label": REFUSED_LABELS[2]}, {"own_round": EMPTY_ROUNDS[1]}):
                whole = self.talk(model, **own)
                for breaks in ((5,), (OWN, OWN + 1), (2, 9, 12, 21)):
                    broken = self.talk(model, breaks, **own)
                    self.assertEqual((broken.seen(), broken.own), (whole.seen(), whole.own), (model, breaks))

    def test_states_of_streams_change_nothing(self):
        """The same for rows: stopped after any of them and resumed, a bad row is a blank one."""
        rows = [f"{r['x'][0]},{r['x'][1]},{r['x'][2]},{r['user']},{i % 2}\n" for i, r in enumerate(rounds_of("tide"))]

        def played(model, own, at):
            lines = rows[:OWN] + [own] + rows[OWN + 1:]
            flags = [flag for flag in self.flags(model) if flag not in ("--features", "3")]
            first = ["run", model, "--epsilon", "3", "--delta", "1e-6", "--horizon", str(ROUNDS), "--seed", "5", "--anyway",
                     *flags, "--save", self.state]
            predictions = ""
            for words, part in ((first, lines[:at]), (["run", model, "--load", self.state, *self.schema(model)], lines[at:])):
                done = run(*words, "-d", "-", "-p", self.path("p"), "--quiet", stdin="a,b,c,user,y\n" + "".join(part))
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(self.path("p")) as file:
                    predictions += file.read()
            os.remove(self.state)
            return predictions

        for model in ("tide", "leader", "pop", "winnow"):
            blank = played(model, ",,,u7,\n", 3)
            for own in (",,,u7,\n", "1,x,1,u7,1\n", "1,1,1,u7,?7\n"):
                for at in (OWN, OWN + 1, 20):
                    self.assertEqual(played(model, own, at), blank, (model, own, at))


if __name__ == "__main__":
    main()
