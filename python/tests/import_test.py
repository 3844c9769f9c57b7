"""The module can be imported, and needs nothing but itself for that."""
import subprocess
import sys
import unittest


class Import(unittest.TestCase):
    def test_needs_no_other_package(self):
        program = ("import sys, sotto\n"
                   "loaded = {'numpy', 'pandas', 'sklearn'} & set(sys.modules)\n"
                   "assert not loaded, loaded\n")
        subprocess.run([sys.executable, "-c", program], check=True)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
