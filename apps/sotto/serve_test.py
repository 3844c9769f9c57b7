#!/usr/bin/env python3
"""`sotto serve` and `sotto call`, over real sockets. serve_test.py SOTTO"""
import json
import os
import re
import resource
import socket
import subprocess
import sys
import time
import unittest
from unittest import mock

import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import restores  # noqa: E402
import torture  # noqa: E402
from service_client import LIFE, Client, Service, write_life_schema  # noqa: E402

PREDICT, LABELS = "/v1/models/life/predict", "/v1/models/life/labels"
MODEL = ["--model", "tide", "--name", "life", "--epsilon", "1", "--delta", "1e-6", "--horizon", "10000"]
NDJSON = {"Content-Type": "application/x-ndjson"}


class ServiceTest(program.FolderTest):
    """A service over the table `life`."""

    def setUp(self):
        super().setUp()
        self.schema = write_life_schema(program.SOTTO, self.path("life.json"))

    def serve(self, *more, folder="service", **options):
        service = Service(program.SOTTO, self.path(folder), *MODEL, "--schema", self.schema, *more, **options)
        self.addCleanup(service.__exit__)
        return service

    def predict(self, service, user, row=None, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return service.users.ask("POST", PREDICT, {"x": row or LIFE}, {"Sotto-User": user, **named})

    def rounds(self, service):
        return json.loads(service.operator.ask("GET", "/v1/models/life")[2])["rounds"]


class UserTest(ServiceTest):
    def test_predict_now_and_label_later(self):
        service = self.serve()
        status, _, body = self.predict(service, "ann")
        answer = json.loads(body)
        self.assertEqual(status, 200)
        self.assertIn(answer["prediction"], ("no", "yes"))
        for _ in range(2):  # the same label again is the same answer
            self.assertEqual(service.users.ask("POST", LABELS, {"ticket": answer["ticket"], "y": "yes"})[0], 202)
        other = service.users.ask("POST", LABELS, {"ticket": answer["ticket"], "y": "no"})
        forged = service.users.ask("POST", LABELS, {"ticket": "0" * len(answer["ticket"]), "y": "no"})
        unread = service.users.ask("POST", LABELS, b'{"ticket":')
        self.assertEqual(other[0], 409)
        self.assertEqual(other, forged)
        self.assertEqual(other, unread)
        self.assertEqual(service.stop(), 0)

    def test_a_restart_goes_on_and_repeats_give_the_same_bytes(self):
        service = self.serve()
        first = self.predict(service, "ann", Idempotency_Key="k")
        ticket = json.loads(first[2])["ticket"]
        self.assertEqual(service.users.ask("POST", LABELS, {"ticket": ticket, "y": "yes"})[0], 202)
        rounds = self.rounds(service)
        service.kill()
        service = self.serve()
        self.assertEqual(self.rounds(service), rounds)
        self.assertEqual(self.predict(service, "ann", Idempotency_Key="k"), first)
        self.assertEqual(self.rounds(service), rounds)
        self.assertEqual(service.users.ask("POST", LABELS, {"ticket": ticket, "y": "yes"})[0], 202)
        self.assertEqual(service.users.ask("POST", LABELS, {"ticket": ticket, "y": "no"})[0], 409)
        # Another user, or another body, is another round.
        self.assertNotEqual(self.predict(service, "bob", Idempotency_Key="k")[2], first[2])
        self.assertEqual(self.rounds(service), rounds + 1)

    def test_every_accepted_predict_is_a_round_and_no_refused_one(self):
        service = self.serve()
        before = self.rounds(service)
        for body in (b"", b"no json", b'{"x":{"age":"x"}}', b"[" * 30_000, b'{"x":' + b" " * 70_000 + b"1}"):
            self.assertIn(service.users.ask("POST", PREDICT, body)[0], (413, 422), body[:20])
        self.assertEqual(self.rounds(service), before + 5)
        self.cut_a_body(service)
        program.wait_until(lambda: self.rounds(service) == before + 6)
        for path in ("/v1/models/other/predict", "/v1/models/life", "/v1/models/life/predict/"):
            self.assertIn(service.users.ask("POST", path, {"x": LIFE})[0], (404, 405))
        self.assertEqual(service.users.ask("POST", PREDICT, {"x": LIFE}, {"Sotto-User": "u" * 300})[0], 400)
        self.assertEqual(self.rounds(service), before + 6)

    def cut_a_body(self, service):
        host, port = service.users.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{{".encode())
            time.sleep(0.1)

    def test_bulk_answers_line_by_line(self):
        service = self.serve()
        lines = [json.dumps({"x": LIFE, "user": f"u{i}"}) for i in range(50)] + ["", "no json"]
        status, _, body = service.users.ask("POST", PREDICT, "\n".join(lines).encode() + b"\n", NDJSON)
        answers = body.decode().split("\n")[:-1]
        self.assertEqual((status, len(answers)), (200, 52))
        self.assertEqual(len({len(answer) for answer in answers}), 1)
        tickets = [json.loads(answer)["ticket"] for answer in answers[:50]]
        self.assertEqual(len(set(tickets)), 50)
        self.assertIn("error", json.loads(answers[51]))
        labels = "\n".join(json.dumps({"ticket": ticket, "y": "yes"}) for ticket in tickets + ["0" * 32])
        status, _, body = service.users.ask("POST", LABELS, labels.encode(), NDJSON)
        self.assertEqual([json.loads(line).get("ok") for line in body.splitlines()], [True] * 50 + [None])
        self.assertEqual(self.rounds(service), 52)

    def test_a_cap_holds_for_the_name_in_the_head(self):
        service = self.serve()
        first, second = (json.loads(self.predict(service, "ann")[2]) for _ in range(2))
        self.assertIn("ticket", first)
        self.assertNotIn("ticket", second)  # tide publishes: it still answers


class OperatorTest(ServiceTest):
    def test_models_are_made_listed_and_refused_with_a_reason(self):
        service = self.serve()
        listed = json.loads(service.operator.ask("GET", "/v1/models")[2])
        self.assertEqual([model["name"] for model in listed["models"]], ["life"])
        status, headers, body = service.operator.ask("POST", "/v1/models", {
            "name": "second", "model": "pop", "epsilon": 3, "delta": 1e-6, "horizon": 1000})
        self.assertEqual(status, 201, body)
        self.assertIn(("Location", "/v1/models/second"), headers)
        self.assertEqual(service.users.ask("POST", "/v1/models/second/predict", {"x": 0.5})[0], 200)
        status, _, body = service.operator.ask("POST", "/v1/models", {"name": "third", "model": "pop", "epsilon": 3,
                                                                      "horizon": 1000})
        self.assertEqual(status, 422)
        self.assertIn("delta", json.loads(body)["detail"])
        self.assertEqual(service.stop(), 0)
        with Service(program.SOTTO, self.path("service")) as again:  # resumes
            self.assertEqual(again.users.ask("POST", "/v1/models/second/predict", {"x": 0.5})[0], 200)

    def test_keys_carry_names_models_and_rates(self):
        service = self.serve()
        make = lambda **key: json.loads(service.operator.ask("POST", "/v1/keys", key)[2])["key"]  # noqa: E731
        ann, shop = make(name="ann", user="ann"), make(name="shop", models=["other"])
        slow = make(name="slow", rate=1)
        ask = lambda key: self.predict(service, "ann", Authorization=f"Bearer {key}")[0]  # noqa: E731
        self.assertEqual(ask("sotto_wrong"), 401)
        self.assertEqual(ask(ann), 200)
        self.assertEqual(ask(shop), 404)
        self.assertIn(429, [ask(slow) for _ in range(5)])
        for name in self.files() + os.listdir(self.path("service")):
            path = self.path(name) if name in self.files() else os.path.join(self.path("service"), name)
            if os.path.isfile(path):
                self.assertNotIn(ann.encode(), program.read(path))
        service.kill()
        service = self.serve()
        self.assertEqual(ask("sotto_wrong"), 401)
        self.assertNotEqual(ask(ann), 401)

    def test_answers_are_as_the_document_says(self):
        import jsonschema
        service = self.serve()
        document = json.loads(service.users.ask("GET", "/openapi.json")[2])
        self.assertTrue(document["openapi"].startswith("3.1"))
        seen = 0
        ticket = json.loads(self.predict(service, "ann")[2])["ticket"]
        calls = [("users", "post", "/v1/models/{model}/predict", {"x": LIFE}),
                 ("users", "post", "/v1/models/{model}/predict", {"x": "bad"}),
                 ("users", "post", "/v1/models/{model}/labels", {"ticket": ticket, "y": "yes"}),
                 ("users", "post", "/v1/models/{model}/labels", {"ticket": "forged", "y": "yes"}),
                 ("users", "get", "/v1/models/{model}/hypothesis", None),
                 ("users", "get", "/v1/models/{model}/predict", None),
                 ("users", "get", "/healthz", None), ("operator", "get", "/readyz", None),
                 ("operator", "get", "/v1/models", None), ("operator", "get", "/v1/models/{model}", None),
                 ("operator", "post", "/v1/models", {"name": "x"}), ("operator", "get", "/v1/keys", None),
                 ("operator", "post", "/v1/keys", {"name": "k"})]
        for listener, method, path, body in calls:
            status, headers, answer = getattr(service, listener).ask(method.upper(), path.replace("{model}", "life"),
                                                                     body)
            described = document["paths"][path].get(method, next(iter(document["paths"][path].values())))
            response = described["responses"][str(status)]
            if "$ref" in response:
                response = document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
            media = dict(headers)["Content-Type"]
            schema = {**response["content"][media]["schema"], "components": document["components"]}
            jsonschema.Draft202012Validator(schema).validate(json.loads(answer))
            seen += 1
        self.assertEqual(seen, len(calls))

    def test_readiness_is_honest(self):
        service = self.serve()
        self.assertEqual(service.users.ask("GET", "/healthz")[0], 200)
        self.assertEqual(json.loads(service.operator.ask("GET", "/readyz")[2])["models"]["life"]["state"], "ready")
        service.stop()
        self.spoil_journal()
        service = self.serve(wait=False)
        service.listening.wait(30)
        self.assertIsNotNone(service.find("listening"), service.lines)
        users, operator = (Client(service.find("listening")[name]) for name in ("users", "operator"))
        program.wait_until(lambda: b"frozen" in operator.ask("GET", "/readyz")[2])
        program.wait_until(lambda: any(event.get("state") == "frozen" for event in service.events))
        self.assertEqual(users.ask("GET", "/readyz")[:1] + (users.ask("GET", "/readyz")[2],),
                         (503, b'{"ready":false}'))
        self.assertEqual(users.ask("POST", PREDICT, {"x": LIFE})[0], 503)
        self.assertEqual(users.ask("GET", "/healthz")[0], 200)

    def spoil_journal(self):
        """Flips one bit in the middle of every file of the journal."""
        for folder, _, names in os.walk(self.path("service/models/life/journal")):
            for name in names:
                path = os.path.join(folder, name)
                content = bytearray(program.read(path))
                if len(content) > 200:
                    content[100] ^= 1
                    program.write(path, bytes(content))

    def test_wrong_configurations_are_refused_before_anything_is_made(self):
        cases = [["--listen", "nowhere"], ["--operator", "0.0.0.0:0"], ["--tls-certificate", "/nowhere"]]
        for case in cases:
            refused = program.run("serve", "--dir", self.path("no"), "--check-config", *case)
            self.assertEqual(refused.returncode, 2, (case, refused.stderr))
        self.assertEqual(program.run("serve").returncode, 2)
        config = {"dir": self.path("no"), "models": [{"name": "a", "model": "tide", "epsilon": 1, "delta": 1e-6,
                                                      "horizon": 1000, "schema": self.schema}]}
        for change, good in [({}, True), ({"modles": []}, False), ({"limits": {"connections": "many"}}, False),
                             ({"models": [{"name": "a", "model": "nothing"}]}, False)]:
            program.write(self.path("config.json"), json.dumps({**config, **change}).encode())
            checked = program.run("serve", "--config", self.path("config.json"), "--check-config")
            self.assertEqual(checked.returncode == 0, good, checked.stderr)
        self.assertFalse(os.path.exists(self.path("no")))


class HostileTest(ServiceTest):
    def test_two_worlds_look_alike_to_everybody_else(self):
        """One user's row and label differ; statuses, headers and lengths of all others do not."""
        def play(folder, row, label):
            service = self.serve(folder=folder)
            seen = []
            for i in range(120):
                mine = i == 40
                status, headers, body = self.predict(service, f"user{i}", row if mine else dict(LIFE, age=20 + i % 60))
                ticket = json.loads(body).get("ticket", "0" * 32) if status == 200 else "0" * 32
                answer = service.users.ask("POST", LABELS, {"ticket": ticket, "y": label if mine else ("no", "yes")[i % 2]})
                if not mine:
                    seen.append((status, headers, len(body), answer))
            return seen

        usual = play("a", LIFE, "no")
        for world, row, label in [("b", dict(LIFE, age=90, job="farmer"), "yes"), ("c", "unusable", 7)]:
            self.assertEqual(play(world, row, label), usual)

    def test_replies_of_a_model_have_one_length(self):
        service = self.serve()
        good = json.dumps({"x": LIFE})
        bodies = [("u1", good), ("u2", json.dumps({"x": dict(LIFE, age=90)})), ("u1", good), ("u3", "no json")]
        answers = [self.ask_raw(service, user, body) for user, body in bodies]
        self.assertIn(b" 422 ", answers[3])
        self.assertEqual(len({len(answer) for answer in answers}), 1, answers)

    def ask_raw(self, service, user, body):
        """All bytes of the response to a prediction."""
        host, port = service.users.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nSotto-User: {user}\r\nConnection: close\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
            received = b""
            while more := raw.recv(65536):
                received += more
        return received

    def test_nothing_of_a_user_is_in_logs_or_errors(self):
        service = self.serve()
        canaries = ["CanaryUser", "CanaryRow", "CanaryKey"]
        self.predict(service, "CanaryUser", dict(LIFE, job="CanaryRow"), Idempotency_Key="CanaryKey")
        ticket = json.loads(self.predict(service, "CanaryUser2")[2]).get("ticket")
        service.users.ask("POST", PREDICT, b'{"x":"CanaryRow"')
        answers = [service.users.ask("POST", LABELS, {"ticket": ticket, "y": "CanaryRow"})[2],
                   service.operator.ask("GET", "/v1/models/life")[2], service.operator.ask("GET", "/readyz")[2],
                   service.users.ask("GET", "/CanaryUser")[2]]
        self.assertEqual(service.stop(), 0)
        everything = "".join(service.lines) + "".join(answer.decode() for answer in answers)
        for canary in canaries + [ticket]:
            self.assertNotIn(canary, everything)
        for folder, _, names in os.walk(self.folder.name):
            for name in names:
                content = program.read(os.path.join(folder, name))
                for canary in canaries:
                    self.assertNotIn(canary.encode(), content, name)
        for line in service.lines:
            json.loads(line)

    def test_deep_and_long_json_is_a_round_and_no_harm(self):
        service = self.serve()
        deep = [b"[" * 60_000, b'{"x":' * 10_000, b'{"x":' + b"[" * 25_000 + b"]" * 25_000 + b"}",
                b'{"x":{"age":"' + b"9" * 60_000 + b'"}}', b'{"x":[' + b"1," * 30_000 + b"1]}"]
        for i, body in enumerate(deep):
            status, _, answer = service.users.ask("POST", PREDICT, body, {"Sotto-User": f"deep{i}"})
            self.assertEqual(status, 422, answer)
            self.assertIn(service.operator.ask("POST", "/v1/models", body)[0], (400, 422))
        self.assertEqual(service.users.ask("POST", PREDICT, b"[" * 70_000, {"Sotto-User": "long"})[0], 413)
        self.assertEqual(json.loads(service.operator.ask("GET", "/v1/models/life")[2])["rounds"], len(deep) + 1)
        self.assertEqual(self.predict(service, "ann")[0], 200)

    def test_a_lack_of_descriptors_passes(self):
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # noqa: E731
        service = self.serve(preexec_fn=few)
        host, port = service.users.url.removeprefix("http://").split(":")
        flood = [socket.create_connection((host, int(port))) for _ in range(150)]
        self.assertEqual(self.predict(service, "ann")[0], 200)
        for connection in flood:
            connection.close()
        fresh = Client(service.users.url)
        self.assertEqual(fresh.ask("GET", "/healthz")[0], 200)
        fresh.close()

    def test_a_drain_does_not_wait_for_idle_clients(self):
        service = self.serve()
        self.predict(service, "ann")
        idle = Client(service.users.url)
        idle.ask("GET", "/healthz")
        start = time.monotonic()
        self.assertEqual(service.stop(), 0)
        self.assertLess(time.monotonic() - start, 5)
        idle.close()
        self.assertEqual([event["event"] for event in service.events][-1], "stopped")

    def test_unix_sockets_serve_too(self):
        at = "unix:" + self.path("users.sock")
        service = self.serve(listen=at)
        self.assertEqual(service.users.url, at)
        self.assertEqual(self.predict(service, "ann")[0], 200)

    def test_kills_under_load_lose_nothing(self):
        report = torture.torture(program.SOTTO, kills=8, clients=8, seed=3, folder=self.folder.name)
        self.assertEqual(report["problems"], [], report)
        self.assertGreater(report["labels"], 20, report)

    def test_what_the_service_lost_is_reported(self):
        with mock.patch("torture.check_service", return_value=(["a label is lost"], 0)):
            report = torture.torture(program.SOTTO, kills=1, clients=1, seed=3, folder=self.folder.name)
        self.assertEqual(report["problems"], ["a label is lost"])


    def test_restored_backups_are_noticed(self):
        report = restores.restore(program.SOTTO, 4, 5, self.folder.name)
        self.assertEqual(report["problems"], [])
        for what in ("journals", "both"):
            self.assertEqual(report[what], {"tried": 4, "frozen": 4})

    def test_a_restore_that_is_not_noticed_is_reported(self):
        with mock.patch("restores.Models.put_back"):  # nothing is restored: every model is ready
            report = restores.restore(program.SOTTO, 2, 5, self.folder.name)
        self.assertIn("m0 is ready after a restore", report["problems"])


class HistoryTest(unittest.TestCase):
    """The check of histories finds what it is for."""

    def check(self, *rounds):
        player = torture.Player(0, "unix:/nowhere", 1)
        for user, key, answer in rounds:
            player.answers[user, key, b""].add((200, json.dumps(answer).encode()))
        return torture.check_players([player])[0]

    def test_broken_histories_are_found(self):
        good = [("u", f"k{i}", {"prediction": 1, "ticket": f"t{i}"}) for i in range(torture.CAP)]
        self.assertEqual(self.check(*good), [])
        self.assertEqual(self.check(*good, ("u", "k0", {"prediction": 0, "ticket": "t0"})), ["a round has two answers"])
        self.assertEqual(self.check(*good, ("v", "k", {"prediction": 0, "ticket": "t0"})),
                         ["two rounds have one ticket"])
        self.assertEqual(self.check(*good, ("u", "k", {"prediction": 0, "ticket": "t"})),
                         ["a user has more rounds than the cap"])


class CallTest(ServiceTest):
    def call(self, service, verb, *more):
        return program.run("call", service.users.url, verb, "--model", "life", *more)

    def test_predict_label_and_bulk(self):
        service = self.serve()
        answer = self.call(service, "predict", "--user", "ann", "--x", json.dumps(LIFE))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        ticket = json.loads(answer.stdout)["ticket"]
        label = ["--ticket", ticket, "--y"]
        self.assertEqual(json.loads(self.call(service, "label", *label, "yes").stdout), {"ok": True})
        self.assertEqual(self.call(service, "label", *label, "no").returncode, 1)
        rows = "".join(json.dumps({"x": LIFE, "user": f"u{i}"}) + "\n" for i in range(25))
        program.write(self.path("rows.jsonl"), rows.encode())
        bulk = self.call(service, "bulk", "--data", self.path("rows.jsonl"), "--lines", "10", "--clients", "2")
        self.assertEqual(len(bulk.stdout.splitlines()), 25)
        self.assertIn("p99", bulk.stderr)
        report = json.loads(self.call(service, "predict", "--data", self.path("rows.jsonl"), "--json").stdout)
        self.assertEqual((report["requests"], report["records"]), (25, 25))

    def test_the_demonstration_prints_commands_that_work(self):
        with Service(program.SOTTO, self.path("demo"), "--demo", "--demo-restart", "0") as service:
            printed = ""
            while "Ctrl-C" not in printed:
                printed += service.process.stdout.readline()
            self.assertIn(service.users.url, printed)
            command = re.search(r"curl -s .*predict.*", printed).group(0)
            answer = subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
            command = re.search(r"curl -s .*labels.*", printed).group(0).replace("TICKET", json.loads(answer)["ticket"])
            self.assertIn("true", subprocess.run(command, shell=True, capture_output=True, text=True).stdout)
            program.wait_until(lambda: self.rounds(service) > 20)


if __name__ == "__main__":
    program.main()
