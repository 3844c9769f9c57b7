#!/usr/bin/env python3
"""sotto audit: audit_test.py SOTTO"""
import json
import os
import re
import signal
import sys
import tempfile
import time
import unittest

import audit_zoo
import program

HERE = os.path.dirname(os.path.abspath(__file__))


def audit(*arguments, **options):
    return program.run("audit", *arguments, **options)


class AuditTest(program.FolderTest):
    def test_lists_targets_and_adversaries(self):
        listed = json.loads(audit("--list", "--json").stdout)
        names = [row["target"] for row in listed]
        for name in ("above-threshold", "sparse-vector", "stopper", "laplace", "counters", "monitor", "mirrors", "pop",
                     "winnow", "online-thresholds", "unknown-horizon-counter", "sparse-histogram", "sparse-sample", "selection",
                     "reorder-slice-compute", "challenge-between-thresholds", "dp-ol", "composition", "general", "coins"):
            self.assertIn(name, names)
        self.assertIn("threshold-parking", audit("--list").stdout)
        everlasting = [row["target"] for row in listed if "everlasting-probing" in row["adversaries"]]
        self.assertEqual(sorted(everlasting), ["everlasting", "rectangles", "stumps"])

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
        self.assertEqual(done.returncode, 3, done.stderr)
        for name in ("laplace", "stopper", "leader"):
            self.assertIn(f"Audit of {name}", program.read(f"{folder}/{name}.html").decode())
            self.assertIn(f"| `{name}` |", done.stdout)
        self.assertNotIn("violation", done.stdout)
        self.assertIn("| inconclusive |", done.stdout)
        self.assertEqual(audit("all", "--only", "nothing").returncode, 2)

    def test_too_few_games_are_inconclusive_and_the_report_has_how_many_decide(self):
        done = audit("laplace", "--epsilon", "5", "--runs", "256", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((done.returncode, report["verdict"], report["duels"][0]["verdict"]),
                         (3, "inconclusive", "inconclusive"))
        self.assertIsNone(report["duels"][0]["detectable"])
        again = audit("laplace", "--epsilon", "5", "--runs", str(report["runs_needed"]), "--json")
        self.assertEqual((again.returncode, json.loads(again.stdout)["verdict"]), (0, "consistent"))
        text = audit("laplace", "--epsilon", "5", "--runs", "256").stdout
        self.assertIn("Audit of laplace: inconclusive", text)
        self.assertIn(f"--runs {report['runs_needed']}", text)

    def test_a_session_of_few_games_is_inconclusive_beside_a_game_that_is_not(self):
        done = audit("points", "--runs", "4000", "--json")
        verdicts = {case["mechanism"]: case["verdict"] for case in json.loads(done.stdout)["duels"]}
        self.assertEqual(done.returncode, 3)
        self.assertEqual((verdicts["two points"], verdicts["session"]), ("consistent", "inconclusive"))

    def test_composed_games_are_judged_by_the_theorem_and_by_the_tight_claim(self):
        done = audit("composition", "--runs", "4000", "--json")
        cases = {case["mechanism"]: case for case in json.loads(done.stdout)["duels"]}
        self.assertEqual(done.returncode, 0, done.stderr)
        printed, tight = cases["64 responses, Theorem 3.3"], cases["64 responses, tight"]
        self.assertEqual(printed["claimed"]["delta"], tight["claimed"]["delta"])
        self.assertLess(tight["claimed"]["epsilon"], 0.5 * printed["claimed"]["epsilon"])
        self.assertGreater(tight["epsilon_lower"], 0.5)
        self.assertIn("4 responses, tight", audit("composition", "--rounds", "4", "--runs", "256").stdout)

    def test_conversations_are_few_games(self):
        done = audit("general", "--runs", "256", "--mechanism", "points", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((done.returncode, report["verdict"], report["adversary"]), (3, "inconclusive", "conversation"))

    def test_the_game_without_privacy_has_a_tail_and_no_epsilon(self):
        done = audit("coins", "--runs", "2000", "--budget", "2", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((done.returncode, report["verdict"], report["epsilon_lower"]), (0, "consistent", None))
        first = report["tails"][0]
        self.assertEqual((first["rewards"], first["theorem"]), (0, 1))
        self.assertGreater(first["hits"], 1900)
        self.assertEqual(done.stdout, audit("coins", "--runs", "2000", "--budget", "2", "--json").stdout)
        self.assertIn("Theorem E.1", audit("coins", "--runs", "256").stdout)
        for wrong in (["--rounds", "0"], ["--budget", "1000", "--rounds", "1000000"], ["--epsilon", "1"]):
            self.assertEqual(audit("coins", *wrong).returncode, 2, wrong)
        refused = audit("all", "--only", "coins")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("has no epsilon", refused.stderr)

    def test_what_there_is_not_is_refused(self):
        self.assertEqual(audit("nothing").returncode, 2)
        wrong = audit("laplace", "--adversary", "nobody")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("extremal-pair", wrong.stderr)


class ExecAuditTest(program.FolderTest):
    """Programs of the user's as mechanisms and as adversaries."""

    def play(self, target, *flags, runs=1000):
        done = audit(target, "--runs", str(runs), "--json", *flags)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return done.returncode, json.loads(done.stdout)

    def peer(self, *words):
        return "exec:" + " ".join([sys.executable, os.path.join(HERE, "audit_peer.py"), *words])

    def test_a_mechanism_of_the_users_is_judged_by_its_claim(self):
        flags = ["--epsilon", "1", "--rounds", "3", "--adversary", "threshold-parking"]
        code, report = self.play(self.peer("release"), *flags)
        self.assertEqual((code, report["verdict"]), (0, "consistent"), report)
        self.assertGreater(report["epsilon_lower"], 0.5)
        code, report = self.play(self.peer("leaky"), *flags)
        self.assertEqual((code, report["verdict"]), (1, "violation"), report)

    def test_a_process_for_every_game_cannot_remember(self):
        # It says how many games it has begun.
        speak = """exec:n=0; while read -r line; do case "$line" in
                   *begin*) n=$((n + 1)); echo '{"ok":true}';; *) echo "%s";; esac; done"""
        counts = speak % '{\\"answer\\":$n}'
        parks = speak % '{\\"zero\\":0,\\"one\\":1}'
        flags = ["--epsilon", "1", "--rounds", "1", "--adversary", parks, "--answers", "1..1"]
        code, report = self.play(counts, *flags, "--fresh", runs=256)
        self.assertEqual((code, report["verdict"], report["epsilon_lower"]), (3, "inconclusive", 0), report)
        code, report = self.play(counts, *flags, runs=256)
        self.assertIn("round 1: the answer 2 is out of range", report["fault"])

    def test_the_seed_decides_what_a_seeded_program_does(self):
        flags = ["--epsilon", "1", "--rounds", "2", "--adversary", "extremal-pair"]
        reports = [self.play(self.peer("release"), *flags, "--threads", str(n), runs=256) for n in (1, 2)]
        self.assertEqual(reports[0], reports[1])

    def test_what_goes_wrong_is_told_with_its_round_and_never_private(self):
        for fault, said in (("crash", "ended with exit status 3"), ("hang", "did not answer within 500 ms"),
                            ("garbage", "'hello', which is no JSON object"), ("range", "1000000 is out of range"),
                            ("word", 'without a number "answer"'), ("halted", '"halted" is "yes"'),
                            ("more", "more than it was asked for")):
            code, report = self.play(self.peer("release", fault), "--epsilon", "1", "--adversary", "threshold-parking",
                                     "--answers", "-1000..1000", "--timeout", "0.5")
            self.assertEqual((code, report["verdict"]), (1, "broken"), fault)
            # A line too many may come a moment after the answer.
            self.assertRegex(report["fault"], "round [34]: " if fault == "more" else "round 3: ")
            self.assertIn(said, report["fault"])

    def test_an_adversary_of_the_users_plays_and_keeps_the_rules(self):
        code, report = self.play("laplace", "--adversary", self.peer("parking"))
        self.assertEqual((code, report["verdict"]), (0, "consistent"), report)
        self.assertGreater(report["epsilon_lower"], 0.3)
        for fault, said in (("rules", "differ by more than the sensitivity"), ("crash", "the adversary: the program ended")):
            code, report = self.play("above-threshold", "--adversary", self.peer("parking", fault))
            self.assertEqual((code, report["verdict"]), (1, "broken"), fault)
            self.assertIn("round 3: ", report["fault"])
            self.assertIn(said, report["fault"])

    def test_both_may_be_programs_and_speak_any_json(self):
        code, report = self.play(self.peer("counter"), "--game", "online", "--epsilon", "1", "--rounds", "5",
                                 "--adversary", self.peer("users"))
        self.assertEqual((code, report["verdict"]), (1, "violation"), report)

    def test_an_adversary_of_the_users_plays_against_whole_models(self):
        code, report = self.play("points", "--mechanism", "session", "--adversary", self.peer("sessions"))
        self.assertEqual((code, report["verdict"], report["above_claim"]), (3, "inconclusive", False), report)
        _, report = self.play("points", "--mechanism", "two points", "--adversary", self.peer("sessions"))
        self.assertEqual(report["verdict"], "broken")
        self.assertIn('nothing is known of "x"', report["fault"])
        self.assertEqual(audit("fit-stump", "--adversary", self.peer("parking")).returncode, 2)
        self.assertEqual(audit("laplace", "--adversary", self.peer("parking"), "--shard", "1/2").returncode, 2)

    def test_bad_words_are_refused(self):
        for words in (["exec:"], ["exec:./mine"], ["exec:./mine", "--epsilon", "1", "--answers", "3"],
                      ["exec:./mine", "--epsilon", "1", "--answers", "3..1"],
                      ["exec:./mine", "--epsilon", "1", "--game", "chess"],
                      ["exec:./mine", "--epsilon", "1", "--adversary", "nobody"]):
            self.assertEqual(audit(*words).returncode, 2, words)


# A row that cannot be used is marked by an awk program as its model would.
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
        code, report = self.audit(USED)
        self.assertEqual((code, report["verdict"], report["leaks"]), (3, "inconclusive", []), report)
        code, report = self.audit(USED, report["runs_needed"])
        self.assertEqual((code, report["verdict"]), (0, "consistent"), report)
        self.assertEqual({case["verdict"] for case in report["cases"]}, {"consistent"})

    def test_the_number_of_a_run_tells_no_world(self):
        # As process ids do on a quiet machine: a fixed order of the worlds would show in remainders.
        count = ["sh", "-c", 'n=$(cat "$1" 2>/dev/null); echo $((n + 1)) | tee "$1"', "sh", self.path("count"), "{data}"]
        done = audit("program", "-d", self.path("rows.csv"), "--epsilon", "1", "--runs", "400", "--threads", "1",
                     "--change", "replaced", "--json", "--", *count)
        self.assertEqual(json.loads(done.stdout)["verdict"], "consistent")

    def test_a_skipped_row_that_is_missing_from_a_table_is_a_leak(self):
        # The table has a line for every row that was used.
        table = USED + ' ok { print "row" > out "/table" }'
        code, report = self.audit(table, 4, "--exact-words")
        self.assertEqual((code, report["verdict"]), (1, "violation"))
        self.assertTrue(any("table" in leak["place"] and leak["exact"] for leak in report["leaks"]))
        code, report = self.audit(table, 4)
        self.assertEqual((code, report["verdict"]), (3, "inconclusive"))
        self.assertTrue(any("table" in it["place"] for it in report["suspicions"]))
        code, report = self.audit(table, report["runs_needed"])
        self.assertEqual((code, report["verdict"]), (1, "violation"))
        self.assertTrue(any("table" in leak["place"] and leak["exact"] for leak in report["leaks"]))

    def test_a_count_in_a_published_file_is_a_leak_once_it_is_certain(self):
        body = USED + ' END { print "{\\"rows\\": " n "}" > out "/model.json" }'
        code, few = self.audit(body, 4)
        self.assertEqual((code, few["verdict"]), (3, "inconclusive"))
        self.assertTrue(any("model.json" in it["place"] for it in few["suspicions"]))
        code, report = self.audit(body, few["runs_needed"])
        self.assertEqual((code, report["verdict"]), (1, "violation"))

    def test_left_to_itself_it_runs_often_enough_for_a_count(self):
        command = ["sh", "-c", 'grep -c , "$1"; awk "NR>1" "$1" | sed "s/.*/0/" > "$2/p"', "sh", "{data}", "{out}"]
        done = audit("program", "-d", self.path("rows.csv"), "--epsilon", "1", "--answers", "p", "--change",
                     "blank", "--json", "--", *command)
        self.assertEqual((done.returncode, json.loads(done.stdout)["verdict"]), (1, "violation"), done.stdout)
        self.assertEqual(json.loads(done.stdout)["changes"], ["blank"])

    def test_an_interrupted_audit_has_no_verdict_and_leaves_no_stream(self):
        folder = self.path("scratch")
        os.mkdir(folder)
        command = ["program", "-d", self.path("rows.csv"), "--epsilon", "1", "--", "sh", "-c", "sleep 0.1", "{data}"]
        audits = {"stream": command, "games": ["counters", "--runs", "1e8"]}
        for name, words in audits.items():
            started = program.start("audit", *words, env={**os.environ, "TMPDIR": folder})
            program.wait_until(lambda: name == "games" or os.listdir(folder))
            time.sleep(0.3)
            started.send_signal(signal.SIGTERM)
            out, error = started.communicate(timeout=300)
            self.assertEqual((started.returncode, out), (1, ""), name)
            self.assertIn("interrupted by a signal: there is no verdict", error)
            self.assertEqual(os.listdir(folder), [])

    def test_an_answer_that_repeats_the_protected_row_is_a_leak(self):
        # Everybody after the protected row receives its label, mostly.
        body = r'NR>1 { if (NR == 8) y = ($2 == "1"); t = NR > 8 && rand() < 0.7 ? y : int(2*rand()); print t > out "/p" }'
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

    def test_a_program_that_writes_too_much_or_leaves_others_behind_is_dealt_with(self):
        marker = self.path("left")
        body = ["sh", "-c", f"(sleep 2; touch {marker}) & yes 1 | head -n 12"]
        done = audit("program", "-d", self.path("rows.csv"), "--epsilon", "1", "--runs", "2", "--answers", "-", "--", *body)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        flood = audit("program", "-d", self.path("rows.csv"), "--epsilon", "1", "--runs", "2", "--answers", "-",
                      "--timeout", "20", "--most-bytes", "100000", "--json", "--", "yes")
        self.assertEqual(json.loads(flood.stdout)["verdict"], "broken", flood.stdout)
        self.assertIn("too much", json.loads(flood.stdout)["faults"][0])
        time.sleep(2)
        self.assertFalse(os.path.exists(marker))

    def live(self, leak):
        rows = "".join(json.dumps({"x": [i % 3], "y": i % 2, "user": f"u{i}"}) + "\n" for i in range(8))
        program.write(self.path("rows.jsonl"), rows.encode())
        done = audit("program", "-d", self.path("rows.jsonl"), "--format", "live", "--epsilon", "1", "--runs", "2", "--exact-words",
                     "--json", "--", sys.executable, os.path.join(HERE, "live_twin.py"), leak)
        return json.loads(done.stdout)

    def test_a_conversation_may_not_tell_when_a_label_came(self):
        sound = self.live("none")
        self.assertEqual(sound["leaks"] + sound["faults"], [], sound)
        self.assertIn("its label later", sound["changes"])
        leaks = self.live("pending")["leaks"]
        self.assertIn("its label never", [leak["change"] for leak in leaks])


class ZooTest(unittest.TestCase):
    """Some programs of audit_zoo.pl; docs/audit.md has the table of all."""

    def judge(self, name, runs=None):
        with tempfile.TemporaryDirectory() as folder:
            return audit_zoo.judge(program.SOTTO, name, runs, folder)

    def test_every_program_of_the_zoo_is_in_its_table(self):
        source = program.read(os.path.join(HERE, "audit_zoo.pl")).decode()
        programs = re.findall(r"^    '([\w-]+)' *=> sub", source, re.M)
        self.assertEqual(sorted(programs), sorted({**audit_zoo.SOUND, **audit_zoo.LEAKING}))
        page = program.read(os.path.join(HERE, "../../docs/audit.md")).decode()
        for name in audit_zoo.SOUND:
            self.assertRegex(page, rf"\| `{name}`, sound \|.*\| consistent \|")
        for name in audit_zoo.LEAKING:
            self.assertRegex(page, rf"\| `{name}`, leaking \|.*\| violation \|")

    def test_sound_programs_are_not_called_violations(self):
        for name in ("words", "order", "length", "double", "clock"):
            self.assertEqual(self.judge(name)["verdict"], "consistent", name)

    def test_leaking_programs_are(self):
        for name in ("thousand", "words-3", "low-digit", "one-noise", "split-bit", "sorted"):
            self.assertEqual(self.judge(name)["verdict"], "violation", name)

    def test_too_few_runs_are_inconclusive_for_both(self):
        for name in ("words", "words-3"):
            self.assertEqual(self.judge(name, 24)["verdict"], "inconclusive", name)


def models(*arguments):
    """One case: the plainest one."""
    done = program.audit_models(*arguments, "--quick", "--options", "0", "--pairs", "0", "--runs", "0")
    return done.returncode, json.loads(done.stdout)


class ModelsAuditTest(program.FolderTest):
    """The leaks that were found in this program, put back around it."""

    def leaky(self, leak):
        wrapper = f"sh {HERE}/leaky_sotto.sh {leak} {program.SOTTO}"
        return models("leader", "--shard", "1/5", "--program", wrapper)

    def test_the_wrapper_alone_is_consistent(self):
        code, report = self.leaky("none")
        self.assertEqual((code, report["played"]), (0, 1), report)

    def test_leaks_of_a_skipped_row_are_found(self):
        for leak in ("missing-row", "skipped-count", "error"):
            code, report = self.leaky(leak)
            self.assertEqual((code, report["verdict"]), (1, "violation"), leak)
            self.assertIn("same seed", report["failures"][0]["leaks"][0]["place"], leak)

    def counted(self, leak, runs):
        """Without --public, which takes its time; the answers and the model are public all the same."""
        stream = program.run("generate", "threshold", "--rounds", "30").stdout
        program.write(self.path("rows.csv"), stream.encode())
        done = audit("program", "-d", self.path("rows.csv"), "--epsilon", "0.25", "--runs", str(runs), "--answers", "p",
                     "--json", "--", "sh", f"{HERE}/leaky_sotto.sh", leak, program.SOTTO, "run", "leader", "--epsilon",
                     "0.25", "--horizon", "30", "--learner", "threshold", "-d", "{data}", "-p", "{out}/p", "--publish",
                     "{out}/h", "--skip-bad", "--quiet", "--force")
        return json.loads(done.stdout)

    def test_numbers_without_noise_are_found_by_counting(self):
        for leak, verdict in (("used-count", "violation"), ("phase-after-empty", "violation"), ("none", "inconclusive")):
            report = self.counted(leak, 36)
            self.assertEqual(report["verdict"], verdict, report)
        self.assertEqual(report["leaks"] + report["suspicions"], [], report)

    def test_a_model_and_its_name(self):
        self.assertEqual(program.audit_models("nothing").returncode, 2)
        code, report = models("littlestone", "--shard", "2/5")
        self.assertEqual((code, report["verdict"]), (0, "consistent"), report)


if __name__ == "__main__":
    program.main()
