#!/usr/bin/env python3
"""Kills a service under load and checks what its clients saw.

    tools/torture.py SOTTO [--kills N] [--minutes M] [--clients N] [--seed S]
    tools/torture.py SOTTO --restores N [--minutes M] [--seed S]

Clients play rounds and send labels, and ask again after every lost connection. The process is
killed at random moments and started again. Afterwards an independent check of the histories:
no acknowledged label is lost, no round has two answers, a repeated request gives the same bytes,
no user has more answered rounds than the cap, the service counts at least what clients saw, and
no model is frozen. After every 100 kills a new service begins, so that a kill takes no longer
late in a run. After --minutes no more kills follow. Prints one line of JSON; exits with 1 if
something is wrong. With --restores N: no kills; N journals, and N journals with their anchors, are
restored from backups (tools/restores.py).
"""
import argparse
import collections
import http.client
import json
import os
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import restores  # noqa: E402
from service_client import LIFE, Client, Service, free_path, write_life_schema  # noqa: E402

CAP = 3
BULK = {"Content-Type": "application/x-ndjson"}
LONG = 24 * 60  # minutes
KILLS_OF_A_SERVICE = 100  # then its tickets and kept answers make every start slow
PATIENCE = 90  # seconds without any answer until something is wrong
NO_ANSWER = (b'"code":"unavailable"', b'"code":"unknown"')  # of a line in bulk
MOST_REPEATS = 50_000  # asked for once more at the end, of all that were answered
PREDICT, LABELS = "/v1/models/life/predict", "/v1/models/life/labels"


class Player(threading.Thread):
    """A client with its own users. Remembers every request and every answer."""

    def __init__(self, number, url, seed):
        super().__init__(daemon=True)
        self.number, self.url, self.random = number, url, random.Random(f"{seed}-{number}")
        self.answers = collections.defaultdict(set)  # (user, key, body) -> answers
        self.labels = {}  # ticket -> acknowledged label
        self.problems, self.lost, self.ended = [], 0, False
        self.client = Client(url, timeout=20)

    def ask(self, path, body, headers):
        """Asks until there is an answer other than 503: status and body."""
        while not self.ended:
            try:
                status, _, answer = self.client.ask("POST", path, body, headers)
                if status != 503:
                    return status, answer
            except (OSError, http.client.HTTPException):
                self.lost += 1
            time.sleep(self.random.uniform(0.01, 0.05))  # the service needs the processor to start
        return None, None

    def predict(self, user, key, body):
        status, answer = self.ask(PREDICT, body, {"Sotto-User": user, "Idempotency-Key": key})
        if status is None:
            return None
        if status not in (200, 422):
            self.problems.append(f"a prediction got {status}")
        self.answers[user, key, body].add((status, answer))
        return json.loads(answer) if status == 200 else None

    def label(self, ticket, y):
        status, _ = self.ask(LABELS, json.dumps({"ticket": ticket, "y": y}).encode(), {})
        if status == 202:
            self.labels[ticket] = y
        elif status is not None:
            self.problems.append(f"a label got {status}")

    def round(self, user, count):
        row = dict(LIFE, age=self.random.randint(18, 90))
        body = json.dumps({"x": row}).encode()
        key = f"k{count}"
        answer = self.predict(user, key, body)
        if self.random.random() < 0.2:
            self.predict(user, key, body)
        if answer and "ticket" in answer and self.random.random() < 0.8:
            self.label(answer["ticket"], self.random.choice(("no", "yes")))

    def run(self):
        count = 0
        while not self.ended:
            user = f"user-{self.number}-{count}"
            for _ in range(self.random.randint(1, CAP + 1)):
                count += 1
                self.round(user, count)
        self.client.close()


def check_players(players):
    """Problems that the histories alone show, and the answered rounds."""
    problems, tickets, answered = [], set(), 0
    for player in players:
        problems += player.problems
        rounds = collections.Counter()
        for (user, _, _), answers in player.answers.items():
            if len(answers) > 1:
                problems.append("a round has two answers")
            status, body = next(iter(answers))
            ticket = json.loads(body).get("ticket") if status == 200 else None
            if ticket is None:
                continue  # a publisher answers without one when a user has no rounds left
            answered += 1
            rounds[user] += 1
            if ticket in tickets:
                problems.append("two rounds have one ticket")
            tickets.add(ticket)
        if any(count > CAP for count in rounds.values()):
            problems.append("a user has more rounds than the cap")
    return problems, answered


def ask_until_answered(client, path, body, headers):
    """Status and body of the first answer that is one: models may move from process to process meanwhile."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        status, _, answer = client.ask("POST", path, body, headers)
        if status not in (503, 504) and not (headers is BULK and any(code in answer for code in NO_ANSWER)):
            return status, answer
        time.sleep(0.05)
    raise AssertionError(f"no answer in {PATIENCE} s")


def send_labels(client, labels):
    """Whether each label is taken, in order."""
    taken = []
    for first in range(0, len(labels), 2000):
        body = "".join(json.dumps({"ticket": ticket, "y": y}) + "\n" for ticket, y in labels[first:first + 2000])
        lines = ask_until_answered(client, LABELS, body.encode(), BULK)[1].splitlines()
        taken += [json.loads(line).get("ok", False) for line in lines]
    return taken


def count_rounds(services):
    """Rounds of the model, from the process that writes it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for service in services:
            status = json.loads(service.operator.ask("GET", "/v1/models/life")[2])
            if "rounds" in status:
                return status["rounds"]
        time.sleep(0.05)
    raise AssertionError(f"nobody wrote the model for {PATIENCE} s")


def check_service(players, services, answered, rng):
    """Problems that show when every label, and many requests, are sent once more."""
    problems, client = [], services[0].users
    for player in players:
        labels = list(player.labels.items())
        lost = len(labels) - sum(send_labels(client, labels))
        if lost:
            problems.append(f"{lost} acknowledged labels are lost")
        if any(send_labels(client, [(ticket, "no" if y == "yes" else "yes") for ticket, y in labels])):
            problems.append("another label is taken")
    requests = [(request, answers) for player in players for request, answers in player.answers.items()]
    for (user, key, body), answers in rng.sample(requests, min(len(requests), MOST_REPEATS)):
        if ask_until_answered(client, PREDICT, body, {"Sotto-User": user, "Idempotency-Key": key}) not in answers:
            problems.append("a repeated request got another answer")
    rounds = count_rounds(services)
    if rounds < answered:
        problems.append(f"{answered} answered rounds, {rounds} in the service")
    return problems, rounds


def start(program, folder, schema, url):
    return Service(program, os.path.join(folder, "service"), "--model", "tide", "--name", "life", "--epsilon", "1",
                   "--delta", "1e-6", "--horizon", "1000000", "--rounds-per-user", str(CAP), "--schema", schema,
                   "--snapshot-every", "2000", listen=url)


def kill_again_and_again(program, kills, clients, seed, folder, end):
    """Kills one service until the time `end`. Returns a report."""
    rng, killed = random.Random(seed), 0
    schema = write_life_schema(program, os.path.join(folder, "life.json"))
    url = "unix:" + free_path(folder, "users.sock")
    service = start(program, folder, schema, url)
    players = [Player(number, url, seed) for number in range(clients)]
    for player in players:
        player.start()
    while killed < kills and time.monotonic() < end:
        time.sleep(rng.uniform(0.02, 0.5))
        service.kill()
        killed += 1
        service = start(program, folder, schema, url)  # fails if a model is frozen
    time.sleep(0.3)
    for player in players:
        player.ended = True
    for player in players:
        player.join(60)
    problems, answered = check_players(players)
    more, rounds = check_service(players, [service], answered, rng)
    code = service.stop()
    ended = [] if code == 0 else [f"the service ended with {code}"]
    return {"kills": killed, "rounds": rounds, "answered": answered,
            "labels": sum(len(player.labels) for player in players),
            "lost_connections": sum(player.lost for player in players), "problems": problems + more + ended}


def torture(program, kills, clients, seed, folder, minutes=LONG):
    end = time.monotonic() + 60 * minutes
    report = {"kills": 0, "rounds": 0, "answered": 0, "labels": 0, "lost_connections": 0, "problems": []}
    for part in range((kills + KILLS_OF_A_SERVICE - 1) // KILLS_OF_A_SERVICE):
        if part > 0 and (report["problems"] or time.monotonic() > end):
            break
        most = min(KILLS_OF_A_SERVICE, kills - report["kills"])
        with tempfile.TemporaryDirectory(dir=folder) as place:
            found = kill_again_and_again(program, most, clients, f"{seed}-{part}", place, end)
        report = {name: report[name] + found[name] for name in report}
    return {**report, "clients": clients, "problems": report["problems"][:20]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=LONG)
    parser.add_argument("--restores", type=int, default=0)
    options = parser.parse_args()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        program = os.path.abspath(options.program)
        if options.restores > 0:
            report = restores.restore(program, options.restores, options.seed, folder, options.minutes)
        else:
            report = torture(program, options.kills, options.clients, options.seed, folder, options.minutes)
    print(json.dumps(report))
    return 1 if report["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
