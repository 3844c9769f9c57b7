#!/usr/bin/env python3
"""Checks that no floating point lies between seed and sample.

    tools/check_no_float.py BUILD_DIR     checks the objects of sotto/random
    tools/check_no_float.py --self-test   checks the check

Disassembles every object file of the module and fails on scalar, packed or x87
floating-point arithmetic, comparison and conversion, and on any reference to
libm, to the double interfaces of MPFR and GMP, or to text-to-double conversion.
Moves and bitwise operations on vector registers compute nothing and pass.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Functions that may use floating point, and why. None is between seed and
# sample: they run before the first word is drawn, or never return noise.
ALLOWED = {
    r"^sotto::FixedWorkGaussian::Create\(":
        "chooses how many tables to build; what they hold is computed by MPFR",
    r"^sotto::\(anonymous namespace\)::MagnitudeTable\(":
        "chooses how long a table is; what it holds is computed by MPFR",
    r"^sotto::FixedWorkGaussian::RoundedNormalDistance\(":
        "an accounting bound, not a sample",
}

ARITHMETIC = re.compile(
    r"^v?(add|sub|mul|div|sqrt|min|max|rcp\w*|rsqrt\w*|round|rndscale|cmp\w*|"
    r"comi|ucomi|hadd|hsub|addsub|dp|fn?m(add|sub)\w*|scalef|getexp|getmant|"
    r"reduce|range|fixupimm)(ss|sd|ps|pd|sh|ph)$")
CONVERSION = re.compile(r"^v?cvt")
X87 = re.compile(r"^f[a-z0-9]+$")

LIBM = re.compile(
    r"^(a?(sin|cos|tan)h?|atan2|sincos|exp|exp2|exp10|expm1|log|log2|log10|log1p|"
    r"logb|ilogb|pow|sqrt|cbrt|hypot|erfc?|[lt]gamma|gamma|floor|ceil|trunc|"
    r"l?l?r(ound|int)|nearbyint|f(mod|dim|ma|max|min|abs)|remainder|remquo|modf|"
    r"frexp|ld?exp|scalbl?n|nextafter|nexttoward|strto(d|f|ld)|atof|drand48|"
    r"erand48)[fl]?$")
DOUBLE_API = re.compile(
    r"^(mpfr|__gmpf?r?|__gmpz?q?f?)_\w*(_l?d|_d_2exp|_flt|_d_div|_d_sub)$")

HEADER = re.compile(r"^[0-9a-f]+ <(.*)>:$")
RELOCATION = re.compile(r"R_X86_64_\w+\s+([\w.]+)")
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\t(?:(?:rep|repz|repnz|lock|bnd|notrack|"
                         r"\{\w+\})\s+)*([a-z0-9]+)")


def is_float(mnemonic):
    return any(p.match(mnemonic) for p in (ARITHMETIC, CONVERSION, X87))


def is_float_symbol(symbol):
    return bool(LIBM.match(symbol) or DOUBLE_API.match(symbol))


def findings(path):
    """Yields (function, what) for every use of floating point in an object."""
    listing = subprocess.run(
        ["objdump", "-drC", "--no-show-raw-insn", str(path)],
        check=True, capture_output=True, text=True).stdout
    function = ""
    for line in listing.splitlines():
        if header := HEADER.match(line):
            function = header.group(1)
        elif relocation := RELOCATION.search(line):
            if is_float_symbol(relocation.group(1)):
                yield function, "calls " + relocation.group(1)
        elif instruction := INSTRUCTION.match(line):
            if is_float(instruction.group(1)):
                yield function, instruction.group(1)


def allowed(function):
    return any(re.search(pattern, function) for pattern in ALLOWED)


def check(build_dir):
    folder = pathlib.Path(build_dir, "sotto/random/CMakeFiles/sotto_random.dir")
    objects = sorted(folder.rglob("*.o"))
    if not objects:
        print(f"check_no_float: no objects in {folder}; build first")
        return 1
    bad = set()
    for path in objects:
        bad |= {(path.name, function, what) for function, what in findings(path)
                if not allowed(function)}
    for name, function, what in sorted(bad):
        print(f"check_no_float: {name}: {function}: {what}")
    if not bad:
        print(f"check_no_float: {len(objects)} objects, no floating point "
              "between seed and sample")
    return 1 if bad else 0


SAMPLES = {  # source, whether it uses floating point
    "double f(double a, double b) { return a + b; }": True,
    "long f(double a) { return (long)a; }": True,
    "float f(long a) { return (float)a; }": True,
    "long double f(long double a) { return a * a; }": True,
    "int f(double a) { return a < 2.5; }": True,
    'extern "C" double exp(double); double f(double a) { return exp(a); }': True,
    "void f(double* a, const float* b) { for (int i = 0; i < 64; ++i) "
    "a[i] = a[i] * b[i]; }": True,
    "long f(long a, long b) { return a * b + (a < b); }": False,
    "void f(long* a, const long* b) { for (int i = 0; i < 64; ++i) "
    "a[i] += b[i] > 3; }": False,
    "struct S { long a[8]; }; S f(const S* s) { return *s; }": False,
}


def self_test():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        source, target = f"{folder}/sample.cc", f"{folder}/sample.o"
        for text, expected in SAMPLES.items():
            for flags in (["-O0"], ["-O3"], ["-O3", "-mavx512f"]):
                pathlib.Path(source).write_text(text + "\n")
                subprocess.run(["g++", "-c", *flags, source, "-o", target],
                               check=True)
                if bool(list(findings(target))) != expected:
                    failures += 1
                    verdict = "missed" if expected else "wrongly found"
                    print(f"check_no_float: {verdict} ({flags}): {text}")
    if failures == 0:
        print(f"check_no_float: self-test passed, {len(SAMPLES)} samples")
    return 1 if failures else 0


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    return self_test() if sys.argv[1] == "--self-test" else check(sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
