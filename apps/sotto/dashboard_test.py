#!/usr/bin/env python3
"""The dashboard in headless Chromium. dashboard_test.py SOTTO

SOTTO_PICTURES=FOLDER keeps screenshots.
"""
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import unittest

import program
from browser import Browser

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
from service_client import Client, Service, write_life_schema  # noqa: E402

PAGE = os.path.join(HERE, "..", "..", "sotto", "service", "dashboard", "page")
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
ODD = "<img src=x onerror=alert(1)>&\""


def check_page(browser):
    with open(os.path.join(HERE, "page_checks.js"), encoding="utf-8") as file:
        return browser.run(file.read())


class ScriptedService(http.server.ThreadingHTTPServer):
    """The files of the page, with events that a test writes."""
    daemon_threads = True

    def __init__(self, events):
        self.events = events  # one text for each connection, kept open after it
        self.connections = 0
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        self.ended = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def end(self):
        self.ended.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        self.send_response(200)
        if path == "/v1/events":
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            text = self.server.events[min(self.server.connections, len(self.server.events) - 1)]
            self.server.connections += 1
            self.wfile.write(text.encode())
            self.wfile.flush()
            self.server.ended.wait(60)
            return
        name = "index.html" if path == "/" else os.path.basename(path)
        self.send_header("Content-Type", TYPES[os.path.splitext(name)[1]])
        self.end_headers()
        with open(os.path.join(PAGE, name), "rb") as file:
            self.wfile.write(file.read())


def event(number, kind, data):
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"


def figures(name, **more):
    return {"id": name, "state": "ready", "rounds": 100, "rate": 5, "queue": 0, "labelled": 50, "waiting": 7,
            "waiting_by_age": None, "ticket_rounds": None, "latency": {"p50": 1, "p99": 9}, "durable_lag_ms": 3,
            "records": 150, "refusals": {"401": 0, "429": 0, "503": 0, "ticket": 0}, "phase": 2,
            "next_release_in": None, "measure": "wrong", "estimate": None, "trouble": None,
            "error": {"window": 50, "own": 0.3, "non_private": None, "constant": 0.4}, **more}


def promise(name):
    return {"id": name, "model": "pop", "summary": "pop over " + ODD, "sentence": "A sentence of the server.",
            "suspicion": "at most 74%", "epsilon": "1", "delta": "1e-06", "limit": "1 round per user",
            "from_whom": "anyone", "public": ["that a round took place"], "protected": ["features " + ODD],
            "parts": [{"depth": 0, "name": "whole", "how": "", "epsilon": "1", "delta": "1e-06", "noise": ""}],
            "total_rule": "sum", "population": {"name": ODD, "epsilon": 3.5, "delta": 3e-6, "models": [1, 2],
                                                "limit": {"epsilon": 5, "delta": 1e-5}}}


def hello(*names):
    now = time.time()
    models = [{"id": name, "promise": promise(name), "model": figures(name), "calibration": None, "release": None,
               "error": {"step": 1, "points": [[now - 60 + i, 50, 0.3, None, 0.4, i, 0] for i in range(60)]},
               "events": []} for name in names]
    return event(1, "hello", {"seq": 1, "service": "test", "version": "0", "started": now - 60, "now": now,
                              "state": {"health": "ready", "frozen": 0, "started": now - 60, "anchor": "agrees",
                                        "disk": {"free": 1e10, "size": 1e11}}, "models": models})


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

    def test_a_service_without_models_says_what_to_do(self):
        service = self.scripted(hello())
        self.shows("empty", "No models yet")
        self.assertTrue(self.browser.run("return document.getElementById('model').hidden"))
        self.check_quiet(service.url)

    def test_many_events_leave_the_page_small_and_quick(self):
        many = int(os.environ.get("SOTTO_EVENTS", "3000"))
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
        if "SOTTO_EVENTS" in os.environ:
            print(f"{many} events: heap {memory:.1f} MB, frame median {frames[27]:.1f} ms, "
                  f"95% {frames[int(0.95 * len(frames))]:.1f} ms")
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
