#!/usr/bin/env python3
"""Commits a second of a PostgreSQL with a synchronous standby, by connections and block size, in JSON.

    bench/commit_bench.py [SECONDS] > commits.json

Starts both servers in a temporary folder on this machine. A transaction is that of a journal's append:
one update of the writer's row, one inserted block. Each connection has its own journal. `cpu_us` is
processor time a commit of all processes of the primary, `standby_cpu_us` of the standby: what carries
over to other machines. Baseline: the same without waiting for the standby.
"""
import glob
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

BIN = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
USER = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.geteuid() == 0 else []
RECORD = 250  # sealed bytes of a round of a few columns
TABLES = """
CREATE TABLE writer (lineage int PRIMARY KEY, term bigint, tail bigint, head bytea) WITH (fillfactor = 10);
CREATE TABLE journal (lineage int, last bigint, first bigint, term bigint, block bytea, PRIMARY KEY (lineage, last));
ALTER TABLE journal ALTER block SET STORAGE EXTERNAL;
INSERT INTO writer SELECT i, 1, 0, repeat('x', 32)::bytea FROM generate_series(0, 255) i;
"""
APPEND = """
WITH f AS (UPDATE writer SET tail = tail + {n} WHERE lineage = :client_id AND term = 1 RETURNING tail)
INSERT INTO journal (lineage, first, last, term, block)
SELECT :client_id, tail - {n} + 1, tail, 1, repeat('x', {bytes})::bytea FROM f;
"""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def cpu_seconds(postmaster):
    """Processor time of a server and of its children, ended ones included."""
    tick = os.sysconf("SC_CLK_TCK")
    total = 0
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = open(path).read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(path.split("/")[2]) == postmaster:
            total += sum(map(int, fields[11:15]))
        elif int(fields[1]) == postmaster:
            total += sum(map(int, fields[11:13]))
    return total / tick


class Server:
    def __init__(self, folder, port, *options):
        self.port = port
        self.process = subprocess.Popen([*USER, f"{BIN}/postgres", "-D", folder, "-p", str(port), "-k", folder,
                                         "-c", "listen_addresses=127.0.0.1", "-c", "max_wal_size=4GB", *options],
                                        stderr=subprocess.DEVNULL, cwd="/")
        while subprocess.run([f"{BIN}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]).returncode:
            time.sleep(0.1)

    def end(self):
        self.process.send_signal(2)
        self.process.wait(60)


def psql(port, text):
    done = subprocess.run(["psql", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", "-Atq", "-v", "ON_ERROR_STOP=1"],
                          input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def measure(primary, standby, script, connections, seconds):
    before = cpu_seconds(primary.process.pid), cpu_seconds(standby.process.pid)
    done = subprocess.run([f"{BIN}/pgbench", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "postgres", "-n", "-M", "prepared",
                           "-f", script, "-c", str(connections), "-T", str(seconds), "postgres"],
                          capture_output=True, text=True, check=True)
    commits = int(re.search(r"actually processed: (\d+)", done.stdout)[1])
    latency = float(re.search(r"latency average = ([\d.]+)", done.stdout)[1])
    after = cpu_seconds(primary.process.pid), cpu_seconds(standby.process.pid)
    each = [1e6 * (b - a) / commits for a, b in zip(before, after)]
    return {"commits_per_second": round(commits / seconds), "latency_ms": round(latency, 2),
            "cpu_us": round(each[0]), "standby_cpu_us": round(each[1])}


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sotto-commits-"))
    folder.chmod(0o755)
    if USER:
        shutil.chown(folder, "postgres", "postgres")
    call = {"check": True, "cwd": "/", "stdout": subprocess.DEVNULL}
    servers = []
    try:
        one, two = str(folder / "one"), str(folder / "two")
        subprocess.run([*USER, f"{BIN}/initdb", "-D", one, "-A", "trust", "-U", "postgres"], **call)
        primary = Server(one, free_port())
        servers.append(primary)
        subprocess.run([*USER, f"{BIN}/pg_basebackup", "-D", two, "-R", "-d",
                        f"host=127.0.0.1 port={primary.port} user=postgres"], **call)
        standby = Server(two, free_port(), "-c", "cluster_name=standby")
        servers.append(standby)
        psql(primary.port, TABLES)
        results = []
        for names in ("standby", ""):
            psql(primary.port, f"ALTER SYSTEM SET synchronous_standby_names = '{names}'; SELECT pg_reload_conf();")
            time.sleep(1)
            for connections, records in ((1, 1), (1, 256), (16, 1), (64, 1), (64, 16)):
                script = folder / "append.sql"
                script.write_text(APPEND.format(n=records, bytes=RECORD * records))
                results.append({"synchronous": bool(names), "connections": connections, "records_per_commit": records,
                                **measure(primary, standby, script, connections, seconds)})
        print(json.dumps({"cores": os.cpu_count(), "load": os.getloadavg()[0], "seconds": seconds, "results": results}))
    finally:
        for server in reversed(servers):
            server.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
