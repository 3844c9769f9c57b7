#!/usr/bin/env python3
"""Writes docs/reference/cli.md from the program's own help.

tools/cli_reference.py SOTTO           writes the page
tools/cli_reference.py SOTTO --check   fails if the page is not what would be written
"""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"
HEAD = """# Command line

Generated from the program by `tools/cli_reference.py`: every command with every option, as
`--help-all` prints it.
"""
# Nested commands that have options of their own.
NESTED = ("run", "fit", "generate", "journal", "budget", "engine")


def help_of(sotto, words):
    done = subprocess.run([sotto, *words, "--help-all"], capture_output=True, text=True, check=True)
    return done.stdout.strip("\n")


def nested(text):
    """Names of the commands that a help text lists: indented lines above the options."""
    return [name for name in re.findall(r"^  ([a-z][a-z-]*)  ", text, re.M)]


def section(level, words, text):
    return f"\n{'#' * level} sotto {' '.join(words)}".rstrip() + f"\n\n```text\n{text}\n```\n"


def page(sotto):
    first = help_of(sotto, [])
    out = HEAD + section(2, [], first)
    for command in nested(first):
        text = help_of(sotto, [command])
        out += section(2, [command], text)
        for name in nested(text) if command in NESTED else ():
            out += section(3, [command, name], help_of(sotto, [command, name]))
    return out


def main():
    sotto = sys.argv[1]
    text = page(sotto)
    if "--check" not in sys.argv[2:]:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit(f"docs/reference/cli.md is out of date: run tools/cli_reference.py {sotto}")


if __name__ == "__main__":
    main()
