"""Rates that the simulation uses, each with its source. Seconds and bytes unless a name says otherwise."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Rate:
    """A number, where it comes from, and `assumed` if nobody measured it."""
    value: float
    unit: str
    source: str
    assumed: bool = False


class Curve:
    """Linear between measured points, and beyond the last ones."""

    def __init__(self, points, unit, source):
        self.points, self.unit, self.source = points, unit, source

    def __call__(self, x):
        pairs = list(zip(self.points, self.points[1:]))
        (x0, y0), (x1, y1) = next((pair for pair in pairs if x <= pair[1][0]), pairs[-1])
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


BENCH = "`serve_bench --quick`, service and client on 2 cores beside other work (load 2 to 5)"
COMMITS = "`bench/commit_bench.py 4`, both servers on the same 2 cores"
# Records a commit: seconds. 264 / 3,264 / 28,500 / 78,000 records/s on one connection.
DATABASE_COMMIT = Curve([(1, 1 / 264), (16, 16 / 3264), (256, 256 / 28500), (1024, 1024 / 78000)], "s",
                        "three PostgreSQL nodes and the client on 2 cores, `ANY 1`, slow disk")
DATABASE_CPU = Curve([(1, 136e-6), (16, 231e-6), (256, 591e-6)], "s", COMMITS)
FILE_COMMIT = Curve([(1, 1 / 3871), (16, 16 / 50521), (256, 256 / 268311)], "s",
                    "`journal_bench`, idle disk, with anchor ([journal](formats/journal.md#cost))")

RATES = {
    "front": Rate(22.5e-6, "s of a core a request", f"{BENCH}: tide single 31.5 us less bulk 9.0"),
    "tls": Rate(10e-6, "s of a core a request", "kept-open connections", assumed=True),
    "forward": Rate(3e-6, "s of a core a request, at the front and at the writer", "in batches", assumed=True),
    "writer": Rate(9.0e-6, "s of a core a record, one thread a model", f"{BENCH}: tide, 14 columns, in bulk"),
    "hop": Rate(0.25e-3, "s one way within a region", "same data centre", assumed=True),
    "region": Rate(35e-3, "s one way between regions", "70 ms round trip", assumed=True),
    "batch": Rate(155e-6, "s of a core a commit to a file", "`journal_bench`: raw sync 64 us, anchor 91 us"),
    "record": Rate(250, "bytes sealed", "14 columns", assumed=True),
    "wal": Rate(2.2, "bytes of WAL a sealed byte", "row, index, page images", assumed=True),
    "wal_limit": Rate(400e6, "bytes/s of WAL of one database server", "a local solid-state disk", assumed=True),
    "user": Rate(22, "bytes of ledger a user", "`ledger_bench` (28 with a phase)"),
    "growth": Rate(1.25, "times the table while it grows, beside the old one", "the table's own constant"),
    "reload": Rate(204e6, "bytes/s of a snapshot at a take-over", "`host_bench`: 1e6 labels of 265 bytes in 1.3 s"),
    "notice": Rate(2.5, "s until a lost machine's writer is replaced, before reading", "[take-over](how-to/postgresql.md)"),
    "promotion": Rate(30, "s until Patroni has promoted", "`ttl` of deploy/patroni.yml", assumed=True),
    "cores": Rate(16, "cores of a database server", "a common size", assumed=True),
    "load": Rate(0.6, "of a core's time, at most, when planned", "room for one of three to fail", assumed=True),
    "core_price": Rate(25, "dollars a core and month", "with 4 GB of memory", assumed=True),
    "disk_price": Rate(80, "dollars a TB and month", "replicated twice more below", assumed=True),
}


def rate(name):
    return RATES[name].value
