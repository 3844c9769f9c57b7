#!/usr/bin/env python3
"""Checks that the documentation is true: tools/check_docs.py BUILD_DIR

* Every ```cpp block of every page is compiled and run. A block is the body of
  a function in namespace sotto; its #include lines are moved to the top.
* Every line of a ```sh block that starts with `sotto`, or pipes into it, or makes
  a file by `printf` or `awk`, is run and must succeed.
* The ```bash blocks of a page are run, in their order, as one script, beside `sotto serve --demo`,
  whose addresses stand for 127.0.0.1:8080 and 127.0.0.1:8081; a status of 400 or more is a failure.
* The ```python blocks of a page are run, in their order, as one program, by the
  Python the module was built for; a warning is a failure.
* The jobs of tools/jobs, a script each, are done with the program, module and library of the build; the
  engineer's takes at most 8 commands.
* Every line of a ```cmake block is one of tools/consumer/CMakeLists.txt, which
  tools/check_package.sh builds.
* Every public header, sotto/*.h, is in the table of docs/cpp.md.
* Every relative link points to a file that exists.
* Every row of docs/papers.md has a known status, files that exist, and a test of the class it names.
* Every proof page a header names exists, and no page has a machine's path.
* README.md has at most 120 lines, the demo of `./run` prints at most 40.
* docs/reference/cli.md is what the program's help says.
* No example of a page, or of a header outside sotto/testing, draws its noise from
  sotto/testing: examples are copied, and such noise is known to everybody.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from service_client import Service  # noqa: E402

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:wor[k]|hom[e]|roo[t])/")
TESTING_NOISE = re.compile(r"\btesting::|SeededRng|ScriptedRng")


def pages():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [ROOT / name for name in listed if (ROOT / name).exists()]


def blocks(page, language):
    text = page.read_text()
    for match in FENCE.finditer(text):
        if match.group(1) == language:
            yield text.count("\n", 0, match.start(2)) + 1, match.group(2)


def runs(page, line):
    """False for a block that begins with ```cpp no-run: it needs a running service."""
    return not page.read_text().split("\n")[line - 2].endswith(" no-run")


def snippet_source(found):
    includes, functions, calls = ["#include <cstdio>"], [], []
    for number, (page, line, body) in enumerate(found):
        lines = body.split("\n")
        includes += [text for text in lines if text.startswith("#include")]
        body = "\n".join("" if text.startswith("#include") else text for text in lines)
        # A page may write `if (!x) return;`: here that is a failure.
        body = re.sub(r"\breturn;", "return 1;", body)
        name = f"Snippet{number}"
        functions.append(
            f'namespace sotto {{\n[[maybe_unused]] static int {name}() {{\n'
            f'#line {line} "{page.relative_to(ROOT)}"\n{body}\n'
            f'#line 1 "generated"\nreturn 0;\n}}\n}}\n')
        if not runs(page, line):
            continue
        calls.append(f'  if (sotto::{name}() != 0) {{ std::fprintf(stderr, '
                     f'"{page.relative_to(ROOT)}:{line}: the snippet returned an error\\n"); failed = 1; }}')
    unique = sorted(set(includes))
    return ("\n".join(unique) + "\n" + "\n".join(functions) +
            "int main() {\n  int failed = 0;\n" + "\n".join(calls) + "\n  return failed;\n}\n")


def check_cpp(build, problems):
    found = [(page, line, body) for page in pages() for line, body in blocks(page, "cpp")]
    if not found:
        return 0
    work = build / "docs"
    work.mkdir(parents=True, exist_ok=True)
    source, binary = work / "snippets.cc", work / "snippets"
    source.write_text(snippet_source(found))
    libraries = sorted(str(path) for path in build.rglob("libsotto_*.a"))
    command = (["g++", "-std=c++20", "-O1", "-Wall", "-Wno-unused-variable",
                "-Wno-unused-but-set-variable", "-Wno-restrict", "-I", str(ROOT),
                str(source), "-o", str(binary), "-Wl,--start-group"] + libraries +
               ["-Wl,--end-group", "-lsodium", "-lz", "-lsimdjson", "-lmpfr", "-lgmp", "-lpthread"])
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode != 0:
        problems.append("a C++ snippet does not compile:\n" + compiled.stderr[-6000:])
        return len(found)
    ran = subprocess.run([str(binary)], capture_output=True, text=True, timeout=300, cwd=work)
    if ran.returncode != 0:
        problems.append("a C++ snippet failed:\n" + (ran.stderr or ran.stdout)[-3000:])
    return len(found)


# What a line of a shell block begins with that is run, beside what is piped
# into the program: the program, and what makes small files for it.
RUN = ("sotto ", "printf ", "awk ")


def check_shell(build, problems):
    path = f"{build / 'bin'}:{os.environ['PATH']}"
    count = 0
    # Commands write states, which are not replaced: start with none.
    folder = build / "docs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for page in pages():
        for line, body in blocks(page, "sh"):
            for offset, text in enumerate(body.replace("\\\n", " ").split("\n")):
                if not (text.startswith(RUN) or re.search(r"\| *sotto ", text)):
                    continue
                count += 1
                ran = subprocess.run(["bash", "-o", "pipefail", "-c", text], capture_output=True, text=True,
                                     timeout=300, cwd=folder, env={**os.environ, "PATH": path})
                if ran.returncode != 0:
                    where = f"{page.relative_to(ROOT)}:{line + offset}"
                    problems.append(f"{where}: `{text}` exited {ran.returncode}: {ran.stderr.strip()[-500:]}")
    return count


def check_service(build, problems):
    count = 0
    for page in pages():
        script = "\n".join(body for _, body in blocks(page, "bash"))
        if not script:
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            with Service(str(build / "bin" / "sotto"), os.path.join(folder, "service"), "--demo") as service:
                for usual, real in (("8080", service.users.url), ("8081", service.operator.url)):
                    script = script.replace(f"127.0.0.1:{usual}", real.removeprefix("http://"))
                script = script.replace("curl -s ", "curl -sS --fail-with-body ")
                ran = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], capture_output=True, text=True,
                                     timeout=300, cwd=folder, env={**os.environ, "PATH": f"{build / 'bin'}:{os.environ['PATH']}"})
        if ran.returncode != 0:
            problems.append(f"{page.relative_to(ROOT)}: its bash failed: {(ran.stdout + ran.stderr).strip()[-800:]}")
    return count


def python_of(build):
    """The Python the module was built for; None if there is no module."""
    cache = (build / "CMakeCache.txt").read_text() if (build / "CMakeCache.txt").exists() else ""
    found = re.search(r"^SOTTO_PYTHON_PROGRAM:\w+=(.+)$", cache, re.M)
    return found.group(1) if found and (build / "python/sotto").is_dir() else None


def check_python(build, problems):
    python, count = python_of(build), 0
    for page in pages():
        found = list(blocks(page, "python"))
        if not found:
            continue
        count += len(found)
        if python is None:
            problems.append(f"{page.relative_to(ROOT)}: the Python module is not built")
            continue
        # Every line in its own place, so that tracebacks name the page's.
        lines = []
        for line, body in found:
            lines += [""] * (line - 1 - len(lines)) + body.rstrip("\n").split("\n")
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / (page.stem.replace("-", "_") + ".py")
            program.write_text("\n".join(lines) + "\n")
            ran = subprocess.run([python, "-W", "error", str(program)], capture_output=True, text=True, timeout=300,
                                 cwd=folder, env={**os.environ, "PYTHONPATH": str(build / "python")})
        if ran.returncode != 0:
            problems.append(f"{page.relative_to(ROOT)}: its Python failed: {ran.stderr.strip()[-1500:]}")
    return count


JOBS = ROOT / "tools" / "jobs"
ENGINEER_COMMANDS = 8


def check_jobs(build, problems):
    """What people come for, from what a clone builds, each in a folder of its own."""
    script = (JOBS / "engineer.sh").read_text()
    commands = [line for line in script.partition("# Commands\n")[2].partition("# End")[0].split("\n") if line]
    if not 1 <= len(commands) <= ENGINEER_COMMANDS:
        problems.append(f"tools/jobs/engineer.sh: {len(commands)} commands, at most {ENGINEER_COMMANDS}")
    jobs = sorted(path for path in JOBS.iterdir() if path.suffix in (".py", ".sh"))
    environment = {**os.environ, "PATH": f"{build / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(build / "python"),
                   "SOTTO_BUILD": str(build)}
    for job in jobs:
        first = [python_of(build) or sys.executable, "-W", "error"] if job.suffix == ".py" else ["bash"]
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([*first, str(job)], capture_output=True, text=True, timeout=300, cwd=folder,
                                 env=environment)
        if ran.returncode != 0:
            problems.append(f"tools/jobs/{job.name}: exited {ran.returncode}: {(ran.stdout + ran.stderr).strip()[-1500:]}")
    return len(jobs)


def check_cmake(problems):
    known = set((ROOT / "tools" / "consumer" / "CMakeLists.txt").read_text().split("\n"))
    for page in pages():
        for line, body in blocks(page, "cmake"):
            for offset, text in enumerate(body.split("\n")):
                if text not in known | {""}:
                    where = f"{page.relative_to(ROOT)}:{line + offset}"
                    problems.append(f"{where}: tools/consumer/CMakeLists.txt does not have `{text}`")


def check_public_headers(problems):
    listed = set(re.findall(r"^\| `(sotto/\w+\.h)`", (ROOT / "docs" / "cpp.md").read_text(), re.M))
    there = {str(path.relative_to(ROOT)) for path in (ROOT / "sotto").glob("*.h")}
    for name in sorted(listed ^ there):
        problems.append(f"docs/cpp.md: {name} is there and not in the table, or the other way round")


README_LINES = 120
DEMO_LINES = 40


def check_front_door(build, problems):
    """What a newcomer sees first is short, and says what the program does."""
    lines = (ROOT / "README.md").read_text().count("\n")
    if lines > README_LINES:
        problems.append(f"README.md: {lines} lines, at most {README_LINES}")
    sotto = build / "bin" / "sotto"
    with tempfile.TemporaryDirectory() as folder:
        demo = subprocess.run([ROOT / "tools" / "tour.sh", sotto, pathlib.Path(folder) / "page.html"],
                              capture_output=True, text=True, timeout=300, cwd=folder)
    lines = demo.stdout.count("\n")
    if demo.returncode != 0 or demo.stderr or not 20 <= lines <= DEMO_LINES:
        problems.append(f"tools/tour.sh: exited {demo.returncode}, {lines} lines (at most {DEMO_LINES}): {demo.stderr}")
    reference = subprocess.run([sys.executable, ROOT / "tools" / "cli_reference.py", sotto, "--check"],
                               capture_output=True, text=True)
    if reference.returncode != 0:
        problems.append(reference.stderr.strip())


def check_links(problems):
    for page in pages():
        text = FENCE.sub("", page.read_text())
        for target in LINK.findall(text):
            if "://" not in target and not (page.parent / target).exists():
                problems.append(f"{page.relative_to(ROOT)}: link to {target}, which does not exist")
        for match in MACHINE_PATH.finditer(page.read_text()):
            problems.append(f"{page.relative_to(ROOT)}: a machine's path: {match.group(0)}")


STATUSES = {"as printed", "printed lines, our numbers", "same interface, other mechanism", "in tests only",
            "formulas only", "implemented"}


# How a test says that it compares code with the paper: by its name, or by a comment above it that names
# the paper and the beginning of its row.
LINES = re.compile(r"^TEST(?:_P|_F)?\(\s*\w+,\s*\w*LinesOfThePaper", re.M)
MARK = re.compile(r"^// (As printed|Printed lines): \[(\w+)\] ([^:\n]+): [^\n]+\n(?=(?://[^\n]*\n)*TEST)", re.M)
MARKED = {"as printed": "As printed", "printed lines, our numbers": "Printed lines"}


def paper_marks():
    """(file, status word, paper, beginning of the row) of every marked test."""
    return {(str(path.relative_to(ROOT)), *mark) for path in (ROOT / "sotto").rglob("*_test.cc")
            for mark in MARK.findall(path.read_text())}


def begins(row, item):
    return row.startswith(item) and not row[len(item):len(item) + 1].isdigit()


def check_status(where, paper, cells, marks, problems):
    """A row that claims printed lines names a test that compares them; returns the marks it uses."""
    if cells[5] not in MARKED:
        return set()
    tests = re.findall(r"`([^`]+)`", cells[4])
    used = {mark for mark in marks if mark[0] in tests and mark[1] == MARKED[cells[5]] and mark[2] == paper
            and begins(cells[0], mark[3])}
    lines = any(LINES.search((ROOT / test).read_text()) for test in tests if (ROOT / test).exists())
    if not used and not lines:
        problems.append(f"{where}: '{cells[5]}', but {cells[4]} has neither a test ...LinesOfThePaper nor a test below "
                        f"'// {MARKED[cells[5]]}: [{paper}] ...' that names this row")
    return used


def check_papers(problems):
    """Rows of docs/papers.md: files exist, the status is one of the words and tied to a test of the named class."""
    marks, used, paper = paper_marks(), set(), ""
    lines = {str(path.relative_to(ROOT)) for path in (ROOT / "sotto").rglob("*_test.cc")
             if LINES.search(path.read_text())}
    for row in (ROOT / "docs" / "papers.md").read_text().split("\n"):
        if row.startswith("## "):
            paper = row[3:]
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
        if not row.startswith("|") or cells[0] in ("algorithm", "---"):
            continue
        where = f"docs/papers.md: {cells[0]}"
        if len(cells) != 6:
            problems.append(f"{where}: {len(cells)} cells, expected 6")
            continue
        if cells[5] not in STATUSES:
            problems.append(f"{where}: unknown status '{cells[5]}'")
        if (cells[5] == "implemented") != cells[0].startswith("N:"):
            problems.append(f"{where}: 'implemented' is for rows that no paper has, and for them only")
        for name in re.findall(r"`([\w/]+/[\w./]+\.(?:h|cc|md))`", row):
            if not (ROOT / name).exists():
                problems.append(f"{where}: {name} does not exist")
        named = re.findall(r"`(?:\w+::)*(\w+)`", cells[1])
        tests = [ROOT / test for test in re.findall(r"`([^`]+)`", cells[4])]
        if not tests or not all(test.name.endswith("_test.cc") and test.exists() for test in tests):
            problems.append(f"{where}: names no test")
        elif not named or not any(name in test.read_text() for name in named for test in tests):
            problems.append(f"{where}: {cells[4]} does not mention {cells[1]}")
        used |= check_status(where, paper, cells, marks, problems)
        if cells[5] in MARKED:
            lines -= set(re.findall(r"`([^`]+)`", cells[4]))
    for file in sorted(lines):
        problems.append(f"{file}: a test ...LinesOfThePaper, but no row of docs/papers.md is as printed by it")
    for file, word, named_paper, item in sorted(marks - used):
        problems.append(f"{file}: '// {word}: [{named_paper}] {item}' belongs to no row of docs/papers.md of that status")


def check_proof_lines(problems):
    for header in [*(ROOT / "sotto").rglob("*.h"), *(ROOT / "python").rglob("*.h")]:
        for name in re.findall(r"^// Proof: +([\w./-]+\.md)", header.read_text(), re.M):
            if not (header.parent / name).exists() and not (ROOT / name).exists():
                problems.append(f"{header.relative_to(ROOT)}: names the proof {name}, which does not exist")


def check_noise(problems):
    """Examples are copied, so their noise comes from a key of the system."""
    for page in pages():
        for line, body in blocks(page, "cpp"):
            if TESTING_NOISE.search(body):
                problems.append(f"{page.relative_to(ROOT)}:{line}: the example's noise comes from sotto/testing")
    for header in (ROOT / "sotto").rglob("*.h"):
        if "testing" in header.relative_to(ROOT).parts or "_test" in header.stem:
            continue
        for number, text in enumerate(header.read_text().split("\n"), 1):
            if "//" in text and TESTING_NOISE.search(text):
                problems.append(f"{header.relative_to(ROOT)}:{number}: the example's noise comes from sotto/testing")


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1], "bin").is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    build = pathlib.Path(sys.argv[1]).resolve()
    problems = []
    check_links(problems)
    check_papers(problems)
    check_proof_lines(problems)
    check_cmake(problems)
    check_public_headers(problems)
    check_noise(problems)
    check_front_door(build, problems)
    compiled = check_cpp(build, problems)
    commands = check_shell(build, problems)
    programs = check_python(build, problems)
    services = check_service(build, problems)
    jobs = check_jobs(build, problems)
    for problem in problems:
        print("check_docs:", problem, file=sys.stderr)
    if problems:
        return 1
    print(f"docs: {len(pages())} pages, {compiled} C++ and {programs} Python snippets and {commands} commands ran, "
          f"{services} pages asked a service, {jobs} jobs were done, links hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
