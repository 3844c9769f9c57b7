#!/usr/bin/env python3
"""The dashboard in headless Chromium. dashboard_test.py SOTTO

SOTTO_PICTURES=FOLDER keeps screenshots.
"""
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

import program
from browser import Browser
from scripted_service import ODD, ScriptedService, event, figures, hello

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
from service_client import Client, Service, write_life_schema  # noqa: E402


def check_page(browser):
    with open(os.path.join(HERE, "page_checks.js"), encoding="utf-8") as file:
        return browser.run(file.read())


class DashboardTest(program.FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        super().setUp()
        self.browser.collect()
        self.browser.console, self.browser.requests = [], []

    def picture(self, name):
        folder = os.environ.get("SOTTO_PICTURES")
        if folder:
            self.browser.run("scrollTo(0, 0)")
            self.browser.picture(os.path.join(folder, name + ".png"))

    def wait(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, self.browser.run("return document.body.innerText")[:3000])
            time.sleep(0.1)

    def shows(self, element, text):
        self.wait(lambda: text in self.browser.text(element))

    def check_quiet(self, url, allowed=()):
        """No complaint in the console, and no request to anywhere else."""
        self.browser.collect()
        complaints = [line for line in self.browser.console if not any(word in line for word in allowed)]
        self.assertEqual(complaints, [])
        elsewhere = [asked for asked in self.browser.requests
                     if asked.startswith("http") and not asked.startswith(url)]
        self.assertEqual(elsewhere, [])

    def scripted(self, *events):
        service = ScriptedService(list(events))
        self.addCleanup(service.end)
        self.browser.emulate(1280, 1000)
        self.browser.open(service.url)
        return service


class ScriptedTest(DashboardTest):
    def test_a_hand_over_is_told_and_shown(self):
        service = self.scripted(hello("offers") + event(2, "event", {
            "id": "offers", "t": time.time(), "kind": "handover", "visible": "public", "text": "phase 3 begins"}))
        self.shows("timeline", "phase 3 begins (public)")
        self.assertIn("handover", self.browser.text("say"))
        self.assertIn("publishes nothing", self.browser.text("published"))
        self.assertIn("not measured", self.browser.text("working"))
        self.check_quiet(service.url)

    def test_names_are_texts_and_every_sentence_is_the_servers(self):
        service = self.scripted(hello(ODD, "other"))
        self.shows("name", ODD)
        self.assertEqual(self.browser.text("sentence"), "A sentence of the server.")
        self.assertIn(ODD, self.browser.text("models"))
        self.assertIn(ODD, self.browser.text("totals"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.check_quiet(service.url)

    def test_a_roll_back_groups_and_releases_over_time_are_shown(self):
        now = time.time()
        columns = [["age", 1.5], [ODD, 0.5]]
        clock = {"rounds": 64, "seconds": 10, "groups": 40, "full_groups": 3, "last_taken": 12, "text": "How far it holds.",
                 "buys": "What it hides.", "costs": "What it costs."}
        service = self.scripted(hello("visits") + event(2, "model", figures("visits", clock=clock, turned_away=7))
                                + "".join(event(3 + i, "release", {
                                    "id": "visits", "n": i, "round": i, "t": now + i, "step": 1, "visible": "public",
                                    "columns": [[name, value + i] for name, value in columns], "earlier": None})
                                    for i in range(3))
                                + event(9, "event", {"id": "visits", "t": now, "kind": "rollback", "visible": "public",
                                                     "text": "a fresh model"}))
        self.shows("timeline", "a fresh model (public)")
        self.shows("groups", "3 of 40")
        for words in ("How far it holds.", "What it hides.", "What it costs.", "12 of 64", "7 requests"):
            self.assertIn(words, self.browser.text("groups"))
        # Who came is in the operator's zone, what was published is not.
        zone = "return document.getElementById(arguments[0]).closest('.zone').className"
        self.assertIn("operator", self.browser.run(zone, "groups"))
        self.assertIn("public", self.browser.run(zone, "releases"))
        self.shows("releases-note", "releases 0 to 2")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#releases path.published').length"), 2)
        self.assertIn("from 1.50 to 3.50", self.browser.run("return document.querySelector('#releases svg').ariaLabel"))
        self.assertEqual(check_page(self.browser), [])
        self.check_quiet(service.url)

    def test_events_of_one_moment_have_names_that_can_be_read(self):
        now = time.time()
        kinds = ["restart", "rollback", "handover", "freeze", "halt"]
        service = self.scripted(hello("life") + "".join(event(2 + i, "event", {
            "id": "life", "t": now - 6 + i / 2, "kind": kind, "visible": "public", "text": kind})
            for i, kind in enumerate(kinds)))
        self.shows("timeline", "halt (public)")
        boxes = self.browser.run("""return [...document.querySelectorAll("#error svg text")].map((e) => {
            const b = e.getBBox(); return [e.textContent, b.x, b.y, b.x + b.width, b.y + b.height]; })""")
        self.assertIn("halt", [box[0] for box in boxes])
        covered = [(a[0], b[0]) for i, a in enumerate(boxes) for b in boxes[:i]
                   if min(a[3], b[3]) - max(a[1], b[1]) > 1 and min(a[4], b[4]) - max(a[2], b[2]) > 4]
        self.assertEqual(covered, [])
        self.check_quiet(service.url)

    def test_who_signs_is_told_what_is_not_sure(self):
        officer = ("return document.getElementById('officer').textContent")
        service = self.scripted(hello("life"))
        self.wait(lambda: "agree at record 150" in self.browser.run(officer))
        self.assertIn("Open pointsNone.", self.browser.run(officer))
        trouble = {"level": "bad", "title": "life is frozen: it was rolled back", "text": "", "steps": []}
        service = self.scripted(hello("life") + event(2, "model", figures("life", state="frozen", trouble=trouble)))
        self.wait(lambda: "Open pointslife is frozen" in self.browser.run(officer))
        self.assertIn("FROZEN", self.browser.run(officer))
        self.assertNotIn("agree at record", self.browser.run(officer))
        service.end()
        self.wait(lambda: "cannot be reached" in self.browser.run(officer))

    def test_a_rule_shows_what_changed(self):
        rule = {"id": "rules", "n": 2, "round": 9, "t": time.time(), "visible": "public", "text": "if a: yes\nelse: no",
                "earlier": {"n": 1, "text": "if b: yes\nelse: no"}}
        service = self.scripted(hello("rules") + event(2, "release", rule))
        self.shows("published", "+ if a: yes")
        self.assertIn("− if b: yes", self.browser.text("published"))
        self.assertNotIn("+ else", self.browser.text("published"))
        self.check_quiet(service.url)

    def test_a_service_without_models_says_what_to_do(self):
        service = self.scripted(hello())
        self.shows("empty", "No models yet")
        self.assertTrue(self.browser.run("return document.getElementById('model').hidden"))
        self.check_quiet(service.url)

    def test_many_events_leave_the_page_small_and_quick(self):
        many = 3000  # bench/dashboard_page.py has more, and times
        names = [f"model{i}" for i in range(4)]
        now = time.time()
        text = [hello(*names)]
        for i in range(many):
            name = names[i % 4]
            kind, data = [("model", figures(name, rounds=i)),
                          ("error", {"id": name, "point": [now + i, 2000, 0.3, 0.25, 0.4, i, i], "step": 1}),
                          ("event", {"id": name, "t": now + i, "kind": "refusals", "visible": "operator",
                                     "text": f"number {i}"})][i // 4 % 3]
            text.append(event(2 + i, kind, data))
        text.append(event(2 + many, "model", figures(names[0], rounds=123456)))
        service = self.scripted("".join(text))
        self.wait(lambda: "123,456 rounds" in self.browser.text("working"), 120)
        frames = self.browser.driver.execute_async_script("""
            const done = arguments[0]; const times = []; let last = performance.now();
            const main = document.querySelector("nav button");
            (function frame(now) { times.push(now - last); last = now; main.click();
              times.length < 60 ? requestAnimationFrame(frame) : done(times.slice(5).sort((a, b) => a - b)); })(last);""")
        memory = self.browser.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"] / 1e6
        self.assertEqual(len(frames), 55)
        self.assertLess(memory, 100)
        self.assertLessEqual(self.browser.run("return document.querySelectorAll('*').length"), 3000)
        self.check_quiet(service.url)


class LiveTest(DashboardTest):
    """A real service, from its first round to a frozen model."""

    def setUp(self):
        super().setUp()
        self.schema = write_life_schema(program.SOTTO, self.path("life.json"))
        model = {"name": "life", "model": "tide", "epsilon": 1, "delta": 1e-6, "horizon": 10000, "compare": True,
                 "schema": self.schema, "population": "customers"}
        visits = {"name": "visits", "model": "count", "epsilon": 0.5, "horizon": 10000, "population": "customers"}
        program.write(self.path("config.json"), json.dumps(
            {"models": [model, visits], "populations": {"customers": {"epsilon": 5, "delta": 1e-5}}}).encode())
        rows = subprocess.run([program.SOTTO, "generate", "life", "--rounds", "1500", "--seed", "3"],
                              capture_output=True, check=True, text=True).stdout.splitlines()
        columns = rows[0].split(",")
        self.rows = [dict(zip(columns, row.split(","))) for row in rows[1:]]

    def serve(self, **options):
        service = Service(program.SOTTO, self.path("service"), "--config", self.path("config.json"), **options)
        self.addCleanup(service.__exit__)
        return service

    def play(self, service, first, last):
        """Rounds and their labels, in bulk."""
        ndjson = {"Content-Type": "application/x-ndjson"}
        labels = [row.pop("y") for row in self.rows[first:last]]
        body = "".join(json.dumps({"x": {k: (v if not v.lstrip("-").isdigit() else int(v)) for k, v in row.items()},
                                   "user": f"u{first + i}"}) + "\n" for i, row in enumerate(self.rows[first:last]))
        answers = service.users.ask("POST", "/v1/models/life/predict", body.encode(), ndjson)[2].splitlines()
        tickets = [json.loads(answer).get("ticket") for answer in answers]
        body = "".join(json.dumps({"ticket": ticket, "y": y}) + "\n" for ticket, y in zip(tickets, labels)
                       if ticket and y)
        service.users.ask("POST", "/v1/models/life/labels", body.encode(), ndjson)

    def test_from_the_first_round_to_a_frozen_model(self):
        service = self.serve()
        operator = service.operator.url + "/"
        address = service.operator.url.removeprefix("http://")
        users = service.users.url.removeprefix("http://")
        self.browser.emulate(1280, 1000)
        self.browser.open(operator + "#model=life")
        self.shows("sentence", "by a factor of at most 2.72")
        self.shows("totals", "over 2 models")
        self.play(service, 0, 500)
        self.shows("published-note", "release 0")
        self.play(service, 500, 1200)
        self.shows("published-note", "release 7")
        self.wait(lambda: "non-private" in self.browser.text("error"))
        self.shows("working", "of predictions wrong")
        self.shows("calibration", "%")
        self.check_looks()
        self.check_keyboard()
        self.check_pause(service)
        self.check_quiet(operator)
        # A restart: the page says so, comes back by itself and has kept its history.
        self.assertEqual(service.stop(), 0)
        self.shows("banner", "No connection")
        self.shows("journal", "unknown")
        self.shows("as-of", "Figures as of")
        self.picture("reconnecting")
        service = self.serve(listen=users, operator=address)
        self.shows("timeline", "started again from its journal")
        self.shows("health", "ready")
        self.wait(lambda: self.browser.run("return document.querySelectorAll('#error svg .own').length") > 0)
        # A journal that lost its tail: frozen, with the steps that help.
        service.kill()
        self.spoil_journal()
        self.serve(listen=users, operator=address, wait=False)
        self.wait(lambda: "life is frozen" in self.browser.text("banner"), 40)
        self.shows("banner", "declare-rollback")
        self.shows("health", "1 frozen")
        self.shows("journal", "see the frozen model")
        self.shows("sentence", "2.72")  # known from before
        self.assertTrue(self.browser.run("return document.documentElement.classList.contains('stale')"))
        self.assertEqual(check_page(self.browser), [])
        self.picture("frozen")
        self.check_quiet(operator, allowed=("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION_RESET",
                                            "ERR_EMPTY_RESPONSE"))

    def spoil_journal(self):
        folder = self.path("service/models/life/journal")
        for parent, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(parent, name)
                content = bytearray(program.read(path))
                if len(content) > 200:
                    content[100] ^= 1
                    program.write(path, bytes(content))

    def check_looks(self):
        for name, options in [("light", {"width": 1280}), ("dark", {"width": 1280, "dark": True}),
                              ("phone", {"width": 390, "height": 844, "phone": True})]:
            self.browser.emulate(**{"height": 1500, **options})
            time.sleep(1.2)
            self.assertEqual(check_page(self.browser), [], name)
            self.picture(name)
        self.browser.emulate(794, 1123, media="print")
        self.wait(lambda: self.browser.run("return getComputedStyle(document.getElementById('officer')).display") == "block")
        printed = self.browser.run("return document.body.innerText")
        self.assertIn("Reviewed by", printed)
        self.assertIn("left out of this page", printed)
        for word in ("predictions wrong", "labels waiting", "Calibration"):
            self.assertNotIn(word, printed)
        self.picture("print")
        self.browser.emulate(1280, 1000)

    def check_keyboard(self):
        """Everything that can be used is reached by the tabulator, and is used by Enter."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        self.browser.run("document.activeElement.blur(); scrollTo(0, 0)")
        reached = []
        for _ in range(14):
            ActionChains(self.browser.driver).send_keys(Keys.TAB).perform()
            reached.append(self.browser.run("const e = document.activeElement; return e.id || e.dataset.model || e.tagName"))
        for control in ("pause", "life", "visits", "print", "SUMMARY"):
            self.assertIn(control, reached)
        self.browser.run("document.querySelector('[data-model=visits]').focus()")
        ActionChains(self.browser.driver).send_keys(Keys.ENTER).perform()
        self.shows("name", "visits")
        time.sleep(2.5)  # focus stays while figures change
        self.assertEqual(self.browser.run("return document.activeElement.dataset.model"), "visits")
        self.browser.run("document.querySelector('[data-model=life]').click()")
        self.shows("name", "life")
        self.browser.run("document.querySelector('#error summary').focus()")
        ActionChains(self.browser.driver).send_keys(Keys.ENTER).perform()
        self.wait(lambda: self.browser.run("return document.querySelectorAll('#error table tr').length") > 2)
        time.sleep(2)
        self.assertTrue(self.browser.run("return document.querySelector('#error details').open"))

    def check_pause(self, service):
        self.browser.run("document.getElementById('pause').click()")
        self.shows("live", "paused")
        before = self.browser.text("working")
        self.play(service, 1200, 1400)
        time.sleep(2)
        self.assertEqual(self.browser.text("working"), before)
        self.browser.run("document.getElementById('pause').click()")
        self.wait(lambda: self.browser.text("working") != before)


class MetricsTest(program.FolderTest):
    def test_metrics_are_for_the_operator_only_and_as_prometheus_wants_them(self):
        schema = write_life_schema(program.SOTTO, self.path("life.json"))
        with Service(program.SOTTO, self.path("service"), "--model", "tide", "--name", "life", "--epsilon", "1",
                     "--delta", "1e-6", "--horizon", "10000", "--schema", schema) as service:
            service.users.ask("POST", "/v1/models/life/predict", b"{}", {"Sotto-User": "CanaryUser"})
            for path in ("/metrics", "/v1/events", "/", "/dashboard/main.js"):
                self.assertEqual(service.users.ask("GET", path)[0], 404, path)
            status, headers, body = service.operator.ask("GET", "/metrics")
            self.assertEqual(status, 200)
            self.assertIn(("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), headers)
            self.assertNotIn(b"Canary", body)
            self.assertIn(b'sotto_rounds_total{model="life"} 1\n', body)
            self.assertIn(b'sotto_requests_total{model="life",status="422"} 1\n', body)
            self.assertIn(b'sotto_epsilon{model="life"} 1\n', body)
            if shutil.which("promtool"):
                checked = subprocess.run(["promtool", "check", "metrics"], input=body, capture_output=True)
                self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, b""))
            status, headers, _ = service.operator.ask("GET", "/")
            tag = dict(headers)["ETag"]
            self.assertIn("default-src 'none'", dict(headers)["Content-Security-Policy"])
            again = Client(service.operator.url)
            self.assertEqual(again.ask("GET", "/", headers={"If-None-Match": tag})[0], 304)
            again.close()


if __name__ == "__main__":
    program.main()
