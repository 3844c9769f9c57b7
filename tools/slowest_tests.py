#!/usr/bin/env python3
"""Names the tests that took longest: tools/slowest_tests.py BUILD_DIR [COUNT]

Reads tests.xml, which `ctest --output-junit` writes, and tests/*.xml of the test
programs that ran as one test each (SOTTO_CHECK): their tests are named one by one.
"""
import pathlib
import sys
import xml.etree.ElementTree


def times(path):
    """(seconds, name) of every test of a file."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        suite = case.get("classname", "")
        name = case.get("name")
        yield float(case.get("time", 0)), name if suite in ("", name) else f"{suite}.{name}"


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    build = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) == 3 else 10
    programs = {path.stem: list(times(path)) for path in (build / "tests").glob("*.xml")}
    slowest = [test for test in times(build / "tests.xml") if test[1] not in programs]
    total = sum(seconds for seconds, _ in times(build / "tests.xml"))
    for tests in programs.values():
        slowest += tests
    print(f"{total:8.1f} s in {len(slowest)} tests; the slowest:")
    for seconds, name in sorted(slowest, reverse=True)[:count]:
        print(f"{seconds:8.1f} s  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
