#!/usr/bin/env python3
"""The zoo of `sotto audit program`: audit_zoo.py SOTTO [PROGRAM...] [--runs N] [--audits N]

Audits sound and leaking programs (audit_zoo.pl), each at a claim of epsilon 1,
and prints a table for tools/fill_table.py docs/audit.md zoo. With --audits each
is judged N times, and the table counts the verdicts.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# The public output, and the noise.
SOUND = {
    "words": "randomised response as words",
    "many-words": "one of four words, the true one e times as likely",
    "integer": "a sum with geometric noise",
    "double": "a sum with Laplace noise, 17 digits",
    "order": "two lines, their order by randomised response",
    "length": "a number of lines with geometric noise",
    "file-name": "the name of a file by randomised response",
    "ten-numbers": "ten numbers, a tenth of epsilon each",
    "clock": "the time, the process and a noisy sum",
    "winner": "the larger of two noisy numbers, as a word",
}
LEAKING = {
    "thousand": "`1000*sum(x) + random()`",
    "words-3": "randomised response as words, epsilon 3",
    "a-third": "a third of the noise",
    "low-digit": "the bit in the last digit of a noisy integer",
    "sixth-decimal": "the bit in the sixth decimal of a noisy number",
    "sorted": "two lines in an order without noise",
    "exact-length": "a number of lines without noise, beside a noisy sum",
    "one-noise": "one noise for two numbers",
    "split-bit": "the bit as the parity of two random digits",
    "twenty-numbers": "twenty numbers, epsilon 1 each",
    "often-exact": "the truth in every other run",
    "narrow-gauss": "normal noise of deviation 0.3",
}
CLAIM = "1"


def rows(folder):
    path = os.path.join(folder, "rows.csv")
    with open(path, "w", encoding="ascii") as file:
        file.write("x,y\n" + "0,0\n" * 6 + "1,1\n" + "0,0\n" * 5)
    return path


def judge(sotto, name, runs, folder):
    """The report of one audit; the protected row is replaced by another."""
    command = ["perl", os.path.join(HERE, "audit_zoo.pl"), name, "{data}", "{out}"]
    flags = ["--runs", str(runs)] if runs else []
    done = subprocess.run([sotto, "audit", "program", "-d", rows(folder), "--epsilon", CLAIM, "--change", "replaced",
                           "--json", *flags, "--", *command], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{name}: {done.stderr}")
    return json.loads(done.stdout)


def describe(reports):
    verdicts = collections.Counter(report["verdict"] for report in reports)
    if len(reports) == 1:
        return reports[0]["verdict"]
    return ", ".join(f"{verdict} {count}" for verdict, count in sorted(verdicts.items()))


def event(reports):
    leaks = [leak for report in reports for leak in report["leaks"]]
    return leaks[0]["event"] if leaks else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--audits", type=int, default=1)
    arguments = parser.parse_args()
    print("| program | public output | runs per world | verdict | epsilon at least | by |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for kind, programs in (("sound", SOUND), ("leaking", LEAKING)):
            for name, text in programs.items():
                if arguments.programs and name not in arguments.programs:
                    continue
                reports = [judge(arguments.sotto, name, arguments.runs, folder) for _ in range(arguments.audits)]
                bound = max(report["epsilon_lower"] for report in reports)
                print(f"| `{name}`, {kind} | {text} | {reports[0]['runs']} | {describe(reports)} | {bound:.3g} | "
                      f"{event(reports)} |", flush=True)


if __name__ == "__main__":
    main()
