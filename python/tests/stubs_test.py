"""The stubs say what the registry says, and a type checker understands them."""
import ast
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import sotto
from sotto import _core, _options

PACKAGE = pathlib.Path(sotto.__file__).parent

GOOD = '''
import sotto
model = sotto.Tide(epsilon=1, delta=1e-6, relation="add-remove", schema={"columns": []})
rounds: int = model.rounds
run = model.run([({"a": 1}, 1)])
text: str = run.text(public=True)
name: str = sotto.Tree(epsilon=1.0).fit([[1]], [1]).text_
opened = model.open([1.0], user="u")
opened.close(1)
again = sotto.TideClassifier(epsilon=1, delta=1e-6, random_state=1, anyway=True).fit([[1]], [1]).predict_proba([[1]])
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


def class_name(row):
    short = "".join(part.capitalize() for part in row["name"].split("-"))
    return sotto.models.ALIASES[short].__name__ if short in sotto.models.ALIASES else short


def keywords_of(stub):
    """Keywords of __init__ and whether each is required, and the names of the attributes."""
    arguments = next(node.args for node in stub.body if isinstance(node, ast.FunctionDef))
    required = {word.arg: default is None for word, default in zip(arguments.kwonlyargs, arguments.kw_defaults)}
    return required, {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}


class Stubs(unittest.TestCase):
    def test_they_are_those_of_the_registry(self):
        stubs = {node.name: node for node in ast.parse((PACKAGE / "models.pyi").read_text()).body
                 if isinstance(node, ast.ClassDef)}
        rows = _core.online_models() + _core.batch_models()
        self.assertEqual(set(stubs), {class_name(row) for row in rows}
                         | {"TideClassifier", "TideRegressor", "PrivateDecisionList"})
        for row in rows:
            options = {name: option["required"] and name == new for option in row["options"]
                       for new in [_options.keyword_of(option["name"])]
                       for name in (new, *map(_options.plain_keyword, (option["name"], option["alias"])))}
            options["random_state"] = False
            keywords, attributes = keywords_of(stubs[class_name(row)])
            with self.subTest(row["name"]):
                self.assertEqual(set(keywords), attributes)
                self.assertLessEqual({"epsilon", "seed", "skip_bad", "schema", "classes"}, attributes)
                for name, required in keywords.items():
                    self.assertEqual(required, options.get(name, False), name)
                self.assertLessEqual(set(keywords) - {"schema", "classes", "columns", "reuse"}, set(options))

    def test_the_package_offers_all_names(self):
        offered = {name.name for node in ast.parse((PACKAGE / "__init__.pyi").read_text()).body for name in node.names}
        self.assertEqual(offered - {"__version__"}, {name for name in dir(sotto) if not name.startswith("_")})
        self.assertIn("__version__", offered)

    def test_a_good_program_and_bad_lines(self):
        done = mypy(GOOD + "\n".join(BAD) + "\n")
        first = GOOD.count("\n") + 1
        found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
        self.assertEqual(found, set(range(first, first + len(BAD))), done.stdout + done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
