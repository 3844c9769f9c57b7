"""A running service and clients for it, for tests and tools.

    with Service(SOTTO, folder, "--model", "tide", ...) as service:
        status, headers, body = service.users.ask("POST", "/v1/models/tide/predict", {"x": [1]})
"""
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time


class Client:
    """Requests to one address, http://HOST:PORT or unix:PATH, on one connection."""

    def __init__(self, url, timeout=30):
        self.url, self.timeout, self.connection = url, timeout, None

    def connect(self):
        if self.url.startswith("unix:"):
            connection = http.client.HTTPConnection("localhost", timeout=self.timeout)
            connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.sock.settimeout(self.timeout)
            self.connection = connection  # closed if the next line fails
            connection.sock.connect(self.url[5:])
        else:
            host, port = self.url.removeprefix("http://").rsplit(":", 1)
            connection = http.client.HTTPConnection(host, int(port), timeout=self.timeout)
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection

    def ask(self, method, path, body=None, headers=None):
        """Status, headers and body. A body that is not bytes is sent as JSON."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        sent = {"Content-Type": "application/json"} if body is not None else {}
        sent.update(headers or {})
        try:
            if self.connection is None or self.connection.sock is None:
                self.connect()
            self.connection.request(method, path, body, sent)
            response = self.connection.getresponse()
            return response.status, response.getheaders(), response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Service:
    """A process of `sotto serve`. Its events are in `events`."""

    def __init__(self, program, folder, *arguments, listen="127.0.0.1:0", operator="127.0.0.1:0", wait=True,
                 before=(), **options):
        command = [*before, program, "serve", "--dir", folder, "--listen", listen, "--operator", operator, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.events, self.lines = [], []
        self.listening = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.users = self.operator = None
        if wait:
            self.wait()

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if line.startswith("{"):
                self.events.append(json.loads(line))
                if self.events[-1]["event"] == "listening":
                    self.listening.set()
        self.listening.set()

    def wait(self, seconds=60):
        """Waits until it listens and every model is ready."""
        if not self.listening.wait(seconds) or not self.find("listening"):
            raise AssertionError("the service did not start: " + "".join(self.lines))
        found = self.find("listening")
        if self.users is None:
            self.users, self.operator = Client(found["users"]), Client(found["operator"])
        end = time.monotonic() + seconds
        while not self.ready():
            if time.monotonic() > end:
                raise AssertionError(f"not ready: {self.operator.ask('GET', '/readyz')}")
            time.sleep(0.01)

    def ready(self):
        try:
            return self.users.ask("GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):  # an idle connection was closed
            if self.process.poll() is not None:
                raise AssertionError("the service ended: " + "".join(self.lines)) from None
            return False

    def find(self, event):
        return next((found for found in self.events if found["event"] == event), None)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.join()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.join()

    def join(self):
        self.process.wait(60)
        self.reader.join(60)
        self.process.stdout.close()
        self.process.stderr.close()
        for client in (self.users, self.operator):
            if client is not None:
                client.close()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


LIFE = {"age": 41, "income": 52000, "hours": 38, "children": 1, "job": "nurse", "region": "north",
        "device": "phone", "member": 1}


def write_life_schema(program, path):
    schema = subprocess.run([program, "generate", "life", "--print-schema"], capture_output=True, check=True).stdout
    with open(path, "wb") as file:
        file.write(schema)
    return path


def free_path(folder, name):
    """A path short enough for a Unix socket."""
    path = os.path.join(folder, name)
    return path if len(path) < 100 else os.path.join("/tmp", f"{os.getpid()}-{name}")
