#!/usr/bin/env python3
"""One budget for many commands, kills and processes: budget_test.py SOTTO

SOTTO_KILLS says how many processes are killed (20); `./run torture budget` kills 1,000.
"""
import json
import os
import random
import signal
import subprocess
import threading
import time

from program import SOTTO, FolderTest, main, read, run, write

KILLS = int(os.environ.get("SOTTO_KILLS", "20"))
PUBLIC = ["--epsilon", "1", "--delta", "1e-6"]


class BudgetTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.budget = self.path("people.budget")
        self.create("--epsilon", "3", "--delta", "1e-5")

    def create(self, *arguments):
        done = run("budget", "create", self.budget, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def record(self):
        return json.loads(run("budget", "export", self.budget).stdout)

    def commands(self):
        """The command of each charge, and its epsilon and delta."""
        return [(entry["command"], entry["epsilon"], entry["delta"]) for entry in self.record()["entries"]]

    def good(self, *arguments, **more):
        done = run(*arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def table(self, rows=400):
        path = self.path("table.csv")
        draw = random.Random(1)
        lines = ["x1,x2,y"]
        for _ in range(rows):
            x = draw.random()
            lines.append(f"{x:.4f},{draw.random():.4f},{int(x > 0.5)}")
        write(path, ("\n".join(lines) + "\n").encode())
        return path


class EveryCommand(BudgetTest):
    def test_count_monitor_and_quantile_are_charged(self):
        self.create_more()
        self.good("count", *PUBLIC, "--horizon", "10", "--budget", self.budget, stdin="1\n2\n")
        self.good("monitor", "--epsilon", "0.5", "--threshold", "500", "--horizon", "10", "--budget", self.budget,
                  stdin="1\n")
        numbers = self.path("numbers")
        write(numbers, "".join(f"{n}\n" for n in range(5000)).encode())
        self.good("quantile", "--data", numbers, *PUBLIC, "--horizon", "10", "--budget", self.budget, stdin="50\n")
        self.good("quantile", "--data", numbers, *PUBLIC, "--relation", "add-remove", "--horizon", "10", "--budget",
                  self.budget, stdin="50\n")
        made = self.commands()
        self.assertEqual([name for name, _, _ in made], ["count", "monitor", "quantile", "quantile"])
        self.assertEqual([epsilon for _, epsilon, _ in made[:3]], [1, 0.5, 1])
        self.assertAlmostEqual(made[3][1], 2, places=12)
        self.assertLessEqual(made[0][2], 1e-6)
        self.assertGreater(made[3][2], 2e-6)

    def create_more(self):
        os.remove(self.budget)
        self.create("--epsilon", "10", "--delta", "1e-4")

    def test_run_and_fit_and_ranges_are_charged(self):
        table = self.table()
        self.good("run", "tide", *PUBLIC, "--horizon", "400", "--schema", self.schema(), "-d", table, "--budget",
                  self.budget, "--force")
        self.good("fit", "stump", "--epsilon", "1", "--delta", "1e-6", "--schema", self.schema(), "--data", table,
                  "--out", self.path("model.json"), "--budget", self.budget)
        self.good("schema", "--private-ranges", table, "--epsilon", "0.5", "--budget", self.budget)
        self.assertEqual([name for name, _, _ in self.commands()], ["run tide", "fit stump", "schema"])
        self.assertEqual([epsilon for _, epsilon, _ in self.commands()], [1, 1, 0.5])

    def schema(self):
        path = self.path("schema.json")
        write(path, json.dumps({"columns": [{"name": "x1", "type": "number", "range": [0, 1]},
                                            {"name": "x2", "type": "number", "range": [0, 1]}]}).encode())
        return path

    def test_live_is_charged_when_it_starts_and_not_when_it_resumes(self):
        state = self.path("s")
        words = ["run", "pop", "--live", "--epsilon", "2", "--delta", "1e-6", "--horizon", "1000"]
        self.good(*words, "--save", state, "--budget", self.budget, stdin='{"id":1,"x":[0.5],"user":"u"}\n')
        self.assertEqual(self.commands(), [("run pop", 2, 1e-6)])
        self.good("run", "pop", "--live", "--load", state, "--save", state, stdin="")
        both = run("run", "pop", "--live", "--load", state, "--save", state, "--budget", self.budget, stdin="")
        self.assertEqual(both.returncode, 2)
        self.assertIn("a resumed run spends nothing", both.stderr)
        self.assertEqual(len(self.commands()), 1)

    def test_training_rows_are_charged_before_they_are_read(self):
        os.remove(self.budget)
        self.create("--epsilon", "0.5", "--delta", "1e-5")
        missing = self.path("no-such-file")
        done = run("run", "rectangles", *PUBLIC, "--horizon", "100", "--train", missing, "-d", self.table(),
                   "--budget", self.budget, "--force")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("does not allow", done.stderr)
        self.assertEqual(self.commands(), [])

    def test_an_exhausted_budget_touches_no_data(self):
        os.remove(self.budget)
        self.create("--epsilon", "0.5", "--delta", "1e-5")
        pipe = self.path("pipe")
        os.mkfifo(pipe)  # opening it waits for a writer
        out = self.path("model.json")
        done = run("fit", "stump", *PUBLIC, "--schema", self.schema(), "--data", pipe, "--out", out, "--budget",
                   self.budget, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("does not allow", done.stderr)
        self.assertFalse(os.path.exists(out))
        for words in (["quantile", "--data", pipe, *PUBLIC, "--horizon", "10"],
                      ["mean", "--data", pipe, "--epsilon", "1", "--range", "0..9"],
                      ["schema", "--private-ranges", pipe, *PUBLIC]):
            done = run(*words, "--budget", self.budget, timeout=60)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stdout, "")
        for words in (["-d", self.table()], ["--live"]):
            done = run("run", "tide", *PUBLIC, "--horizon", "400", "--schema", self.schema(), *words, "--budget", self.budget)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.commands(), [])

    def test_a_file_that_is_not_there_costs_nothing(self):
        none = self.path("none.csv")
        for words in (["fit", "stump", "--schema", self.schema(), "--data", none, "--out", self.path("m")],
                      ["quantile", "--at", "0.5", "--range", "0..9", "--data", none],
                      ["quantile", "--horizon", "10", "--data", none], ["schema", "--private-ranges", none]):
            done = run(*words, *PUBLIC, "--budget", self.budget)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("cannot open", done.stderr)
        self.assertEqual(self.commands(), [])

    def test_a_seed_and_a_group_alone_are_refused(self):
        done = run("count", "--epsilon", "1", "--seed", "1", "--budget", self.budget, stdin="1\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not private", done.stderr)
        done = run("count", "--epsilon", "1", "--group", "north", stdin="1\n")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.commands(), [])

    def test_a_model_of_a_service_is_charged_once(self):
        folder = self.path("service")
        words = [SOTTO, "serve", "--dir", folder, "--model", "tide", "--epsilon", "2", "--delta", "1e-6", "--horizon",
                 "1000", "--schema", self.schema(), "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0",
                 "--budget", self.budget, "--group", "north"]
        for _ in range(2):
            with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
                for line in process.stderr:
                    if "model_created" in line or "model_found" in line:
                        break
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=120)
        self.assertEqual(self.commands(), [("serve tide", 2, 1e-6)])
        self.assertEqual(self.record()["entries"][0]["group"], "north")
        words[words.index("--dir") + 1] = self.path("other")
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(self.commands()), 1)


class Record(BudgetTest):
    def spend(self, epsilon, *more):
        return run("budget", "spend", self.budget, "--epsilon", str(epsilon), *more)

    def test_groups_each_have_the_limit(self):
        self.assertEqual(self.spend(1).returncode, 0)
        self.assertEqual(self.spend(2, "--group", "north").returncode, 0)
        self.assertEqual(self.spend(1.5, "--group", "south").returncode, 0)
        self.assertEqual(self.spend(0.75).returncode, 1)
        self.assertEqual(self.spend(0.5, "--group", "south").returncode, 0)
        spent = {made["group"]: made["spent"]["epsilon"] for made in self.record()["groups"]}
        self.assertEqual(spent, {None: 1, "north": 3, "south": 3})

    def test_show_says_what_is_left_and_finds_a_record_that_was_cut_back(self):
        before = read(self.budget)
        self.assertEqual(self.spend(0.5, "--note", "the survey of May").returncode, 0)
        shown = self.good("budget", "show", self.budget).stdout
        for part in ("Left: epsilon 2.5", "the survey of May", "Seal: "):
            self.assertIn(part, shown)
        seal = self.record()["seal"]
        self.good("budget", "show", self.budget, "--expect", seal)
        write(self.budget, before)
        self.assertEqual(run("budget", "show", self.budget, "--expect", seal).returncode, 2)

    def test_a_damaged_or_missing_record_starts_nothing(self):
        write(self.budget, read(self.budget).replace(b'"epsilon":3', b'"epsilon":4'))
        done = run("count", "--epsilon", "1", "--budget", self.budget, stdin="1\n")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("seal is wrong", done.stderr)
        self.assertNotEqual(run("count", "--epsilon", "1", "--budget", self.path("none"), stdin="1\n").returncode, 0)
        self.assertNotEqual(run("budget", "create", self.budget, "--epsilon", "9", "--delta", "1e-5").returncode, 0)

    def test_slack_is_not_for_the_charges_deltas(self):
        os.remove(self.budget)
        self.create("--epsilon", "0.5", "--delta", "1e-4", "--slack", "9e-5")
        self.assertEqual(self.spend(0.1, "--delta", "2e-5").returncode, 1)
        self.assertEqual(self.spend(0.1, "--delta", "1e-5").returncode, 0)
        made = self.record()["groups"][0]
        self.assertLess(made["epsilon_fixed_in_advance"], 0.1)  # at all of delta
        self.assertEqual(made["left"]["delta"], 0)


class Kills(BudgetTest):
    def setUp(self):
        super().setUp()
        os.remove(self.budget)
        self.create("--epsilon", "1000000", "--delta", "1e-9")
        self.lock = threading.Lock()
        self.released = 0  # processes that gave an answer: their charge must be in the record
        self.started = 0
        begin = time.monotonic()
        self.good("count", "--epsilon", "1", stdin="5\n")
        self.usual = time.monotonic() - begin

    def work(self, seed, kills):
        """Starts counts and kills each after a while, before or after its answer."""
        draw = random.Random(seed)
        for _ in range(kills):
            after = self.usual * 2 * draw.random()
            with self.lock:
                self.started += 1
            process = subprocess.Popen([SOTTO, "count", "--epsilon", "1", "--budget", self.budget],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            process.stdin.write(b"5\n")
            process.stdin.flush()
            os.set_blocking(process.stdout.fileno(), False)
            time.sleep(after)
            process.kill()
            process.wait()
            answered = bool(process.stdout.read())
            process.stdin.close()
            process.stdout.close()
            with self.lock:
                self.released += answered

    def test_two_processes_and_many_kills_lose_no_charge(self):
        workers = [threading.Thread(target=self.work, args=(seed, KILLS // 2)) for seed in (1, 2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        # The record can be read and charged, and holds all that answered.
        self.assertEqual(run("budget", "spend", self.budget, "--epsilon", "1").returncode, 0)
        made = self.record()
        charges = len(made["entries"]) - 1
        self.assertGreaterEqual(charges, self.released)
        self.assertLessEqual(charges, self.started)
        self.assertEqual(made["spent"]["epsilon"], charges + 1)
        self.assertGreater(charges, 0)
        print(f"{self.started} kills, {charges} charges, {self.released} answers")

    def test_a_charge_that_is_killed_is_in_the_record_or_not_and_never_torn_for_others(self):
        whole = read(self.budget)
        self.good("budget", "spend", self.budget, "--epsilon", "1", "--note", "x" * 300)
        longer = read(self.budget)
        for kept in (len(whole) + 1, (len(whole) + len(longer)) // 2, len(longer) - 1):
            write(self.budget, longer[:kept])
            self.good("budget", "spend", self.budget, "--epsilon", "2")
            self.assertEqual([entry["epsilon"] for entry in self.record()["entries"]], [2])


if __name__ == "__main__":
    main()
