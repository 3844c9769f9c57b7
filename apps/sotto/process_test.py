#!/usr/bin/env python3
"""Signals, pipes, descriptors and limits: process_test.py SOTTO"""
import contextlib
import fcntl
import json
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import termios

from program import SOTTO, FolderTest, LineState, main, read, run, start, wait_until, write

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
            self.assertEqual(process.wait(120), 0)
            said = process.stderr.read()
        self.assertNotIn("Broken pipe", said)
        self.assertIn("Privacy: (1, ", said)
        self.assertEqual(LineState(self.state).lines, 2)

    def test_a_closed_pipe_is_no_error(self):
        write(self.path("rows.csv"), b"x,y\n" + b"0.5,1\n0.25,0\n" * 20_000)
        run_pop = "run pop --epsilon 3 --delta 1e-6 --horizon 40000 --copies 60 --reports 20 -d rows.csv"
        fit = "fit threshold --epsilon 1 -d rows.csv -o model --quiet"
        subprocess.run([SOTTO, *fit.split()], cwd=self.folder.name, check=True, timeout=300)
        for words in ("generate life --rounds 100000", "count --help", f"{run_pop} -P 1", f"{run_pop} -p -",
                      f"{run_pop} -p - --save s", "predict -m model -d rows.csv", "count --epsilon 1 < numbers"):
            write(self.path("numbers"), b"1\n" * 200_000)
            done = subprocess.run(f"'{SOTTO}' {words} | head -n 1; exit ${{PIPESTATUS[0]}}", shell=True, text=True,
                                  capture_output=True, executable="/bin/bash", cwd=self.folder.name, timeout=300)
            self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
            self.assertNotIn("Broken pipe", done.stderr, words)

    def test_a_signal_ends_a_run_whose_table_nobody_reads(self):
        write(self.path("rows.csv"), b"x,y\n" + b"0.5,1\n0.25,0\n" * 20_000)
        for number in (signal.SIGINT, signal.SIGTERM):
            with start("run", "pop", "--epsilon", "3", "--delta", "1e-6", "--horizon", "40000", "--copies", "60",
                       "--reports", "20", "-d", self.path("rows.csv"), "-P", "1", "--save", self.state, "--replace") as process:
                wait_until(lambda: waiting_bytes(process.stdout) >= 60_000)
                process.send_signal(number)
                self.assertEqual(process.wait(30), 1)
                self.assertIn("interrupted", process.stderr.read())
            resumed = run("run", "pop", "--load", self.state, "-d", "-", "--json", stdin="x,y\n")
            self.assertEqual(resumed.returncode, 0, resumed.stderr)

    def test_a_signal_ends_a_run_whose_reader_has_stalled(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen(["yes", "1"], stdout=subprocess.PIPE) as source:
                with start(*COUNT, "--save", self.state, "--replace", stdin=source.stdout) as process:
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

    def test_no_text_of_a_file_commands_the_terminal(self):
        name = "x\x1b[31m\u009b2J"
        write(self.path("rows.csv"), f"{name},y\n0.5,1\n".encode() + b"0.25,0\n0.75,1\n" * 200)
        path = self.path("rows.csv")
        said = [run("run", model, "--epsilon", "3", "--delta", "1e-6", "--horizon", "400", "-d", path, *more)
                for model in ("leader", "tide") for more in ([], ["--publish", self.path(model)])]
        said.append(run("fit", "stump", "--epsilon", "3", "-d", path, "-o", self.path("fit"), "--quiet"))
        for model in ("leader", "tide", "fit"):
            said += [run("show", self.path(model), *more) for more in ([], ["--json"])]
            self.assertEqual(json.loads(said[-1].stdout), json.loads(read(self.path(model))))
        for done in said:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(done.stdout + done.stderr, "[\x1b\u0080-\u009f]", done.args)

    def test_names_of_classes_have_no_control_characters(self):
        for bad in ("a\nb", "a\x1b[31m", "\u009b"):
            for label in ({"classes": ["ok", bad]}, {"negative": "ok", "positive": bad}):
                schema = {"columns": [{"name": "x", "type": "boolean"}], "label": {"column": "y", **label}}
                write(self.path("s.json"), json.dumps(schema).encode())
                write(self.path("rows.csv"), b"x,y\n1,ok\n")
                done = run("run", "tide", "--epsilon", "1", "--delta", "1e-6", "--horizon", "9", "--schema", self.path("s.json"),
                           "-d", self.path("rows.csv"))
                self.assertEqual((done.returncode, done.stdout), (2, ""), label)
                self.assertIn("control characters", done.stderr)

    def test_no_input_is_replaced_by_an_output(self):
        write(self.path("rows.csv"), b"x,y\n" + b"0.25,0\n0.75,1\n" * 50)
        write(self.path("class"), b"0011\n0111\n0001\n")
        model, rows, names = self.path("model"), self.path("rows.csv"), self.path("class")
        self.assertEqual(run("fit", "threshold", "--epsilon", "1", "-d", rows, "-o", model).returncode, 0)
        before = {path: read(path) for path in (model, rows, names)}
        for words in (["predict", "-m", model, "-d", rows, "-p", model], ["predict", "-m", model, "-d", rows, "-p", rows],
                      ["ldim", names, "--dot", names], ["ldim", names, "--save", names],
                      ["run", "littlestone", "--epsilon", "1", "--delta", "1e-6", "--horizon", "9", "--class", names, "-d", rows,
                       "-p", names]):
            done = run(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("is the same file", done.stderr)
            self.assertEqual({path: read(path) for path in before}, before, words)

    def test_outputs_do_not_follow_links(self):
        write(self.path("rows.csv"), b"x,y\n" + b"0.25,0\n0.75,1\n" * 50)
        write(self.path("target"), b"keep")
        os.symlink(self.path("target"), self.path("link"))
        link = self.path("link")
        pop = ["run", "pop", "--epsilon", "3", "--delta", "1e-6", "--horizon", "99", "-d", self.path("rows.csv")]
        for words in ([*pop, "-p", link], [*pop, "--report", link], [*pop, "--save", link],
                      ["ldim", "points:8", "--dot", link]):
            self.assertEqual(run(*words).returncode, 2, words)
            self.assertEqual(read(self.path("target")), b"keep")
            self.assertTrue(os.path.islink(link))
        self.assertEqual(run(*pop, "-p", "/dev/stdout", "--quiet").stdout.count("\n"), 100)

    def test_a_model_of_another_version_is_refused(self):
        write(self.path("rows.csv"), b"x,y\n" + b"0.25,0\n0.75,1\n" * 50)
        made = [run("fit", "tree", "--epsilon", "3", "-d", self.path("rows.csv"), "-o", self.path("tree")),
                run("run", "tide", "--epsilon", "3", "--delta", "1e-6", "--horizon", "100", "-d", self.path("rows.csv"),
                    "--publish", self.path("tide"))]
        for done in made:
            self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("tree", "tide"):
            model = json.loads(read(self.path(name)))
            self.assertEqual(model["version"], 1)
            self.assertEqual(run("show", self.path(name)).returncode, 0)
            uses = (["show", self.path("other")], ["predict", "-m", self.path("other"), "-d", self.path("rows.csv")])
            for version in (99, 2, 0, "1"):
                write(self.path("other"), json.dumps({**model, "version": version}).encode())
                for words in uses:
                    done = run(*words)
                    self.assertEqual(done.returncode, 2, words)
                    self.assertIn(f"version {json.dumps(version)}", done.stderr)
            # Files of earlier programs have none.
            del model["version"]
            write(self.path("other"), json.dumps(model).encode())
            for words in uses:
                self.assertEqual(run(*words).returncode, 0, words)

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

    def test_too_little_memory_says_what_the_state_covers(self):
        # Every distinct point takes memory.
        write(self.path("rows.csv"), b"x,y\n" + b"".join(b"%d,1\n" % i for i in range(300_000)))
        done = run("run", "points", "--epsilon", "3", "--delta", "1e-6", "--horizon", "300000", "--hash-bits", "0",
                   "--save", self.state, "--save-every", "20000", "-d", self.path("rows.csv"), "--quiet",
                   preexec_fn=limit(resource.RLIMIT_AS, 44 << 20))
        self.assertEqual(done.returncode, 1, done.stderr[-500:])
        self.assertIn("memory", done.stderr)
        covered = re.search(r"covers the first (\d+) rounds", done.stderr)
        self.assertIsNotNone(covered, done.stderr[-500:])
        resumed = run("run", "points", "--load", self.state, "-d", "-", "--json", stdin="x,y\n")
        self.assertEqual(json.loads(resumed.stdout)["rounds"], int(covered.group(1)))
        self.assertIn("may be out", resumed.stderr)

    def test_a_live_run_with_too_little_memory_has_lost_nothing(self):
        lines = "".join('{"id":%d,"x":[%d],"user":"user-number-%d"}\n' % (i, i, i) for i in range(250_000))
        done = run("run", "points", "--live", "--epsilon", "3", "--delta", "1e-6", "--horizon", "250000", "--features",
                   "262144", "--save", self.state, "--quiet", stdin=lines, preexec_fn=limit(resource.RLIMIT_AS, 64 << 20))
        self.assertEqual(done.returncode, 1, done.stderr[-500:])
        self.assertIn("memory", done.stderr)
        given = done.stdout.count("\n")
        self.assertIn(f"has the {given} lines of this run that were answered", done.stderr)
        resumed = run("run", "points", "--live", "--load", self.state, "--save", self.state, "--json")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertLessEqual(given, json.loads(resumed.stdout)["rounds"])

    def test_a_search_under_a_limit_of_processes_finds_the_same(self):
        words = ["ldim", "rectangles:5x5", "--json", "--threads", "64"]
        write(self.path("class"), "\n".join("".join("01"[(i * j) % 7 < 3] for j in range(60)) for i in range(1, 120)).encode())
        words[1] = self.path("class")
        whole = json.loads(run(*words).stdout)
        limited = run(*words, preexec_fn=limit(resource.RLIMIT_AS, 500 << 20))
        self.assertEqual(limited.returncode, 0, limited.stderr)
        self.assertEqual(json.loads(limited.stdout)["dimension"], whole["dimension"])

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

    def test_a_long_plan_says_so_on_a_terminal_and_nowhere_else(self):
        words = ["plan", "pop", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1e9"]
        silent = run(*words)
        self.assertEqual(silent.stderr, "")
        ours, terminal = pty.openpty()
        shown = subprocess.run([SOTTO, *words], stdout=subprocess.PIPE, stderr=terminal, text=True, timeout=300)
        os.close(terminal)
        said = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while more := os.read(ours, 1 << 16):
                said += more
        os.close(ours)
        self.assertEqual(shown.stdout, silent.stdout)
        self.assertIn(b"planning, ", said)
        self.assertTrue(said.endswith(b"\r\033[K"), said)

    def test_an_audit_under_a_limit_of_processes_says_the_same(self):
        words = ["audit", "laplace", "--runs", "20000", "--seed", "3", "--json", "--threads"]
        alone, limited = run(*words, "1"), run(*words, "64", preexec_fn=limit(resource.RLIMIT_AS, 200 << 20))
        self.assertEqual(limited.returncode, alone.returncode, limited.stderr)
        whole, fewer = json.loads(alone.stdout), json.loads(limited.stdout)
        for report in (whole, fewer):
            report.pop("seconds", None)
        self.assertEqual(fewer, whole)


if __name__ == "__main__":
    main()
