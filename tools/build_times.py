#!/usr/bin/env python3
"""Says where the time of a build went: tools/build_times.py BUILD_DIR [COUNT]

Reads ninja's log: the last time each file was built. Prints the sum by folder
and the COUNT (20) files that took longest, in seconds of wall time; on a busy
machine they are longer.
"""
import collections
import pathlib
import re
import sys

# What a target's files are kept in: sotto/base/CMakeFiles/sotto_base.dir/json.cc.o
OBJECT = re.compile(r"^(.*?)/?CMakeFiles/(\w+)\.dir/(.*)$")


def built(build):
    """Returns {output: seconds} of what the log names and still exists."""
    seconds = {}
    for line in (build / ".ninja_log").read_text().splitlines():
        if not line.startswith("#"):
            start, end, _, output, _ = line.split("\t")
            seconds[output] = (int(end) - int(start)) / 1000
    return {output: time for output, time in seconds.items() if (build / output).exists()}


def place(output):
    """The folder of an object, tests apart; or what else it is."""
    match = OBJECT.match(output)
    if not match:
        return "archives, programs"
    folder, target, _ = match.groups()
    return (folder or "precompiled headers") + (" tests" if target.endswith("_test") else "")


def name(output):
    match = OBJECT.match(output)
    return f"{match.group(1)}/{match.group(3)}".lstrip("/") if match else output


def main():
    if len(sys.argv) not in (2, 3) or not pathlib.Path(sys.argv[1], ".ninja_log").exists():
        print(__doc__, file=sys.stderr)
        return 2
    times = built(pathlib.Path(sys.argv[1]))
    count = int(sys.argv[2]) if len(sys.argv) == 3 else 20
    folders = collections.Counter()
    files = collections.Counter()
    for output, seconds in times.items():
        folders[place(output)] += seconds
        files[place(output)] += 1
    print(f"{sum(times.values()):8.1f} s  {len(times):4} files built")
    for folder, seconds in folders.most_common():
        print(f"{seconds:8.1f} s  {files[folder]:4} of {folder}")
    print("the slowest:")
    for output in sorted(times, key=times.get, reverse=True)[:count]:
        print(f"{times[output]:8.1f} s  {name(output)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
