#!/usr/bin/env python3
"""Kills, stops and cuts off the machines of a service under load and checks what its clients saw.

    tools/cluster_torture.py SOTTO [--kills N] [--stops N] [--partitions N] [--clients N] [--seed S] [--minutes M]
                             [--disk]

Three PostgreSQL nodes (a primary, two synchronous standbys), three writers of `sotto serve` and a
front. Clients ask any of them, and ask again elsewhere after 503, 504 and lost connections. Kills and
stops hit the writer of the model, another process, the front, the primary or a standby. A partition
splits all seven machines in two: each is then a network namespace, and packets between the sides
vanish; clients still reach everybody. A lost primary is replaced by the furthest standby; one that
was stopped or cut off comes back as a second primary for a moment. Without partitions everything is
on loopback, and no namespaces are made.

Afterwards an independent check of the histories (tools/torture.py): no acknowledged label is lost,
no round has two answers (one from what is published, without a ticket, is not a round's), a repeated
request gives the same bytes, no user has more rounds than the cap, the service counts at least what
clients saw. Of the database: the blocks form one chain without gaps whose terms never fall, so no two
writers' appends were both accepted. Prints one line of JSON
with the times of recovery; exits with 1 if something is wrong.
"""
import argparse
import collections
import http.client
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from postgres_cluster import Cluster  # noqa: E402
from service_client import Client, Service, write_life_schema  # noqa: E402
from test_network import Loopback, Namespaces, enter  # noqa: E402
from torture import CAP, PATIENCE, Player, check_players, check_service  # noqa: E402

NAMES = ("one", "two", "three")
MACHINES = ("a", "b", "c", *NAMES, "front")
MODEL = ["--model", "tide", "--name", "life", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1000000",
         "--rounds-per-user", str(CAP)]
# Acknowledged blocks that do not continue the block before, or fall back to an earlier term.
BROKEN = """SELECT count(*) FROM (SELECT first, term, lag(last) OVER w AS before, lag(term) OVER w AS earlier
  FROM sotto.journal WINDOW w AS (PARTITION BY lineage ORDER BY last)) AS blocks
  WHERE first <> before + 1 OR term < earlier"""
ENDS = """SELECT count(*) FROM sotto.writer JOIN (SELECT lineage, max(last) AS last, max(term) AS term FROM sotto.journal
  GROUP BY lineage) AS ends USING (lineage) WHERE tail <> ends.last OR writer.term < ends.term"""


class Answers:
    """Starts of requests that were answered, and when they were."""

    def __init__(self):
        self.lock, self.newest = threading.Lock(), collections.deque(maxlen=10_000)

    def note(self, start):
        with self.lock:
            self.newest.append((start, time.monotonic()))

    def first_after(self, moment):
        with self.lock:
            return min((end for start, end in self.newest if start >= moment), default=None)


class ClusterPlayer(Player):
    """A client that knows every process. The first ones stay with one each: all others may wait for one that hangs."""

    def __init__(self, number, urls, seed, answers):
        super().__init__(number, urls[0], seed)
        self.stays = number < len(urls)
        self.clients = [Client(url, timeout=1 if self.stays else 12) for url in urls]
        self.current, self.answers_seen = number % len(urls), answers

    def ask(self, path, body, headers):
        while not self.ended:
            start = time.monotonic()
            try:
                status, _, answer = self.clients[self.current].ask("POST", path, body, headers)
                if status not in (503, 504):
                    if status != 200 or b'"ticket"' in answer:  # otherwise the writer may be gone
                        self.answers_seen.note(start)
                    return status, answer
            except (OSError, http.client.HTTPException):
                self.lost += 1
            if not self.stays:
                self.current = self.random.randrange(len(self.clients))
            time.sleep(0.01)
        return None, None

    def run(self):
        super().run()
        for client in self.clients:
            client.close()


class Processes:
    """Three writers and a front. Clients reach them by sockets of files, whatever happens to the network."""

    def __init__(self, program, folder, cluster):
        self.program, self.folder, self.cluster = program, folder, cluster
        self.key = os.path.join(folder, "sotto.key")
        self.services = {}
        schema = write_life_schema(program, os.path.join(folder, "life.json"))
        self.start("one", *MODEL, "--schema", schema)
        for name in (*NAMES[1:], "front"):
            self.start(name)

    def start(self, name, *more):
        network = self.cluster.network
        role = ["--role", "front", "--peer-key", os.path.join(self.folder, "one", "peer.key")]
        writer = ["--key", self.key, "--snapshot-every", "5000", "--peer", network.address(name) + ":0", *more]
        self.services[name] = Service(
            self.program, os.path.join(self.folder, name), "--engine", self.cluster.url,
            *(role if name == "front" else writer), listen=self.socket(name, "users"),
            operator=self.socket(name, "operator"), before=network.inside(name))

    def socket(self, name, who):
        return f"unix:{self.folder}/{name}.{who}"

    def users(self):
        return [self.socket(name, "users") for name in self.services]

    def peer(self, name):
        return self.services[name].find("listening")["peer"]

    def end(self):
        for service in self.services.values():
            service.process.send_signal(signal.SIGCONT)
            service.__exit__()


class Torture:
    def __init__(self, cluster, processes, answers, rng):
        self.cluster, self.processes, self.answers, self.rng = cluster, processes, answers, rng
        self.recovery = collections.defaultdict(list)

    def writer(self):
        address = self.cluster.ask(self.cluster.primary, "SELECT address FROM sotto.writer JOIN sotto.model"
                                   " USING (lineage) WHERE name = 'life'")
        return next((name for name in NAMES if self.processes.peer(name) == address), "one")

    def wait_for_answers(self, since, fault):
        """Until a request that began after the moment is answered."""
        end = since + PATIENCE
        while time.monotonic() < end:
            answered = self.answers.first_after(since)
            if answered is not None:
                self.recovery[fault].append(answered - since)
                return
            time.sleep(0.01)
        raise AssertionError(f"no answer in {PATIENCE} s after: {fault}\n{self.describe()}")

    def describe(self):
        """The state of everything, for whoever reads a failure."""
        lines = []
        for name, service in self.processes.services.items():
            try:
                lines.append(f"{name}: {service.operator.ask('GET', '/readyz')[2].decode()}")
            except (OSError, http.client.HTTPException) as error:
                lines.append(f"{name}: {error}")
        for statement in ("SELECT application_name, state, sync_state FROM pg_stat_replication",
                          "SELECT holder, address, term, tail, renewed FROM sotto.writer"):
            lines.append(self.cluster.ask(self.cluster.primary, statement))
        return "\n".join(lines)

    def process(self, kind, what):
        name = {"writer": self.writer(), "front": "front"}.get(what) or self.rng.choice(
            [name for name in NAMES if name != self.writer()])
        service = self.processes.services[name]
        since = time.monotonic()
        if kind == "kill":
            service.kill()
            self.wait_for_answers(since, f"{kind} {what}")
            self.processes.start(name)
            return
        service.process.send_signal(signal.SIGSTOP)
        try:
            self.wait_for_answers(since, f"{kind} {what}")
            time.sleep(self.rng.uniform(0, 2))
        finally:
            service.process.send_signal(signal.SIGCONT)
        service.wait()

    def standby(self, kind):
        name = self.rng.choice([name for name in "abc" if name != self.cluster.primary])
        since = time.monotonic()
        if kind == "kill":
            self.cluster.kill(name)
            self.wait_for_answers(since, "kill standby")
            self.cluster.rejoin(name)
        else:
            self.cluster.stop(name)
            self.wait_for_answers(since, "stop standby")
            time.sleep(self.rng.uniform(0, 2))
            self.cluster.resume(name)

    def primary(self, kind):
        old = self.cluster.primary
        if kind == "kill":
            self.cluster.kill(old)
        else:
            self.cluster.stop(old)
        self.cluster.promote()
        self.wait_for_answers(time.monotonic(), f"promotion after {kind}")
        if kind == "stop":
            self.cluster.resume(old)  # it still believes that it is the primary
            time.sleep(self.rng.uniform(0.2, 2))
            self.cluster.kill(old)
        self.cluster.rejoin(old)

    def sides(self):
        """Two parts of the machines: one alone, writer and primary together, or anyhow."""
        writer, primary = self.writer(), self.cluster.primary
        part = self.rng.choice(({writer}, {primary}, {writer, primary}, {self.rng.choice(MACHINES)}, set()))
        while not part or len(part) == len(MACHINES):
            part = {name for name in MACHINES if self.rng.random() < 0.5}
        return part, set(MACHINES) - part

    def partition(self, part, rest):
        old, writer = self.cluster.primary, self.writer()
        side = part if old in part else rest
        alone = len(side & set("abc")) == 1  # commits wait: a standby takes its place
        self.cluster.network.cut(part)
        since = time.monotonic()
        try:
            if alone:
                self.cluster.promote()
                side, since = set(MACHINES) - side, time.monotonic()
            if side & set(NAMES):
                lost = "promotion after cut" if alone else "cut writer" if writer not in side else "cut others"
                self.wait_for_answers(since, lost)
            time.sleep(self.rng.uniform(0, 3))
        finally:
            self.cluster.network.heal()
        self.wait_for_answers(time.monotonic(), "healed")
        if alone:
            time.sleep(self.rng.uniform(0, 1))  # it still believes that it is the primary
            self.cluster.kill(old)
            self.cluster.rejoin(old)
        for service in self.processes.services.values():
            service.wait()

    def fault(self, kind):
        what = self.rng.choice(("writer", "writer", "other", "front", "primary", "standby"))
        if kind == "partition":
            self.partition(*self.sides())
        elif what == "primary":
            self.primary(kind)
        elif what == "standby":
            self.standby(kind)
        else:
            self.process(kind, what)
        self.cluster.wait()
        time.sleep(self.rng.uniform(0.1, 1.5))


def play(torture, kinds, end):
    done = collections.Counter()
    for kind in kinds:
        if time.monotonic() > end:
            break
        torture.fault(kind)
        done[kind] += 1
    return done


def check_database(cluster):
    problems = []
    if cluster.ask(cluster.primary, BROKEN) != "0":
        problems.append("blocks of two writers were accepted, or some are missing")
    if cluster.ask(cluster.primary, ENDS) != "0":
        problems.append("a journal does not end where its writer's row says")
    return problems


def run(options, folder):
    rng = random.Random(options.seed)
    kinds = ["kill"] * options.kills + ["stop"] * options.stops + ["partition"] * options.partitions
    rng.shuffle(kinds)
    program = os.path.abspath(options.program)
    with Cluster(folder, Namespaces(MACHINES) if options.partitions else Loopback()) as cluster:
        cluster.wait()
        subprocess.run([*cluster.network.inside("one"), program, "engine", "init", cluster.url], check=True,
                       stdout=subprocess.DEVNULL)
        processes = Processes(program, folder, cluster)
        try:
            answers = Answers()
            players = [ClusterPlayer(number, processes.users(), options.seed, answers)
                       for number in range(len(processes.services) + options.clients)]
            for player in players:
                player.start()
            torture = Torture(cluster, processes, answers, rng)
            done = play(torture, kinds, time.monotonic() + 60 * options.minutes)
            for player in players:
                player.ended = True
            for player in players:
                player.join(60)
            return report(players, torture, done, rng)
        finally:
            processes.end()


def report(players, torture, done, rng):
    problems, answered = check_players(players)
    # A process that starts now replays everything and compares the hashes of all replies.
    for name in NAMES:
        torture.processes.services[name].kill()
    for name in NAMES:
        torture.processes.start(name)
    more, rounds = check_service(players, [torture.processes.services[name] for name in NAMES], answered, rng)
    problems += more + check_database(torture.cluster)
    recovery = {fault: {"times": len(times), "median": round(statistics.median(times), 2),
                        "most": round(max(times), 2)} for fault, times in sorted(torture.recovery.items())}
    return {"kills": done["kill"], "stops": done["stop"], "partitions": done["partition"], "clients": len(players), "rounds": rounds,
            "answered": answered, "labels": sum(len(player.labels) for player in players),
            "lost_connections": sum(player.lost for player in players), "recovery_seconds": recovery,
            "problems": problems[:20]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--stops", type=int, default=250)
    parser.add_argument("--partitions", type=int, default=250)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=24 * 60)
    parser.add_argument("--disk", action="store_true", help="on the disk of the folder for temporary files")
    options = parser.parse_args()
    if options.partitions:
        enter()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") and not options.disk else None
    folder = tempfile.mkdtemp(prefix="sotto-cluster-", dir=memory)
    try:
        result = run(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(result))
    return 1 if result["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
