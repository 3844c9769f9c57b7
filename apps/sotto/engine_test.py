#!/usr/bin/env python3
"""Two processes on one PostgreSQL, as docs/how-to/postgresql.md says. engine_test.py SOTTO"""
import glob
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from service_client import LIFE, Client, Service, write_life_schema  # noqa: E402

MODEL = ["--model", "tide", "--name", "life", "--epsilon", "1", "--delta", "1e-6", "--horizon", "10000"]


class Database:
    """A server in a temporary folder, reached by a socket there. With the data of another one that was stopped."""

    def __init__(self, other=None):
        self.folder = tempfile.mkdtemp(prefix="sotto-pg-")
        os.chmod(self.folder, 0o711)
        self.data = os.path.join(self.folder, "pg")
        os.mkdir(self.data)
        self.user = []
        if os.geteuid() == 0:
            shutil.chown(self.data, "postgres", "postgres")
            self.user = ["runuser", "-u", "postgres", "--"]
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        if other:
            self.run("cp", "-r", other.data + "/db", self.data)
        else:
            self.call("initdb", "-D", self.data + "/db", "-A", "trust", "-U", "sotto", "--no-sync")
        with open(self.data + "/db/postgresql.conf", "a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.data}'\n")
        self.start()

    def call(self, name, *arguments):
        self.run(os.path.join(self.bin, name), *arguments)

    def run(self, *command):
        subprocess.run([*self.user, *command], check=True, cwd="/", stdout=subprocess.DEVNULL)

    def start(self):
        self.call("pg_ctl", "-w", "-D", self.data + "/db", "-l", self.data + "/log", "start")

    def stop(self, mode="immediate"):
        self.call("pg_ctl", "-w", "-D", self.data + "/db", "-m", mode, "stop")

    def end(self):
        self.stop()
        shutil.rmtree(self.folder)

    @property
    def url(self):
        return f"postgresql:///postgres?host={self.data}&user=sotto"


class EngineTest(program.FolderTest):
    def setUp(self):
        super().setUp()
        self.database = Database()
        self.addCleanup(self.database.end)
        self.schema = write_life_schema(program.SOTTO, self.path("life.json"))

    def engine(self, *arguments):
        done = program.run("engine", *arguments, "--json", self.database.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def dump(self):
        return subprocess.run([*self.database.user, os.path.join(self.database.bin, "pg_dump"), "-h", self.database.data,
                               "-U", "sotto", "postgres"], check=True, cwd="/", capture_output=True).stdout

    def serve(self, name, *more):
        return self.start(name, "--key", self.path("sotto.key"), *more)

    def start(self, name, *more):
        service = Service(program.SOTTO, self.path(name), "--engine", self.database.url, *more)
        self.addCleanup(service.__exit__)
        return service

    def predict(self, service, user):
        return service.users.ask("POST", "/v1/models/life/predict", {"x": LIFE},
                                 {"Sotto-User": user, "Idempotency-Key": user})

    def test_a_killed_writer_is_replaced_and_nothing_acknowledged_is_lost(self):
        self.assertEqual(self.engine("init"), {"version": 1})
        self.engine("init")
        first = self.serve("first", *MODEL, "--schema", self.schema)
        second = self.serve("second")  # ready: it forwards
        answers = {}
        for number in range(40):
            status, _, body = self.predict((first, second)[number % 2], f"u{number}")
            self.assertEqual(status, 200)
            answers[f"u{number}"] = body
            if number % 2 == 0:
                label = {"ticket": json.loads(body)["ticket"], "y": "yes"}
                self.assertEqual(first.users.ask("POST", "/v1/models/life/labels", label)[0], 202)
        first.kill()
        # Until it has taken over it answers from what is published, without a ticket.
        program.wait_until(lambda: self.predict(second, "u0")[2] == answers["u0"])
        for user, body in answers.items():
            self.assertEqual(self.predict(second, user)[2], body)
        for number in range(40):
            label = {"ticket": json.loads(answers[f"u{number}"])["ticket"], "y": "yes"}
            self.assertEqual(second.users.ask("POST", "/v1/models/life/labels", label)[0], 202)
            label["y"] = "no"
            self.assertEqual(second.users.ask("POST", "/v1/models/life/labels", label)[0], 409)
        model = self.engine("status")["models"][0]
        self.assertEqual((model["name"], model["term"]), ("life", 2))

    def test_an_api_key_of_one_process_is_a_key_of_all(self):
        self.engine("init")
        writer = self.serve("first", *MODEL, "--schema", self.schema)
        other = self.serve("second")
        front = self.start("front", "--role", "front", "--peer-key", self.path("first/peer.key"))
        services = (writer, other, front)
        asked = 0

        def ask(service, secret, model="life"):
            nonlocal asked
            asked += 1
            return service.users.ask("POST", f"/v1/models/{model}/predict", {"x": LIFE},
                                     {"Authorization": f"Bearer {secret}", "Sotto-User": f"u{asked}"})[0]

        def settle(secret, status):
            for service in services:
                program.wait_until(lambda: ask(service, secret) == status)

        self.assertEqual([ask(service, "none") for service in services], [200] * 3)  # there are no keys
        status, _, body = other.operator.ask("POST", "/v1/keys", {"name": "shop", "models": ["life"]})
        self.assertEqual(status, 201)
        secret = json.loads(body)["key"]
        self.assertEqual(ask(other, secret), 200)  # at once
        settle(secret, 200)
        for service in services:
            program.wait_until(lambda: ask(service, "none") == 401)  # 503 if the keys were not read for a while
            program.wait_until(lambda: ask(service, secret, "other") == 404)
            self.assertEqual(json.loads(service.operator.ask("GET", "/v1/keys")[2])["keys"],
                             [{"name": "shop", "models": ["life"]}])
            self.assertEqual(service.operator.ask("POST", "/v1/keys", {"name": "shop"})[0], 409)
        self.assertEqual(front.operator.ask("POST", "/v1/keys", {"name": "new"})[0], 409)
        self.assertNotIn(secret[6:].encode(), self.dump())
        # A process that starts knows it, and one that is not answered refuses no stranger.
        third = self.serve("third")
        self.assertEqual(ask(third, secret), 200)
        self.database.stop()
        program.wait_until(lambda: ask(front, "stranger") == 503)
        self.database.start()
        settle(secret, 200)
        program.wait_until(lambda: writer.operator.ask("POST", "/v1/keys", {"name": "next"})[0] == 201)
        self.assertEqual(writer.operator.ask("DELETE", "/v1/keys/shop")[0], 204)
        settle(secret, 401)

    def test_every_process_answers_with_the_bytes_of_the_writer(self):
        self.engine("init")
        writer = self.serve("first", *MODEL, "--schema", self.schema)
        configuration = {"name": "visits", "model": "count", "epsilon": 1, "horizon": 1000}
        self.assertEqual(writer.operator.ask("POST", "/v1/models", configuration)[0], 201)
        other = self.serve("second")
        front = self.start("front", "--role", "front", "--peer-key", self.path("first/peer.key"))
        services = (writer, other, front)
        bulk = {"Content-Type": "application/x-ndjson", "Idempotency-Key": "b"}
        lines = "".join(json.dumps({"x": LIFE, "user": f"bulk-{i}"}) + "\n" for i in range(20)).encode()
        predict, labels = "/v1/models/life/predict", "/v1/models/life/labels"
        calls = [(predict, {"x": LIFE}, {"Sotto-User": "a", "Idempotency-Key": "1"}),
                 (predict, {"x": LIFE}, {"Sotto-User": "a", "Idempotency-Key": "2"}),  # no rounds left
                 (predict, b"{", {"Sotto-User": "b", "Idempotency-Key": "3"}),
                 (predict, lines, bulk), (labels, {"ticket": "0" * 64, "y": "yes"}, {}),
                 ("/v1/counters/life/add", {"value": 1}, {}),
                 ("/v1/counters/visits/add", {"value": 3}, {"Sotto-User": "c", "Idempotency-Key": "4"})]
        for path, body, headers in calls:
            with self.subTest(path=path, body=str(body)[:40]):
                answers = [service.users.ask("POST", path, body, headers) for service in services]
                self.assertEqual(answers[1], answers[0])
                self.assertEqual(answers[2], answers[0])
        for service in services:  # 503 until the database has said so
            program.wait_until(lambda: service.users.ask("POST", "/v1/models/none/predict", {"x": LIFE})[0] == 404)
        ticket = json.loads(self.predict(front, "ann")[2])["ticket"]
        self.assertEqual(other.users.ask("POST", labels, {"ticket": ticket, "y": "yes"})[0], 202)
        self.assertEqual(writer.users.ask("POST", labels, {"ticket": ticket, "y": "yes"})[0], 202)
        self.assertEqual(front.users.ask("POST", labels, {"ticket": ticket, "y": "no"})[0], 409)
        count = writer.users.ask("GET", "/v1/counters/visits")
        program.wait_until(lambda: all(s.users.ask("GET", "/v1/counters/visits") == count for s in services))
        shown = writer.users.ask("GET", "/v1/models/life/hypothesis")
        program.wait_until(lambda: all(s.users.ask("GET", "/v1/models/life/hypothesis") == shown for s in services))
        # A forged hop, on the users' listener and on that of the processes.
        peer = Client("http://" + writer.find("listening")["peer"])
        self.addCleanup(peer.close)
        for client in (writer.users, front.users):
            self.assertEqual(client.ask("POST", "/ask", b"x" * 64)[0], 404)
        for path in ("/lane", "/ask"):
            self.assertEqual(peer.ask("POST", path, b"x" * 64)[0], 403)
        self.assertEqual(peer.ask("POST", predict, {"x": LIFE})[0], 404)

    def ask_until_answered(self, services, path, body, headers):
        """Asks one after the other. What was sent to a process that ended is asked for again."""
        while True:
            services.append(services.pop(0))
            status, _, answer = services[0].users.ask("POST", path, body, headers)
            if status not in (503, 504):
                return status, answer

    def play(self, services, faults):
        """The answers to fixed requests. With faults, the writer is killed now and then and starts again."""
        answers = []
        for number in range(90):
            if faults and number % 15 == 10:
                address = self.engine("status")["models"][0]["address"]
                lost = next(s for s in services if s.find("listening")["peer"] == address)
                lost.kill()
                services.remove(lost)
                services.append(self.serve(f"again-{number}"))
            row = dict(LIFE, age=18 + number % 70)
            headers = {"Sotto-User": f"u{number // 2}", "Idempotency-Key": str(number)}
            reply = self.ask_until_answered(services, "/v1/models/votes/predict", {"x": row}, headers)
            answers.append(reply)
            ticket = json.loads(reply[1]).get("ticket")
            if ticket and number % 3:
                label = {"ticket": ticket, "y": ("no", "yes")[number % 2]}
                answers.append(self.ask_until_answered(services, "/v1/models/votes/labels", label, {}))
        return answers

    def test_one_process_three_and_three_with_faults_give_the_same_answers(self):
        self.engine("init")
        maker = self.serve("maker")
        votes = {"name": "votes", "model": "pop", "epsilon": 4, "delta": 1e-6, "horizon": 1000, "schema": self.schema}
        status, _, said = maker.operator.ask("POST", "/v1/models", votes)
        self.assertEqual(status, 201, said)
        maker.stop()
        self.database.stop("fast")
        made, answers = self.database, []
        for processes, faults in ((1, False), (3, False), (3, True)):
            # The same lineages: noise and tickets are functions of them, of the key and of the requests.
            self.database = Database(made)
            self.addCleanup(self.database.end)
            services = [self.serve(f"{processes}-{faults}-{number}") for number in range(processes)]
            answers.append(self.play(services, faults))
            for service in services:
                service.kill()
        made.start()  # ended by the test's clean-up
        self.assertGreater(len({answer for _, answer in answers[0]}), 40)
        self.assertEqual(answers[1], answers[0])
        self.assertEqual(answers[2], answers[0])

    def test_a_model_of_two_processes_is_charged_once(self):
        self.engine("init")
        purse = self.path("purse")
        made = program.run("budget", "create", purse, "--people", "readers", "--epsilon", "10", "--delta", "1e-3")
        self.assertEqual(made.returncode, 0, made.stderr)
        charged = [*MODEL, "--schema", self.schema, "--budget", purse]
        services = [Service(program.SOTTO, self.path(name), "--engine", self.database.url, "--key",
                            self.path("sotto.key"), *charged, wait=False) for name in ("first", "second")]
        for service in services:
            self.addCleanup(service.__exit__)
        for service in services:
            service.wait()
        first = self.engine("status")["models"][0]["address"]
        lost = next(s for s in services if s.find("listening")["peer"] == first)
        rest = next(s for s in services if s is not lost)
        answered = self.predict(rest, "ann")[2]
        lost.kill()
        program.wait_until(lambda: b'"ticket"' in self.predict(rest, "bob")[2])
        shown = program.run("budget", "show", purse, "--json")
        self.assertEqual(len(json.loads(shown.stdout)["entries"]), 1, shown.stdout)
        self.assertEqual(self.predict(rest, "ann")[2], answered)

    def test_models_move_to_processes_that_join(self):
        self.engine("init")
        first = self.serve("first")
        names = [f"m{number}" for number in range(10)]
        add = {"Sotto-User": "ann", "Idempotency-Key": "1"}
        for name in names:
            configuration = {"name": name, "model": "count", "epsilon": 1, "horizon": 1000}
            self.assertEqual(first.operator.ask("POST", "/v1/models", configuration)[0], 201)
        counted = [first.users.ask("POST", f"/v1/counters/{name}/add", {"value": 1}, add)[2] for name in names]
        joined = [self.serve(f"joined-{number}") for number in range(3)]

        def written_elsewhere():
            own = first.find("listening")["peer"]
            return [model["name"] for model in self.engine("status")["models"] if model["address"] != own]
        # Each model stays where it is with probability 1/4.
        program.wait_until(written_elsewhere)
        for name, before in zip(names, counted):
            for service in (first, *joined):
                def same():
                    asked = service.users.ask("POST", f"/v1/counters/{name}/add", {"value": 1}, add)
                    return asked[0] == 200 and self.assertEqual(asked[2], before) is None
                program.wait_until(same)

    def test_processes_are_replaced_under_load_and_nothing_is_lost(self):
        """A process joins and the oldest one is drained, three times: growth, and a rolling upgrade."""
        self.engine("init")
        services = [self.serve("first", *MODEL, "--schema", self.schema)]
        ended, played, labelled = threading.Event(), {}, []

        def ask(path, body, headers):
            while True:
                client = Client(services[-1 if len(played) % 2 else 0].users.url)
                try:
                    status, _, answer = client.ask("POST", "/v1/models/life/" + path, body, headers)
                    if status not in (503, 504):
                        return status, answer
                except (OSError, http.client.HTTPException):
                    pass  # ended before it answered: asked again
                finally:
                    client.close()

        def play(name):
            while not ended.is_set():
                user = f"{name}-{len(played)}"
                headers = {"Sotto-User": user, "Idempotency-Key": user}
                played[user] = ask("predict", {"x": LIFE}, headers)
                labelled.append(ask("labels", {"ticket": json.loads(played[user][1]).get("ticket"), "y": "yes"}, {})[0])
        threads = [threading.Thread(target=play, args=(name,)) for name in ("a", "b")]
        for thread in threads:
            thread.start()
        for number in range(3):
            before = len(played)
            services.append(self.serve(f"next-{number}"))
            program.wait_until(lambda: len(played) > before + 20)
            self.assertEqual(services.pop(0).stop(), 0)
            before = len(played)
            program.wait_until(lambda: len(played) > before + 20)
        ended.set()
        for thread in threads:
            thread.join()
        self.assertEqual({status for status, _ in played.values()}, {200})
        self.assertEqual(set(labelled), {202})
        for user, answer in played.items():
            self.assertEqual(ask("predict", {"x": LIFE}, {"Sotto-User": user, "Idempotency-Key": user}), answer)
        model = json.loads(services[0].operator.ask("GET", "/v1/models/life")[2])
        self.assertEqual((model["rounds"], model["labelled"]), (len(played), len(played)))
        self.assertGreater(model["journal"]["term"], 1)

    def test_a_front_holds_no_key_no_data_and_makes_no_model(self):
        self.engine("init")
        writer = self.serve("first", *MODEL, "--schema", self.schema)
        front = self.start("front", "--role", "front", "--peer-key", self.path("first/peer.key"))
        self.assertEqual(self.predict(front, "ann")[0], 200)
        self.assertEqual(sorted(os.listdir(self.path("front"))), ["credentials.key"])
        self.assertEqual(front.operator.ask("POST", "/v1/models", {"name": "x", "model": "count"})[0], 409)
        self.assertNotEqual(program.read(self.path("first/peer.key")), program.read(self.path("sotto.key")))

    def test_a_front_answers_from_what_is_published(self):
        self.engine("init")
        writer = self.serve("first")
        short = {"name": "life", "model": "tide", "epsilon": 4, "delta": 1e-6, "horizon": 1000, "anyway": True,
                 "schema": self.schema}
        self.assertEqual(writer.operator.ask("POST", "/v1/models", short)[0], 201)
        front = self.start("front", "--role", "front", "--peer-key", self.path("first/peer.key"))
        published, replies = {}, []

        def note():
            _, headers, body = front.users.ask("GET", "/v1/models/life/hypothesis")
            published[dict(headers)["ETag"].strip('"')] = body
        for number in range(300):
            note()
            row = dict(LIFE, age=18 + number % 70)
            body = json.loads(front.users.ask("POST", "/v1/models/life/predict", {"x": row}, {"Sotto-User": f"u{number}"})[2])
            note()
            replies.append((row, body))
            label = {"ticket": body["ticket"], "y": ("no", "yes")[number % 70 > 30]}
            self.assertEqual(front.users.ask("POST", "/v1/models/life/labels", label)[0], 202)
        self.assertGreater(len({body["hypothesis"] for _, body in replies}), 1)
        known = [(row, body) for row, body in replies if body["hypothesis"] in published]
        self.assertGreater(len(known), 200)  # one that came and went between two looks is not known here
        for version, model in published.items():
            rows = [(row, body) for row, body in known if body["hypothesis"] == version]
            self.assertEqual([body["prediction"] for _, body in rows], self.predict_by_file(model, [row for row, _ in rows]))
        writer.kill()

        def free():
            status, _, body = front.users.ask("POST", "/v1/models/life/predict", {"x": LIFE}, {"Sotto-User": "bob"})
            return status == 200 and "ticket" not in json.loads(body) and "hypothesis" in json.loads(body)
        program.wait_until(free)
        # The bytes that belong to a key are known to the writer alone.
        self.assertIn(self.predict(front, "bob")[0], (503, 504))
        self.assertEqual(front.users.ask("POST", "/v1/models/life/labels", label)[0], 503)
        self.assertEqual(front.users.ask("GET", "/readyz")[0], 503)

    def predict_by_file(self, model, rows):
        """The predictions of `sotto predict` for a published model."""
        if not rows:
            return []
        with open(self.path("model.json"), "wb") as file:
            file.write(model)
        with open(self.path("rows.csv"), "w") as file:
            file.write(",".join(LIFE) + "\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows))
        done = program.run("predict", "--model", self.path("model.json"), "--data", self.path("rows.csv"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def test_a_process_that_hangs_is_replaced(self):
        self.engine("init")
        first = self.serve("first")
        for number in range(6):
            configuration = {"name": f"m{number}", "model": "count", "epsilon": 1, "horizon": 1000}
            self.assertEqual(first.operator.ask("POST", "/v1/models", configuration)[0], 201)
        first.stop()
        services = [Service(program.SOTTO, self.path(name), "--engine", self.database.url, "--key",
                            self.path("sotto.key"), wait=False) for name in ("first", "second", "third")]
        for service in services:
            self.addCleanup(service.__exit__)
        for service in services:
            service.wait()
        # How many of them write depends on which started first; engine_roster_test has the rule.
        writers = {model["address"] for model in self.engine("status")["models"]}
        hung = next(s for s in services if s.find("listening")["peer"] in writers)
        rest = [s for s in services if s is not hung]
        hung.process.send_signal(signal.SIGSTOP)
        self.addCleanup(hung.process.send_signal, signal.SIGCONT)

        def all_answer():
            asked = [s.users.ask("POST", f"/v1/counters/m{n}/add", {"value": 1})[0] for s in rest for n in range(6)]
            return set(asked) == {200}
        program.wait_until(all_answer)
        hung.process.send_signal(signal.SIGCONT)
        # It learns that it was replaced by an append that fails, and answers 504 then.
        program.wait_until(lambda: hung.users.ask("POST", "/v1/counters/m0/add", {"value": 1})[0] == 200)

    def test_a_database_that_dies_stops_answers_and_comes_back(self):
        self.engine("init")
        service = self.serve("first", *MODEL, "--schema", self.schema)
        body = self.predict(service, "ann")[2]
        self.database.stop()
        self.assertEqual(self.predict(service, "bob")[0], 504)  # sent to a database that gave no answer
        self.assertEqual(self.predict(service, "bob")[0], 503)
        self.database.start()
        service.wait()
        self.assertEqual(self.predict(service, "ann")[2], body)
        self.assertEqual(self.predict(service, "bob")[0], 200)

    def test_without_a_database_or_a_schema_it_says_why(self):
        done = program.run("serve", "--dir", self.path("x"), "--engine", self.database.url)
        self.assertEqual(done.returncode, 1)
        self.assertIn("sotto engine init", done.stderr)
        for wrong, said in ((["--role", "front"], "--engine"), (["--peer", "127.0.0.1:0"], "--engine"),
                            (["--engine", self.database.url, "--peer", "0.0.0.0:0"], "--advertise"),
                            (["--engine", self.database.url, "--role", "front", *MODEL], "--model")):
            done = program.run("serve", "--dir", self.path("y"), *wrong)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
        done = program.run("engine", "status", "postgresql:///none?host=/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be reached", done.stderr)
        done = program.run("engine", "migrate", "--to", "folder", "--dir", self.path("x"), self.database.url)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--model", done.stderr)


if __name__ == "__main__":
    unittest.main()
