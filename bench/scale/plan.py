"""Capacity by arithmetic: what a rate needs, and what is full first."""
import dataclasses
import math

import numpy as np

import closed_forms
from rates import DATABASE_COMMIT, DATABASE_CPU, rate


def zipf(models):
    """Shares of models of which the i-th is asked 1/i as often as the first."""
    shares = 1 / np.arange(1, models + 1)
    return shares / shares.sum()


def commits_of(requests):
    """Commits a second of a model with that many requests: the batch that its own commit time makes."""
    batch = 1.0
    for _ in range(100):
        batch = closed_forms.batch_size(requests, DATABASE_COMMIT(batch))
    return requests / batch, batch


@dataclasses.dataclass
class Need:
    front_cores: float
    writer_cores: float
    database_cores: float  # of primaries
    databases: int
    hottest: float  # requests a second of the hottest model
    lineages: int  # of the hottest model, so that one thread keeps up
    wal: float  # bytes a second
    commits: float


def split(shares, requests):
    """Shares once every model has enough lineages for its threads to keep up, and the number of the hottest one's."""
    limit = rate("load") / (rate("writer") + rate("forward"))
    lineages = np.maximum(1, np.ceil(shares * requests / limit)).astype(int)
    return np.repeat(shares / lineages, lineages), int(lineages.max())


def need(requests, shares):
    """What that rate needs at the planned load."""
    front = rate("front") + rate("tls") + rate("forward")
    parts, lineages = split(shares, requests)
    found = [commits_of(requests * share) for share in parts]
    cpu = sum(commits * DATABASE_CPU(batch) for commits, batch in found)
    wal = requests * rate("record") * rate("wal")
    databases = math.ceil(max(cpu / (rate("cores") * rate("load")), wal / (rate("wal_limit") * rate("load"))))
    return Need(requests * front / rate("load"), requests * (rate("writer") + rate("forward")) / rate("load"),
                cpu / rate("load"), databases, requests * shares.max(), lineages, wal, sum(it[0] for it in found))


def cost(found):
    """Dollars a month: cores, and a day of WAL on three servers."""
    cores = found.front_cores + found.writer_cores + 3 * rate("cores") * found.databases
    terabytes = 3 * found.wal * 86400 / 1e12
    return cores * rate("core_price"), terabytes * rate("disk_price")


@dataclasses.dataclass
class Ledger:
    size: float
    peak: float
    reload: float  # seconds
    shards: int  # so that a take-over reads for ten seconds at most


def ledger(users, limit=10):
    """Memory of the counts of users of one model, and how many lineages share it."""
    size = users * rate("user")
    reload = size / rate("reload")
    return Ledger(size, size * (1 + rate("growth")), reload, max(1, math.ceil(reload / limit)))
