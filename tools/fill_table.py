#!/usr/bin/env python3
"""Puts what a program printed into a page, between two marks.

    build/release/bin/audit_bench teeth 100 5001 | tools/fill_table.py docs/audit.md mutants

The page has the lines `<!-- mutants -->` and `<!-- end of mutants -->`; what is
between them is replaced by standard input.
"""
import pathlib
import sys


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    page, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    text = page.read_text()
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"{page}: no marks {begin.strip()}, {end.strip()}")
    table = sys.stdin.read()
    if not table.strip():
        sys.exit("nothing to fill in")
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    page.write_text(before + begin + "\n" + table.strip() + "\n\n" + end + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
