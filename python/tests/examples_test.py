"""The examples run, on few rounds, and do what they say."""
import contextlib
import importlib
import io
import pathlib
import sys
import tempfile
import unittest
import warnings

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples"
sys.path.insert(0, str(FOLDER))


def run(name, *arguments):
    """What its main returns, and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        figures = importlib.import_module(name).main([*arguments, "--seed", "1"])
    return figures, printed.getvalue()


class Examples(unittest.TestCase):
    def test_all_of_them_are_here(self):
        tested = {name[5:] for name in dir(Examples) if name.startswith("test_") and name != "test_all_of_them_are_here"}
        self.assertEqual(tested, {path.stem for path in FOLDER.glob("*.py")})

    def test_visitors(self):
        figures, printed = run("visitors", "--rounds", "20000")
        self.assertEqual(figures["rounds"], 20000)
        self.assertGreater(figures["second"], 0.8)
        self.assertIn("NOT PRIVATE", printed)
        self.assertIn("member", printed)

    def test_table(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            figures, printed = run("table", "--rounds", "20000", "--page", str(page))
            self.assertIn("<svg", page.read_text())
        self.assertLess(figures["mistakes"], figures["majority"] / 2)
        self.assertGreater(figures["score"], 0.8)
        self.assertIn("operator's own view", printed)

    def test_crossval(self):
        figures, printed = run("crossval")
        self.assertGreater(figures["score"], 0.8)
        self.assertAlmostEqual(figures["epsilon"], 4, places=3)
        self.assertIn("differential privacy", printed)

    def test_learner(self):
        figures, printed = run("learner", "--rounds", "2000")
        self.assertLess(figures["second"], figures["first"])
        self.assertIn("cannot be checked", printed)

    def test_dashboard(self):
        figures, printed = run("dashboard", "--minutes", "600")
        estimate, truth = figures["visits"]
        self.assertLess(abs(estimate - truth), figures["error"])
        self.assertEqual(set(figures["pages"]), {"home", "prices", "help", "jobs"})
        self.assertFalse(figures["private"])
        self.assertIn("together: epsilon 2", printed)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
