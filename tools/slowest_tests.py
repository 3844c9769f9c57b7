#!/usr/bin/env python3
"""Names the tests that took longest: tools/slowest_tests.py TESTS.xml [COUNT]

TESTS.xml is what `ctest --output-junit` writes.
"""
import sys
import xml.etree.ElementTree


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    count = int(sys.argv[2]) if len(sys.argv) == 3 else 10
    cases = xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase")
    times = sorted(((float(case.get("time", 0)), case.get("name")) for case in cases), reverse=True)
    print(f"{sum(seconds for seconds, _ in times):8.1f} s in {len(times)} tests; the slowest:")
    for seconds, name in times[:count]:
        print(f"{seconds:8.1f} s  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
