#!/usr/bin/env python3
"""Signals, pipes, descriptors and limits: process_test.py SOTTO"""
import fcntl
import os
import resource
import signal
import struct
import subprocess
import termios

from program import SOTTO, FolderTest, LineState, main, run, start, wait_until

COUNT = ["count", "--epsilon", "1", "--horizon", "1e9"]


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


def waiting_bytes(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


class ProcessTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")

    def test_a_reader_that_goes_away_ends_the_run_with_its_state_kept(self):
        with start(*COUNT, "--save", self.state) as process:
            process.stdin.write("1\n")
            process.stdin.flush()
            process.stdout.readline()
            process.stdout.close()
            process.stdin.write("1\n")
            process.stdin.close()
            self.assertEqual(process.wait(120), 1)
            said = process.stderr.read()
        self.assertIn("Broken pipe", said)
        self.assertIn("Privacy: (1, ", said)
        self.assertEqual(LineState(self.state).lines, 2)

    def test_a_signal_ends_a_run_whose_reader_has_stalled(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen(["yes", "1"], stdout=subprocess.PIPE) as source:
                with start(*COUNT, "--save", self.state, stdin=source.stdout) as process:
                    source.stdout.close()
                    wait_until(lambda: waiting_bytes(process.stdout) >= 60_000)  # the pipe is full
                    process.send_signal(number)
                    self.assertEqual(process.wait(120), 1)
                    self.assertIn("interrupted", process.stderr.read())
                source.kill()
            self.assertGreater(LineState(self.state).lines, 0)

    def test_a_signal_that_was_ignored_stays_ignored(self):
        with start(*COUNT, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            for _ in range(3):
                process.stdin.write("1\n")
                process.stdin.flush()
                self.assertTrue(process.stdout.readline())
                process.send_signal(signal.SIGHUP)
            process.stdin.close()
            self.assertEqual(process.wait(120), 0)

    def test_a_closed_standard_output_is_an_error_and_no_file_of_ours_becomes_it(self):
        done = run(*COUNT, "--save", self.state, stdin="1\n", preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(LineState(self.state).lines, 0)
        done = run("account", "--mechanism", "gaussian", "--noise-scale", "1", "--delta", "1e-6",
                   preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)

    def test_closed_standard_descriptors_do_no_harm(self):
        self.assertEqual(run(*COUNT, preexec_fn=lambda: os.close(0)).returncode, 1)
        done = run(*COUNT, "--save", self.state, stdin="1\n", preexec_fn=lambda: os.close(2))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(LineState(self.state).lines, 1)

    def test_a_full_output_is_an_error_and_the_state_is_not_ahead_of_it(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([SOTTO, *COUNT, "--save", self.state], input="1\n" * 9, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)
        self.assertEqual(LineState(self.state).lines, 0)

    def test_there_is_never_a_core_file(self):
        with start(*COUNT) as process:
            process.stdin.write("1\n")
            process.stdin.flush()
            process.stdout.readline()
            with open(f"/proc/{process.pid}/limits") as file:
                core = [line for line in file if "core file" in line]
            process.stdin.close()
        self.assertEqual(core[0].split()[4:6], ["0", "0"])

    def test_too_little_memory_ends_with_a_sentence(self):
        numbers = self.path("numbers")
        with open(numbers, "w") as file:
            file.write("1\n" * 3_000_000)
        done = run("quantile", "--data", numbers, "--epsilon", "1", "--delta", "1e-6", "--horizon", "9", stdin="1\n",
                   preexec_fn=limit(resource.RLIMIT_AS, 40 << 20))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("memory", done.stderr)

    def test_too_many_copies_end_with_a_sentence(self):
        done = run("run", "pop", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1e5", "--copies", "1000000000",
                   "-d", "-", stdin="x,y\n1,1\n",
                   preexec_fn=limit(resource.RLIMIT_AS, 500 << 20))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("memory", done.stderr)

    def test_with_fewer_threads_than_asked_for_the_answers_are_the_same(self):
        stream = run("generate", "halfspace", "--rounds", "300", "--features", "5", "--seed", "3").stdout
        def answers(threads, **options):
            done = run("run", "pop", "--epsilon", "3", "--delta", "1e-6", "--horizon", "300", "--learner", "perceptron",
                       "--copies", "2000", "--threads", threads, "--seed", "5", "-d", "-", "-p", "-", "--quiet",
                       stdin=stream, **options)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        # Every thread wants a stack of megabytes.
        self.assertEqual(answers("64", preexec_fn=limit(resource.RLIMIT_AS, 200 << 20)), answers("1"))


if __name__ == "__main__":
    main()
