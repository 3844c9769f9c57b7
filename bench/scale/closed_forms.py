"""Formulas that the simulation must agree with where they apply."""
import math


def md1_wait(arrivals, service):
    """Mean wait of a queue with Poisson arrivals, one server and a fixed service time (Pollaczek-Khinchine)."""
    load = arrivals * service
    return load * service / (2 * (1 - load))


def batch_latency(arrivals, commit):
    """Mean latency with group commit of a fixed time. A commit takes all that came during the one before.

    During a commit arrivals * commit requests come on average, each waiting half a commit and then its own. With
    probability e^-(arrivals * commit) none comes; the next one finds nobody and waits for its own commit only.
    """
    busy, idle = arrivals * commit, math.exp(-arrivals * commit)
    return commit * (1.5 * busy + idle) / (busy + idle)


def batch_size(arrivals, commit):
    """Mean records of such a commit."""
    return arrivals * commit + math.exp(-arrivals * commit)


def fluid_batch(arrivals, fixed, each):
    """Records of a commit that takes fixed + each * records, at a high rate: n = arrivals * (fixed + each * n)."""
    return arrivals * fixed / (1 - arrivals * each)


def outage_share(every, length):
    """Share of requests that come during an outage, one every `every` seconds of `length` seconds."""
    return length / every
