#!/usr/bin/env python3
"""Runs `sotto run pop` and `sotto plan pop` as a person would: pop_command_line_test.py SOTTO"""
import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import unittest

SOTTO = None
# Little noise and short phases, set explicitly: a run has handovers in a few thousand rows.
HAND = ["--epsilon", "3", "--delta", "1e-6", "--copies", "301", "--gap", "8", "--reports", "10", "--stopper", "0.5"]
REPORT_KEYS = {"model", "learner", "rounds", "mistakes", "paid", "phases", "halted_at", "guarantee", "parameters",
               "seconds", "rounds_per_second", "private"}
GUARANTEE_KEYS = {"notion", "relation", "epsilon", "delta", "adversary", "rounds_per_user"}


def run(*arguments, stdin=""):
    return subprocess.run([SOTTO, *arguments], input=stdin, capture_output=True, text=True, timeout=300)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "w") as file:
        file.write(content)


def threshold_rows(count, seed=1, theta=0.4):
    source = random.Random(seed)
    for _ in range(count):
        x = source.random()
        yield f"{x!r},{int(x >= theta)}\n"


def halfspace_rows(count, features, seed=2):
    source = random.Random(seed)
    for _ in range(count):
        x = [source.choice((-1, 1)) for _ in range(features)]
        yield ",".join(map(str, x)) + f",{int(sum(x[:3]) > 0)}\n"


# A program that learns a threshold in every copy; it can be made to misbehave at its n-th prediction.
LEARNER = """
import json, sys
fault, when = (sys.argv[1:] + ["none", "0"])[:2]
when, asked, copies = int(when), 0, {}
for line in sys.stdin:
    request = json.loads(line)
    op, generation = request["op"], str(request.get("generation"))
    answer = {"ok": True}
    if op == "init":
        copies[generation] = [[0.0, 1.0] for _ in range(request["copies"])]
    elif op == "predict":
        asked += 1
        if asked == when:
            if fault == "die":
                sys.exit(3)
            if fault == "nonsense":
                print("what?", flush=True)
                continue
            if fault == "short":
                print(json.dumps({"votes": "01"}), flush=True)
                continue
        x = request["x"]
        x = x[0] if isinstance(x, list) else list(x.values())[0]
        answer = {"votes": "".join("1" if 2 * x >= low + high else "0" for low, high in copies[generation])}
    elif op == "learn":
        x = request["x"]
        x = x[0] if isinstance(x, list) else list(x.values())[0]
        copy = copies[generation][request["copy"]]
        if request["y"]:
            copy[1] = min(copy[1], x)
        else:
            copy[0] = max(copy[0], x)
    elif op == "drop":
        copies.pop(generation, None)
        continue
    elif op == "save":
        answer = {"state": json.dumps(copies)}
    elif op == "load":
        copies = json.loads(request["state"])
    print(json.dumps(answer), flush=True)
"""


class PopTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def stream(self, rows=3000, name="stream.csv", seed=1):
        path = self.path(name)
        write(path, "x,y\n" + "".join(threshold_rows(rows, seed)))
        return path

    def report(self, *arguments):
        done = run("run", "pop", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class RunTest(PopTest):
    def test_a_run_ends_in_mistakes_and_the_privacy_statement(self):
        done = run("run", "pop", *HAND, "-d", self.stream())
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"^ +(\d+) +(\d+) +0\.\d+ +0\.\d+ +\d+ +\d+$", done.stdout, re.M)
        self.assertEqual([int(row[0]) for row in rows], [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3000])
        self.assertRegex(done.stdout, r"mistakes +[\d,]+ \(")
        for words in ("operator's own view", "Privacy: challenge differential privacy, epsilon 3, delta",
                      "for each user (1 round). Covers every other user's predictions.", "That a user came is public",
                      "Not covered: the metrics above"):
            self.assertIn(words, done.stdout)
        full = " ".join(self.report(*HAND, "-d", self.stream())["statement"])
        for words in ("adaptive", "computational", "present or absent"):
            self.assertIn(words, full)
        self.assertNotIn("NOT PRIVATE", done.stdout)

    def test_the_json_report_has_its_keys_and_nothing_else_is_on_stdout(self):
        report = self.report(*HAND, "-d", self.stream(), "--seed", "4")
        self.assertLessEqual(REPORT_KEYS, report.keys())
        self.assertLessEqual(GUARANTEE_KEYS, report["guarantee"].keys())
        self.assertEqual(report["rounds"], 3000)
        self.assertEqual(report["guarantee"]["notion"], "challenge-dp")
        self.assertEqual(report["guarantee"]["epsilon"], 3)
        self.assertLessEqual(report["guarantee"]["delta"], 1e-6)
        self.assertIsNone(report["halted_at"])
        self.assertFalse(report["private"])
        self.assertTrue(report["paid"] > 0 and report["phases"] > 1, report)
        self.assertLess(report["mistakes"], 900)
        self.assertTrue(self.report(*HAND, "-d", self.stream())["private"])

    def test_a_seed_says_that_nothing_is_private(self):
        done = run("run", "pop", *HAND, "-d", self.stream(50), "--seed", "4")
        self.assertIn("NOT PRIVATE", done.stdout)
        self.assertIn("NOT PRIVATE", run("run", "pop", *HAND, "-d", self.stream(50), "--seed", "4", "--json").stderr)

    def test_add_remove_is_the_same_numbers_and_says_so(self):
        flags = [*HAND, "-d", self.stream(50), "--seed", "1"]
        replace, absent = self.report(*flags), self.report(*flags, "--relation", "add-remove")
        self.assertEqual(absent["guarantee"]["relation"], "add-remove")
        self.assertEqual(absent["guarantee"]["delta"], replace["guarantee"]["delta"])
        self.assertIn("left empty in its place", " ".join(absent["statement"]))

    def test_noise_is_fresh_without_a_seed_and_the_same_with_one(self):
        data, out = self.stream(3000), self.path("p")

        def predictions(*flags):
            self.assertEqual(run("run", "pop", *HAND, "-d", data, "-p", out, "--quiet", *flags).returncode, 0)
            return read(out)

        self.assertGreater(len({predictions() for _ in range(4)}), 2)
        self.assertEqual(predictions("--seed", "9"), predictions("--seed", "9"))

    def test_stdin_is_a_stream_whose_answers_come_at_once(self):
        with subprocess.Popen([SOTTO, "run", "pop", *HAND, "-d", "-", "-p", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stdin.write("x,y\n")
            for row in threshold_rows(5):
                process.stdin.write(row)
                process.stdin.flush()
                self.assertIn(process.stdout.readline(), ("0\n", "1\n"))
            process.stdin.close()
            self.assertEqual(process.wait(60), 0)
            self.assertIn("Privacy: challenge differential privacy, epsilon 3", process.stderr.read())

    def test_gzip_vw_libsvm_and_jsonl_give_what_csv_gives(self):
        rows = [row.strip().split(",") for row in threshold_rows(300)]
        forms = {"s.libsvm": "".join(f"{y} 1:{x}\n" for x, y in rows),
                 "s.jsonl": "".join(f'{{"x":[{x}],"y":{y}}}\n' for x, y in rows)}
        flags = [*HAND, "--seed", "3"]
        expected = self.report(*flags, "-d", self.stream(300))["mistakes"]
        for name, text in forms.items():
            write(self.path(name), text)
            self.assertEqual(self.report(*flags, "-d", self.path(name))["mistakes"], expected, name)
        with gzip.open(self.path("s.csv.gz"), "wt") as file:
            file.write("x,y\n" + "".join(threshold_rows(300)))
        self.assertEqual(self.report(*flags, "-d", self.path("s.csv.gz"))["mistakes"], expected)

    def test_a_user_over_the_cap_gets_an_empty_line(self):
        path, out = self.path("users.csv"), self.path("p")
        write(path, "x,y,user\n0.1,0,ann\n0.9,1,bob\n0.8,1,ann\n0.3,0,\n0.7,1,\n")
        report = self.report(*HAND, "-d", path, "-p", out)
        self.assertEqual(report["refused"], 1)
        self.assertEqual([bool(line) for line in read(out).decode().split("\n")[:5]], [True, True, False, True, True])
        twice = self.report("--epsilon", "3", "--delta", "1e-4", *HAND[4:], "-d", path, "--rounds-per-user", "2")
        self.assertEqual(twice["refused"], 0)
        self.assertEqual(twice["guarantee"]["rounds_per_user"], 2)

    def test_halting_is_graceful_and_says_when(self):
        data, out = self.stream(), self.path("p")
        report = self.report(*HAND, "-d", data, "--handover", "halt", "-p", out, "--seed", "2")
        self.assertEqual(report["halted_at"], report["rounds"])
        self.assertLess(report["rounds"], 3000)
        self.assertEqual(len(read(out).splitlines()), report["rounds"])
        self.assertIn("halted", run("run", "pop", *HAND, "-d", data, "--handover", "halt", "--seed", "2").stdout)

    def test_the_plain_learner_is_compared(self):
        report = self.report(*HAND, "-d", self.stream(), "--compare")
        self.assertLess(report["non_private_mistakes"], 40)
        self.assertIn("non_private_mistakes", report["not_covered"])

    def test_the_table_can_be_by_steps_or_by_a_factor(self):
        for every, last in (("1000", ["1000", "2000", "3000"]), ("10.0", ["100", "1000", "3000"])):
            done = run("run", "pop", *HAND, "-d", self.stream(), "-P", every)
            self.assertEqual(re.findall(r"^ +(\d+) +\d+ +0\.", done.stdout, re.M)[-3:], last)
        self.assertEqual(run("run", "pop", *HAND, "-d", self.stream(), "-P", "0").returncode, 2)


class PublicTest(PopTest):
    def test_public_prints_no_exact_mistakes_and_no_paid_rounds(self):
        data = self.stream(2000)
        flags = [*HAND, "-d", data, "--public"]
        reports = [self.report(*flags) for _ in range(4)]
        for report in reports:
            self.assertIsNone(report["paid"])
            self.assertFalse({"labelled", "refused", "skipped", "phase_ends"} & report.keys())
            self.assertEqual(report["guarantee"]["epsilon"], 3)
            self.assertEqual(report["guarantee"]["delta"], 1e-6)
        # The same noise on the answers, once with exact mistakes: the estimate is not that number.
        self.assertGreater(len({report["mistakes"] for report in reports}), 1)
        text = run("run", "pop", *flags).stdout
        self.assertIn("private estimate", text)
        self.assertNotRegex(text, r"paid rounds +\d")
        self.assertNotIn("operator", text)

    def test_public_pages_hold_nothing_else_either(self):
        page = self.path("page.html")
        self.report(*HAND, "-d", self.stream(500), "--public", "--report", page)
        html = read(page).decode()
        for words in ("operator only", "own view"):
            self.assertNotIn(words, html)
        self.assertNotIn("Spread", html)
        self.assertNotIn("paid rounds", html)

    def test_public_refuses_what_would_break_it(self):
        for bad in (["--compare"], ["--rounds-per-user", "2"]):
            self.assertEqual(run("run", "pop", *HAND, "-d", self.stream(5), "--public", *bad).returncode, 2)


class ReportPageTest(PopTest):
    def test_the_page_is_whole_and_needs_nothing_from_outside(self):
        page = self.path("page.html")
        self.report(*HAND, "-d", self.stream(), "--report", page, "--compare")
        html = read(page).decode()
        self.assertTrue(html.startswith("<!doctype html>") and html.endswith("</html>\n"))
        for absent in ("<script", "http://", "https://", "src=", "@import", "url("):
            self.assertNotIn(absent, html)
        for present in ("Mistakes over time", "Spread of the votes", "not covered", "What is promised", "phase 1",
                        "prefers-color-scheme"):
            self.assertIn(present, html)
        self.assertNotIn("nan", html)
        self.assertEqual(html.count("<svg"), html.count("</svg>"))

    def test_what_comes_from_the_user_is_escaped(self):
        learner, page = self.path("<b>&learner.py"), self.path("page.html")
        write(learner, LEARNER)
        done = run("run", "pop", *HAND, "-d", self.stream(20), "--learner", f"exec:python3 '{learner}'",
                   "--report", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("<b>&learner", read(page).decode())
        self.assertIn("&lt;b&gt;&amp;learner", read(page).decode())


class ResumeTest(PopTest):
    def cut(self, flags, header, rows, at):
        """Predictions, report and state of one run over all rows, and of two over the parts."""
        whole, first, second = (self.path(name) for name in ("whole.csv", "first.csv", "second.csv"))
        write(whole, header + "".join(rows))
        write(first, header + "".join(rows[:at]))
        write(second, header + "".join(rows[at:]))
        out, state = self.path("p"), self.path("state")
        ours = self.report(*flags, "--seed", "6", "-d", whole, "-p", out, "--save", state, "--replace")
        expected = read(out), read(state)
        self.report(*flags, "--seed", "6", "-d", first, "-p", out, "--save", state, "--replace")
        predictions = read(out)
        theirs = self.report("-d", second, "-p", out, "--load", state, "--save", state)
        self.assertEqual(predictions + read(out), expected[0])
        for key in ("rounds", "mistakes", "paid", "phases", "halted_at", "guarantee", "parameters", "refused"):
            self.assertEqual(ours.get(key), theirs.get(key), key)
        self.assertTrue(read(state) == expected[1], "the saved states differ")
        return ours

    def test_a_resumed_run_equals_one_that_was_never_stopped(self):
        rows = list(threshold_rows(10000))
        report = self.cut(HAND, "x,y\n", rows, 4000)
        self.assertGreater(report["phases"], 2)

    def test_so_it_does_with_delays_users_a_comparison_and_a_public_count(self):
        rows = [row.strip() + f",u{i % 900}\n" for i, row in enumerate(threshold_rows(1500))]
        header = "x,y,user\n"
        for cut in (0, 3, 700):
            report = self.cut([*HAND, "--label-delay", "20", "--compare"], header, rows, cut)
        self.assertEqual(report["refused"], 600)
        self.cut([*HAND, "--public", "--horizon", "2000"], "x,y\n", list(threshold_rows(1500)), 700)

    def test_so_it_does_with_a_batched_learner(self):
        rows = list(halfspace_rows(3000, 5))
        header = "a,b,c,d,e,y\n"
        report = self.cut([*HAND, "--learner", "perceptron"], header, rows, 1111)
        self.assertGreater(report["phases"], 1)

    def test_so_it_does_with_a_learner_of_ones_own(self):
        learner = self.path("learner.py")
        write(learner, LEARNER)
        flags = [*HAND, "--copies", "31", "--learner", f"exec:python3 {learner}"]
        self.cut(flags[:4] + ["--copies", "31", "--gap", "2"] + flags[8:12] + flags[14:], "x,y\n",
                 list(threshold_rows(300)), 120)

    def test_the_same_state_and_other_data_use_other_noise(self):
        first, state, out = self.stream(500), self.path("state"), self.path("p")
        self.report(*HAND, "-d", first, "--save", state)
        votes = []
        for extra in ("0.123", "0.124"):
            other = self.path("other.csv")
            write(other, f"x,y\n{extra},0\n" + "0.4,1\n" * 400)
            self.report("-d", other, "--load", state, "-p", out)
            votes.append(read(out)[2:])
        self.assertNotEqual(votes[0], votes[1])

    def test_contradicting_flags_are_refused(self):
        data, state = self.stream(100), self.path("state")
        self.report(*HAND, "-d", data, "--save", state, "--seed", "1")
        for flag in (["--epsilon", "2"], ["--delta", "1e-7"], ["--label-delay", "3"], ["--learner", "point"],
                     ["--copies", "99"], ["--variant", "paper"], ["--seed", "1"], ["--public"]):
            done = run("run", "pop", "-d", data, "--load", state, *flag)
            self.assertEqual(done.returncode, 2, flag)
            self.assertIn(flag[0], done.stderr)
        self.assertEqual(run("run", "pop", *HAND, "-d", data, "--load", state).returncode, 0)
        other = self.path("wide.csv")
        write(other, "x,z,y\n1,2,0\n")
        before = read(state)
        self.assertEqual(run("run", "pop", "-d", other, "--load", state, "--learner", "threshold").returncode, 2)
        self.assertEqual(read(state), before)

    def test_a_state_of_another_kind_version_or_damaged_is_refused_and_left_alone(self):
        data, state = self.stream(100), self.path("state")
        self.report(*HAND, "-d", data, "--save", state)
        good = read(state)
        self.assertIn("session", good[:40].decode("latin1"))
        version = good.index(b"session") + len("session")
        bad = {"damaged": good[:-40] + b"x" + good[-39:], "cut": good[:-1], "empty": b"",
               "other version": good[:version] + b"\x09" + good[version + 1:]}
        count = self.path("count.state")
        run("count", "--epsilon", "1", "--horizon", "9", "--save", count, stdin="1\n")
        bad["other kind"] = read(count)
        for what, content in bad.items():
            with open(state, "wb") as file:
                file.write(content)
            done = run("run", "pop", "-d", data, "--load", state, "--save", state)
            self.assertEqual(done.returncode, 2, what)
            self.assertIn("state", done.stderr, what)
            self.assertEqual(done.stdout, "", what)
            self.assertEqual(read(state), content, what)


class BatchTest(PopTest):
    def test_many_rounds_at_once_equal_one_at_a_time(self):
        rows, path, out = list(halfspace_rows(2500, 6)), self.path("h.csv"), self.path("p")
        header = "a,b,c,d,e,f,y"
        for learner in ("perceptron", "logistic"):
            flags = [*HAND, "--learner", learner, "--seed", "8", "-d", path, "-p", out]
            write(path, header + "\n" + "".join(rows))
            batched = self.report(*flags), read(out)
            self.assertGreater(batched[0]["phases"], 1)
            # From a pipe that pauses after every row, rounds cannot be gathered.
            with subprocess.Popen([SOTTO, "run", "pop", *flags[:-4], "-d", "-", "-p", "-"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
                process.stdin.write(header + "\n")
                answers = []
                for row in rows:
                    process.stdin.write(row)
                    process.stdin.flush()
                    answers.append(process.stdout.readline())
                process.stdin.close()
                self.assertEqual(process.wait(60), 0)
            self.assertEqual("".join(answers).encode(), batched[1])


class BadInputTest(PopTest):
    BAD = {
        "missing field": ("s.csv", "x,y\n0.5,1\n0.5\n"),
        "a field too many": ("s.csv", "x,y\n0.5,1\n0.5,1,7\n"),
        "no number": ("s.libsvm", "1 1:0.5\n1 1:abc\n"),
        "NaN": ("s.csv", "x,y\n0.5,1\nnan,1\n"),
        "infinity": ("s.csv", "x,y\n0.5,1\ninf,1\n"),
        "unknown label": ("s.csv", "x,y\n0.5,1\n0.5,maybe\n"),
        "no json": ("s.jsonl", '{"x":[0.5],"y":1}\n{"x":[0.5],"y":\n'),
        "too great an index": ("s.libsvm", "1 1:0.5\n1 99999999:1\n"),
        "label in vw": ("s.vw", "1 | x:0.5\n7 | x:0.5\n"),
    }

    def test_a_bad_row_is_an_empty_round_and_its_place_is_named(self):
        for what, (name, text) in self.BAD.items():
            data, out, state, page = self.path(name), self.path("p"), self.path("state"), self.path("r.html")
            write(data, text)
            learner = ["--learner", "perceptron"] if name.endswith("vw") else []
            words = ["run", "pop", *HAND, *learner, "-d", data, "-p", out, "--save", state, "--report", page]
            place = f"{data}, line {3 if name.endswith('csv') else 2}"
            done = run(*words, "--strict")
            self.assertEqual(done.returncode, 2, f"{what}: {done.stdout}{done.stderr}")
            self.assertIn(place, done.stderr, what)
            self.assertFalse([path for path in (out, state, page) if os.path.exists(path)], what)
            done = run(*words)
            self.assertEqual(done.returncode, 0, f"{what}: {done.stdout}{done.stderr}")
            self.assertIn(place, done.stdout, what)
            self.assertIn("Privacy: challenge differential privacy, epsilon 3", done.stdout, what)
            self.assertEqual([len(line) for line in read(out).splitlines()], [1, 0], what)
            self.assertFalse([f for f in os.listdir(self.folder.name) if f.startswith(".")], what)
            good = self.path("good.csv")
            write(good, "x,y\n")
            if name.endswith("csv"):
                again = json.loads(run("run", "pop", "-d", good, "--load", state, "--json").stdout)
                self.assertEqual(again["rounds"], 2, what)
            for path in (out, state, page):
                os.remove(path)

    def test_a_learner_of_one_number_refuses_names_that_are_hashed(self):
        data = self.path("s.vw")
        write(data, "1 | x:0.5\n")
        done = run("run", "pop", *HAND, "-d", data)
        self.assertEqual(done.returncode, 2)
        self.assertIn("hashed", done.stderr)
        data = self.path("s.jsonl")
        write(data, '{"x":{"age":0.5},"y":1}\n')
        done = run("run", "pop", *HAND, "-d", data, "--strict")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected numbers in a list (names need a schema)", done.stderr)
        self.assertIn("expected numbers in a list (names need a schema)", run("run", "pop", *HAND, "-d", data).stdout)

    def test_a_plan_says_what_it_supposes_for_every_learner(self):
        flags = ["plan", "pop", "--epsilon", "3", "--delta", "1e-6", "--horizon", "20000"]
        for learner in ("threshold", "point", "logistic:features=2"):
            done = run(*flags, "--learner", learner)
            self.assertIn("both common", done.stdout, learner)
        self.assertIn("whose label comes", run(*flags, "--label-rate", "0.5").stdout)
        self.assertIn("begin again", run(*flags, "--noise", "0.05").stdout)

    def test_columns_that_a_learner_would_ignore_are_refused(self):
        data = self.path("s.csv")
        write(data, "age,hours,y\n0.5,0.1,1\n0.2,0.3,0\n")
        for learner in ("threshold", "interval", "point"):
            done = run("run", "pop", *HAND, "-d", data, "--learner", learner)
            self.assertEqual(done.returncode, 2, learner)
            self.assertIn("looks at one number, age, and would ignore the other 1", done.stderr)
        self.assertEqual(run("run", "pop", *HAND, "-d", data, "--force").returncode, 0)
        self.assertEqual(run("run", "pop", *HAND, "-d", data, "--learner", "stump").returncode, 0)
        for name, text in (("s.libsvm", "1 1:0.5 2:0.1\n"), ("s.jsonl", '{"x":[0.5,0.1],"y":1}\n')):
            write(self.path(name), text)
            # The formats without a header say it row by row.
            self.assertEqual(run("run", "pop", *HAND, "-d", self.path(name), "--strict").returncode, 2, name)
            self.assertEqual(self.report(*HAND, "-d", self.path(name))["unusable"], 1, name)
            self.assertEqual(run("run", "pop", *HAND, "-d", self.path(name), "--force").returncode, 0, name)

    def test_a_point_outside_of_the_class_is_a_bad_row(self):
        data = self.path("s.csv")
        write(data, "x,y\n3,1\n4,0\n")
        for learner in ("halving:class=points/4", "soa:class=points/4", "agnostic:class=points/4"):
            done = run("run", "pop", *HAND, "-d", data, "--learner", learner, "--strict")
            self.assertEqual(done.returncode, 2, learner)
            self.assertIn("expected a point of the class: a whole number from 0 to 3", done.stderr)
        for more in ([], ["--skip-bad"]):
            report = self.report(*HAND, "-d", data, "--learner", "halving:class=points/4", *more)
            self.assertEqual(report["unusable"], 1)

    def test_one_file_for_two_purposes_is_refused(self):
        data = self.path("s.csv")
        write(data, "x,y\n0.5,1\n")
        self.assertEqual(run("run", "pop", *HAND, "-d", data, "-p", data).returncode, 2)
        self.assertEqual(read(data), b"x,y\n0.5,1\n")

    def test_bad_rows_are_counted_and_reported_by_reason(self):
        data = self.path("s.csv")
        write(data, "x,y\n0.5,1\nnan,1\n0.5,maybe\n0.4,0\n0.4\n0.4,maybe\n")
        for more in ([], ["--skip-bad"]):
            report = self.report(*HAND, "-d", data, *more)
            self.assertEqual(report["rounds"], 6)  # a row that cannot be used is an empty round
            self.assertEqual(report["skipped"], 4)
            self.assertEqual(sorted(report["skipped_by_reason"].values()), [1, 1, 2])
            self.assertIn("4 bad rows", run("run", "pop", *HAND, "-d", data, *more).stdout)

    def test_a_truncated_gzip_is_an_error(self):
        data = self.path("s.csv.gz")
        with gzip.open(data, "wt") as file:
            file.write("x,y\n" + "".join(threshold_rows(3000)))
        content = read(data)
        with open(data, "wb") as file:
            file.write(content[:len(content) // 2])
        done = run("run", "pop", *HAND, "-d", data)
        self.assertEqual(done.returncode, 2)
        self.assertIn(data, done.stderr)

    def test_wrong_usage_is_refused_before_anything_is_written(self):
        data, out = self.stream(5), self.path("p")
        bad = [[], ["--epsilon", "1"], ["--epsilon", "1", "--delta", "1e-6"],
               ["--epsilon", "0", "--delta", "1e-6", "--horizon", "100"],
               ["--epsilon", "1", "--delta", "2", "--horizon", "100"],
               [*HAND, "--learner", "nobody"], [*HAND, "--learner", "threshold:features=x"],
               [*HAND, "--variant", "what"], [*HAND, "--labels", "one"], [*HAND, "--schema", self.path("none.json")],
               [*HAND, "--learner", "exec:/nowhere/program"], [*HAND, "--load", self.path("none")],
               [*HAND, "--save", "/nowhere/state"], [*HAND, "--report", "/nowhere/r.html"], [*HAND, "--report", "-"], [*HAND, "--label", "z"],
               [*HAND, "--pin-users"], [*HAND, "--noise-scale", "0.5"]]
        for flags in bad:
            done = run("run", "pop", *flags, "-d", data, "-p", out)
            failed = 1 if "exec:/nowhere/program" in flags else 2  # a program that fails is not wrong usage
            self.assertEqual(done.returncode, failed, f"{flags}: {done.stderr}")
            self.assertEqual(done.stdout, "", flags)
            self.assertGreater(len(done.stderr), 20, flags)
            self.assertFalse(os.path.exists(out), flags)
        self.assertEqual(run("run", "pop", *HAND, "-d", self.path("none.csv")).returncode, 2)
        self.assertEqual(run("run", "nothing", *HAND, "-d", data).returncode, 2)
        self.assertEqual(run("plan", "nothing", *HAND).returncode, 2)

    def test_strings_without_buckets_say_what_to_do(self):
        data = self.path("s.csv")
        write(data, "color,y\nred,1\n")
        done = run("run", "pop", *HAND, "-d", data, "--learner", "perceptron", "--strict")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--hash-bits", done.stderr)
        self.assertIn("--hash-bits", run("run", "pop", *HAND, "-d", data, "--learner", "perceptron").stdout)
        self.assertEqual(run("run", "pop", *HAND, "-d", data, "--learner", "perceptron", "--hash-bits",
                             "3").returncode, 0)


class OwnLearnerTest(PopTest):
    def flags(self, *arguments):
        learner = self.path("learner.py")
        write(learner, LEARNER)
        return ["--epsilon", "3", "--delta", "1e-6", "--copies", "31", "--gap", "2", "--reports", "5", "--stopper",
                "0.5", "--learner", " ".join(["exec:python3", learner, *arguments])]

    def test_its_statement_names_the_assumption(self):
        report = self.report(*self.flags(), "-d", self.stream(200))
        self.assertEqual(report["rounds"], 200)
        self.assertIn("share nothing", " ".join(report["statement"]))

    def test_one_that_dies_or_answers_nonsense_is_refused_with_the_place(self):
        data, state = self.stream(50), self.path("state")
        for fault in ("die", "nonsense", "short"):
            self.report(*self.flags(), "-d", self.stream(3, "first.csv"), "--save", state, "--replace")
            before = read(state)
            done = run("run", "pop", *self.flags(fault, "7"), "-d", data, "--save", state, "--replace")
            self.assertEqual(done.returncode, 1, fault)
            self.assertIn(f"{data}, line 8", done.stderr, fault)
            self.assertIn("Privacy: challenge differential privacy, epsilon 3", done.stdout, fault)
            self.assertIn("not saved", done.stderr)
            # The state of the new run, before its first answer.
            self.assertNotEqual(read(state), before, fault)


class InterruptTest(PopTest):
    def test_an_interrupt_ends_the_run_with_its_report_and_its_state(self):
        for kind in (signal.SIGINT, signal.SIGTERM):
            state = self.path("state")
            with subprocess.Popen([SOTTO, "run", "pop", *HAND, "-d", "-", "--save", state, "--replace", "-p", self.path("p")],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as process:
                process.stdin.write("x,y\n0.5,1\n0.2,0\n")
                process.stdin.flush()
                while not re.match(r" +2 ", process.stdout.readline()):
                    pass
                process.send_signal(kind)
                self.assertEqual(process.wait(60), 1)
                self.assertIn("Privacy: challenge differential privacy, epsilon 3", process.stdout.read())
            self.assertEqual(len(read(self.path("p")).splitlines()), 2)
            self.assertEqual(self.report("-d", self.stream(10), "--load", state)["rounds"], 12)


class PlanTest(PopTest):
    def plan(self, *flags):
        done = run("plan", "pop", "--epsilon", "1", "--delta", "1e-6", *flags, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_plan_has_its_keys(self):
        plan = self.plan("--horizon", "1e6")
        self.assertLessEqual({"model", "parameters", "guarantee", "mistakes_bound", "mistakes_expected", "verdict",
                              "advice"}, plan.keys())
        # A rule that is never wrong has to be stated.
        self.assertEqual((plan["verdict"], plan["assumes"]), ("depends", "rule"))
        self.assertEqual(self.plan("--horizon", "1e6", "--noise", "0")["verdict"], "comfortable")
        self.assertLess(plan["mistakes_expected"], 20000)
        self.assertLessEqual(GUARANTEE_KEYS, plan["guarantee"].keys())
        self.assertEqual(self.plan("--horizon", "1000")["verdict"], "hopeless")

    def test_text_says_verdict_bound_and_guarantee(self):
        done = run("plan", "pop", "--epsilon", "3", "--delta", "1e-6", "--horizon", "1e6")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("verdict", "mistakes expected", "mistakes, proved", "Privacy: (3, ", "copies"):
            self.assertIn(words, done.stdout)

    def test_a_run_uses_the_plan(self):
        plan = self.plan("--horizon", "20000")
        report = self.report("--epsilon", "1", "--delta", "1e-6", "--horizon", "20000", "-d", self.stream(500))
        self.assertEqual(report["parameters"], plan["parameters"])
        self.assertEqual(report["plan"]["mistakes_expected"], plan["mistakes_expected"])

    def test_the_papers_variant_runs_too(self):
        for flag in (["--variant", "paper"], ["--calibration", "paper"]):
            report = self.report("--epsilon", "4", "--delta", "1e-4", "--horizon", "1e5", *flag, "-d",
                                 self.stream(300))
            self.assertEqual(report["parameters"]["variant"], "paper")
            self.assertEqual(report["parameters"]["algorithm"], "[POP] Algorithm 7")
        report = self.report("--epsilon", "4", "--delta", "1e-4", "--horizon", "1e5", "--variant", "majority", "-d",
                             self.stream(300))
        self.assertEqual(report["parameters"]["variant"], "majority")

    def test_as_printed_it_answers_zero_after_the_halt_and_says_so(self):
        paper = ["--epsilon", "8", "--delta", "1e-3", "--horizon", "200", "--variant", "paper", "--reports", "50"]
        data, out, state = self.stream(500), self.path("p"), self.path("state")
        report = self.report(*paper, "-d", data, "-p", out, "--save", state)
        self.assertEqual(report["rounds"], 500)
        self.assertEqual(report["parameters"]["halted_after"], 200)
        self.assertEqual({line.split(b",")[0].strip() for line in read(out).splitlines()[202:]}, {b"0"})
        said = [line for line in report["statement"] if "Halted after round 200" in line]
        self.assertEqual(len(said), 1, report["statement"])
        done = run("run", "pop", "-d", data, "--load", state)
        self.assertIn("Halted after round 200", done.stdout)

    def test_printed_and_least_stand_side_by_side(self):
        flags = ["--epsilon", "8", "--delta", "1e-6", "--horizon", "1e6", "--variant", "paper"]
        plan = json.loads(run("plan", "pop", *flags, "--mistake-bound", "10", "--json").stdout)
        self.assertGreater(plan["printed"]["copies"], 2e9)
        self.assertFalse(plan["printed"]["fits"])
        self.assertTrue(plan["least"]["fits"])
        self.assertIsNone(plan["least"]["halts_after"])
        self.assertLess(plan["least"]["copies"], 60000)
        self.assertEqual(plan["parameters"]["copies"], plan["least"]["copies"])
        for command in ("plan", "run"):
            done = run(command, "pop", *flags, "--constants", "printed", *(["-d", self.stream(10)] * (command == "run")))
            self.assertEqual(done.returncode, 2)
            for words in ("do not fit", "copies", "reports", "noise scale", "--constants least"):
                self.assertIn(words, done.stderr)

    def test_as_printed_refuses_what_it_has_not(self):
        paper = ["--epsilon", "8", "--delta", "1e-3", "--variant", "paper"]
        for flags, word in ((["--horizon", "1e4", "--handover", "halt"], "--handover"),
                            (["--horizon", "1e4", "--stopper", "0.1"], "--stopper"),
                            (["--horizon", "1e4", "--constant", "2"], "--constants printed"),
                            (["--horizon", "1e10"], "2^31"), ([], "--horizon"),
                            (["--horizon", "1e4", "--copies", "10"], "multiple of 4"),
                            (["--horizon", "1e4", "--reports", "100", "--noise-scale", "1"], "delta")):
            done = run("plan", "pop", *paper, *flags)
            self.assertNotEqual(done.returncode, 0, flags)
            self.assertIn(word, done.stderr)
        done = run("plan", "pop", "--epsilon", "8", "--delta", "1e-3", "--horizon", "1e4", "--constants", "printed")
        self.assertIn("--variant paper", done.stderr)


class HelpTest(unittest.TestCase):
    def test_help_has_examples(self):
        for command in ("run", "plan"):
            done = run(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Example", done.stdout)
            self.assertIn(f"sotto {command} ", done.stdout)


if __name__ == "__main__":
    SOTTO = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
