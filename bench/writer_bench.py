#!/usr/bin/env python3
"""Durable records through one writer on PostgreSQL, in blocks of 256, and the database's own rate in the same run, in JSON.

    bench/writer_bench.py SOTTO [SECONDS] > writer.json

A primary and two synchronous standbys, one `sotto serve --engine` (tide, the eight columns of `generate life`) and one client
that sends bulk requests of 256 rows on two connections, so that one block is computed while another one commits. In turn
with it, pgbench appends blocks of the same size, one connection, one statement a block: the most that one writer can get
from this database. `cpu_us` is processor time a record: of the process, of the primary, of both standbys. Where a
machine is shared, these say more than rates do.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from commit_bench import APPEND, TABLES, cpu_seconds  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402
from service_client import LIFE, Client, Service, write_life_schema  # noqa: E402

BLOCK = 256
ROUNDS_OF_BOTH = 3
BULK = {"Content-Type": "application/x-ndjson"}


def own_cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def ask(url, end, body, done):
    client = Client(url, timeout=60)
    while time.monotonic() < end:
        status, _, answer = client.ask("POST", "/v1/models/life/predict", body, BULK)
        if status != 200 or answer.count(b'"ticket"') != BLOCK:
            raise AssertionError(f"{status} {answer[:200]}")
        done.append(BLOCK)
    client.close()


class Clocks:
    """Processor times a record between two moments."""

    def __init__(self, service, cluster):
        self.service, self.cluster = service, cluster
        self.before = self.read()

    def read(self):
        servers = {name: self.cluster.processes(name)[0] for name in "abc"}
        return {"process": own_cpu_seconds(self.service.process.pid), "primary": cpu_seconds(servers["a"]),
                "standbys": cpu_seconds(servers["b"]) + cpu_seconds(servers["c"])}

    def each(self, records):
        after = self.read()
        return {name: round(1e6 * (after[name] - self.before[name]) / records, 2) for name in after}


def measure_service(service, cluster, seconds):
    body = "".join(json.dumps({"x": dict(LIFE, age=18 + i % 70)}) + "\n" for i in range(BLOCK)).encode()
    clocks, done, start = Clocks(service, cluster), [], time.monotonic()
    threads = [threading.Thread(target=ask, args=(service.users.url, start + seconds, body, done)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records = sum(done)
    return {"records_per_second": round(records / (time.monotonic() - start)), "cpu_us": clocks.each(records)}


def measure_database(service, cluster, seconds, bytes_a_block):
    script = pathlib.Path(cluster.folder) / "append.sql"
    script.write_text(APPEND.format(n=BLOCK, bytes=bytes_a_block))
    clocks = Clocks(service, cluster)
    done = cluster.call("a", "pgbench", "-h", cluster.folder, "-p", str(cluster.ports["a"]), "-U", "sotto", "-n", "-M", "prepared",
                        "-f", str(script), "-c", "1", "-T", str(seconds), "bench")
    records = BLOCK * int(re.search(r"actually processed: (\d+)", done.stdout)[1])
    used = clocks.each(records)
    return {"records_per_second": round(records / seconds), "cpu_us": {name: used[name] for name in ("primary", "standbys")}}


def middle(results):
    """Medians of several measurements."""
    cpu = {name: statistics.median(result["cpu_us"][name] for result in results) for name in results[0]["cpu_us"]}
    return {"records_per_second": statistics.median(result["records_per_second"] for result in results), "cpu_us": cpu}


def run(program, seconds, folder):
    with Cluster(folder) as cluster:
        cluster.wait()
        subprocess.run([program, "engine", "init", cluster.url], check=True, stdout=subprocess.DEVNULL)
        cluster.ask("a", "CREATE DATABASE bench")
        cluster.call("a", "psql", "-q", "-h", cluster.folder, "-p", str(cluster.ports["a"]), "-U", "sotto", "bench", "-c", TABLES)
        schema = write_life_schema(program, os.path.join(folder, "life.json"))
        with Service(program, os.path.join(folder, "one"), "--engine", cluster.url, "--model", "tide", "--name", "life", "--epsilon",
                     "1", "--delta", "1e-6", "--horizon", "1e6", "--schema", schema) as service:
            measure_service(service, cluster, 1)  # warm
            block = int(cluster.ask("a", "SELECT (sum(length(block)) / sum(last - first + 1))::bigint FROM sotto.journal")) * BLOCK
            writer, database = [], []
            for _ in range(ROUNDS_OF_BOTH):
                writer.append(measure_service(service, cluster, seconds))
                database.append(measure_database(service, cluster, seconds, block))
            blocks = cluster.ask("a", "SELECT avg(last - first + 1)::int FROM sotto.journal")
        return {"cores": os.cpu_count(), "load": os.getloadavg()[0], "seconds": seconds, "records_a_block": int(blocks),
                "bytes_a_record": block // BLOCK, "writer": middle(writer), "database": middle(database)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("seconds", type=int, nargs="?", default=5)
    options = parser.parse_args()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="sotto-writer-", dir=memory) as folder:
        print(json.dumps(run(os.path.abspath(options.program), options.seconds, folder)))


if __name__ == "__main__":
    main()
