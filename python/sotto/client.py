"""A client of `sotto serve`, from the standard library alone.

    client = sotto.Client("http://127.0.0.1:8080", "life", outbox="labels.db")
    answer = client.predict({"age": 41, "job": "nurse"}, user="ann")
    client.label(answer.ticket, "yes")      # on disk before it is sent
    client.flush()                          # what could not be sent so far

A request whose outcome is unknown (a lost connection, 504) is sent again with the same
Idempotency-Key: it is played once and answered with the same bytes. Labels wait in the outbox, a
file, until the service has them; the same label again does no harm.

Threads: a Client may be used from many; each has its own connection.
"""
import asyncio
import concurrent.futures
import http.client
import json
import random
import socket
import sqlite3
import threading
import time
import urllib.parse
import uuid
from typing import Any, NamedTuple, Optional

__all__ = ["AsyncClient", "Client", "LabelRefused", "Prediction", "ServiceError", "ServiceUnavailable"]

_TOO_MANY = 429
_WAITS = {401, 403, 404, 408}  # a later attempt may be taken: an operator can change the first three
_LONGEST_PAUSE = 5.0


class ServiceError(Exception):
    """The service refused: `status`, and `detail` of its problem document."""

    def __init__(self, status: int, detail: str):
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, detail


class ServiceUnavailable(ServiceError):
    """No answer within the retries. A prediction may have been played."""


class LabelRefused(ServiceError):
    """The ticket takes no such label: unknown, foreign, expired, or labelled otherwise."""


class Prediction(NamedTuple):
    """An answer. `ticket` is None where nothing is learned from the round."""
    prediction: Any
    probability: Optional[float]
    ticket: Optional[str]


class _OneSend:
    """Sends head and body at once: the service charges a round for a head whose body does not come."""
    _parts = None

    def request(self, *arguments, **options):
        self._parts = []
        try:
            super().request(*arguments, **options)
            whole = b"".join(self._parts)
        finally:
            self._parts = None
        self.send(whole)

    def send(self, data):
        if self._parts is None:
            super().send(data)
        else:
            self._parts.append(data)


class _HttpConnection(_OneSend, http.client.HTTPConnection):
    pass


class _HttpsConnection(_OneSend, http.client.HTTPSConnection):
    pass


class _UnixConnection(_HttpConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class _Outbox:
    """Labels that the service does not have yet, in a file that survives a crash."""

    def __init__(self, path):
        self._lock = threading.Lock()
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.execute("CREATE TABLE IF NOT EXISTS label "
                           "(number INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT, model TEXT, body TEXT)")

    def ask(self, statement, *values):
        with self._lock:
            return self._file.execute(statement, values).fetchall()

    def add(self, url, model, body):
        return self.ask("INSERT INTO label (url, model, body) VALUES (?, ?, ?) RETURNING number", url, model, body)[0][0]

    def remove(self, number):
        self.ask("DELETE FROM label WHERE number = ?", number)

    def waiting(self, url, model):
        return self.ask("SELECT number, body FROM label WHERE url = ? AND model = ? ORDER BY number", url, model)

    def close(self):
        with self._lock:
            self._file.close()


class Client:
    """Predictions and labels of one model.

    url      http://HOST:PORT, https://HOST:PORT or unix:PATH
    model    its name in the service
    key      API key
    outbox   file for labels that wait; None: in memory
    timeout  seconds for one attempt
    retries  further attempts after the first
    """

    def __init__(self, url: str, model: str, *, key: Optional[str] = None, outbox: Optional[str] = None,
                 timeout: float = 10.0, retries: int = 8):
        if not url.startswith(("http://", "https://", "unix:")):
            raise ValueError(f"{url!r} is not an address: use http://HOST:PORT, https://HOST:PORT or unix:PATH")
        self._url, self._model, self._timeout, self._retries = url.rstrip("/"), model, timeout, retries
        self._path = f"/v1/models/{urllib.parse.quote(model, safe='')}/"
        self._headers = {"Content-Type": "application/json"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        self._outbox = _Outbox(outbox if outbox is not None else ":memory:")
        self._local = threading.local()
        self._open = []  # connections of all threads

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def predict(self, x, user: Optional[str] = None) -> Prediction:
        """Plays one round. Raises ServiceError for a row that cannot be used (422), a used-up budget (410) and
        other refusals."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        if user is not None:
            headers["Sotto-User"] = user
        answer = json.loads(self._ask("predict", json.dumps({"x": x}), headers))
        return Prediction(answer["prediction"], answer.get("probability"), answer.get("ticket"))

    def label(self, ticket: str, y) -> bool:
        """Keeps a label and tries to send it. False: it waits in the outbox for flush(). Raises LabelRefused."""
        body = json.dumps({"ticket": ticket, "y": y})
        return self._send(self._outbox.add(self._url, self._model, body), body, retries=0)

    def flush(self) -> int:
        """Sends labels that wait, in order. Returns how many still do. Those that are refused for good are dropped."""
        for number, body in self._outbox.waiting(self._url, self._model):
            try:
                if not self._send(number, body, self._retries):
                    break
            except ServiceError as error:
                if error.status in _WAITS:
                    break
        return self.waiting

    @property
    def waiting(self) -> int:
        """Labels in the outbox."""
        return len(self._outbox.waiting(self._url, self._model))

    def close(self):
        """Closes connections and the outbox; labels that wait stay in its file. No call may be under way."""
        for connection in self._open:
            connection.close()
        self._outbox.close()

    def _send(self, number, body, retries):
        try:
            self._ask("labels", body, {}, retries)
        except ServiceUnavailable:
            return False
        except ServiceError as error:
            if error.status not in _WAITS:
                self._outbox.remove(number)
            raise LabelRefused(error.status, error.detail) if error.status == 409 else error
        self._outbox.remove(number)
        return True

    def _ask(self, call, body, headers, retries=None):
        retries = self._retries if retries is None else retries
        pause = 0.05
        for attempt in range(retries + 1):
            status, answer, wait = self._try(call, body, headers)
            if 200 <= status < 300:
                return answer
            # With 500 and more, which a proxy may have sent, the request may have been played.
            if status != 0 and status != _TOO_MANY and status < 500:
                raise ServiceError(status, _detail(answer))
            if attempt < retries:
                time.sleep(min(_LONGEST_PAUSE, max(wait, pause * random.uniform(0.5, 1.5))))
                pause *= 2
        raise ServiceUnavailable(status, _detail(answer))

    def _try(self, call, body, headers):
        """Status (0: no response), body, seconds to wait."""
        try:
            connection = self._connection()
            connection.request("POST", self._path + call, body.encode(), {**self._headers, **headers})
            response = connection.getresponse()
            answer = response.read()
            wait = response.getheader("Retry-After", "0")
            return response.status, answer, float(wait) if wait.isdigit() else 0.0
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            return 0, str(error).encode(), 0.0

    def _connection(self):
        connection = getattr(self._local, "connection", None)
        if connection is None:
            if self._url.startswith("unix:"):
                connection = _UnixConnection(self._url[5:], self._timeout)
            else:
                parts = urllib.parse.urlsplit(self._url)
                kind = _HttpsConnection if parts.scheme == "https" else _HttpConnection
                connection = kind(parts.hostname, parts.port, timeout=self._timeout)
            self._local.connection = connection
            self._open.append(connection)
        return connection

    def _drop(self):
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._open.remove(connection)
        self._local.connection = None


class AsyncClient:
    """The same for asyncio: every call runs in a thread, `at_once` of them at a time.

        async with sotto.AsyncClient(url, "life") as client:
            answer = await client.predict(x, user="ann")
            await client.label(answer.ticket, "yes")
    """

    def __init__(self, *arguments, at_once: int = 64, **options):
        self._client = Client(*arguments, **options)
        self._threads = concurrent.futures.ThreadPoolExecutor(at_once, "sotto-client")

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.close()

    async def predict(self, x, user: Optional[str] = None) -> Prediction:
        return await self._run(self._client.predict, x, user)

    async def label(self, ticket: str, y) -> bool:
        return await self._run(self._client.label, ticket, y)

    async def flush(self) -> int:
        return await self._run(self._client.flush)

    @property
    def waiting(self) -> int:
        return self._client.waiting

    async def close(self):
        await self._run(self._client.close)
        self._threads.shutdown(wait=False)

    async def _run(self, call, *arguments):
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)


def _detail(body):
    try:
        return str(json.loads(body).get("detail", ""))
    except (ValueError, AttributeError):
        return body.decode(errors="replace")[:200]
