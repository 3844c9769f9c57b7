#!/usr/bin/env python3
"""What do open dashboards cost a service? dashboard_load.py SOTTO [RECORDS] [STRETCHES] [DASHBOARDS]

Starts `sotto serve` with tide and sends RECORDS (2e5) rounds a stretch, in bulk and by several clients, so that the
service is busy. Stretches without a dashboard and with DASHBOARDS (5) readers of /v1/events alternate; the first pair
is not counted. Then the service is idle, without and with them. Prints a JSON object: CPU time of the service for a
record and records a second, of both, the ratios of their medians, and CPU time of the idle service. What else runs on
the machine moves the rate, and CPU time a little.
"""
import http.client
import json
import os
import statistics
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
from service_client import LIFE, Client, Service, write_life_schema  # noqa: E402

SOTTO = sys.argv[1]
RECORDS = int(float(sys.argv[2])) if len(sys.argv) > 2 else 200_000
STRETCHES = int(sys.argv[3]) if len(sys.argv) > 3 else 6
DASHBOARDS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
CLIENTS = 4
BULK = 1000


class Dashboard:
    """Reads events as a page does, and keeps none."""

    def __init__(self, url):
        host, port = url.removeprefix("http://").rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=60)
        self.connection.request("GET", "/v1/events")
        self.response = self.connection.getresponse()
        self.bytes, self.ended = 0, False
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while True:
            try:
                piece = self.response.read1(1 << 16)
            except (OSError, ValueError, AttributeError, http.client.HTTPException):
                return
            if not piece:
                return
            self.bytes += len(piece)

    def close(self):
        self.connection.sock.shutdown(2)
        self.thread.join()
        self.connection.close()


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(url, path, body, times):
    client = Client(url)
    for _ in range(times):
        status, _, _ = client.ask("POST", path, body, {"Content-Type": "application/x-ndjson"})
        if status != 200:
            raise SystemExit(f"status {status}")
    client.close()


def stretch(service, body, dashboards):
    """CPU microseconds a record, records a second, and bytes of events."""
    open_ones = [Dashboard(service.operator.url) for _ in range(dashboards)]
    time.sleep(1.5)  # greetings are not counted
    cpu, start = cpu_seconds(service.process.pid), time.monotonic()
    clients = [threading.Thread(target=send, args=(service.users.url, "/v1/models/life/predict", body,
                                                   RECORDS // BULK // CLIENTS)) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = time.monotonic() - start
    cpu = cpu_seconds(service.process.pid) - cpu
    read = sum(one.bytes for one in open_ones)
    for one in open_ones:
        one.close()
    records = RECORDS // BULK // CLIENTS * CLIENTS * BULK
    return 1e6 * cpu / records, records / seconds, read


def idle(service, dashboards, seconds=10):
    """CPU milliseconds a second of a service that only shows itself."""
    open_ones = [Dashboard(service.operator.url) for _ in range(dashboards)]
    time.sleep(1.5)
    cpu, start = cpu_seconds(service.process.pid), time.monotonic()
    time.sleep(seconds)
    spent = cpu_seconds(service.process.pid) - cpu
    for one in open_ones:
        one.close()
    return 1e3 * spent / (time.monotonic() - start)


def main():
    line = json.dumps({"x": LIFE}) + "\n"
    body = (line * BULK).encode()
    found = {0: [], DASHBOARDS: []}
    with tempfile.TemporaryDirectory() as folder:
        schema = write_life_schema(SOTTO, os.path.join(folder, "life.json"))
        with Service(SOTTO, os.path.join(folder, "s"), "--model", "tide", "--name", "life", "--epsilon", "1", "--delta",
                     "1e-6", "--horizon", "1e6", "--schema", schema) as service:
            for i in range(2 * (STRETCHES + 1)):
                dashboards = DASHBOARDS if i % 2 == 1 else 0
                measured = stretch(service, body, dashboards)
                if i >= 2:
                    found[dashboards].append(measured)
            calm = {"without": round(idle(service, 0), 2), "with": round(idle(service, DASHBOARDS), 2)}
            service.stop()
    median = {k: [statistics.median(one[j] for one in rows) for j in range(3)] for k, rows in found.items()}
    without, with_them = median[0], median[DASHBOARDS]
    print(json.dumps({
        "records_a_stretch": RECORDS, "stretches": STRETCHES, "dashboards": DASHBOARDS,
        "cpu_us_a_record": {"without": round(without[0], 2), "with": round(with_them[0], 2)},
        "records_a_second": {"without": round(without[1]), "with": round(with_them[1])},
        "idle_cpu_ms_a_second": calm, "event_bytes_a_stretch": round(with_them[2]),
        "throughput_by_cpu": round(without[0] / with_them[0], 3),
        "throughput_by_rate": round(with_them[1] / without[1], 3),
        "all_cpu": {str(k): [round(one[0], 2) for one in rows] for k, rows in found.items()}}))


if __name__ == "__main__":
    main()
