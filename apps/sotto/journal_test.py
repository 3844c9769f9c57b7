#!/usr/bin/env python3
"""The steps of docs/how-to/operate.md, each carried out. journal_test.py SOTTO"""
import json
import os
import resource
import shutil
import subprocess
import sys

import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from service_client import LIFE, Client, Service, write_life_schema  # noqa: E402

MODEL = ["--model", "tide", "--name", "life", "--epsilon", "1", "--delta", "1e-6", "--horizon", "10000"]


class OperatorTest(program.FolderTest):
    def setUp(self):
        super().setUp()
        self.schema = write_life_schema(program.SOTTO, self.path("life.json"))
        self.service = self.path("service")

    def serve(self, **options):
        service = Service(program.SOTTO, self.service, *MODEL, "--schema", self.schema, **options)
        self.addCleanup(service.__exit__)
        return service

    def predict(self, service, user):
        status, _, body = service.users.ask(
            "POST", "/v1/models/life/predict", {"x": LIFE}, {"Sotto-User": user})
        return status, json.loads(body)

    def label(self, service, ticket, y="yes"):
        return service.users.ask("POST", "/v1/models/life/labels", {"ticket": ticket, "y": y})[0]

    def state(self, service):
        return json.loads(service.operator.ask("GET", "/v1/models/life")[2])

    def journal(self, verb, *more, code=0):
        done = subprocess.run([program.SOTTO, "journal", verb, *more, "--json", self.service],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return json.loads(done.stdout) if done.stdout else done.stderr

    def play(self, *users):
        """Serves the users, stops, and returns their tickets."""
        service = self.serve()
        tickets = [self.predict(service, user)[1]["ticket"] for user in users]
        self.assertEqual(service.stop(), 0)
        return tickets

    def freezes(self):
        service = Service(program.SOTTO, self.service, wait=False)
        self.addCleanup(service.__exit__)
        service.listening.wait(60)
        found = service.find("listening")
        service.users, service.operator = Client(found["users"]), Client(found["operator"])
        program.wait_until(lambda: self.state(service)["state"] != "starting")
        state = self.state(service)
        self.assertEqual(state["state"], "frozen", state)
        self.assertEqual(service.operator.ask("GET", "/readyz")[0], 503)
        self.assertEqual(self.predict(service, "zoe")[0], 503)
        service.stop()
        return state["reason"]

    def test_verify_show_and_compact(self):
        tickets = self.play("ann", "bob")
        self.assertTrue(self.journal("verify")["good"])
        self.assertEqual(self.journal("show")["models"][0]["model"], "tide")
        self.assertTrue(self.journal("compact")["good"])
        self.assertEqual(self.label(self.serve(), tickets[0]), 202)

    def test_a_rotated_key(self):
        tickets = self.play("ann", "bob")
        old = self.journal("rotate-key")["old_key"]
        os.remove(old)
        service = self.serve()
        self.assertEqual(self.label(service, tickets[0]), 202)
        # The ledger came along: ann has used her round, and gets what is published.
        self.assertNotIn("ticket", self.predict(service, "ann")[1])
        self.assertIn("ticket", self.predict(service, "cid")[1])

    def test_a_lost_key(self):
        self.play("ann")
        os.remove(os.path.join(self.service, "sotto.key"))
        done = subprocess.run([program.SOTTO, "serve", "--dir", self.service], capture_output=True,
                              text=True, check=False, timeout=600)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sotto.key", done.stderr)

    def test_a_lost_anchor(self):
        self.play("ann")
        shutil.rmtree(os.path.join(self.service, "anchors", "life"))
        self.assertIn("anchor", self.freezes())
        self.assertFalse(self.journal("verify", code=1)["good"])
        self.assertAlmostEqual(self.journal("declare-rollback", "--model", "life")["epsilon"], 2, places=6)
        service = self.serve()
        self.assertEqual(self.state(service)["rounds"], 0)
        self.assertEqual(self.predict(service, "ann")[0], 200)

    def test_a_full_disk(self):
        service = self.serve(restore_signals=False)  # Python ignores SIGXFSZ: a write fails instead
        ticket = self.predict(service, "ann")[1]["ticket"]
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        self.assertEqual(self.predict(service, "bob")[0], 503)
        state = self.state(service)
        self.assertEqual(state["state"], "frozen")
        self.assertIn("File too large", state["reason"])
        self.assertEqual(self.label(service, ticket), 503)
        service.stop()
        self.assertTrue(self.journal("verify")["good"])
        service = self.serve()
        self.assertEqual(self.label(service, ticket), 202)
        self.assertEqual(self.predict(service, "cid")[0], 200)

    def test_a_restored_backup_of_the_journal(self):
        self.play("ann")
        place = os.path.join(self.service, "models", "life", "journal")
        shutil.copytree(place, self.path("backup"))
        self.play("bob", "cid", "dan")
        shutil.rmtree(place)
        shutil.copytree(self.path("backup"), place)
        self.assertTrue(self.freezes())
        report = self.journal("declare-rollback", "--model", "life")
        self.assertAlmostEqual(report["epsilon"], 2, places=6)
        service = self.serve()
        self.assertEqual(self.state(service)["rounds"], 0)
        self.assertEqual(self.predict(service, "ann")[0], 200)

    def test_a_restored_backup_of_journal_and_anchor(self):
        self.play("ann")
        shutil.copytree(self.service, self.path("backup"))
        lost = self.play("bob")[0]
        shutil.rmtree(self.service)
        shutil.copytree(self.path("backup"), self.service)
        service = self.serve()
        self.assertEqual(self.state(service)["state"], "ready")
        self.assertEqual(self.label(service, lost), 503)
        self.assertEqual(self.state(service)["state"], "frozen")
        service.stop()
        self.assertIn("restored", self.freezes())


if __name__ == "__main__":
    program.main()
