#!/usr/bin/env python3
"""States through stops, kills, bad lines and full disks: state_test.py SOTTO"""
import os
import re
import resource
import signal
import struct
import time

from program import SOTTO, FolderTest, LineState, main, read, run, start, wait_until, write

COUNT = ["count", "--epsilon", "0.01", "--horizon", "1000", "--seed", "5"]
LINES = [f"{n}\n" for n in range(1, 21)]


class StateTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        self.whole = run(*COUNT, stdin="".join(LINES)).stdout.splitlines(True)

    def lines(self):
        return LineState(self.state).lines if os.path.exists(self.state) else -1

    def answer(self, process, lines):
        answers = []
        for line in lines:
            process.stdin.write(line)
            process.stdin.flush()
            answers.append(process.stdout.readline())
        return answers

    def resume(self, lines):
        done = run("count", "--load", self.state, stdin="".join(lines))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines(True)

    def test_the_state_is_on_disk_before_the_first_answer(self):
        with start(*COUNT, "--save", self.state) as process:
            wait_until(lambda: self.lines() == 0)
            process.kill()
        self.assertEqual(self.resume(LINES), self.whole)

    def test_after_a_kill_the_state_is_at_most_so_many_lines_old_and_repeats_the_answers(self):
        with start(*COUNT, "--save", self.state, "--save-every", "4") as process:
            given = self.answer(process, LINES[:11])
            process.kill()
        self.assertEqual(given, self.whole[:11])
        self.assertEqual(self.lines(), 8)
        self.assertEqual(self.resume(LINES[8:]), self.whole[8:])
        self.assertEqual(self.files(), ["state"])

    def test_with_one_no_answer_is_out_that_the_state_does_not_know(self):
        with start(*COUNT, "--save", self.state, "--save-every", "1") as process:
            for n in range(5):
                self.answer(process, LINES[n:n + 1])
                self.assertEqual(self.lines(), n + 1)
            process.kill()
        self.assertEqual(self.resume(LINES[5:]), self.whole[5:])

    def test_when_the_input_pauses_the_state_catches_up(self):
        with start(*COUNT, "--save", self.state) as process:
            self.answer(process, LINES[:3])
            wait_until(lambda: self.lines() == 3)
            process.kill()
        self.assertEqual(self.resume(LINES[3:]), self.whole[3:])

    def test_a_bad_line_in_a_first_run_leaves_the_state_after_the_last_answer(self):
        done = run(*COUNT, "--save", self.state, stdin="".join(LINES[:6]) + "bad\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("line 7", done.stderr)
        self.assertEqual(self.lines(), 6)
        self.assertEqual(self.resume(LINES[6:]), self.whole[6:])

    def test_a_line_too_large_for_the_counter_costs_no_noise(self):
        done = run(*COUNT, "--save", self.state, stdin="".join(LINES[:6]) + "99999999999\n")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.resume(LINES[6:]), self.whole[6:])

    def test_a_state_carries_its_settings(self):
        run(*COUNT, "--save", self.state, stdin=LINES[0])
        self.assertEqual(self.resume(LINES[1:]), self.whole[1:])
        same = run("count", "--epsilon", "0.01", "--horizon", "1e3", "--json", "--load", self.state, stdin="2\n")
        self.assertEqual(same.returncode, 0, same.stderr)
        for other in (["--epsilon", "0.02"], ["--horizon", "999"], ["--mechanism", "tree"],
                      ["--rounds-per-user", "2"], ["--delta", "1e-9"]):
            done = run("count", *other, "--load", self.state, stdin="2\n")
            self.assertEqual(done.returncode, 2, other)
            self.assertIn(other[0], done.stderr)
            self.assertEqual(done.stdout, "")

    def test_monitor_and_quantile_resume_without_flags_too(self):
        data = self.path("data")
        write(data, b"1\n2\n3\n")
        for command, more in ((["monitor", "--threshold", "900", "--epsilon", "1", "--horizon", "9"], []),
                              (["quantile", "--epsilon", "1", "--delta", "1e-6", "--horizon", "9"],
                               ["--data", data])):
            whole = run(*command, *more, "--seed", "5", stdin="1\n2\n").stdout.splitlines(True)
            run(*command, *more, "--seed", "5", "--save", self.state, "--replace", stdin="1\n")
            done = run(command[0], *more, "--load", self.state, stdin="2\n")
            self.assertEqual(done.stdout, whole[1], done.stderr)
        self.assertIn("--data is required", run("quantile", "--load", self.state).stderr)

    def test_save_every_needs_a_place_and_a_number(self):
        self.assertEqual(run(*COUNT, "--save-every", "5").returncode, 2)
        self.assertEqual(run(*COUNT, "--save", self.state, "--save-every", "0").returncode, 2)

    def test_one_process_at_a_time_uses_a_state(self):
        with start(*COUNT, "--save", self.state) as process:
            self.answer(process, LINES[:3])
            for words in (["count", "--load", self.state], ["count", "--load", self.state, "--save", self.state],
                          [*COUNT, "--save", self.state, "--replace"],
                          ["count", "--load", self.state, "--save", self.path("other")]):
                second = run(*words, stdin="1\n")
                self.assertEqual((second.returncode, second.stdout), (2, ""), words)
                self.assertIn("in use by another process", second.stderr)
            self.assertEqual(self.answer(process, LINES[3:5]), self.whole[3:5])
            process.stdin.close()
            self.assertEqual(process.wait(60), 0)
        self.assertEqual(self.resume(LINES[5:]), self.whole[5:])
        self.assertEqual(self.files(), ["state"])

    def test_a_loaded_state_is_in_use_although_nothing_is_saved(self):
        run(*COUNT, "--save", self.state, stdin=LINES[0])
        with start("count", "--load", self.state) as process:
            self.answer(process, LINES[1:2])
            self.assertEqual(run("count", "--load", self.state, stdin="1\n").returncode, 2)
            process.kill()
        self.assertEqual(self.resume(LINES[1:]), self.whole[1:])

    def test_of_many_that_start_at_once_one_gets_the_state(self):
        for replace in ([], ["--replace"]):
            running = [start(*COUNT, "--save", self.state, *replace) for _ in range(8)]
            time.sleep(1)  # until each has its place, or has been refused
            for process in running:
                try:
                    process.stdin.write(LINES[0])
                    process.stdin.close()
                except BrokenPipeError:
                    pass
            codes = [process.wait(60) for process in running]
            for process in running:
                process.stdout.close()
                process.stderr.close()
            self.assertEqual(sorted(codes)[0], 0, codes)
            if not replace:
                self.assertEqual(codes.count(0), 1, codes)
            self.assertEqual(self.lines(), 1)
            self.assertEqual(self.files(), ["state"])

    def test_a_new_run_does_not_overwrite_a_state_that_it_did_not_load(self):
        run(*COUNT, "--save", self.state, stdin="".join(LINES[:4]))
        before = read(self.state)
        for words in (COUNT, ["monitor", "--threshold", "9", "--epsilon", "1", "--horizon", "9"]):
            done = run(*words, "--save", self.state, stdin="1\n")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--replace", done.stderr)
            self.assertEqual(read(self.state), before)
        other = self.path("other")
        run(*COUNT, "--save", other, stdin=LINES[0])
        self.assertEqual(run("count", "--load", other, "--save", self.state, stdin="1\n").returncode, 2)
        self.assertEqual(read(self.state), before)
        done = run(*COUNT, "--save", self.state, "--replace", stdin=LINES[0])
        self.assertEqual((done.returncode, done.stdout), (0, self.whole[0]))
        self.assertEqual(self.lines(), 1)

    def test_after_a_kill_the_next_load_says_how_many_answers_may_be_out(self):
        with start(*COUNT, "--save", self.state, "--save-every", "4") as process:
            self.answer(process, LINES[:11])
            process.kill()
        done = run("count", "--load", self.state, "--save", self.state, stdin="".join(LINES[8:]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 answers may be out that the state does not cover", done.stderr)
        self.assertIn("spend the guarantee again", done.stderr)
        self.assertEqual(done.stdout.splitlines(True), self.whole[8:])
        self.assertNotIn("may be out", run("count", "--load", self.state, stdin="1\n").stderr)

    def test_after_a_kill_nothing_is_said_if_every_answer_was_saved_first(self):
        with start(*COUNT, "--save", self.state, "--save-every", "1") as process:
            self.answer(process, LINES[:5])
            process.kill()
        self.assertNotIn("may be out", run("count", "--load", self.state, stdin="1\n").stderr)

    def test_the_mark_counts_answers_that_left_in_large_pieces(self):
        with start(*COUNT[:3], "--horizon", "100000", "--save", self.state, "--save-every", "100000") as process:
            process.stdin.write("1\n" * 30000)
            process.stdin.flush()
            got = [process.stdout.readline() for _ in range(10000)]
            process.kill()
            got += process.stdout.readlines()
        said = re.search(r"([\d,]+) answers may be out", run("count", "--load", self.state, stdin="1\n").stderr)
        self.assertGreaterEqual(int(said.group(1).replace(",", "")), len(got))

    def test_a_run_that_ended_properly_leaves_a_state_without_a_mark(self):
        run(*COUNT, "--save", self.state, stdin="".join(LINES[:4]))
        self.assertNotIn(b"IN-USE", read(self.state))
        with start(*COUNT, "--save", self.path("other")) as process:
            self.answer(process, LINES[:2])
            self.assertIn(b"IN-USE", read(self.path("other")))
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        self.assertNotIn(b"IN-USE", read(self.path("other")))

    def test_an_input_is_never_replaced_by_a_state(self):
        data, link, hard = self.path("data"), self.path("link"), self.path("hard")
        write(data, b"1\n2\n3\n")
        os.symlink(data, link)
        os.link(data, hard)
        quantile = ["quantile", "--epsilon", "1", "--delta", "1e-6", "--horizon", "9"]
        for name in (data, os.path.join(self.folder.name, ".", "data"), hard, link):
            done = run(*quantile, "--data", data, "--save", name, stdin="1\n")
            self.assertEqual(done.returncode, 2, name)
            self.assertEqual(read(data), b"1\n2\n3\n")
        with open(data) as file:
            done = run(*COUNT, "--save", data, stdin=None, preexec_fn=lambda: os.dup2(file.fileno(), 0))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(read(data), b"1\n2\n3\n")

    def test_a_disk_that_is_full_at_the_first_state_ends_the_run_before_any_answer(self):
        done = run(*COUNT, "--save", self.state, stdin="1\n",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn("is as it was", done.stderr)
        self.assertEqual(self.files(), [])

    def test_states_with_absurd_numbers_under_a_right_checksum_are_refused_or_harmless(self):
        data, bad = self.path("data"), self.path("bad")
        write(data, b"1\n2\n3\n")
        for command, more in ((COUNT, []), ([*COUNT, "--mechanism", "sparse", "--expected-events", "9"], []),
                              (["count", "--epsilon", "1"], []),
                              (["count", "--epsilon", "1", "--delta", "1e-6", "--horizon", "99", "--mechanism",
                                "sqrt"], []),
                              (["monitor", "--threshold", "900", "--epsilon", "1", "--horizon", "9"], []),
                              (["quantile", "--epsilon", "1", "--delta", "1e-6", "--horizon", "9"],
                               ["--data", data])):
            run(*command, *more, "--save", self.state, "--replace", stdin="1\n2\n3\n")
            state = LineState(self.state)
            first = 8 + len(state.settings)
            for place in range(first, len(state.payload) - 7, 8):
                value = 2**64 - 1 if place % 16 else 2**62
                payload = state.payload[:place] + struct.pack("<Q", value) + state.payload[place + 8:]
                state.write(bad, payload)
                done = run(command[0], *more, "--load", bad, stdin="1\n", timeout=300)
                self.assertIn(done.returncode, (0, 2), f"{command} at {place}: {done.stderr}")


if __name__ == "__main__":
    main()
