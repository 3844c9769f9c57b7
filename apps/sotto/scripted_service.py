"""The page of the dashboard with events that a test or a benchmark writes."""
import http.server
import json
import os
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "sotto", "service", "dashboard", "page")
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
ODD = "<img src=x onerror=alert(1)>&\""  # a name that must stay a text


class ScriptedService(http.server.ThreadingHTTPServer):
    """The files of the page, with events that a test writes."""
    daemon_threads = True

    def __init__(self, events):
        self.events = events  # a text for each connection, or what writes one; kept open after it
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
            if isinstance(text, str):
                self.wfile.write(text.encode())
                self.wfile.flush()
            else:
                text.write_to(self.wfile)
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
