#!/usr/bin/env python3
"""Measures a service on PostgreSQL: through its writer, another process and a front.

    tools/cluster_bench.py SOTTO [--seconds S]

Three database nodes on disk, three processes and a front, all on loopback. Bulk requests of 256
predictions, four clients at once; records a second, and processor time a record of the process that
was asked and of the writer. Beside it the database's own rate: rows with the bytes of 256 records,
one a commit, by one session (pgbench). Prints lines of JSON.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster_torture import Processes, Torture  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402
from service_client import LIFE, Client  # noqa: E402

BATCH = 256
CLIENTS = 4
RECORD = 200  # bytes


def processor_seconds(service):
    with open(f"/proc/{service.process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(url, label, number, end, counts):
    client, sent = Client(url), 0
    while time.monotonic() < end:
        lines = (json.dumps({"x": LIFE, "user": f"{label}-{number}-{sent + i}"}) + "\n" for i in range(BATCH))
        status, _, body = client.ask("POST", "/v1/models/life/predict", "".join(lines).encode(),
                                     {"Content-Type": "application/x-ndjson"})
        if status != 200 or body.count(b'"prediction"') != BATCH:
            raise AssertionError(f"{status} {body[:200]}")
        sent += BATCH
    counts.append(sent)
    client.close()


def measure(label, asked, writer, seconds):
    services = {id(service): service for service in (asked, writer)}.values()
    before = {id(service): processor_seconds(service) for service in services}
    counts, start = [], time.monotonic()
    threads = [threading.Thread(target=send, args=(asked.users.url, label, number, start + seconds, counts))
               for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took, records = time.monotonic() - start, sum(counts)
    used = [1e6 * (processor_seconds(service) - before[id(service)]) / records for service in services]
    return {"through": label, "records_a_second": round(records / took),
            "processor_us_a_record": {"asked": round(used[0], 1), "writer": round(used[-1], 1)}}


def measure_engine(cluster, folder, seconds):
    cluster.ask(cluster.primary, "CREATE TABLE rows (block bytea); ALTER TABLE rows ALTER block SET STORAGE EXTERNAL")
    script = os.path.join(folder, "append.sql")
    with open(script, "w") as file:
        file.write(f"INSERT INTO rows VALUES (decode(repeat('a7', {BATCH * RECORD}), 'hex'));\n")
    os.chmod(script, 0o644)
    done = cluster.call("pgbench", "-h", "127.0.0.1", "-p", str(cluster.ports[cluster.primary]), "-U", "sotto", "-n",
                        "-f", script, "-c", "1", "-T", str(seconds), "postgres")
    rate = next(float(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("tps"))
    return {"engine_rows_a_second": round(rate), "records_a_second": round(rate * BATCH)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    folder = tempfile.mkdtemp(prefix="sotto-cluster-")
    try:
        with Cluster(folder) as cluster:
            cluster.wait()
            subprocess.run([program, "engine", "init", cluster.url], check=True, stdout=subprocess.DEVNULL)
            processes = Processes(program, folder, cluster.url)
            try:
                writer = Torture(cluster, processes, None, None).writer()
                other = next(name for name in ("one", "two", "three") if name != writer)
                for label, name in (("writer", writer), ("another process", other), ("front", "front")):
                    print(json.dumps(measure(label, processes.services[name], processes.services[writer],
                                             options.seconds)), flush=True)
            finally:
                processes.end()
            print(json.dumps(measure_engine(cluster, folder, options.seconds)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
