#!/usr/bin/env python3
"""Writes the numbers and figures of docs/scale.md: bench/scale/page.py [--check]

With --check it fails if the tables that need no long simulation are not what would be written. A run of
all takes about a minute of one core. Every number follows from rates.py and the seeds.
"""
import pathlib
import sys

import numpy as np

import closed_forms
import plan
from chart import chart
from rates import DATABASE_COMMIT, DATABASE_CPU, FILE_COMMIT, RATES, rate
from simulation import Cluster, closed_loop, simulate

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "scale.md"
ONE = np.ones(1)
# Rates, p50 and p99 in ms that serve_bench measured on a disk, and processor time in us: client, front, writer. The client's
# is what two cores had left in the run in memory, 60,848 and 42,295 records/s.
MEASURED = {"pop": {256: (46374, 5.30, 9.31), 16: (19121, 0.81, 1.42), "cpu": (14.3e-6, 17.7e-6, 6.5e-6)},
            "tide": {256: (36933, 6.74, 11.67), 16: (16375, 0.93, 2.42), "cpu": (21.8e-6, 22.5e-6, 9.0e-6)}}


def free(_):
    return 0.0


def alone(requests, commit, **more):
    """One model, nothing else in its way."""
    return Cluster(requests, ONE, commit, free, fronts=1, processes=1, writer_cpu=0.0, **{
        "front_cores": 1, "front_cpu": 1e-9, "hop": 0.0, **more})


def served(requests, shares, found=None, **more):
    """A cluster as planned for a rate."""
    found = found or plan.need(requests, shares)
    shares = plan.split(shares, requests)[0]
    each = {"commit": DATABASE_COMMIT, "commit_cpu": DATABASE_CPU, "front_cpu": rate("front") + rate("tls") + rate("forward"), "writer_cpu": rate("writer") + rate("forward"),
            "hop": rate("hop"), "database_cores": int(rate("cores")), "databases": found.databases,
            "fronts": max(3, -(-int(np.ceil(found.front_cores)) // 2)), "front_cores": 2,
            "processes": max(3, -(-int(np.ceil(found.writer_cores)) // 2)), "process_cores": 2}
    return Cluster(requests, shares, **{**each, **more})


def ms(values, percentile):
    return f"{1e3 * float(np.percentile(values, percentile)):.1f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def rates_table():
    rows = []
    for name, it in RATES.items():
        value = f"{1e6 * it.value:.3g} us" if it.unit.startswith("s ") and it.value < 1e-3 else (
            f"{1e3 * it.value:.3g} ms" if it.unit.startswith("s ") and it.value < 1 else f"{it.value:.4g}")
        unit = it.unit.removeprefix("s ") if value[-1] == "s" else it.unit
        rows.append((f"`{name}`", f"{value} {unit}", "assumed" if it.assumed else "measured or set", it.source))
    for name, curve in (("commit, database", DATABASE_COMMIT), ("commit, file", FILE_COMMIT), ("database cores a commit", DATABASE_CPU)):
        points = ", ".join(f"{1e3 * y:.2g} ms at {x}" for x, y in curve.points)
        rows.append((name, points, "measured", curve.source))
    return table(["name", "value", "", "source"], rows)


def forms_table(requests=200_000):
    """Simulated against formulas, with the difference."""
    rows = []
    for arrivals in (10_000, 30_000):
        run = alone(arrivals, free, front_cpu=25e-6)
        got = simulate(run, requests / arrivals).latency.mean() - 25e-6
        rows.append(("M/D/1 wait at a front, 25 us", f"{arrivals:,}/s", 1e3 * closed_forms.md1_wait(arrivals, 25e-6), 1e3 * got))
    for arrivals in (50, 1000):
        got = simulate(alone(arrivals, lambda _: 4e-3), requests / arrivals)
        rows.append(("latency with group commit of 4 ms", f"{arrivals:,}/s",
                     1e3 * closed_forms.batch_latency(arrivals, 4e-3), 1e3 * got.latency.mean()))
        rows.append(("records of such a commit", f"{arrivals:,}/s", closed_forms.batch_size(arrivals, 4e-3), got.batch))
    got = simulate(alone(20_000, lambda n: 4e-3 + 20e-6 * n), 2 * requests / 20_000)
    rows.append(("records of a commit of 4 ms + 20 us each", "20,000/s", closed_forms.fluid_batch(20_000, 4e-3, 20e-6), got.batch))
    return rows


def print_forms(rows):
    return table(["quantity", "rate", "formula", "simulated", "difference"],
                 [(name, at, f"{want:.4g}", f"{got:.4g}", f"{100 * (got / want - 1):+.1f}%") for name, at, want, got in rows])


def measured_rows(requests=30_000):
    """(model, clients, simulated rate and percentiles, measured ones)."""
    rows = []
    for model, facts in MEASURED.items():
        for clients in (256, 16):
            speed, times = closed_loop(clients, *facts["cpu"], FILE_COMMIT, rate("batch"), requests)
            rows.append((model, clients, (speed, *(1e3 * np.percentile(times, [50, 99]))), facts[clients]))
    return rows


def print_measured(rows):
    return table(["model, clients", "records/s: measured", "simulated", "p50, p99 in ms: measured", "simulated"],
                 [(f"{model}, {clients}", f"{want[0]:,}", f"{got[0]:,.0f}", f"{want[1]:.2f}, {want[2]:.2f}", f"{got[1]:.2f}, {got[2]:.2f}")
                  for model, clients, got, want in rows])


def streams():
    return {"1,000 alike": np.full(1000, 1e-3), "1,000, the i-th 1/i": plan.zipf(1000), "one": ONE}


def needs_table():
    rows = []
    for requests in (1e5, 1e6):
        for name, shares in streams().items():
            it = plan.need(requests, shares)
            cores, disk = plan.cost(it)
            rows.append((f"{requests:,.0f}", name, f"{it.front_cores:.0f}", f"{it.writer_cores:.0f}", f"{it.database_cores:.0f}",
                         it.databases, f"{it.hottest:,.0f}", it.lineages, f"{it.wal / 1e6:.0f}", f"{(cores + disk) / 1e3:.1f}"))
    return table(["requests/s", "models", "front cores", "writer cores", "database cores", "databases", "hottest model/s",
                  "its lineages", "WAL MB/s", "k$ a month"], rows)


def ledger_table():
    rows = []
    for users in (1e6, 1e8, 1e9):
        it = plan.ledger(users)
        rows.append((f"{users:.0e}".replace("+0", ""), f"{it.size / 1e9:.3g}", f"{it.peak / 1e9:.3g}", f"{it.reload:.1f}", it.shards))
    return table(["users of one model", "ledger, GB", "while it grows, GB", "read at a take-over, s", "lineages for 10 s"], rows)


def runs_table():
    rows = []
    for requests, seconds in ((1e5, 2.0), (1e6, 0.6)):
        for name, shares in streams().items():
            rows.append(run_row(f"{requests:,.0f}, {name}", served(requests, shares), seconds))
    shares = np.full(1000, 1e-3)
    found = plan.need(1e5, shares)
    rows.append(run_row("1e5, 1,000 alike, one database instead of two", served(1e5, shares, found, databases=1), 2.0))
    rows.append(run_row("1e5, 1,000 alike, one database of 8 cores", served(1e5, shares, found, databases=1, database_cores=8), 2.0))
    rows.append(run_row("1e5, users in three regions, writers in one", served(
        1e5, shares, found, far_hop=rate("region"), far_share=2 / 3), 2.0))
    rows.append(run_row("1e5, standby in another region", served(
        1e5, shares, found, commit=lambda n: DATABASE_COMMIT(n) + 2 * rate("region")), 2.0))
    rows.append(run_row("1e5, one commit for all models of a process (not built)", served(1e5, np.full(3, 1 / 3), found), 2.0))
    return table(["run", "p50, ms", "p99, ms", "records a commit", "commits/s", "fronts", "writers", "databases"], rows)


def run_row(name, cluster, seconds):
    it = simulate(cluster, seconds)
    loads = [f"{100 * it.loads[part]:.0f}%" for part in ("fronts", "writers", "database")]
    return (name, ms(it.latency, 50), ms(it.latency, 99), f"{it.batch:.1f}", f"{it.commits:,.0f}", *loads)


def failure_rows():
    """A process or the primary is lost at second 3 of a run; requests wait, and none is refused."""
    rows, requests, shares = [], 5000, np.full(100, 0.01)
    reload = plan.ledger(1e7).reload
    for name, share, length, more in (
            ("nothing", 0, 0, {}),
            ("one of three processes", 1 / 3, rate("notice") + reload, {"outages": {0: (3, 3 + rate("notice") + reload)}}),
            ("the primary", 1, rate("promotion"), {"database_outages": {0: (3, 3 + rate("promotion"))}})):
        it = simulate(served(requests, shares, **more), 40, warm=0)
        rows.append((name, length, share * length / 40, float(np.mean(it.latency > 0.1)), it))
    return rows


def failures_table():
    month = 30 * 86400
    return table(["lost", "away, s", "requests that wait: length x share", "simulated, over 100 ms", "longest, s", "of a month's, one loss a month"],
                 [(name, f"{length:.1f}", f"{100 * want:.1f}%", f"{100 * got:.1f}%", f"{it.latency.max():.1f}", f"{100 * want * 40 / month:.5f}%")
                  for name, length, want, got, it in failure_rows()])


def draw_latency():
    """p50 and p99 of one model by its rate."""
    curves = []
    writer = {"writer_cpu": rate("writer") + rate("forward"), "hop": rate("hop")}
    places = {"file": FILE_COMMIT, "database": DATABASE_COMMIT, "standby in another region": lambda n: DATABASE_COMMIT(n) + 2 * rate("region")}
    speeds = [100, 300, 1000, 3000, 10_000, 30_000, 60_000, 75_000]
    for name, commit in places.items():
        runs = [simulate(one_model(speed, commit, writer), min(40, 200_000 / speed))
                for speed in speeds]
        for percentile in (50, 99):
            curves.append((f"{name}, p{percentile}", [(speed, 1e3 * float(np.percentile(it.latency, percentile)))
                                                      for speed, it in zip(speeds, runs)], percentile == 99))
    return chart("One model: latency by its rate (simulated)", "requests a second", "latency, ms", curves, (100, 1e5), (0.5, 1000))


def one_model(speed, commit, more):
    return Cluster(speed, ONE, commit, free, fronts=4, front_cores=2, processes=1, process_cores=1, **more)


def draw_cores():
    """Cores of the database by the rate, for numbers of models."""
    curves = []
    for models in (1, 10, 100, 1000):
        points = []
        for requests in np.geomspace(1e3, 1e6, 25):
            shares = plan.split(np.full(models, 1 / models), requests)[0]
            found = [plan.commits_of(requests * share) for share in shares[:1]]
            points.append((float(requests), len(shares) * found[0][0] * DATABASE_CPU(found[0][1])))
        curves.append((f"{models:,} model{'s' if models > 1 else ''}", points, False))
    return chart("More models, more commits: cores of the database", "requests a second, all models", "cores of primaries, busy",
                 curves, (1e3, 1e6), (0.01, 100))


def short():
    """The page in a few lines, by arithmetic."""
    alike, one = plan.need(1e5, np.full(1000, 1e-3)), plan.need(1e5, ONE)
    together = 3 * plan.commits_of(1e5 / 3)[0]
    writer = rate("writer") + rate("forward")
    slow, busy = DATABASE_COMMIT(1), DATABASE_COMMIT(plan.commits_of(rate("load") / writer)[1])
    cores, disk = plan.cost(plan.need(1e6, np.full(1000, 1e-3)))
    all_people = plan.ledger(1e9)
    return "\n".join([
        "* *The database's processor is full first*, because each model commits by itself: 1,000 models with 100 requests a second each",
        f"  make {alike.commits:,.0f} commits a second, {alike.database_cores:.0f} cores of primaries at {100 * rate('load'):.0f}% load. "
        f"One model with the same 1e5 requests makes {one.commits:.0f}. Fewer,",
        f"  larger models, or one commit for all models of a process (not built: {together:.0f} commits a second), remove that limit.",
        "* *Overload there is gentle*: commits that wait collect more records. Nothing collapses; latency grows.",
        f"* *One model is one thread*: at {100 * rate('load'):.0f}% load it takes {rate('load') / writer:,.0f} requests a second. A hotter one must be "
        "several lineages by a hash of the",
        "  user, each with its own people, so epsilon stays the same, and each learns from its part alone.",
        f"* *Latency is commits*: one if few come, 1.5 if many do. On the slow database of the table that is {1e3 * slow:.1f} ms at least, and "
        f"{1.5e3 * busy:.0f} ms for a model at",
        "  its limit. A standby in another region adds its round trip to every commit, a writer in another region once.",
        f"* *1e9 users of one model* are {all_people.size / 1e9:.0f} GB of ledger; {all_people.shards} lineages if a take-over may read for ten seconds.",
        f"* *At 1e6 requests a second* cores cost about {cores / 1e3:.0f},000 dollars a month and a day of WAL {disk / 1e3:.0f},000, at assumed prices."])


FAST = {"short": short, "rates": rates_table, "needs": needs_table, "ledger": ledger_table}
SLOW = {"forms": lambda: print_forms(forms_table()), "measured": lambda: print_measured(measured_rows()),
        "runs": runs_table, "failures": failures_table}


def fill(text, name, content):
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, rest = text.split(begin)
    return before + begin + "\n" + content + "\n\n" + end + rest.split(end)[1]


def main():
    text = PAGE.read_text()
    check = "--check" in sys.argv[1:]
    for name, make in FAST.items() if check else {**FAST, **SLOW}.items():
        text = fill(text, name, make())
    if check:
        if text != PAGE.read_text():
            sys.exit("docs/scale.md is not what bench/scale/page.py writes")
        return
    PAGE.write_text(text)
    (DOCS / "figures/scale-latency.svg").write_text(draw_latency())
    (DOCS / "figures/scale-cores.svg").write_text(draw_cores())


if __name__ == "__main__":
    main()
