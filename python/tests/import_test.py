"""The module can be imported, and needs nothing but itself for that."""
import pathlib
import pydoc
import shutil
import subprocess
import sys
import tempfile
import unittest

import sotto


class Import(unittest.TestCase):
    def test_needs_no_other_package(self):
        program = ("import sys, sotto\n"
                   "loaded = {'numpy', 'pandas', 'sklearn'} & set(sys.modules)\n"
                   "assert not loaded, loaded\n")
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_what_a_fit_makes_is_not_there_before_it_with_or_without_scikit_learn(self):
        for first in ("", "import sklearn.exceptions\n"):
            program = first + ("import sotto\n"
                               "for model in (sotto.PrivateDecisionTree(epsilon=1), sotto.TideClassifier(epsilon=1)):\n"
                               "    assert not hasattr(model, 'text_') and not hasattr(model, 'classes_')\n"
                               "    try:\n"
                               "        model.predict([[1.0]])\n"
                               "    except sotto.FailedPrecondition as error:\n"
                               "        assert 'not fitted' in str(error)\n")
            subprocess.run([sys.executable, "-c", program], check=True)

    def test_another_python_is_told_what_to_do(self):
        """The package without the extension of this Python, as another one finds it."""
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "sotto"
            package.mkdir()
            for name in ("__init__.py", "_built.py"):
                shutil.copy(pathlib.Path(sotto.__file__).parent / name, package)
            (package / "_core.cpython-35-nowhere.so").touch()
            done = subprocess.run([sys.executable, "-c", "import sotto"], env={"PYTHONPATH": folder}, cwd=folder,
                                  text=True, capture_output=True)
        self.assertIn("built for cpython-35-nowhere, and this is", done.stderr)
        self.assertIn("pip install .", done.stderr)
        self.assertNotIn("circular", done.stderr)


class Help(unittest.TestCase):
    def test_it_is_short_and_names_what_there_is(self):
        page = pydoc.plain(pydoc.render_doc(sotto))
        self.assertLess(len(page.splitlines()), 80)
        for name in ("TideClassifier", "PrivateDecisionTree", "load_published", "sotto.mechanisms"):
            self.assertIn(name, page)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
