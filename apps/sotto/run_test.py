#!/usr/bin/env python3
"""`sotto run` from outside: flags, states, files, failures. run_test.py SOTTO"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOTTO = ""
POP = ["run", "pop", "--epsilon", "3", "--delta", "1e-6", "--horizon", "2000"]
WINNOW = ["run", "winnow", "--epsilon", "3", "--delta", "1e-6", "--horizon", "2000", "--margin", "0.5"]


def sotto(*words, fed=None, folder=None, **more):
    return subprocess.run([SOTTO, *words], input=fed, capture_output=True, text=True, cwd=folder, timeout=300, **more)


def threshold(rounds, seed=7):
    return sotto("generate", "threshold", "--rounds", str(rounds), "--seed", str(seed)).stdout


def halfspace(rounds):
    return sotto("generate", "halfspace", "--rounds", str(rounds), "--seed", "7", "--features", "5", "--margin", "0.5",
                 "--length", "3").stdout


class Folder(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.held.name)
        (self.folder / "rows.csv").write_text(threshold(2000))

    def tearDown(self):
        self.held.cleanup()

    def run_in(self, *words, **more):
        return sotto(*words, folder=self.folder, **more)

    def read(self, name):
        return (self.folder / name).read_text()

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class Flags(Folder):
    def test_a_model_shows_its_own_options_and_no_others(self):
        pop = sotto("run", "pop", "--help-all").stdout
        winnow = sotto("run", "winnow", "--help-all").stdout
        self.assertIn("--pin-users", pop)
        self.assertNotIn("--margin", pop)
        self.assertIn("--margin", winnow)
        self.assertNotIn("--pin-users", winnow)
        self.assertIn("winnow", sotto("run", "--help").stdout)

    def test_options_of_other_models_are_refused(self):
        for words in (["plan", "greedy-cover", "--pin-users"], ["plan", "pop", "--rules", "9"],
                      ["run", "winnow", "--copies", "3"], ["run", "pop", "--margin", "0.5"]):
            ran = sotto(*words, "--epsilon", "1", "--delta", "1e-6")
            self.assertEqual(ran.returncode, 2, words)
            self.assertIn(words[2], ran.stderr)

    def test_a_misspelt_option_is_answered_with_the_nearest(self):
        ran = sotto(*POP, "--epsilom", "1")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--epsilon", ran.stderr)

    def test_numbers_that_are_none_are_refused(self):
        for words in (["--active-share", "nan"], ["--mistake-bound", "nan"], ["--seed", "99999999999999999999999"],
                      ["--horizon", "1.5"], ["--epsilon", "0"], ["--epsilon", "inf"], ["--delta", "-1"]):
            ran = self.run_in(*POP, *words, "-d", "rows.csv")
            self.assertEqual(ran.returncode, 2, words)
            self.assertIn(words[0], ran.stderr)

    def test_an_unknown_model_is_answered_with_those_there_are(self):
        ran = sotto("run", "xyz", "--epsilon", "1")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("winnow", ran.stderr)

    def test_a_file_without_a_header_needs_a_public_number_of_columns(self):
        (self.folder / "bare.csv").write_text("0.5,1\n" * 10)
        ran = self.run_in(*POP, "-d", "bare.csv", "--no-header", "--label", "c2")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--columns", ran.stderr)
        ran = self.run_in(*POP, "-d", "bare.csv", "--no-header", "--label", "c2", "--columns", "2", "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(json.loads(ran.stdout)["rounds"], 10)


class Reports(Folder):
    def test_the_json_report_keeps_its_keys(self):
        ran = self.run_in(*POP, "-d", "rows.csv", "--json")
        report = json.loads(ran.stdout)
        for key in ("model", "learner", "rounds", "mistakes", "paid", "phases", "halted_at", "guarantee", "parameters",
                    "seconds", "rounds_per_second", "private", "baselines"):
            self.assertIn(key, report)
        for key in ("notion", "relation", "epsilon", "delta", "adversary", "rounds_per_user"):
            self.assertIn(key, report["guarantee"])
        self.assertEqual(set(report["baselines"]), {"majority", "last_label"})

    def test_a_public_report_tells_nothing_that_only_the_operator_may_see(self):
        ran = self.run_in(*POP, "-d", "rows.csv", "--json", "--public")
        report = json.loads(ran.stdout)
        for key in ("labelled", "refused", "skipped", "baselines", "log_loss"):
            self.assertNotIn(key, report)
        self.assertIsNone(report["paid"])

    def test_a_line_of_predictions_for_every_round(self):
        lines = self.read("rows.csv").split("\n")
        lines[5] = ""
        lines[9] = "bad,1"
        (self.folder / "rows.csv").write_text("\n".join(lines))
        ran = self.run_in(*POP, "-d", "rows.csv", "-p", "p", "--skip-bad", "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        predictions = self.read("p").split("\n")
        self.assertEqual(len(predictions) - 1, 2000)
        self.assertEqual([i for i, line in enumerate(predictions[:-1]) if not line], [4, 8])
        self.assertEqual(json.loads(ran.stdout)["rounds"], 2000)

    def test_add_remove_means_left_empty_in_its_place(self):
        (self.folder / "h.csv").write_text(halfspace(200))
        for words in ([*POP, "-d", "rows.csv"], [*WINNOW, "-d", "h.csv"]):
            ran = self.run_in(*words, "--relation", "add-remove")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertNotIn("added or removed", ran.stdout)
            full = json.loads(self.run_in(*words, "--relation", "add-remove", "--json").stdout)["statement"]
            self.assertIn("left empty", " ".join(full))

    def test_winnow_publishes_what_show_and_predict_read(self):
        (self.folder / "h.csv").write_text(halfspace(2000))
        ran = self.run_in(*WINNOW, "-d", "h.csv", "--publish", "w.json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        shown = self.run_in("show", "w.json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("x1", shown.stdout)
        predicted = self.run_in("predict", "--model", "w.json", "-d", "h.csv", "--json")
        self.assertEqual(predicted.returncode, 0, predicted.stderr)
        self.assertEqual(json.loads(predicted.stdout)["rows"], 2000)

    def test_text_of_a_header_cannot_command_the_terminal(self):
        (self.folder / "e.csv").write_text("x\x1b[31m,y\n0.5,1\n")
        for words in ([*POP, "-d", "e.csv"], [*POP, "-d", "e.csv", "--label", "z"]):
            ran = self.run_in(*words)
            self.assertNotIn("\x1b", ran.stdout + ran.stderr)


class BadRows(Folder):
    """Row 101 of the stream cannot be read."""

    def setUp(self):
        super().setUp()
        lines = self.read("rows.csv").split("\n")
        (self.folder / "good.csv").write_text("\n".join(lines))
        lines[101] = "bad,1"
        (self.folder / "rows.csv").write_text("\n".join(lines))

    def test_a_bad_row_is_an_empty_round_and_the_operator_is_told_where(self):
        ran = self.run_in(*POP, "-d", "rows.csv", "-p", "p", "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        report = json.loads(ran.stdout)
        self.assertEqual((report["rounds"], report["unusable"], report["skipped"]), (2000, 1, 1))
        place = "rows.csv, line 102, column 'x': 'bad': expected a number"
        self.assertIn(place, report["skipped_places"][0])
        self.assertIn("skipped_places", report["not_covered"])
        predictions = self.read("p").split("\n")
        self.assertEqual([i for i, line in enumerate(predictions[:-1]) if not line], [100])
        self.assertIn(place, self.run_in(*POP, "-d", "rows.csv").stdout)
        same = self.run_in(*POP, "-d", "rows.csv", "--skip-bad", "--json")
        self.assertEqual(json.loads(same.stdout)["rounds"], 2000)

    def test_only_the_first_few_places_are_named(self):
        (self.folder / "many.csv").write_text("x,y\n" + "bad,1\n" * 50)
        report = json.loads(self.run_in(*POP, "-d", "many.csv", "--json").stdout)
        self.assertEqual((report["skipped"], len(report["skipped_places"])), (50, 5))

    def test_with_public_nothing_is_said_of_bad_rows(self):
        blank = self.read("rows.csv").replace("bad,1", "")
        (self.folder / "blank.csv").write_text(blank)
        said = [self.run_in(*POP, "-d", name, "--public", "--seed", "3") for name in ("rows.csv", "blank.csv")]
        self.assertEqual(said[0].stdout, said[1].stdout)
        self.assertEqual(said[0].stderr, said[1].stderr)

    def test_strict_reads_and_plays_nothing(self):
        before = self.names()
        outputs = ["-p", "p", "--save", "s", "--report", "page", "--strict"]
        for name, code in (("rows.csv", 2), ("good.csv", 0)):
            ran = self.run_in(*POP, "-d", name, *outputs)
            self.assertEqual(ran.returncode, code, ran.stderr)
            self.assertIn("2,000 rows", ran.stdout + ran.stderr)
            self.assertNotIn("Privacy", ran.stdout + ran.stderr)
            self.assertEqual(self.names(), before)
            ran = self.run_in(*POP, "-d", name, *outputs, "--json")
            self.assertEqual(ran.returncode, code, ran.stderr)
            self.assertEqual(json.loads(ran.stdout)["skipped"], code // 2)
        self.assertIn("rows.csv, line 102, column 'x'", self.run_in(*POP, "-d", "rows.csv", "--strict").stderr)

    def test_strict_has_no_public_form(self):
        for more in (["--public"], ["--skip-bad"], ["--live"]):
            self.assertEqual(self.run_in(*POP, *(["-d", "rows.csv"] if more != ["--live"] else []), "--strict",
                                         *more).returncode, 2, more)

    def test_strict_checks_the_training_set_too(self):
        words = ["run", "rectangles", "--epsilon", "3", "--delta", "1e-6", "--horizon", "2000", "--error", "0.5", "-d", "good.csv"]
        self.assertEqual(self.run_in(*words, "--train", "good.csv", "--strict").returncode, 0)
        ran = self.run_in(*words, "--train", "rows.csv", "--strict")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("line 102", ran.stderr)

    def test_a_header_or_a_schema_that_does_not_fit_is_an_error_in_every_mode(self):
        (self.folder / "schema.json").write_text('{"columns":[{"name":"z","type":"boolean"}]}')
        for more in ([], ["--strict"], ["--skip-bad"], ["--public"]):
            for words in (["--label", "z"], ["--schema", "schema.json"]):
                ran = self.run_in(*POP, "-d", "rows.csv", *words, *more)
                self.assertEqual((ran.returncode, ran.stdout), (2, ""), (words, more))


class States(Folder):
    def resume(self, first, second, *words):
        ran = self.run_in(*words, "-d", "-", "--save", "s", "--replace", "-p", "p1", fed=first)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        ran = self.run_in(words[0], words[1], "--load", "s", "--save", "s", "-d", "-", "-p", "p2", fed=second)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return self.read("p1") + self.read("p2")

    def test_a_resumed_run_needs_no_flags_and_equals_one_that_was_not_stopped(self):
        header, *rows = self.read("rows.csv").strip().split("\n")
        first = "\n".join([header, *rows[:700]]) + "\n"
        second = "\n".join([header, *rows[700:]]) + "\n"
        for more in ([], ["--label-delay", "5"], ["--public"]):
            ran = self.run_in(*POP, *more, "--seed", "3", "-d", "rows.csv", "-p", "p")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(self.resume(first, second, *POP, *more, "--seed", "3"), self.read("p"))

    def test_a_state_remembers_the_label_and_refuses_other_columns(self):
        (self.folder / "a.csv").write_text("x,z\n" + "0.5,1\n" * 20)
        (self.folder / "b.csv").write_text("w,z\n" + "0.5,1\n" * 20)
        ran = self.run_in(*POP, "-d", "a.csv", "--label", "z", "--save", "s")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.run_in("run", "pop", "--load", "s", "-d", "a.csv").returncode, 0)
        other = self.run_in("run", "pop", "--load", "s", "-d", "b.csv")
        self.assertEqual(other.returncode, 2)
        self.assertIn("columns", other.stderr)
        contradicted = self.run_in("run", "pop", "--load", "s", "-d", "a.csv", "--epsilon", "1")
        self.assertEqual(contradicted.returncode, 2)
        self.assertIn("--epsilon", contradicted.stderr)

    def test_after_a_kill_the_state_on_disk_goes_on(self):
        header, *rows = self.read("rows.csv").strip().split("\n")
        process = subprocess.Popen([SOTTO, *POP, "-d", "-", "--save", "s", "--save-every", "100", "-p", "-", "--seed", "3"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   cwd=self.folder)
        process.stdin.write("\n".join([header, *rows[:1050]]) + "\n")
        process.stdin.flush()
        predictions = [process.stdout.readline().strip() for _ in range(1050)]
        process.kill()
        process.communicate()
        self.assertEqual(self.names(), ["rows.csv", "s"])
        rest = "\n".join([header, *rows[1000:]]) + "\n"
        ran = self.run_in("run", "pop", "--load", "s", "-d", "-", "-p", "p", fed=rest)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.run_in(*POP, "-d", "rows.csv", "-p", "whole", "--seed", "3")
        self.assertEqual(predictions[:1000] + self.read("p").split(), self.read("whole").split())

    def test_a_pause_alone_saves(self):
        header, *rows = self.read("rows.csv").strip().split("\n")
        process = subprocess.Popen([SOTTO, *POP, "-d", "-", "--save", "s", "--quiet"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, cwd=self.folder)
        process.stdin.write("\n".join([header, *rows[:10]]) + "\n")
        process.stdin.flush()
        for _ in range(600):
            time.sleep(0.1)
            if "s" not in self.names():
                continue
            shutil.copy(self.folder / "s", self.folder / "copy")  # the state itself is in use
            ran = self.run_in("run", "pop", "--load", "copy", "-d", "-", "--json", fed=header + "\n")
            if ran.returncode == 0 and json.loads(ran.stdout)["rounds"] == 10:
                break
        process.kill()
        process.communicate()
        self.assertEqual(json.loads(ran.stdout)["rounds"], 10)

    def test_a_damaged_state_is_refused(self):
        self.run_in(*POP, "-d", "rows.csv", "--save", "s")
        data = bytearray((self.folder / "s").read_bytes())
        data[len(data) // 2] ^= 1
        (self.folder / "s").write_bytes(data)
        self.assertEqual(self.run_in("run", "pop", "--load", "s", "-d", "rows.csv").returncode, 2)


class Files(Folder):
    def test_an_output_that_is_an_input_is_refused(self):
        before = self.read("rows.csv")
        os.link(self.folder / "rows.csv", self.folder / "other.csv")
        for words in (["-p", "rows.csv"], ["--report", "./rows.csv"], ["--save", "other.csv"]):
            ran = self.run_in(*POP, "-d", "rows.csv", *words)
            self.assertEqual(ran.returncode, 2, words)
            self.assertEqual(self.read("rows.csv"), before)

    def test_a_full_disk_is_the_fault_of_the_file(self):
        ran = self.run_in(*POP, "-d", "rows.csv", "-p", "/dev/full", "--save", "s")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("/dev/full", ran.stderr)
        self.assertNotIn("line ", ran.stderr)

    def test_a_reader_who_leaves_ends_the_run_with_its_state(self):
        process = subprocess.Popen(f"'{SOTTO}' {' '.join(POP)} -d rows.csv -p - --save s | head -n 1", shell=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        process.communicate(timeout=300)
        self.assertIn("s", self.names())
        self.assertEqual(self.run_in("run", "pop", "--load", "s", "-d", "rows.csv").returncode, 0)

    def test_with_standard_output_closed_no_file_gets_its_text(self):
        subprocess.run(f"'{SOTTO}' {' '.join(POP)} -d rows.csv -p p >&-", shell=True, cwd=self.folder,
                       stderr=subprocess.DEVNULL)
        if (self.folder / "p").exists():
            self.assertEqual(set(self.read("p").split()), {"0", "1"})

    def test_an_interrupted_run_says_so_and_keeps_its_state(self):
        process = subprocess.Popen([SOTTO, *POP, "-d", "-", "--save", "s", "-p", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        process.stdin.write("x,y\n0.5,1\n0.25,0\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1)
        self.assertIn("interrupt", error.lower())
        self.assertEqual(self.run_in("run", "pop", "--load", "s", "-d", "rows.csv").returncode, 0)

    def test_planning_can_be_interrupted(self):
        process = subprocess.Popen([SOTTO, "plan", "pop", "--epsilon", "1e-3", "--delta", "1e-6", "--horizon", "1e18"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=600)
        self.assertNotEqual(process.returncode, 0)

    def test_a_memory_limit_ends_in_a_sentence(self):
        ran = subprocess.run(f"ulimit -v 2000000; '{SOTTO}' {' '.join(POP)} --copies 1000000000 -d rows.csv", shell=True,
                             capture_output=True, text=True, cwd=self.folder)
        self.assertIn(ran.returncode, (1, 2))
        self.assertIn("sotto run pop:", ran.stderr)
        self.assertNotIn("terminate", ran.stderr)

    def test_a_directory_is_no_schema(self):
        ran = self.run_in(*POP, "-d", "rows.csv", "--schema", ".")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("sotto run pop:", ran.stderr)


if __name__ == "__main__":
    SOTTO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
