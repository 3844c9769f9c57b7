#!/usr/bin/python3
"""How heavy is the dashboard's page? dashboard_page.py [EVENTS] [SECONDS]

Opens the page in headless Chromium with four models and a week of history, and sends EVENTS (1e5) events within about
SECONDS (10): as many as a service sends in hours. Then 4 events a second of the model that is shown, each of which is
drawn. Prints a JSON object: memory of the page (JavaScript heap after a collection, largest heap while events came,
private memory of the whole renderer, elements), times between frames, and the time that the main thread works for a frame or an event. Frames are drawn by
software; what else runs on the machine counts.
"""
import json
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "apps", "sotto"))
from browser import Browser  # noqa: E402
from scripted_service import ScriptedService, event, figures, hello  # noqa: E402

EVENTS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10
NAMES = [f"model{i}" for i in range(4)]
WEEK = 7 * 86400
KINDS = ("refusals", "restart", "handover", "halt")
CALM = 4  # events a second of the selected model
COLUMNS = [f"column {i}" for i in range(12)]

FRAMES = """
    window.frames_ = []; let last = performance.now();
    (function frame(now) { window.frames_.push(now - last); last = now; requestAnimationFrame(frame); })(last);"""


def columns(i):
    return [[name, 1 + 0.1 * j + 0.3 * ((i * (j + 3)) % 7)] for j, name in enumerate(COLUMNS)]


def one_event(i, now):
    """Event number i: figures mostly, and everything else that a service sends."""
    name = NAMES[i % 4]
    kind = i // 4 % 6
    if kind < 2:
        return "model", figures(name, rounds=i, latency={"p50": 1 + i % 5, "p99": 9 + i % 11}, estimate=None)
    if kind == 2:
        return "error", {"id": name, "point": [now + i, 2000, 0.2 + 0.1 * (i % 3), 0.2, 0.4, i, i], "step": 5000}
    if kind == 3:
        return "release", {"id": name, "n": i, "round": i, "t": now + i, "step": 5000, "columns": columns(i),
                           "earlier": {"n": i - 1, "columns": columns(i - 1)}, "visible": "public"}
    if kind == 4:
        return "calibration", {"id": name, "bins": [[(b + 0.5) * 100, b * 10 + i % 10, 100] for b in range(10)]}
    return "event", {"id": name, "t": now + i, "kind": KINDS[i // 24 % 4], "visible": "operator", "text": f"number {i}"}


def week(now):
    """A greeting whose models have a week of history."""
    text = hello(*NAMES)
    head, data = text.split("data: ")
    data = json.loads(data)
    for model in data["models"]:
        model["error"] = {"step": 5000, "points": [[now - WEEK + i * WEEK / 120, 2000, 0.3 - 0.001 * i, 0.2, 0.4, 1000 * i, i]
                                                   for i in range(120)]}
        model["releases"] = {"step": 10000, "points": [[now - WEEK + i * WEEK / 60, i, columns(i)] for i in range(60)]}
        model["events"] = [{"id": model["id"], "t": now - WEEK + i * WEEK / 40, "kind": KINDS[i % 4], "visible": "operator",
                            "text": f"event {i}"} for i in range(40)]
    return f"{head}data: {json.dumps(data)}\n\n"


class Source:
    """Events of a connection: a flood, and then as many as a busy service sends."""

    def write_to(self, out):
        now = time.time()
        out.write(week(now).encode())
        start = time.monotonic()
        for first in range(0, EVENTS, 100):
            out.write("".join(event(2 + i, *one_event(i, now)) for i in range(first, min(EVENTS, first + 100))).encode())
            time.sleep(max(0, start + SECONDS * first / EVENTS - time.monotonic()))
        out.write(event(2 + EVENTS, "model", figures(NAMES[0], rounds=123456)).encode())
        out.flush()
        start = time.monotonic()
        for i in range(int(CALM * (SECONDS - 1))):
            kind, data = one_event(EVENTS + i, now)
            out.write(event(EVENTS + 3 + i, kind, {**data, "id": NAMES[0]}).encode())
            out.flush()
            time.sleep(max(0, start + (i + 1) / CALM - time.monotonic()))


def metrics(browser):
    found = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return {one["name"]: one["value"] for one in found}


def parent(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def private_memory(ancestor):
    """Megabytes that only the largest renderer below a process uses."""
    most = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"--type=renderer" not in file.read():
                    continue
            at = int(pid)
            while at not in (0, ancestor):
                at = parent(at)
            if at == 0:
                continue
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                most = max(most, sum(int(line.split()[1]) for line in file if line.startswith("Private_")))
        except OSError:
            continue  # it has ended
    return most / 1e3


class Stretch:
    """What the page did from here on."""

    def __init__(self, browser):
        self.browser = browser
        browser.run("window.frames_.length = 0")
        self.before, self.begun = metrics(browser), time.monotonic()

    def report(self, pieces=0):
        after, frames = metrics(self.browser), sorted(self.browser.run("return window.frames_"))
        work = {name: 1e3 * (after[name] - self.before[name]) / (pieces or len(frames))
                for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")}
        return {"seconds": round(time.monotonic() - self.begun, 1), "frames": len(frames),
                "between_frames_ms": {"median": round(statistics.median(frames), 1),
                                      "p95": round(frames[int(0.95 * len(frames))], 1)},
                f"work_ms_{'an_event' if pieces else 'a_frame'}":
                    {name.removesuffix("Duration").lower(): round(value, 2) for name, value in work.items()}}


def main():
    service = ScriptedService([Source()])
    with Browser() as browser:
        browser.driver.execute_cdp_cmd("Performance.enable", {})
        browser.emulate(1280, 1000)
        browser.open(service.url)
        browser.run(FRAMES)
        stretch, most = Stretch(browser), 0
        while "123,456 rounds" not in browser.text("working"):
            if time.monotonic() > stretch.begun + 20 * SECONDS:
                raise SystemExit("the page did not keep up")
            most = max(most, metrics(browser)["JSHeapUsedSize"])
            time.sleep(0.5)
        flood = stretch.report()
        stretch = Stretch(browser)
        time.sleep(SECONDS - 1)
        calm = stretch.report(int(CALM * (SECONDS - 1)))
        browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        kept, renderer = metrics(browser), private_memory(os.getpid())
    service.end()
    print(json.dumps({
        "events": EVENTS, "heap_mb": round(kept["JSHeapUsedSize"] / 1e6, 1), "heap_most_mb": round(most / 1e6, 1),
        "renderer_private_mb": round(renderer, 1), "elements": int(kept["Nodes"]), "flood": flood, "calm": calm}))


if __name__ == "__main__":
    main()
