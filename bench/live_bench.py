#!/usr/bin/env python3
"""What does a saved answer of `run --live` cost? live_bench.py SOTTO [FOLDER]

A live run with --save, one without, and a raw write and fdatasync of as many bytes as the
journal gets take turns, an answer each, with this many tickets open. Prints JSON: median
times of an answer and of a raw sync, the processor time that saving adds and that of a raw
sync, and the time that saving adds against the aim of 1.5 raw syncs and 50 us. FOLDER (default: the current one)
is where state, journal and raw file are.
"""
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ANSWERS = 400
POP = ["run", "pop", "--live", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1000000", "--anyway", "--quiet"]


class Run:
    """A live run, asked one line at a time."""

    def __init__(self, *more):
        self.process = subprocess.Popen([sys.argv[1], *POP, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.users = 0

    def line(self):
        self.users += 1
        return b'{"id":%d,"x":[%.6f],"user":"user-%d"}\n' % (self.users, self.users % 997 / 997, self.users)

    def ask(self, count=1):
        self.process.stdin.write(b"".join(self.line() for _ in range(count)))
        self.process.stdin.flush()
        for _ in range(count):
            self.process.stdout.readline()

    def cpu(self):
        """Nanoseconds of all threads."""
        tasks = glob.glob(f"/proc/{self.process.pid}/task/*/schedstat")
        return sum(int(open(task).read().split()[0]) for task in tasks)

    def timed(self):
        cpu, start = self.cpu(), time.perf_counter_ns()
        self.ask()
        return (time.perf_counter_ns() - start) / 1e3, (self.cpu() - cpu) / 1e3


def raw_sync(file, place, block):
    cpu, start = time.thread_time_ns(), time.perf_counter_ns()
    os.pwrite(file, block, place)
    os.fdatasync(file)
    return (time.perf_counter_ns() - start) / 1e3, (time.thread_time_ns() - cpu) / 1e3


def measure(folder, tickets):
    saved, plain = Run("--save", f"{folder}/s"), Run()
    for _ in range(tickets // 500):
        saved.ask(500)
        plain.ask(500)
    file = os.open(f"{folder}/raw", os.O_RDWR | os.O_CREAT, 0o600)
    os.posix_fallocate(file, 0, 1 << 24)
    os.pwrite(file, bytes(1 << 24), 0)
    os.fsync(file)
    block = os.urandom(240)
    times = [(saved.timed(), plain.timed(), raw_sync(file, 300 * i, block)) for i in range(ANSWERS)]
    os.close(file)
    for run in (saved, plain):
        run.process.kill()
        run.process.wait()
    (answer, cpu), (bare, bare_cpu), (sync, sync_cpu) = (
        [statistics.median(t[of][what] for t in times) for what in (0, 1)] for of in (0, 1, 2))
    return {"open_tickets": tickets, "answer_us": answer, "without_saving_us": bare, "raw_sync_us": sync,
            "added_us": answer - bare, "aim_us": 1.5 * sync + 50, "within_aim": answer - bare <= 1.5 * sync + 50,
            "added_to_raw": (answer - bare) / sync, "cpu_added_us": cpu - bare_cpu, "raw_sync_cpu_us": sync_cpu}


def main():
    rows = []
    for tickets in (1000, 10_000, 100_000):
        with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else ".") as folder:
            rows.append(measure(folder, tickets))
            print(json.dumps(rows[-1]), file=sys.stderr)
    print(json.dumps({"answers": ANSWERS, "rows": rows}, indent=1))


main()
