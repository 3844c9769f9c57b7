#!/usr/bin/env python3
"""Live runs with --save that are killed, and journals that are torn or damaged: live_crash_test.py SOTTO

SOTTO_KILLS and SOTTO_TAILS say how many (20 and 60); `./run torture live` takes 1,000 of each.
"""
import contextlib
import json
import os
import random
import shutil
import threading

from program import FolderTest, main, read, run, start, write

KILLS = int(os.environ.get("SOTTO_KILLS", "20"))
TAILS = int(os.environ.get("SOTTO_TAILS", "60"))
POP = ["run", "pop", "--live", "--epsilon", "3", "--delta", "1e-6", "--horizon", "1000000"]
REFUSED = {"ok": False, "error": "invalid ticket or label"}


class Client:
    """Remembers what it was told, through any number of processes."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.asked = 0
        self.tickets = {}  # of users who were answered: ticket
        self.labels = {}  # of tickets: labels that were acknowledged

    def line(self):
        """A round of a new user, or a label."""
        open_tickets = [t for t in self.tickets.values() if t not in self.labels]
        if open_tickets and self.draw.random() < 0.4:
            return {"ticket": self.draw.choice(open_tickets), "y": self.draw.randrange(2)}
        self.asked += 1
        return {"id": self.asked, "x": [self.draw.random()], "user": f"u{self.asked}"}

    def note(self, line, reply):
        if "ticket" not in line:
            assert reply["id"] == line["id"], (line, reply)
            self.tickets[line["user"]] = reply["ticket"]
        elif reply == {"ok": True}:
            self.labels[line["ticket"]] = line["y"]
        # Otherwise another label was recorded before a kill, and not acknowledged.


class CrashTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.state = self.path("s")

    def words(self):
        """A new run, or the next one of the same state."""
        if os.path.exists(self.state):
            return ["run", "pop", "--live", "--load", self.state, "--save", self.state]
        return [*POP, "--save", self.state, "--seed", "4"]

    def talk_and_kill(self, client, more=()):
        """Sends lines while replies come, and kills at any moment, also while it starts."""
        with start(*self.words(), *more) as process:
            end = client.draw.choice((0, 0.005, 0.02, 0.05, 0.1)) * client.draw.random()
            timer = threading.Timer(end, process.kill)
            after = client.draw.randrange(1, 40)
            if client.draw.random() < 0.3:
                timer.start()
            # It is gone, and so is the rest of what it was sent.
            with contextlib.suppress(BrokenPipeError, json.JSONDecodeError):
                for _ in range(after):
                    self.ask_some(client, process)
            timer.cancel()
            process.kill()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()

    def ask_some(self, client, process):
        """A few lines at once; some of their replies may never be read."""
        lines = [client.line() for _ in range(client.draw.choice((1, 1, 1, 5, 30)))]
        process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        process.stdin.flush()
        for line in lines:
            client.note(line, json.loads(process.stdout.readline()))

    def check_nothing_is_lost(self, client):
        """Every user who was answered has no round left; every label is there; every open ticket is good."""
        lines = []
        for number, (user, ticket) in enumerate(client.tickets.items()):
            lines.append(({"id": number, "x": [0.5], "user": user}, "over_limit"))
            if ticket in client.labels:
                lines.append(({"ticket": ticket, "y": client.labels[ticket]}, {"ok": True}))
                lines.append(({"ticket": ticket, "y": 1 - client.labels[ticket]}, REFUSED))
        done = run(*self.words(), "--json", stdin="".join(json.dumps(line) + "\n" for line, _ in lines))
        self.assertEqual(done.returncode, 0, done.stderr)
        replies = [json.loads(text) for text in done.stdout.splitlines()]
        for (line, expected), reply in zip(lines, replies):
            self.assertEqual(reply.get("code", reply), expected, line)
        asked_now = sum("x" in line for line, _ in lines)
        rounds = replies[-1]["rounds"] - asked_now
        self.assertLessEqual(len(client.tickets), rounds)
        self.assertLessEqual(rounds, client.asked)
        self.assertNotIn("may be out", done.stderr)
        # An orderly end leaves an ordinary state alone.
        self.assertEqual(self.files(), ["s"])

    def test_kills_lose_nothing_that_was_acknowledged(self):
        for chain in range((KILLS + 19) // 20):
            client = Client(chain)
            more = ["--save-every", "1"] if chain % 2 else []
            for _ in range(min(20, KILLS - 20 * chain)):
                self.talk_and_kill(client, more)
            self.check_nothing_is_lost(client)
            os.remove(self.state)

    def test_a_kill_changes_no_later_answer(self):
        lines = [json.dumps({"id": i, "x": [i / 40], "user": f"u{i}", "y": i % 2}) + "\n" for i in range(40)]
        whole = run(*POP, "--seed", "4", stdin="".join(lines)).stdout.splitlines()
        given = []
        for first in range(0, 40, 8):
            with start(*self.words()) as process:
                for line in lines[first:first + 8]:
                    process.stdin.write(line)
                    process.stdin.flush()
                    given.append(process.stdout.readline().rstrip("\n"))
                process.kill()
        self.assertEqual(given, whole[:40])

    def test_lines_beyond_the_limit_are_played_again_as_they_were(self):
        blanks = " " * (16 << 20)
        lines = ['{"x":[0.5]}', '{"ticket":"t","y":1}' + blanks, '{"x":[0.5]}' + blanks, '{"x":[0.5]}']
        with start(*self.words()) as process:
            for line in lines:
                process.stdin.write(line + "\n")
                process.stdin.flush()
                reply = json.loads(process.stdout.readline())
                self.assertEqual("16 MiB" in reply.get("error", ""), line == lines[2])
            process.kill()
        self.assertLess(len(read(self.journal()).rstrip(b"\0")), 10_000)
        done = self.load()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["rounds"], 3)

    def killed_state(self, rounds=40):
        """A state and its journal after a kill, with the replies."""
        client = Client(1)
        with start(*self.words()) as process:
            for _ in range(rounds):
                line = client.line()
                process.stdin.write(json.dumps(line) + "\n")
                process.stdin.flush()
                client.note(line, json.loads(process.stdout.readline()))
            process.kill()
        return client

    def journal(self):
        folder = self.state + ".journal"
        (name,) = [name for name in os.listdir(folder) if name.startswith("journal-")]
        return os.path.join(folder, name)

    def keep(self):
        shutil.copy(self.state, self.path("kept"))
        shutil.copytree(self.state + ".journal", self.path("kept.journal"))

    def restore(self):
        shutil.rmtree(self.state + ".journal", ignore_errors=True)
        shutil.copy(self.path("kept"), self.state)
        shutil.copytree(self.path("kept.journal"), self.state + ".journal")

    def load(self):
        return run(*self.words(), "--json")

    def test_a_flipped_bit_is_refused_or_loses_nothing(self):
        client = self.killed_state()
        self.keep()
        whole = read(self.journal())
        used = len(whole.rstrip(b"\0"))
        draw = random.Random(7)
        refused = 0
        for _ in range(TAILS):
            self.restore()
            place, bit = draw.randrange(used), draw.randrange(8)
            write(self.journal(), whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1:])
            done = self.load()
            if done.returncode == 0:
                self.assertEqual(json.loads(done.stdout)["rounds"], client.asked, place)
                continue
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn("s: ", done.stderr)
            refused += 1
        self.assertEqual(refused, TAILS)

    def test_a_torn_write_is_left_out_and_nothing_before_it(self):
        """The last block, never acknowledged, of which some sectors arrived."""
        client = self.killed_state()
        before = read(self.journal())
        end = len(before.rstrip(b"\0"))
        with start(*self.words()) as process:
            process.stdin.write(json.dumps({"id": "last", "x": [0.5], "note": "z" * 3000}) + "\n")
            process.stdin.flush()
            process.stdout.readline()
            process.kill()
        self.keep()
        after = read(self.journal())
        # The claim of the second process is durable; its round is the last block.
        last = after.index(b"SJB1", after.index(b"SJB1", end) + 4) - 76
        stop = len(after.rstrip(b"\0"))
        draw = random.Random(8)
        for _ in range(TAILS):
            self.restore()
            torn = bytearray(after)
            sectors = range(last // 512, (stop - 1) // 512 + 1)
            lost = draw.sample(sectors, draw.randrange(1, len(sectors) + 1))
            for sector in lost:
                low, high = max(last, sector * 512), min(stop, (sector + 1) * 512)
                torn[low:high] = bytes(high - low)
            write(self.journal(), bytes(torn))
            done = self.load()
            self.assertEqual(done.returncode, 0, (lost, done.stderr))
            self.assertEqual(json.loads(done.stdout)["rounds"], client.asked, lost)

    def test_a_journal_that_is_gone_or_older_than_its_state_is_refused(self):
        self.killed_state()
        self.keep()
        shutil.rmtree(self.state + ".journal")
        self.assertEqual(self.load().returncode, 2)
        self.restore()
        other = self.path("other")
        shutil.copytree(self.state + ".journal", other)
        done = self.load()
        self.assertEqual(done.returncode, 0, done.stderr)
        # The state is an ordinary one now: an old journal beside it is not its own.
        shutil.copytree(other, self.state + ".journal")
        done = self.load()
        self.assertEqual(done.returncode, 2)
        self.assertIn("--replace", done.stderr)
        self.assertEqual(run(*self.words(), "--replace").returncode, 0)
        self.assertEqual(self.files(), ["kept", "kept.journal", "other", "s"])

    def test_rows_wait_until_the_live_run_is_resumed(self):
        client = self.killed_state()
        done = run("run", "pop", "--load", self.state, "-d", "-", stdin="x,y\n0.5,1\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--live", done.stderr)
        self.assertEqual(self.load().returncode, 0)
        done = run("run", "pop", "--load", self.state, "-d", "-", "--format", "jsonl", "--json", stdin='{"x":[0.5],"y":1}\n')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["rounds"], client.asked + 1)

    def test_long_runs_write_snapshots_and_delete_what_they_cover(self):
        note = "z" * 60_000
        lines = [json.dumps({"id": i, "x": [0.5], "user": f"u{i}", "note": note}) + "\n" for i in range(300)]
        with start(*self.words()) as process:
            for line in lines:
                process.stdin.write(line)
                process.stdin.flush()
                process.stdout.readline()
            names = os.listdir(self.state + ".journal")
            process.kill()
        self.assertTrue([name for name in names if name.startswith("snapshot-")], names)
        self.assertNotIn("journal-" + "0" * 15 + "1", names)
        done = self.load()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["rounds"], 300)


if __name__ == "__main__":
    main()
