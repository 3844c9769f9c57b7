#!/usr/bin/env python3
"""count, monitor and quantile as a person or a script would use them: line_commands_test.py SOTTO"""
import json
import os
import re
import signal
import subprocess

from program import SOTTO, FolderTest, LineState, main, read, run, write


class LineCommandTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.data = self.path("data")
        with open(self.data, "w") as file:
            file.write("".join(f"{i / 7}\n" for i in range(500)))

    def commands(self):
        """Every line command with good flags and ten good lines."""
        ones = "1\n" * 10
        yield ["count", "--epsilon", "1", "--horizon", "30"], ones
        yield ["count", "--epsilon", "1", "--delta", "1e-6", "--horizon", "30", "--mechanism", "sqrt"], ones
        yield ["count", "--epsilon", "1", "--horizon", "30", "--mechanism", "sparse", "--expected-events", "9"], ones
        yield ["count", "--epsilon", "1"], ones
        yield ["monitor", "--threshold", "1000", "--epsilon", "1", "--horizon", "30"], ones
        yield (["quantile", "--data", self.data, "--epsilon", "1", "--delta", "1e-6", "--horizon", "30"],
               "".join(f"{10 * i}\n" for i in range(10)))

    def test_a_line_out_for_each_line_in_and_a_statement_on_stderr(self):
        for command, lines in self.commands():
            done = run(*command, stdin=lines)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(done.stdout.splitlines()), 10)
            self.assertIn("Privacy: (1, ", done.stderr)
            self.assertIn("adaptive adversary", done.stderr)
            for line in run(*command, "--json", stdin=lines).stdout.splitlines():
                self.assertIn("t", json.loads(line))

    def test_stopping_and_resuming_equals_an_uninterrupted_run(self):
        for command, lines in self.commands():
            whole = run(*command, "--seed", "5", "--json", stdin=lines)
            for cut in (0, 1, 7, 10):
                first = "".join(lines.splitlines(True)[:cut])
                second = "".join(lines.splitlines(True)[cut:])
                state = self.path("state")
                one = run(*command, "--seed", "5", "--json", "--save", state, "--replace", stdin=first)
                two = run(*command, "--json", "--load", state, stdin=second)
                self.assertEqual(one.stdout + two.stdout, whole.stdout, f"{command} cut at {cut}: {two.stderr}")

    def test_a_state_loaded_twice_uses_other_noise_on_other_data(self):
        command = ["count", "--epsilon", "0.01", "--horizon", "3"]
        state = self.path("state")
        run(*command, "--save", state, stdin="5\n")
        same = [run(*command, "--load", state, stdin="7\n").stdout for _ in range(2)]
        self.assertEqual(same[0], same[1])
        errors = {int(run(*command, "--load", state, stdin=f"{x}\n").stdout) - x for x in range(12)}
        self.assertGreater(len(errors), 8)

    def test_without_a_seed_noise_is_fresh_and_with_one_the_output_says_so(self):
        command = ["count", "--epsilon", "0.001", "--horizon", "3"]
        self.assertGreater(len({run(*command, stdin="5\n").stdout for _ in range(5)}), 3)
        self.assertIn("NOT PRIVATE", run(*command, "--seed", "1", stdin="5\n").stderr)

    def test_bad_lines_are_refused_with_their_number_and_the_state_is_that_of_the_line_before(self):
        for command, lines in self.commands():
            good = lines.splitlines(True)
            bad_lines = ["x", "", "nan", "1e999"] + ([] if command[0] == "quantile" else ["-1", "1.5", "99999999999"])
            for bad in bad_lines:
                state = self.path("kept")
                whole = run(*command, "--seed", "3", stdin="".join(good[:4]))
                run(*command, "--seed", "3", "--save", state, "--replace", stdin=good[0])
                done = run(*command, "--load", state, "--save", state, stdin=good[1] + bad + "\n" + good[2])
                self.assertEqual(done.returncode, 2, f"{command} {bad!r}")
                self.assertIn("line 2", done.stderr)
                self.assertEqual(done.stdout, whole.stdout.splitlines(True)[1])
                self.assertIn("covers the first 2 lines", done.stderr)
                rest = run(*command, "--load", state, stdin=good[2] + good[3])
                self.assertEqual(rest.stdout, "".join(whole.stdout.splitlines(True)[2:]))

    def test_more_rounds_than_the_horizon_are_refused(self):
        for command, lines in self.commands():
            if "--horizon" not in command:
                continue
            done = run(*command, stdin=lines * 4)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("line 31", done.stderr)
            self.assertEqual(len(done.stdout.splitlines()), 30)

    def test_states_that_do_not_fit_are_refused(self):
        count = ["count", "--epsilon", "1", "--horizon", "30"]
        state, damaged = self.path("state"), self.path("damaged")
        run(*count, "--save", state, stdin="1\n")
        content = bytearray(read(state))
        content[40] ^= 1
        write(damaged, content)
        for arguments in ([*count, "--load", damaged],
                          [*count, "--load", self.data],
                          ["count", "--epsilon", "2", "--horizon", "30", "--load", state],
                          ["count", "--epsilon", "1", "--horizon", "31", "--load", state],
                          ["monitor", "--threshold", "5", "--epsilon", "1", "--horizon", "30", "--load", state],
                          ["quantile", "--data", self.data, "--epsilon", "1", "--delta", "1e-6", "--horizon", "30",
                           "--load", state]):
            done = run(*arguments, stdin="1\n")
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "")
            self.assertGreater(len(done.stderr), 20)
        for unreadable in (self.path("none"), self.folder.name, "/dev/zero"):
            self.assertEqual(run(*count, "--load", unreadable, stdin="1\n").returncode, 2, unreadable)

    def test_a_place_that_cannot_be_saved_to_is_refused_before_any_answer(self):
        link = self.path("link")
        os.symlink("elsewhere", link)
        for place in (self.path("none/x"), self.folder.name, link):
            done = run("count", "--epsilon", "1", "--horizon", "9", "--save", place, stdin="1\n")
            self.assertEqual(done.returncode, 2, place)
            self.assertEqual(done.stdout, "")

    def test_a_seeded_state_stays_not_private(self):
        command = ["count", "--epsilon", "1", "--horizon", "9"]
        state = self.path("state")
        run(*command, "--seed", "5", "--save", state, stdin="1\n")
        resumed = run(*command, "--load", state, "--quiet", "--json", stdin="1\n")
        self.assertIn("NOT PRIVATE", resumed.stderr)
        self.assertIs(json.loads(resumed.stdout)["private"], False)
        self.assertEqual(run(*command, "--seed", "5", "--load", state, stdin="1\n").returncode, 2)
        self.assertEqual(run(*command, "--seed", "-5", stdin="1\n").returncode, 2)

    def test_an_interrupt_saves_the_state_and_states_the_privacy(self):
        state = self.path("state")
        command = ["count", "--epsilon", "1", "--horizon", "100"]
        with subprocess.Popen([SOTTO, *command, "--save", state], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            process.stdin.write("3\n")
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 1)
            said = process.stderr.read()
            self.assertIn("Privacy: (1, ", said)
            self.assertIn("interrupted", said)
        self.assertEqual(LineState(state).lines, 1)
        self.assertEqual(run(*command, "--load", state, stdin="1\n").returncode, 0)

    def test_a_bad_line_still_gets_the_statement_for_the_answers_before_it(self):
        done = run("count", "--epsilon", "1", "--horizon", "9", stdin="1\n\x1b[31m\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Privacy: (1, ", done.stderr)
        self.assertNotIn("\x1b", done.stderr)

    def test_a_delta_that_cannot_be_kept_is_refused(self):
        done = run("count", "--epsilon", "1", "--delta", "1e-300", "--horizon", "9", stdin="1\n")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")

    def test_whole_numbers_may_be_written_scientifically(self):
        self.assertEqual(run("count", "--epsilon", "1", "--horizon", "1e6", stdin="1\n").returncode, 0)
        for bad in ("-2", "1.5", "x"):
            self.assertEqual(run("count", "--epsilon", "1", "--horizon", bad, stdin="1\n").returncode, 2, bad)

    def test_quantile_refuses_other_data_under_a_state_and_bad_data(self):
        flags = ["--epsilon", "1", "--delta", "1e-6", "--horizon", "30"]
        state, other = self.path("state"), self.path("other")
        run("quantile", "--data", self.data, *flags, "--save", state, stdin="1\n")
        write(other, b"1\n2\n")
        self.assertEqual(run("quantile", "--data", other, *flags, "--load", state, stdin="1\n").returncode, 2)
        write(other, b"1\n2\nthree\n")
        done = run("quantile", "--data", other, *flags, stdin="1\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("line 3", done.stderr)
        self.assertEqual(run("quantile", "--data", self.path("none"), *flags).returncode, 2)

    def test_the_monitor_says_above_once_and_ends(self):
        command = ["monitor", "--threshold", "50", "--epsilon", "5", "--horizon", "1000"]
        state = self.path("state")
        done = run(*command, "--save", state, stdin="1\n" * 1000)
        answers = done.stdout.split()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(answers.count("above"), 1)
        self.assertEqual(answers[-1], "above")
        self.assertEqual(set(answers[:-1]), {"below"})
        again = run(*command, "--load", state, stdin="1\n")
        self.assertEqual(again.returncode, 2)
        self.assertIn("ended", again.stderr)

    def test_answers_come_before_the_next_line_is_written(self):
        command = [SOTTO, "count", "--epsilon", "1", "--horizon", "100"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as process:
            for _ in range(20):
                process.stdin.write("3\n")
                process.stdin.flush()
                int(process.stdout.readline())
            process.stdin.close()
            self.assertEqual(process.wait(60), 0)

    def test_users_of_several_rounds_get_more_noise_and_the_same_promise(self):
        errors = {}
        for rounds in ("1", "5"):
            done = run("count", "--epsilon", "1", "--delta", "1e-6", "--horizon", "100", "--rounds-per-user", rounds,
                       stdin="1\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, rf"\(1, 1e-0?6\).* at most {rounds} ")
            errors[rounds] = float(re.search(r"within (\d+)", done.stderr).group(1))
        # Five rounds of a fifth of epsilon each.
        self.assertGreater(errors["5"], 4 * errors["1"])

    def test_parameters_that_cannot_be_met_are_refused(self):
        for arguments in (["count", "--epsilon", "0", "--horizon", "5"],
                          ["count", "--epsilon", "nan", "--horizon", "5"],
                          ["count", "--epsilon", "1", "--delta", "1", "--horizon", "5"],
                          ["count", "--epsilon", "1", "--horizon", "5", "--mechanism", "sqrt"],
                          ["count", "--epsilon", "1", "--horizon", "5", "--mechanism", "best"],
                          ["count", "--epsilon", "1", "--horizon", "5", "--rounds-per-user", "0"],
                          ["monitor", "--epsilon", "1", "--horizon", "5"],
                          ["monitor", "--threshold", "0", "--epsilon", "1", "--horizon", "5"],
                          ["quantile", "--epsilon", "1", "--delta", "1e-6", "--horizon", "5"],
                          ["quantile", "--data", self.data, "--epsilon", "1", "--delta", "0", "--horizon", "5"]):
            done = run(*arguments, stdin="1\n")
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "", arguments)
            self.assertGreater(len(done.stderr), 10, arguments)


if __name__ == "__main__":
    main()
