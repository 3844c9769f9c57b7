#!/usr/bin/env python3
"""Littlestone dimensions on the command line: ldim_test.py SOTTO"""
import json
import os
import tempfile
import unittest

from program import main, run


def ldim(*arguments):
    done = run("ldim", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class LdimTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "class.txt")

    def write(self, text):
        with open(self.path, "w") as file:
            file.write(text)
        return self.path

    def test_knows_huge_classes_at_once(self):
        self.assertEqual(ldim("thresholds:65536")["dimension"], 16)
        self.assertEqual(ldim("points:1e6")["dimension"], 1)
        self.assertEqual(ldim("conjunctions:20")["dimension"], 21)

    def test_searches_files_and_says_where_they_are_wrong(self):
        report = ldim(self.write("# all on two points\n00\n01\n10\n11\n"), "--tree")
        self.assertEqual((report["class"], report["dimension"]), (self.path, 2))
        self.assertEqual(len(report["tree"]["functions"]), 4)
        for text, said in (("01\n0a\n", "line 2, column 2: expected 0 or 1"),
                           ("01\n011\n", "line 2, column 3: expected the end of the line"),
                           ("01\n\n0\n", "line 3, column 2: expected 2 labels, found 1"),
                           ("", "a class needs a function and a point")):
            done = run("ldim", self.write(text))
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertIn(self.path + ", " + said, done.stderr)
        done = run("ldim", "circles:3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("thresholds:N", done.stderr)

    def test_answers_an_interval_when_the_nodes_are_used_up(self):
        report = ldim("intervals:32", "--nodes", "20", "--threads", "1")
        self.assertNotIn("dimension", report)
        self.assertLessEqual(report["lo"], 8)
        self.assertGreaterEqual(report["hi"], 8)
        self.assertLess(report["lo"], report["hi"])
        self.assertEqual(ldim("intervals:32")["dimension"], 8)

    def test_draws_the_tree(self):
        done = run("ldim", "thresholds:3")
        self.assertEqual(done.stdout,
                         "thresholds:3: 4 functions on 3 points\n"
                         "Littlestone dimension 2 (closed form)\n"
                         "A tree of 2 mistakes, checked:\n"
                         "point 1\n"
                         "|-0- point 2\n"
                         "|    |-0- function 3\n"
                         "|    `-1- function 2\n"
                         "`-1- point 0\n"
                         "     |-0- function 1\n"
                         "     `-1- function 0\n")
        dot = run("ldim", "thresholds:3", "--dot", "-").stdout
        self.assertTrue(dot.startswith("digraph mistakes {"))
        self.assertEqual(dot.count("->"), 6)

    def test_reduces_and_decomposes(self):
        report = ldim("points:5", "--irreducible", "--decompose", "1")
        self.assertEqual(report["irreducibility"]["k_irreducible_up_to"], 3)
        self.assertTrue(report["irreducibility"]["exact"])
        self.assertEqual(report["decomposition"]["degree"], 1)
        self.assertEqual(report["decomposition"]["essential"], ["00000"])
        done = run("ldim", "points:5", "--decompose", "1", "--for-dimension", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--for-dimension: expected at least 1", done.stderr)

    def test_saves_compactly(self):
        compact = self.path + ".bits"
        self.assertEqual(ldim("rectangles:4x4", "--save", compact)["dimension"],
                         ldim(compact)["dimension"])
        self.assertLess(os.path.getsize(compact), 101 * 16)


if __name__ == "__main__":
    main()
