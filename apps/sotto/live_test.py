#!/usr/bin/env python3
"""`sotto run MODEL --live`: predict now, label later. live_test.py SOTTO"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOTTO = ""
POP = ["run", "pop", "--live", "--epsilon", "3", "--delta", "1e-6", "--horizon", "1000"]
LEADER = ["run", "leader", "--live", "--epsilon", "1", "--learner", "threshold", "--first-epoch", "8", "--features", "1"]


class Live:
    """A live run to talk to."""

    def __init__(self, *more, folder=None, model=POP):
        self.process = subprocess.Popen([SOTTO, *model, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, cwd=folder)

    def ask(self, line):
        self.process.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        out, error = self.process.communicate(timeout=300)
        return self.process.returncode, out, error


class LiveTest(unittest.TestCase):
    def test_predictions_come_with_tickets_and_labels_come_in_any_order(self):
        live = Live()
        asked = [live.ask({"id": f"r{i}", "x": [i / 10], "user": f"u{i}"}) for i in range(5)]
        for i, answer in enumerate(asked):
            self.assertEqual(answer["id"], f"r{i}")
            self.assertIn(answer["prediction"], (0, 1))
        tickets = [answer["ticket"] for answer in asked]
        self.assertEqual(len(set(tickets)), 5)
        for i in (3, 0, 4):
            self.assertEqual(live.ask({"ticket": tickets[i], "y": i % 2}), {"ok": True})
        code, _, error = live.end()
        self.assertEqual(code, 0, error)

    def test_a_label_counts_once_and_refusals_are_alike(self):
        live = Live()
        ticket = live.ask({"id": 1, "x": 0.5})["ticket"]
        self.assertEqual(live.ask({"ticket": ticket, "y": 1}), {"ok": True})
        self.assertEqual(live.ask({"ticket": ticket, "y": 1}), {"ok": True})
        other = live.ask({"ticket": ticket, "y": 0})
        forged = live.ask({"ticket": "0" * 32, "y": 0})
        self.assertIn("error", other)
        self.assertEqual(other, forged)
        self.assertEqual(live.end()[0], 0)

    def test_a_question_may_bring_its_label_along(self):
        live = Live()
        ticket = live.ask({"id": 1, "x": 0.5, "y": 1})["ticket"]
        self.assertEqual(live.ask({"ticket": ticket, "y": 1}), {"ok": True})
        self.assertIn("error", live.ask({"ticket": ticket, "y": 0}))
        self.assertEqual(live.end()[0], 0)

    def test_a_line_that_cannot_be_used_is_answered_and_is_an_empty_round(self):
        live = Live("--json", "--seed", "3")
        self.assertIn("error", live.ask({"id": "bad", "x": ["abc"]}))
        self.assertEqual(live.ask({"id": "bad", "x": ["abc"]})["id"], "bad")
        self.assertIn("error", live.ask("not json"))
        self.assertIn("prediction", live.ask({"id": "good", "x": [0.5], "user": "u"}))
        self.assertIn("error", live.ask({"id": "again", "x": [0.5], "user": "u"}))
        code, out, error = live.end()
        self.assertEqual(code, 0, error)
        self.assertEqual(json.loads(out.strip().split("\n")[-1])["rounds"], 5)

    def test_the_form_of_a_label_never_ticks_the_clock(self):
        """The answers to everybody else are those of a conversation without these lines."""
        def answers(*labels):
            live = Live("--json", "--seed", "3")
            received = []
            for i in range(12):
                received.append(live.ask({"id": i, "x": [i / 12], "user": f"u{i}"}))
                for label in labels:
                    self.assertEqual(live.ask(label), {"ok": False, "error": "invalid ticket or label"})
            code, out, error = live.end()
            self.assertEqual(code, 0, error)
            return received, json.loads(out.strip().split("\n")[-1])["rounds"]

        forms = ['{"ticket":["x"],"y":1}', '{"ticket":"abc","y":', '{"ticket"', '{"ticket":{}', '{"y":1,"ticket":7}',
                 '{"ticket":"t","y":1' + " " * (1 << 20)]
        without = answers()
        self.assertEqual(without[1], 12)
        for form in forms:
            self.assertEqual(answers(form), without, form[:40])
        self.assertEqual(answers(*forms), without)

    def test_a_line_beyond_the_limit_is_an_empty_round_and_the_next_is_read(self):
        live = Live("--json", "--seed", "3")
        answer = live.ask('{"id":1,"x":[0.5]}' + " " * (18 << 20))
        self.assertEqual((answer["id"], answer["code"]), (None, "bad_row"))
        self.assertIn("16 MiB", answer["error"])
        self.assertIn("prediction", live.ask({"id": 2, "x": [0.5]}))
        code, out, error = live.end()
        self.assertEqual(code, 0, error)
        self.assertEqual(json.loads(out.strip().split("\n")[-1])["rounds"], 2)

    def test_errors_name_the_column(self):
        with tempfile.TemporaryDirectory() as folder:
            schema = {"columns": [{"name": "member", "type": "boolean"}, {"name": "age", "type": "number", "range": [0, 9]}]}
            pathlib.Path(folder, "s.json").write_text(json.dumps(schema))
            live = Live("--schema", "s.json", "--learner", "perceptron", folder=folder)
            answer = live.ask({"id": "a", "x": {"member": 2, "age": 1}})
            self.assertEqual(answer, {"id": "a", "error": "column 'member': expected true or false, got 2",
                                      "code": "bad_row"})
            self.assertIn("prediction", live.ask({"id": "b", "x": {"member": 1, "age": 1}}))
            live.end()

    def test_ids_come_back_as_they_were_written(self):
        live = Live()
        for name in (7, "x", None, "\u00e9", 2**60):
            self.assertEqual(live.ask({"id": name, "x": [0.1]})["id"], name)
        live.end()

    def test_the_state_is_on_disk_before_the_first_answer_and_survives_a_kill(self):
        with tempfile.TemporaryDirectory() as folder:
            live = Live("--save", "s", "--save-every", "1", "--seed", "4", folder=folder)
            first = live.ask({"id": 0, "x": [0.25]})
            self.assertTrue(pathlib.Path(folder, "s").exists())
            second = live.ask({"id": 1, "x": [0.75]})
            live.process.kill()
            live.process.communicate()
            resumed = subprocess.Popen([SOTTO, "run", "pop", "--live", "--load", "s", "--save", "s"], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
            lines = [{"ticket": first["ticket"], "y": 0}, {"ticket": second["ticket"], "y": 1}, {"id": 2, "x": [0.5]}]
            out, error = resumed.communicate("".join(json.dumps(line) + "\n" for line in lines), timeout=300)
            self.assertEqual(resumed.returncode, 0, error)
            answers = [json.loads(line) for line in out.strip().split("\n")[:3]]
            self.assertEqual(answers[:2], [{"ok": True}, {"ok": True}])
            self.assertNotIn(answers[2]["ticket"], (first["ticket"], second["ticket"]))
            self.assertEqual(sorted(p.name for p in pathlib.Path(folder).iterdir()), ["s"])

    def test_a_second_process_is_refused_and_a_kill_loses_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            live = Live("--save", "s", "--save-every", "100", "--seed", "4", folder=folder)
            for i in range(7):
                live.ask({"id": i, "x": [0.25]})
            again = [SOTTO, "run", "pop", "--live", "--load", "s", "--save", "s"]
            second = subprocess.run(again, input="", capture_output=True, text=True, cwd=folder)
            self.assertEqual((second.returncode, second.stdout), (2, ""))
            self.assertIn("in use by another process", second.stderr)
            live.process.kill()
            live.process.communicate()
            resumed = subprocess.run([*again, "--json"], input="", capture_output=True, text=True, cwd=folder)
            self.assertEqual(resumed.returncode, 0, resumed.stderr)
            self.assertIn("7 lines of its journal were played again; nothing that was answered is missing", resumed.stderr)
            self.assertNotIn("may be out", resumed.stderr)
            self.assertEqual(json.loads(resumed.stdout)["rounds"], 7)
            self.assertEqual(sorted(p.name for p in pathlib.Path(folder).iterdir()), ["s"])

    def test_model_and_page_are_written_at_every_release(self):
        """Also with a journal: then the rounds of a release are on disk before it is."""
        for save in ([], ["--save", "state"]):
            with self.subTest(save), tempfile.TemporaryDirectory() as folder:
                live = Live("--publish", "model.json", "--report", "page.html", "--compare", *save, folder=folder,
                            model=LEADER)
                model, page = pathlib.Path(folder, "model.json"), pathlib.Path(folder, "page.html")
                releases = []
                for i in range(60):
                    ticket = live.ask({"x": [i % 2]})["ticket"]
                    self.assertEqual(live.ask({"ticket": ticket, "y": i % 2}), {"ok": True})
                    if i in (2, 20, 50):
                        releases.append(json.loads(model.read_text())["releases"] if model.exists() else 0)
                self.assertEqual(releases[0], 0)
                self.assertLess(releases[0], releases[1])
                self.assertLess(releases[1], releases[2])
                self.assertIn("without privacy", page.read_text())
                self.assertEqual(live.end()[0], 0)

    def test_a_live_run_shows_no_public_count(self):
        ran = subprocess.run([SOTTO, *POP, "--public"], input="", capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--live", ran.stderr)


if __name__ == "__main__":
    SOTTO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
