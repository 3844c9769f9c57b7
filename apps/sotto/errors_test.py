#!/usr/bin/env python3
"""Eighty wrong inputs: errors_test.py SOTTO

Each is refused with one message on standard error that begins with the command and says what is
wrong, where, and what was expected; nothing is printed or written before it.
"""
import pathlib
import tempfile
import unittest

from program import main, run

P = "--epsilon 1 --delta 1e-6 --horizon 100"
FILES = {
    "ok.csv": "x,y\n0.1,0\n0.9,1\n",
    "words.csv": "job,y\nclerk,0\nnurse,1\n",
    "s.csv": "x;z;y\n1;2;1\n",
    "t.csv": "x\tz\ty\n1\t2\t1\n",
    "nolabel.csv": "a,b\n1,2\n",
    "twice.csv": "x,x,y\n1,2,1\n",
    "empty.csv": "",
    "binary.csv": "\0\1\2\n",
    "numbers.txt": "1\ntwo\n3\n",
    "ok.json": '{"columns":[{"name":"x","type":"number","range":[0,1]}]}',
    "norange.json": '{"columns":[{"name":"x","type":"number"}]}',
    "backwards.json": '{"columns":[{"name":"x","type":"number","range":[1,0]}]}',
    "badtype.json": '{"columns":[{"name":"x","type":"colour"}]}',
    "novalues.json": '{"columns":[{"name":"x","type":"category"}]}',
    "other.json": '{"columns":[{"name":"q","type":"number","range":[0,1]}]}',
    "cut.json": '{"columns":[',
    "unknown.json": '{"model":"crystal-ball"}',
    "class.txt": "01\n0x\n",
    "state": "not a state\n",
}
# The words, and what the message must contain.
WRONG = [
    # commands and models
    ("", "missing command", "plan"),
    ("frobnicate", "unknown command 'frobnicate'", "Choose one of"),
    ("plann", "Did you mean plan?"),
    ("run", "missing model", "tide"),
    ("run tidee", "unknown model 'tidee'", "Did you mean tide?"),
    ("run greedy-cover", "batch model", "sotto fit greedy-cover"),
    ("run tree", "batch model", "sotto fit tree"),
    ("fit", "missing model", "tree"),
    ("fit trea", "Did you mean tree?"),
    ("plan crystal-ball", "unknown model 'crystal-ball'"),
    ("generate", "missing stream", "life"),
    ("generate lief", "unknown stream 'lief'"),
    ("audit crystal-ball", "unknown target 'crystal-ball'"),
    # options
    ("run tide --epsilon 1 --horizn 5", "unknown option --horizn", "--horizon"),
    ("run tide --epsilon", "--epsilon needs a value"),
    ("run tide --epsilon 1 --epsilon 2", "--epsilon is given twice"),
    ("run tide --epsilon 0 -d ok.csv", "--epsilon must be greater than 0, got '0'"),
    ("run tide --epsilon -1 -d ok.csv", "--epsilon must be greater than 0, got '-1'"),
    ("run tide --epsilon one -d ok.csv", "--epsilon must be a number, got 'one'"),
    ("run tide --epsilon nan -d ok.csv", "--epsilon", "nan"),
    ("run tide --epsilon 1 --delta 0.7 -d ok.csv", "--delta must be between 0 and 0.5, got '0.7'"),
    ("run tide --epsilon 1 --horizon 1.5 -d ok.csv", "--horizon must be an integer", "'1.5'"),
    ("run tide --epsilon 1 --horizon -4 -d ok.csv", "--horizon", "'-4'"),
    ("run tide --epsilon 1 --rounds-per-user 0 -d ok.csv", "--rounds-per-user must be at least 1, got '0'"),
    ("run tide --epsilon 1 --relation swap -d ok.csv", "--relation must be one of replace, add-remove, got 'swap'"),
    ("run tide --delta 1e-6 -d ok.csv", "--epsilon is required"),
    (f"run tide {P} -d ok.csv extra", "unexpected argument 'extra'"),
    (f"run winnow {P} -d ok.csv --margin 5", "--margin must be greater than 0 and at most 1, got '5'"),
    (f"run pop {P} -d ok.csv --margin 0.5", "unknown option --margin"),
    ("run tide --epsilon 1000 --delta 1e-6 -d ok.csv", "--epsilon between 2^-10", "16", "got 1000"),
    ("run pop --epsilon 1 --horizon 100 -d ok.csv", "pop needs --delta greater than 0", "leader"),
    # input
    (f"run tide {P}", "missing input", "--data FILE", "--live"),
    (f"run tide {P} -d none.csv", "none.csv", "No such file"),
    (f"run tide {P} -d .", ".", "--format csv"),
    (f"run tide {P} -d empty.csv", "empty.csv"),
    (f"run tide {P} -d nolabel.csv", "nolabel.csv", "no column 'y'", "a, b"),
    (f"run tide {P} -d ok.csv --label z", "no column 'z'", "x, y"),
    (f"run tide {P} -d ok.csv --user z", "no column 'z'", "x, y"),
    (f"run tide {P} -d twice.csv", "twice.csv", "'x'"),
    (f"run tide {P} -d s.csv", "s.csv", "semicolon"),
    (f"run tide {P} -d t.csv", "t.csv", "tab"),
    (f"run tide {P} -d ok.csv --format xml", "--format must be one of csv, libsvm, vw, jsonl, got 'xml'"),
    (f"run tide {P} -d ok.csv --labels a", "--labels", "two different words"),
    (f"run tide {P} -d ok.csv --force --table-every x", "--table-every must be an integer number of rounds", "'x'"),
    (f"run auto {P} -d ok.csv", "--schema FILE", "sotto schema"),
    # schemas
    (f"run tide {P} -d ok.csv --schema none.json", "none.json", "No such file"),
    (f"run tide {P} -d ok.csv --schema ok.csv", "ok.csv", "JSON"),
    (f"run tide {P} -d ok.csv --schema cut.json", "cut.json", "JSON"),
    (f"run tide {P} -d ok.csv --schema badtype.json", "badtype.json", "colour", "'x'"),
    (f"run tide {P} -d ok.csv --schema backwards.json", "backwards.json", "range", "'x'"),
    (f"run tide {P} -d ok.csv --schema other.json", "'q'"),
    ("schema", "--header", "--public-sample", "--private-ranges"),
    ("schema none.json", "none.json", "No such file"),
    ("schema --header none.csv", "none.csv", "No such file"),
    ("schema --header ok.csv --facts x", "x"),
    ("schema --header ok.csv --facts q=1..2", "'q'"),
    ("schema --header ok.csv --facts x=2..1", "'x=2..1'", "LOW..HIGH"),
    ("schema --private-ranges ok.csv", "--epsilon"),
    # states
    (f"run tide {P} -d ok.csv --load none", "none", "No such file"),
    (f"run tide {P} -d ok.csv --load state", "state"),
    ("run tide --load state --live", "state"),
    (f"run tide {P} -d ok.csv --save ok.json", "ok.json", "--replace"),
    # learners and classes
    (f"run pop {P} -d ok.csv --learner guess", "unknown learner 'guess'", "threshold"),
    (f"run pop {P} -d ok.csv --learner threshold:rate=x", "rate"),
    ("ldim", "--class is required"),
    ("ldim nothing", "'nothing'", "points:N"),
    ("ldim points:0", "points:0"),
    ("ldim class.txt", "class.txt", "2"),
    # models and tables
    ("predict --data ok.csv", "--model is required"),
    ("predict --model none.json --data ok.csv", "none.json", "No such file"),
    ("predict --model ok.csv --data ok.csv", "ok.csv", "JSON"),
    ("predict --model unknown.json --data ok.csv", "unknown.json", "'crystal-ball'", "tide"),
    ("show cut.json", "cut.json", "JSON"),
    ("show none.json", "none.json", "No such file"),
    ("fit tree --epsilon 1 --data ok.csv", "--out is required"),
    ("fit tree --epsilon 1 --data none.csv --out m.json", "none.csv", "No such file"),
    ("fit threshold --epsilon 1 --data ok.csv --out none/m.json", "none/m.json"),
    ("fit finite --epsilon 1 --class none --data ok.csv --out m.json", "'none'", "points:N"),
    # counting and accounting
    ("count --epsilon 1 --horizon x", "--horizon must be an integer", "'x'"),
    ("monitor --epsilon 1 --horizon 5", "--threshold is required"),
    ("quantile --epsilon 1 --delta 1e-6 --horizon 5 --data numbers.txt", "numbers.txt", "2"),
    ("account", "--mechanism is required"),
    ("account --mechanism magic", "--mechanism must be one of laplace", "'magic'"),
    ("account --mechanism gaussian --noise-scale 1", "--delta", "--epsilon"),
    ("generate life", "--rounds"),
    ("generate threshold --rounds many", "--rounds must be an integer", "'many'"),
    ("audit laplace --runs 0", "--runs must be between 256", "'0'"),
]


class ErrorsTest(unittest.TestCase):
    def test_there_are_eighty(self):
        self.assertGreaterEqual(len(WRONG), 80)

    def test_each_wrong_input_gets_one_message_and_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                pathlib.Path(folder, name).write_text(text)
            before = sorted(path.name for path in pathlib.Path(folder).iterdir())
            for words, *expected in WRONG:
                with self.subTest(words):
                    self.refuse(folder, words, expected)
            self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()), before)

    def refuse(self, folder, words, expected):
        done = run(*words.split(), stdin="", cwd=folder)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertEqual(done.stdout, "")
        lines = [line for line in done.stderr.split("\n") if line and not line.startswith("Try '")]
        self.assertEqual(len(lines), 1, done.stderr)
        command = " ".join(["sotto"] + words.split()[:1]) if words and " " in words else "sotto"
        self.assertTrue(lines[0].startswith(command), lines[0])
        for text in expected:
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    main()
