#!/usr/bin/env python3
"""sotto audit: audit_test.py SOTTO"""
import json
import unittest

import program


def audit(*arguments, **options):
    return program.run("audit", *arguments, **options)


class AuditTest(program.FolderTest):
    def test_lists_targets_and_adversaries(self):
        listed = json.loads(audit("--list", "--json").stdout)
        names = [row["target"] for row in listed]
        for name in ("above-threshold", "sparse-vector", "stopper", "laplace", "counters", "monitor", "mirrors", "pop",
                     "winnow"):
            self.assertIn(name, names)
        self.assertIn("threshold-parking", audit("--list").stdout)

    def test_a_report_has_the_keys_that_stay_and_depends_on_the_seed_alone(self):
        runs = [audit("laplace", "--runs", "20000", "--json", "--threads", str(n)) for n in (1, 3)]
        self.assertEqual(runs[0].returncode, 0, runs[0].stderr)
        self.assertEqual(runs[0].stdout, runs[1].stdout)
        report = json.loads(runs[0].stdout)
        for key in ("target", "adversary", "runs", "claimed", "epsilon_lower", "confidence", "verdict"):
            self.assertIn(key, report)
        self.assertEqual(report["verdict"], "consistent")
        self.assertGreater(report["epsilon_lower"], 0.8)
        self.assertLessEqual(report["epsilon_lower"], 1)

    def test_shards_are_merged_into_the_same_report(self):
        flags = ["--runs", "10000", "--epsilon", "0.5"]
        for i in (1, 2):
            program.write(self.path(str(i)), audit("laplace", *flags, "--shard", f"{i}/2").stdout.encode())
        merged = audit("merge", self.path("1"), self.path("2"), "--json")
        whole = audit("laplace", *flags, "--looks", "1", "--json")
        self.assertEqual(json.loads(merged.stdout), json.loads(whole.stdout))
        self.assertEqual(audit("merge", self.path("1")).returncode, 2)
        self.assertEqual(audit("laplace", "--shard", "3/2").returncode, 2)

    def test_the_page_stands_alone(self):
        done = audit("stopper", "--runs", "2000", "--report", self.path("a.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        page = program.read(self.path("a.html")).decode()
        self.assertIn("<svg", page)
        self.assertNotIn("http", page)

    def test_all_makes_a_page_for_each_and_says_how_it_went(self):
        folder = self.path("pages")
        done = audit("all", "--only", "laplace,stopper,leader", "--runs", "256", "--html", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("laplace", "stopper", "leader"):
            self.assertIn(f"Audit of {name}", program.read(f"{folder}/{name}.html").decode())
            self.assertIn(f"| `{name}` |", done.stdout)
        self.assertNotIn("violation", done.stdout)
        self.assertEqual(audit("all", "--only", "nothing").returncode, 2)

    def test_what_there_is_not_is_refused(self):
        self.assertEqual(audit("nothing").returncode, 2)
        wrong = audit("laplace", "--adversary", "nobody")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("extremal-pair", wrong.stderr)


# A row that cannot be used is told by an awk program as its model would.
USED = r'NR>1 { ok = ($1 ~ /^-?[0-9]+$/ && $2 ~ /^[01]$/); n += ok; print ok ? int(2*rand()) : "" > out "/p" }'


class ProgramAuditTest(program.FolderTest):
    def setUp(self):
        super().setUp()
        rows = "".join(f"{i % 5},{i % 2}\n" for i in range(12))
        program.write(self.path("rows.csv"), ("x,y\n" + rows).encode())

    def audit(self, body, runs=40, *flags, epsilon=1):
        script = "BEGIN { srand(seed) } " + body
        command = ["sh", "-c", 'awk -F, -v out="$1" -v seed=$$ "$2" "$3"', "sh", "{out}", script, "{data}"]
        done = audit("program", "-d", self.path("rows.csv"), "--epsilon", str(epsilon), "--runs", str(runs), "--answers",
                     "p", "--allowed", "0,1", "--json", *flags, "--", *command)
        return done.returncode, json.loads(done.stdout)

    def test_a_sound_program_is_consistent(self):
        code, report = self.audit(USED, 4)
        self.assertEqual((code, report["verdict"]), (0, "consistent"), report)

    def test_a_skipped_row_that_is_missing_from_a_table_is_a_leak(self):
        # The table has a line for every row that was used.
        code, report = self.audit(USED + ' ok { print "row" > out "/table" }', 4)
        self.assertEqual((code, report["verdict"]), (1, "violation"))
        self.assertTrue(any("table" in leak["place"] and leak["exact"] for leak in report["leaks"]))

    def test_a_count_in_a_published_file_is_a_leak_once_it_is_certain(self):
        body = USED + ' END { print "{\\"rows\\": " n "}" > out "/model.json" }'
        _, few = self.audit(body, 4)
        self.assertEqual(few["verdict"], "consistent")
        self.assertGreater(few["suspicions"], 0)
        code, report = self.audit(body, few["runs_needed"])
        self.assertEqual((code, report["verdict"]), (1, "violation"))

    def test_an_answer_that_repeats_the_protected_row_is_a_leak(self):
        # Everybody after the protected row is told its label, mostly.
        body = r'NR>1 { if (NR == 8) y = ($2 == "1"); t = NR > 8 && rand() < 0.95 ? y : int(2*rand()); print t > out "/p" }'
        _, report = self.audit(body, 100, epsilon=0.1)
        self.assertEqual(report["verdict"], "violation")
        self.assertFalse(report["leaks"][0]["exact"])

    def test_a_program_that_goes_wrong_is_never_private(self):
        for body, word in (
                (r'NR==6 { exit 3 } NR>1 { print 1 > out "/p"; fflush(out "/p") }', "round 5: it ended with exit code 3"),
                (r'NR==6 { while (1); } NR>1 { print 1 > out "/p"; fflush(out "/p") }', "round 5: it hung"),
                (r'NR==6 { system("kill -9 $PPID") } NR>1 { print 1 > out "/p"; fflush(out "/p") }', "round 5: it"),
                (r'NR>1 { print NR==6 ? 2 : 1 > out "/p" }', "round 5: the answer '2' is out of range"),
                (r'NR>1 && NR<6 { print 1 > out "/p" }', "round 5: 4 answers to 12 rows")):
            code, report = self.audit(body, 2, "--timeout", "1")
            self.assertEqual((code, report["verdict"]), (1, "broken"), body)
            self.assertIn(word, report["faults"][0])

    def test_the_models_of_the_registry_are_consistent(self):
        rows = "".join(f"{1 if i % 3 else -1},{1 if i % 2 else -1},v{i},{i % 2}\n" for i in range(24))
        program.write(self.path("users.csv"), ("a,b,user,y\n" + rows).encode())
        for model, flags in (("tide", []), ("leader", []), ("winnow", ["--margin", "0.5"]),
                             ("pop", ["--copies", "60", "--reports", "20", "--learner", "perceptron"])):
            files = ["-p", "{out}/p", "--report", "{out}/page.html"]
            if "--hypothesis" in program.run("run", model, "--help").stdout:
                files += ["--hypothesis", "{out}/h.json"]
            done = audit("program", "-d", self.path("users.csv"), "--epsilon", "3", "--delta", "1e-6", "--runs", "2",
                         "--answers", "p", "--allowed", "0,1", "--", program.SOTTO, "run", model, "--epsilon", "3",
                         "--delta", "1e-6", "--horizon", "24", "-d", "{data}", "--public", *files, *flags)
            self.assertEqual(done.returncode, 0, model + ": " + done.stdout + done.stderr)


if __name__ == "__main__":
    program.main()
