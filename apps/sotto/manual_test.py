#!/usr/bin/env python3
"""Manual pages and completion come from the option tables: manual_test.py SOTTO"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from program import SOTTO, FolderTest, main, run

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/manual.py"


class ManualTest(FolderTest):
    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, TOOL, SOTTO, self.path("")], check=True)
        self.tree = json.loads(run("--describe").stdout)

    def commands(self, tree=None, path=()):
        tree = tree or self.tree
        yield path, tree
        for nested in tree["commands"]:
            yield from self.commands(nested, (*path, nested["name"]))

    def read(self, name):
        return pathlib.Path(self.path(name)).read_text()

    def test_every_command_has_a_page_with_every_option(self):
        pages = 0
        for path, command in self.commands():
            text = self.read("man/man1/" + "-".join(("sotto", *path)).rstrip(":") + ".1").replace("\\-", "-")
            pages += 1
            for option in command["options"]:
                self.assertIn(f"\\fB--{option['name']}\\fR", text, path)
        self.assertGreater(pages, 30)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_pages_are_good_troff(self):
        pages = sorted(str(page) for page in pathlib.Path(self.path("man/man1")).iterdir())
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True)
        # Pages have no date: the same program gives the same bytes.
        bad = [line for line in done.stdout.splitlines() if "missing date" not in line]
        self.assertEqual(bad, [])

    def bash(self, line):
        """What bash offers at the end of a line."""
        words = line.split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        script = f"source {self.path('completion/sotto')}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _sotto; " \
                 'printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=self.path(""))
        return done.stdout.split()

    def test_bash_completes_commands_options_and_words(self):
        self.assertIn("quantile", self.bash("sotto qu"))
        self.assertIn("tide", self.bash("sotto run "))
        self.assertEqual(self.bash("sotto run tide --rel"), ["--relation"])
        self.assertEqual(self.bash("sotto run tide --relation a"), ["add-remove"])
        self.assertIn("completion", self.bash("sotto show c"))

    def test_bash_offers_every_option_of_every_command(self):
        for path, command in self.commands():
            if any(word.endswith(":") for word in path) or path[:1] == ("generate",) and len(path) > 1:
                continue
            offered = self.bash(" ".join(("sotto", *path, "--")))
            for option in command["options"]:
                self.assertIn(f"--{option['name']}", offered, path)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_completes(self):
        def fish(line):
            script = f"source {self.path('completion/sotto.fish')}; complete -C '{line}'"
            return subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True,
                                  env={**os.environ, "HOME": self.path("")}).stdout
        self.assertIn("quantile", fish("sotto qu"))
        self.assertIn("tide", fish("sotto run ti"))
        self.assertIn("--relation", fish("sotto run tide --rel"))
        self.assertIn("add-remove", fish("sotto run tide --relation a"))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_reads_the_file(self):
        script = f"autoload -U compinit && compinit -u -d {self.path('dump')}; source {self.path('completion/_sotto')}; " \
                 "_sotto_names run; _sotto_words 'run tide --relation'"
        done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, check=True,
                              env={**os.environ, "HOME": self.path("")})
        self.assertIn("tide", done.stdout)
        self.assertIn("add-remove", done.stdout)


if __name__ == "__main__":
    main()
