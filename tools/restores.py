"""Restores backups of the models of a service and checks that each restore is noticed.

Many models share a process, so that one start of the program tries as many restores. Each model is played
further after its backup. Then its journal, or journal and anchor, are put back as they were:

* the journal alone: the model is frozen when the service starts;
* both: the model starts, and answers, until a ticket comes that was given out after the backup. The first
  such ticket freezes it, however many rounds were played since, and it stays frozen through a restart.

Afterwards the newest files are put back, and every model continues.
"""
import json
import os
import random
import shutil
import time

from service_client import Client, Service

MODELS = 50  # of a service
WAIT = 120  # seconds for all models of a service to start
COLUMNS = [{"name": "a", "type": "number", "range": [0, 1]}]
KINDS = [{"model": "tide", "delta": 1e-6, "schema": {"columns": COLUMNS}},
         {"model": "leader", "schema": {"columns": COLUMNS}}]


def copy_file(source, target):
    """Copies a file. The zeros at the end of a segment become a hole."""
    with open(source, "rb") as file:
        content = file.read()
    with open(target, "wb") as file:
        file.write(content.rstrip(b"\0"))
        file.truncate(len(content))
    shutil.copystat(source, target)


def replace_folder(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, copy_function=copy_file)


class Models:
    """A service with many models, its folder, and the tickets that it gave out."""

    def __init__(self, program, folder, count, rng):
        self.program, self.folder, self.rng = program, folder, rng
        self.names = [f"m{i}" for i in range(count)]
        self.users = 0
        with self.start() as service:
            for i, name in enumerate(self.names):
                model = {"name": name, "epsilon": 1, "horizon": 100_000, "anyway": True, **KINDS[i % len(KINDS)]}
                status, _, body = service.operator.ask("POST", "/v1/models", model)
                if status != 201:
                    raise AssertionError(f"{model} was refused: {body}")
            service.stop()

    def start(self):
        """Starts the service and waits until no model is starting."""
        service = Service(self.program, self.folder, wait=False)
        service.listening.wait(WAIT)
        found = service.find("listening")
        if found is None:
            raise AssertionError("the service did not start: " + "".join(service.lines))
        service.users, service.operator = Client(found["users"]), Client(found["operator"])
        end = time.monotonic() + WAIT
        while "starting" in self.states(service).values():
            if time.monotonic() > end:
                raise AssertionError("a model does not start")
            time.sleep(0.01)
        return service

    def states(self, service):
        listed = json.loads(service.operator.ask("GET", "/v1/models")[2])["models"]
        return {model["name"]: model["state"] for model in listed}

    def predict(self, service, name):
        self.users += 1
        status, _, body = service.users.ask("POST", f"/v1/models/{name}/predict", {"x": [self.rng.random()]},
                                            {"Sotto-User": f"u{self.users}"})
        return status, json.loads(body).get("ticket")

    def label(self, service, name, ticket):
        return service.users.ask("POST", f"/v1/models/{name}/labels", {"ticket": ticket, "y": 1})[0]

    def play(self, service, name, rounds):
        """Plays rounds, each a block of its own, and returns their tickets."""
        return [self.predict(service, name)[1] for _ in range(rounds)]

    def play_all(self, most):
        """Plays 1 to `most` rounds of each model and ends the service, in one way or the other."""
        with self.start() as service:
            tickets = {name: self.play(service, name, self.rng.randint(1, most)) for name in self.names}
            if self.rng.random() < 0.5:
                service.stop()  # with a snapshot, and records deleted
        return tickets

    def copy(self, parts, to):
        """Copies parts of the models, as they are, to a folder of that name."""
        for name in self.names:
            for part in parts:
                place = part.format(name)
                replace_folder(os.path.join(self.folder, place), os.path.join(to, place))

    def put_back(self, parts, backup):
        for name in self.names:
            for part in parts:
                place = part.format(name)
                replace_folder(os.path.join(backup, place), os.path.join(self.folder, place))


def check_frozen(models, service, problems):
    frozen = 0
    for name, state in models.states(service).items():
        if state != "frozen":
            problems.append(f"{name} is {state} after a restore")
        elif models.predict(service, name)[0] != 503:
            problems.append(f"{name} is frozen and answers")
        else:
            frozen += 1
    return frozen


def restore_journals(models, folder, problems):
    """Restores the journals. Returns how many models were frozen."""
    parts, backup, whole = ["models/{}/journal"], os.path.join(folder, "backup"), os.path.join(folder, "whole")
    models.play_all(2)
    models.copy(parts, backup)
    models.play_all(4)
    models.copy(parts, whole)
    models.put_back(parts, backup)
    with models.start() as service:
        frozen = check_frozen(models, service, problems)
        service.stop()
    models.put_back(parts, whole)
    return frozen


def present_lost_ticket(models, service, name, known, lost, problems):
    for ticket in models.play(service, name, models.rng.randint(0, 6)):
        if models.label(service, name, ticket) != 202:
            problems.append(f"{name} refuses a label before a lost ticket came")
    if models.label(service, name, known) != 202:
        problems.append(f"{name} refuses a ticket from before the backup")
    if models.label(service, name, lost) != 503:
        problems.append(f"{name} does not notice a lost ticket")


def restore_both(models, folder, problems):
    """Restores journals and anchors. Returns how many models the first lost ticket froze."""
    parts = ["models/{}/journal", "anchors/{}"]
    backup, whole = os.path.join(folder, "backup"), os.path.join(folder, "whole")
    known = models.play_all(2)
    models.copy(parts, backup)
    lost = models.play_all(4)
    models.copy(parts, whole)
    models.put_back(parts, backup)
    with models.start() as service:
        for name, state in models.states(service).items():
            if state != "ready":
                problems.append(f"{name} is {state} before a lost ticket came")
            present_lost_ticket(models, service, name, models.rng.choice(known[name]),
                                models.rng.choice(lost[name]), problems)
        frozen = check_frozen(models, service, problems)
        service.stop()
    with models.start() as service:
        check_frozen(models, service, problems)
        service.stop()
    models.put_back(parts, whole)
    return frozen


def restore(program, restores, seed, folder, minutes=24 * 60):
    """Restores that many journals, and as many journals with their anchors, in at most about as many minutes for
    each kind. Returns a report."""
    rng, problems, report = random.Random(seed), [], {}
    for what, one in (("journals", restore_journals), ("both", restore_both)):
        frozen, tried, end = 0, 0, time.monotonic() + 60 * minutes
        while tried < restores and not problems and time.monotonic() < end:
            count = min(MODELS, restores - tried)
            place = os.path.join(folder, f"{what}-{tried}")
            os.makedirs(place)
            models = Models(program, os.path.join(place, "service"), count, rng)
            frozen += one(models, place, problems)
            tried += count
            with models.start() as service:
                if set(models.states(service).values()) != {"ready"}:
                    problems.append("a model does not continue with its newest files")
            shutil.rmtree(place)
        report[what] = {"tried": tried, "frozen": frozen}
    return {**report, "problems": problems[:20]}
