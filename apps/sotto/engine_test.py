#!/usr/bin/env python3
"""Two processes on one PostgreSQL, as docs/how-to/postgresql.md says. engine_test.py SOTTO"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from service_client import LIFE, Client, Service, write_life_schema  # noqa: E402

MODEL = ["--model", "tide", "--name", "life", "--epsilon", "1", "--delta", "1e-6", "--horizon", "10000"]


class Database:
    """A server in a temporary folder, reached by a socket there."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sotto-pg-")
        os.chmod(self.folder, 0o711)
        self.data = os.path.join(self.folder, "pg")
        os.mkdir(self.data)
        self.user = []
        if os.geteuid() == 0:
            shutil.chown(self.data, "postgres", "postgres")
            self.user = ["runuser", "-u", "postgres", "--"]
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.call("initdb", "-D", self.data + "/db", "-A", "trust", "-U", "sotto", "--no-sync")
        with open(self.data + "/db/postgresql.conf", "a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.data}'\n")
        self.start()

    def call(self, name, *arguments):
        subprocess.run([*self.user, os.path.join(self.bin, name), *arguments], check=True, cwd="/",
                       stdout=subprocess.DEVNULL)

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

    def serve(self, name, *more, wait=True):
        service = Service(program.SOTTO, self.path(name), "--engine", self.database.url,
                          "--key", self.path("sotto.key"), *more, wait=wait)
        self.addCleanup(service.__exit__)
        if not wait:
            service.listening.wait(60)
            found = service.find("listening")
            service.users, service.operator = Client(found["users"]), Client(found["operator"])
        return service

    def predict(self, service, user):
        return service.users.ask("POST", "/v1/models/life/predict", {"x": LIFE},
                                 {"Sotto-User": user, "Idempotency-Key": user})

    def test_a_killed_writer_is_replaced_and_nothing_acknowledged_is_lost(self):
        self.assertEqual(self.engine("init"), {"version": 1})
        self.engine("init")
        first = self.serve("first", *MODEL, "--schema", self.schema)
        second = self.serve("second", wait=False)
        self.assertEqual(second.users.ask("GET", "/readyz")[0], 503)
        answers = {}
        for number in range(40):
            status, _, body = self.predict(first, f"u{number}")
            self.assertEqual(status, 200)
            answers[f"u{number}"] = body
            if number % 2 == 0:
                label = {"ticket": json.loads(body)["ticket"], "y": "yes"}
                self.assertEqual(first.users.ask("POST", "/v1/models/life/labels", label)[0], 202)
        self.assertEqual(self.predict(second, "u0")[0], 503)
        first.kill()
        second.wait()
        for user, body in answers.items():
            self.assertEqual(self.predict(second, user)[2], body)
        for number in range(40):
            label = {"ticket": json.loads(answers[f"u{number}"])["ticket"], "y": "yes"}
            self.assertEqual(second.users.ask("POST", "/v1/models/life/labels", label)[0], 202)
            label["y"] = "no"
            self.assertEqual(second.users.ask("POST", "/v1/models/life/labels", label)[0], 409)
        model = self.engine("status")["models"][0]
        self.assertEqual((model["name"], model["term"]), ("life", 2))

    def test_a_database_that_dies_stops_answers_and_comes_back(self):
        self.engine("init")
        service = self.serve("first", *MODEL, "--schema", self.schema)
        body = self.predict(service, "ann")[2]
        self.database.stop()
        self.assertEqual(self.predict(service, "bob")[0], 503)
        self.database.start()
        service.wait()
        self.assertEqual(self.predict(service, "ann")[2], body)
        self.assertEqual(self.predict(service, "bob")[0], 200)

    def test_without_a_database_or_a_schema_it_says_why(self):
        done = program.run("serve", "--dir", self.path("x"), "--engine", self.database.url)
        self.assertEqual(done.returncode, 1)
        self.assertIn("sotto engine init", done.stderr)
        done = program.run("engine", "status", "postgresql:///none?host=/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be reached", done.stderr)
        done = program.run("engine", "migrate", "--to", "folder", "--dir", self.path("x"), self.database.url)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--model", done.stderr)


if __name__ == "__main__":
    unittest.main()
