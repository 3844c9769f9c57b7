"""A discrete-event simulation of fronts, writers, group commit, a database, and their failures.

A request costs a front some processor time, travels to the writer of its model, waits for the commit before,
takes part in one commit, and travels back. A writer computes while its commit is under way; one commit of a
model is under way at a time. All models of a database share its cores; all models of a process share its cores.
"""
import dataclasses
import heapq

import numpy as np


@dataclasses.dataclass
class Cluster:
    """What is simulated. Times in seconds."""
    rate: float  # requests a second of all models
    weights: np.ndarray  # share of each model
    commit: callable  # records -> time of a commit that waits for no other
    commit_cpu: callable  # records -> time of a core of the database
    databases: int = 1
    database_cores: int = 16
    fronts: int = 8
    front_cores: int = 2
    front_cpu: float = 35.5e-6
    processes: int = 8  # that write
    process_cores: int = 2
    writer_cpu: float = 12e-6
    hop: float = 0.25e-3  # one way to the writer
    far_hop: float = 0.0  # more for users of other regions, one way
    far_share: float = 0.0
    outages: dict = dataclasses.field(default_factory=dict)  # process -> (begin, end)
    database_outages: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Outcome:
    latency: np.ndarray
    batch: float  # records of a commit, mean
    commits: float  # a second
    loads: dict  # resource -> busy share of its cores


def fifo(arrivals, service, cores):
    """Departures of a queue with equal service times: job i is served by core i modulo cores."""
    done = np.empty_like(arrivals)
    for core in range(cores):
        mine = arrivals[core::cores]
        ahead = service * np.arange(len(mine))
        done[core::cores] = np.maximum.accumulate(mine - ahead) + ahead + service
    return done


class Cores:
    """Cores that serve whoever comes first. Calls come in the order of time."""

    def __init__(self, count):
        self.free = [0.0] * count
        self.busy = 0.0

    def serve(self, now, work):
        begin = max(now, heapq.heappop(self.free))
        heapq.heappush(self.free, begin + work)
        self.busy += work
        return begin + work


def after_outage(begin, end, outage):
    """The beginning of work that an outage would interrupt."""
    if outage is None or end <= outage[0] or begin >= outage[1]:
        return begin
    return outage[1]


def commit_all(cluster, queues):
    """Plays the writers. queues: sorted arrivals of each model. Returns times of replies, sizes and busy cores."""
    databases = [Cores(cluster.database_cores) for _ in range(cluster.databases)]
    processes = [Cores(cluster.process_cores) for _ in range(cluster.processes)]
    replies = [np.empty_like(queue) for queue in queues]
    taken = [0] * len(queues)
    sizes = []
    events = [(queue[0], model) for model, queue in enumerate(queues) if len(queue)]
    heapq.heapify(events)
    while events:
        now, model = heapq.heappop(events)
        queue, process, database = queues[model], model % cluster.processes, model % cluster.databases
        down = [cluster.outages.get(process), cluster.database_outages.get(database)]
        first = taken[model]
        last = int(np.searchsorted(queue, now, side="right"))
        count = last - first
        time = cluster.commit(count)
        later = max(after_outage(now, now + time, outage) for outage in down)
        if later > now:
            heapq.heappush(events, (later, model))
            continue
        waited = databases[database].serve(now, cluster.commit_cpu(count)) - cluster.commit_cpu(count)
        computed = processes[process].serve(now, cluster.writer_cpu * count)
        done = max(waited + time, computed)
        replies[model][first:last] = done
        sizes.append(count)
        taken[model] = last
        if last < len(queue):
            heapq.heappush(events, (max(done, queue[last]), model))
    return replies, sizes, sum(it.busy for it in databases), sum(it.busy for it in processes)


def simulate(cluster, seconds, seed=1, warm=0.2):
    """Poisson arrivals for that time; the first part is not counted."""
    rng = np.random.default_rng(seed)
    count = rng.poisson(cluster.rate * seconds)
    arrivals = np.sort(rng.uniform(0, seconds, count))
    front = rng.integers(cluster.fronts, size=count)
    models = rng.choice(len(cluster.weights), size=count, p=cluster.weights)
    travel = cluster.hop + cluster.far_hop * (rng.uniform(size=count) < cluster.far_share)
    sent = np.empty(count)
    for one in range(cluster.fronts):
        mine = front == one
        sent[mine] = fifo(arrivals[mine], cluster.front_cpu, cluster.front_cores)
    at_writer = sent + travel
    order = np.lexsort((at_writer, models))
    bounds = np.searchsorted(models[order], np.arange(len(cluster.weights) + 1))
    queues = [at_writer[order[a:b]] for a, b in zip(bounds, bounds[1:])]
    replies, sizes, database_busy, process_busy = commit_all(cluster, queues)
    done = np.empty(count)
    done[order] = np.concatenate(replies)
    latency = (done + travel - arrivals)[arrivals > warm * seconds]
    end = max(seconds, float(done.max()))
    return Outcome(latency, count / len(sizes), len(sizes) / end, {
        "fronts": count * cluster.front_cpu / (seconds * cluster.fronts * cluster.front_cores),
        "writers": process_busy / (end * cluster.processes * cluster.process_cores),
        "database": database_busy / (end * cluster.databases * cluster.database_cores)})


def closed_loop(clients, client_cpu, front_cpu, writer_cpu, commit, batch_cpu, requests, cores=2):
    """Clients on the same cores as the service, each with one request under way: rate and latencies."""
    pool, events, waiting = Cores(cores), [], []
    number, busy, finished = 0, False, []
    for client in range(clients):
        heapq.heappush(events, (0.0, client, "send", client, 0.0))
    while events and len(finished) < requests:
        now, _, kind, who, since = heapq.heappop(events)
        number += 1
        if kind == "send":  # the client has time for its next request
            sent = pool.serve(now, client_cpu)
            heapq.heappush(events, (sent, number, "read", who, sent))
        elif kind == "read":
            heapq.heappush(events, (pool.serve(now, front_cpu), number, "join", who, since))
        elif kind == "join":
            waiting.append((who, since))
        else:
            busy = False
            for client, begun in who:
                finished.append((now - begun, now))
                heapq.heappush(events, (now, number + client, "send", client, 0.0))
        if waiting and not busy:
            busy, batch, waiting = True, waiting, []
            done = max(now + commit(len(batch)), pool.serve(now, batch_cpu + writer_cpu * len(batch)))
            heapq.heappush(events, (done, -1, "done", batch, 0.0))
    counted = finished[len(finished) // 5:]
    return len(counted) / (counted[-1][1] - counted[0][1]), np.array([it[0] for it in counted])
