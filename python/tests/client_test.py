#!/usr/bin/env python3
"""sotto.Client against a real service, with faults between. client_test.py SOTTO"""
import asyncio
import http.server
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import sotto
from sotto.client import LabelRefused, ServiceError

SOTTO = sys.argv.pop(1)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from service_client import LIFE, Service, write_life_schema  # noqa: E402


class Cutter:
    """Stands between client and service, and cuts connections: before a request, or before its response."""

    def __init__(self, target, seed, share=0.25):
        self.host, port = target.removeprefix("http://").rsplit(":", 1)
        self.port, self.random, self.share, self.cuts = int(port), random.Random(seed), share, 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            with client, socket.create_connection((self.host, self.port)) as service:
                service.settimeout(20)
                while request := client.recv(65536):
                    chance = self.random.random()
                    if chance < self.share / 2:
                        self.cuts += 1
                        return
                    service.sendall(request)
                    response = service.recv(65536)
                    if chance < self.share:
                        self.cuts += 1  # played, and its reply is lost
                        return
                    client.sendall(response)
        except OSError:
            pass

    def close(self):
        self.socket.close()


class Scripted(http.server.ThreadingHTTPServer):
    """Answers requests by statuses that a test writes, the last one for good, and keeps their keys."""
    daemon_threads = True

    def __init__(self, *statuses):
        self.statuses, self.keys = list(statuses), []
        super().__init__(("127.0.0.1", 0), Answerer)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Answerer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers["Idempotency-Key"])
        statuses = self.server.statuses
        self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
        body = b'{"prediction":"yes"}'
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.schema = write_life_schema(SOTTO, self.path("life.json"))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def serve(self, **options):
        service = Service(SOTTO, self.path("service"), "--model", "tide", "--name", "life", "--epsilon", "1", "--delta",
                          "1e-6", "--horizon", "10000", "--schema", self.schema, **options)
        self.addCleanup(service.__exit__)
        return service

    def status(self, service):
        return json.loads(service.operator.ask("GET", "/v1/models/life")[2])

    def test_predict_and_label(self):
        service = self.serve()
        with sotto.Client(service.users.url, "life") as client:
            answer = client.predict(LIFE, user="ann")
            self.assertIn(answer.prediction, ("no", "yes"))
            self.assertTrue(client.label(answer.ticket, "yes"))
            self.assertTrue(client.label(answer.ticket, "yes"))
            with self.assertRaises(LabelRefused):
                client.label(answer.ticket, "no")
            with self.assertRaises(ServiceError) as refused:
                client.predict({"age": "old"}, user="bob")
            self.assertEqual(refused.exception.status, 422)
            self.assertEqual(client.waiting, 0)
        with self.assertRaises(ServiceError) as refused, sotto.Client(service.users.url, "nothing") as client:
            client.predict(LIFE)
        self.assertEqual(refused.exception.status, 404)
        with self.assertRaises(ValueError):
            sotto.Client("localhost", "life")

    def test_cut_connections_play_each_round_once(self):
        service = self.serve()
        cutter = Cutter(service.users.url, seed=5)
        self.addCleanup(cutter.close)
        tickets = set()
        with sotto.Client(cutter.url, "life", retries=30, timeout=5) as client:
            for i in range(40):
                answer = client.predict(LIFE, user=f"user{i}")
                tickets.add(answer.ticket)
                client.label(answer.ticket, "yes")
            self.assertEqual(client.flush(), 0)
        self.assertGreater(cutter.cuts, 5)
        seen = self.status(service)
        self.assertEqual((seen["rounds"], seen["labelled"], len(tickets)), (40, 40, 40))

    def test_labels_wait_on_disk_through_a_kill(self):
        service = self.serve()
        at = service.users.url
        client = sotto.Client(at, "life", outbox=self.path("labels.db"), retries=0, timeout=2)
        tickets = [client.predict(LIFE, user=f"u{i}").ticket for i in range(5)]
        service.process.send_signal(signal.SIGKILL)
        service.join()
        for ticket in tickets:
            self.assertFalse(client.label(ticket, "no"))
        self.assertEqual(client.waiting, 5)
        client.close()  # another process continues
        service = self.serve(listen=at.removeprefix("http://"))
        with sotto.Client(at, "life", outbox=self.path("labels.db")) as later:
            self.assertEqual(later.waiting, 5)
            self.assertEqual(later.flush(), 0)
            self.assertEqual(later.waiting, 0)
        self.assertEqual(self.status(service)["labelled"], 5)

    def script(self, *statuses):
        service = Scripted(*statuses)
        self.addCleanup(service.close)
        return service

    def test_a_proxy_without_its_service_is_asked_again(self):
        service = self.script(502, 500, 504, 200)
        with sotto.Client(service.url, "life") as client:
            self.assertEqual(client.predict(LIFE).prediction, "yes")
        self.assertEqual((len(service.keys), len(set(service.keys))), (4, 1))

    def test_labels_wait_where_a_later_attempt_may_be_taken(self):
        for status in (401, 403, 404, 408, 429, 500, 502, 503, 504):
            service = self.script(status)
            with sotto.Client(service.url, "life", retries=0) as client:
                for _ in range(2):
                    try:
                        self.assertFalse(client.label("ticket", "yes"))
                    except ServiceError as refused:
                        self.assertEqual(refused.status, status)
                self.assertEqual((client.flush(), client.waiting), (2, 2), status)
                service.statuses = [200]
                self.assertEqual((client.flush(), client.waiting), (0, 0), status)
        for status in (400, 409, 413, 422):
            with sotto.Client(self.script(status).url, "life") as client:
                with self.assertRaises(ServiceError):
                    client.label("ticket", "yes")
                self.assertEqual(client.waiting, 0, status)

    def test_many_at_once_with_asyncio(self):
        service = self.serve()

        async def one(client, i):
            answer = await client.predict(LIFE, user=f"user{i}")
            return await client.label(answer.ticket, "no")

        async def play():
            async with sotto.AsyncClient(service.users.url, "life", outbox=self.path("labels.db")) as client:
                taken = await asyncio.gather(*(one(client, i) for i in range(40)))
                return taken, await client.flush()

        taken, left = asyncio.run(play())
        self.assertEqual((all(taken), left), (True, 0))
        self.assertEqual(self.status(service)["labelled"], 40)

    def test_calls_of_asyncio_wait_together(self):
        barrier = threading.Barrier(50)  # breaks unless all are under way at once

        async def play():
            client = sotto.AsyncClient("http://127.0.0.1:1", "life")
            client._client.predict = lambda x, user: barrier.wait(60)
            await asyncio.gather(*(client.predict(LIFE) for _ in range(50)))
            await client.close()

        asyncio.run(play())


class CppClient:
    """ServiceClient of C++, a line a call (sotto/service/client/client_probe.cc)."""

    def __init__(self, *arguments):
        probe = os.path.join(os.path.dirname(SOTTO), "client_probe")
        self.process = subprocess.Popen([probe, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, **call):
        self.process.stdin.write(json.dumps(call) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class CppClientTest(ClientTest):
    """The same against the client of C++; asyncio is Python's."""
    test_many_at_once_with_asyncio = None
    test_calls_of_asyncio_wait_together = None

    def open(self, *arguments):
        client = CppClient(*arguments)
        self.addCleanup(client.close)
        return client

    def test_predict_and_label(self):
        service = self.serve()
        client = self.open(service.users.url, "life")
        answer = client.ask(x=LIFE, user="ann")
        self.assertIn(answer["prediction"], ("no", "yes"))
        for y, kind in (("yes", "sent"), ("yes", "sent"), ("no", "kFailedPrecondition")):
            self.assertIn(kind, client.ask(ticket=answer["ticket"], y=y))
        self.assertIn("422", client.ask(x={"age": "old"}, user="bob")["kInvalidArgument"])
        self.assertEqual(client.ask(waiting=True), 0)
        self.assertIn("kInvalidArgument", client.ask(x=LIFE, user="ann\r\nSotto-User: bob"))
        self.assertIn("404", self.open(service.users.url, "nothing").ask(x=LIFE)["kInvalidArgument"])
        self.assertEqual(self.status(service)["rounds"], 2)

    def test_a_proxy_without_its_service_is_asked_again(self):
        service = self.script(502, 500, 504, 200)
        self.assertEqual(self.open(service.url, "life").ask(x=LIFE)["prediction"], "yes")
        self.assertEqual((len(service.keys), len(set(service.keys))), (4, 1))

    def test_labels_wait_where_a_later_attempt_may_be_taken(self):
        for status in (401, 403, 404, 408, 429, 500, 502, 503, 504):
            service = self.script(status)
            client = self.open(service.url, "life", "", 0)
            for _ in range(2):
                self.assertNotIn("true", json.dumps(client.ask(ticket="t", y="yes")))
            self.assertEqual((client.ask(flush=True), client.ask(waiting=True)), (2, 2), status)
            service.statuses = [200]
            self.assertEqual((client.ask(flush=True), client.ask(waiting=True)), (0, 0), status)
        for status in (400, 409, 413, 422):
            client = self.open(self.script(status).url, "life")
            self.assertIn(str(status), json.dumps(client.ask(ticket="t", y="yes")))
            self.assertEqual(client.ask(waiting=True), 0, status)

    def test_cut_connections_play_each_round_once(self):
        service = self.serve()
        cutter = Cutter(service.users.url, seed=6)
        self.addCleanup(cutter.close)
        client = self.open(cutter.url, "life", "", 30, 5)
        tickets = set()
        for i in range(40):
            answer = client.ask(x=LIFE, user=f"user{i}")
            tickets.add(answer["ticket"])
            client.ask(ticket=answer["ticket"], y="yes")
        self.assertEqual(client.ask(flush=True), 0)
        self.assertGreater(cutter.cuts, 5)
        seen = self.status(service)
        self.assertEqual((seen["rounds"], seen["labelled"], len(tickets)), (40, 40, 40))

    def test_labels_wait_on_disk_through_a_kill(self):
        service = self.serve()
        at = service.users.url
        client = CppClient(at, "life", self.path("labels"), 0, 2)
        tickets = [client.ask(x=LIFE, user=f"u{i}")["ticket"] for i in range(5)]
        service.process.send_signal(signal.SIGKILL)
        service.join()
        for ticket in tickets:
            self.assertEqual(client.ask(ticket=ticket, y="no"), {"sent": False})
        client.process.kill()
        client.close()
        service = self.serve(listen=at.removeprefix("http://"))
        later = self.open(at, "life", self.path("labels"))
        self.assertEqual(later.ask(waiting=True), 5)
        self.assertEqual(later.ask(flush=True), 0)
        self.assertEqual(self.status(service)["labelled"], 5)


if __name__ == "__main__":
    unittest.main()
