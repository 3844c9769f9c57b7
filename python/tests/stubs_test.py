"""The stubs say what the registry says, and a type checker understands them."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

GOOD = '''
import sotto
model = sotto.Tide(epsilon=1, delta=1e-6, relation="add-remove", schema={"columns": []})
rounds: int = model.rounds
run = model.run([({"a": 1}, 1)])
text: str = run.text(public=True)
name: str = sotto.Tree(epsilon=1.0).fit([[1]], [1]).text_
opened = model.open([1.0], user="u")
opened.close(1)
loaded = sotto.load("x", schema=sotto.schema(["a"], ranges=(0, 1)))
print(sotto.plan(epsilon=1.0).text, loaded.guarantee.epsilon)
'''
BAD = ['sotto.Tide()', 'sotto.Tide(epsilon="x")', 'sotto.Tide(epsilon=1, relation="swap")',
       'sotto.Tide(epsilon=1, nonsense=2)', 'sotto.Tide(epsilon=1).rounds()', 'sotto.Nonsense(epsilon=1)']


def mypy(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(text)
        environment = {**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]}
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir",
                               folder, str(path)], capture_output=True, text=True, env=environment)


class Stubs(unittest.TestCase):
    def test_they_are_those_of_the_registry(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools/python_stubs.py"), "--check"], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_good_program_and_bad_lines(self):
        done = mypy(GOOD + "\n".join(BAD) + "\n")
        first = GOOD.count("\n") + 1
        found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
        self.assertEqual(found, set(range(first, first + len(BAD))), done.stdout + done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
