"""Somebody whose users return, leave blanks and send labels late: a table, then a live stream that is killed."""
import csv
import json
import pathlib
import random
import signal
import subprocess

random.seed(11)
USERS = 3000


def row():
    hours, job = random.uniform(0, 60), random.choice(["clerk", "nurse", "cook"])
    return hours, job, "yes" if random.random() < 0.05 + 0.9 * (hours > 30) else "no"


def sotto(*words, **options):
    return subprocess.run(["sotto", *words], capture_output=True, text=True, **options)


with open("visits.csv", "w") as file:
    table = csv.writer(file)
    table.writerow(["user", "hours", "job", "y"])
    for i in range(3 * USERS):
        hours, job, y = row()
        blank, new = i % 20 == 0, i % 31 == 0
        table.writerow([f"u{i % USERS}", "" if blank else f"{hours:.2f}", "pilot" if new else job,
                        "" if i % 10 == 0 else y])

schema = sotto("schema", "--header", "visits.csv", "--facts", "hours=0..60;job=clerk|nurse|cook", "--labels", "no,yes")
assert schema.returncode == 0, schema.stderr
pathlib.Path("schema.json").write_text(schema.stdout)
flags = ["--epsilon", "1", "--delta", "1e-6", "--horizon", "9000", "--rounds-per-user", "2", "--schema", "schema.json"]
done = sotto("run", "tide", *flags, "-d", "visits.csv", "--json", "-p", "predictions.txt")
assert done.returncode == 0, done.stderr
report = json.loads(done.stdout)
# No row is lost to a blank or a new word; the third visit of each user is answered and costs nothing.
assert report["rounds"] == 9000 and report["unusable"] == 0, report
assert report["refused"] == USERS == report["free_answers"]["answered"], report
assert report["labelled"] < report["answered"] == 2 * USERS, report
assert report["mistakes"] < 0.8 * report["baselines"]["majority"], report
assert pathlib.Path("predictions.txt").read_text().split("\n").count("") == 1, "every visit has a prediction"
assert report["guarantee"]["rounds_per_user"] == 2, report["guarantee"]

# Live: the label of a visit comes after later visits, and a kill loses nothing that was answered.
live = ["sotto", "run", "tide", "--live", *flags, "--save", "state"]


def ask(process, line):
    process.stdin.write(json.dumps(line) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def talk(words):
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


open_visits = []
with talk(live) as process:
    for i in range(50):
        hours, job, y = row()
        x = {"job": job} if i % 7 == 0 else {"hours": hours, "job": job}
        answer = ask(process, {"id": i, "x": x, "user": f"v{i}"})
        assert answer["prediction"] in ("no", "yes"), answer
        open_visits.append((answer["ticket"], y))
    process.send_signal(signal.SIGKILL)
with talk(["sotto", "run", "tide", "--live", "--load", "state", "--save", "state", "--schema", "schema.json"]) as process:
    for ticket, y in reversed(open_visits):
        assert ask(process, {"ticket": ticket, "y": y}) == {"ok": True}
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert "nothing that was answered is missing" in error, error
