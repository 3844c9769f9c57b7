#!/usr/bin/env python3
"""Packs a release build: Debian packages, a relocatable archive, a wheel, a source archive and an SBOM.

tools/package.py BUILD OUT [--check]    BUILD: a build tree without tests and benchmarks;
                                        --check packs twice and compares the bytes

Everything is taken from an existing build: nothing is compiled. The same tree gives the same
bytes: times are those of the last commit (or SOURCE_DATE_EPOCH), owners are root, names sorted.
"""
import argparse
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "python/packaging"))
import manual  # noqa: E402
import sbom  # noqa: E402
import wheel_backend  # noqa: E402

MAINTAINER = "The Sotto authors <sotto@localhost>"
# Name of a package: section, description, and the files that belong to it, the first match wins.
PACKAGES = {
    "sotto": ("science", "private online learning, the program",
              "Predicts for a stream of users and learns from their labels; an adversary\n"
              "who controls all other users learns almost nothing about any one of them.\n"
              "This package has the command line and the service."),
    "libsotto{so}": ("libs", "private online learning, the shared library",
                     "Mechanisms, accounting and models of Sotto for other programs."),
    "libsotto-dev": ("libdevel", "private online learning, files for development",
                     "Headers, the static library, and files for CMake and pkg-config."),
    "python3-sotto": ("python", "private online learning, the Python module",
                      "River's verbs for streams, scikit-learn's for tables, mechanisms and\nbudgets."),
}


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def epoch():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(run("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        return int((ROOT / "CMakeLists.txt").stat().st_mtime)


def series():
    """The part of the version that the shared library's name has: 0.1."""
    return ".".join(wheel_backend.version().split(".")[:2])


# The files of an installation.

def stage(build, folder):
    """An installation with manual pages, completion and unit, under folder/usr."""
    usr = folder / "usr"
    run("cmake", "--install", build, "--prefix", usr, "--strip")
    for extension in usr.rglob("_core*.so"):  # installed as a file, not as a target
        run("strip", "--strip-unneeded", extension)
    with tempfile.TemporaryDirectory() as scratch:
        manual.write(manual.describe(str(usr / "bin/sotto")), pathlib.Path(scratch))
        pages = usr / "share/man/man1"
        pages.mkdir(parents=True)
        for page in sorted(pathlib.Path(scratch, "man/man1").iterdir()):
            (pages / f"{page.name}.gz").write_bytes(gzip.compress(page.read_bytes(), 9, mtime=0))
        for name, place in (("sotto", "bash-completion/completions/sotto"), ("_sotto", "zsh/vendor-completions/_sotto"),
                            ("sotto.fish", "fish/vendor_completions.d/sotto.fish")):
            target = usr / "share" / place
            target.parent.mkdir(parents=True)
            shutil.copy(pathlib.Path(scratch, "completion", name), target)
    unit = usr / "lib/systemd/system/sotto.service"
    unit.parent.mkdir(parents=True)
    shutil.copy(ROOT / "deploy/sotto.service", unit)
    settle(folder)


def settle(folder):
    """Modes and times that do not depend on who packs, and when."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():
            runs = path.is_dir() or path.parent.name == "bin" or path == folder / "DEBIAN/prerm"
            path.chmod(0o755 if runs else 0o644)
        os.utime(path, (epoch(), epoch()), follow_symlinks=False)


def owner(path):
    """The Debian package of an installed file."""
    name, parts = path.name, path.parts
    if "dist-packages" in parts:
        return "python3-sotto"
    if re.fullmatch(r"libsotto\.so\..+", name):
        return "libsotto{so}"
    if "include" in parts or "cmake" in parts or name.endswith((".a", ".so", ".pc")):
        return "libsotto-dev"
    return "sotto"


# Debian packages.

def depends(package, folder):
    """Packages that the binaries need, by dpkg-shlibdeps; and our own."""
    binaries = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
                and path.read_bytes()[:4] == b"\x7fELF"]
    needed = []
    if binaries:
        with tempfile.TemporaryDirectory() as scratch:
            pathlib.Path(scratch, "debian").mkdir()
            pathlib.Path(scratch, "debian/control").write_text("Source: sotto\n\nPackage: sotto\nArchitecture: any\n")
            text = run("dpkg-shlibdeps", "-O", "--ignore-missing-info", *binaries, cwd=scratch, stderr=subprocess.DEVNULL)
        needed = text.split("=", 1)[1].strip().split(", ")
    version = wheel_backend.version()
    if package == "libsotto-dev":
        needed += [f"libsotto{series()} (= {version}-1)", "libsodium-dev", "libmpfr-dev", "libgmp-dev", "libsimdjson-dev",
                   "zlib1g-dev"]
    if package == "python3-sotto":
        # The extension is for one version of Python.
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        after = f"{sys.version_info.major}.{sys.version_info.minor + 1}"
        needed += [f"python3 (>= {python})", f"python3 (<< {after})"]
    return sorted(set(needed))


def control(package, folder, entry):
    section, summary, text = entry
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    needed = depends(package.split("{")[0] if "{" in package else package, folder)
    lines = [f"Package: {package.format(so=series())}", "Source: sotto", f"Version: {wheel_backend.version()}-1",
             f"Architecture: {run('dpkg', '--print-architecture').strip()}", f"Maintainer: {MAINTAINER}",
             f"Installed-Size: {size // 1024 + 1}", f"Section: {section}", "Priority: optional"]
    if needed:
        lines.append("Depends: " + ", ".join(needed))
    lines += [f"Description: {summary}", *(" " + line for line in text.split("\n"))]
    return "\n".join(lines) + "\n"


COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sotto

Files: *
Copyright: 2026 the Sotto authors
License: Apache-2.0
 On Debian systems the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
"""


# Byte code that Python wrote beside the module goes with it.
CLEAN = """#!/bin/sh
set -e
if command -v py3clean >/dev/null; then py3clean -p python3-sotto; fi
"""


def changelog():
    when = run("date", "-u", "-R", "-d", f"@{epoch()}").strip()
    return f"sotto ({wheel_backend.version()}-1) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n" \
           f" -- {MAINTAINER}  {when}\n"


def debian_python(folder):
    """The module is where Debian's Python looks for it."""
    for path in folder.glob("usr/lib/python3.*/dist-packages"):
        target = folder / "usr/lib/python3/dist-packages"
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
        path.parent.rmdir()


def debian(staged, out):
    made = []
    for package, entry in PACKAGES.items():
        name = package.format(so=series())
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            folder.chmod(0o755)
            for path in sorted(staged.rglob("*")):
                if path.is_dir() or owner(path.relative_to(staged)) != package:
                    continue
                target = folder / path.relative_to(staged)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target, follow_symlinks=False)
            documents = folder / f"usr/share/doc/{name}"
            documents.mkdir(parents=True)
            (documents / "copyright").write_text(COPYRIGHT)
            (documents / "changelog.Debian.gz").write_bytes(gzip.compress(changelog().encode(), 9, mtime=0))
            text = control(package, folder, entry)
            settle(folder)
            (folder / "DEBIAN").mkdir(mode=0o755)
            (folder / "DEBIAN/control").write_text(text)
            if package == "libsotto{so}":
                (folder / "DEBIAN/shlibs").write_text(f"libsotto {series()} {name} (>= {wheel_backend.version()})\n")
                (folder / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")
            if package == "python3-sotto":
                (folder / "DEBIAN/prerm").write_text(CLEAN)
            write_sums(folder)
            settle(folder)
            file = out / f"{name}_{wheel_backend.version()}-1_{run('dpkg', '--print-architecture').strip()}.deb"
            run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, file,
                env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())})
            made.append(file)
    return made


def write_sums(folder):
    lines = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"
             for path in sorted(folder.rglob("*"))
             if path.is_file() and not path.is_symlink() and "DEBIAN" not in path.parts]
    (folder / "DEBIAN/md5sums").write_text("".join(lines))


# Archives.

def archive(file, top, entries):
    """A tar.gz of (name, path or bytes), sorted, without times and owners of this machine."""
    with open(file, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, source in sorted(entries, key=lambda entry: entry[0]):
            info = tarfile.TarInfo(f"{top}/{name}")
            info.mtime = epoch()
            if isinstance(source, bytes):
                info.size, info.mode = len(source), 0o644
                tar.addfile(info, io.BytesIO(source))
            elif source.is_symlink():
                info.type, info.linkname = tarfile.SYMTYPE, os.readlink(source)
                tar.addfile(info)
            else:
                info.size, info.mode = source.stat().st_size, source.stat().st_mode & 0o777
                with open(source, "rb") as content:
                    tar.addfile(info, content)
    return file


def relocatable(staged, out):
    machine = os.uname().machine
    top = f"sotto-{wheel_backend.version()}-linux-{machine}"
    usr = staged / "usr"
    entries = [(str(path.relative_to(usr)), path) for path in usr.rglob("*") if path.is_symlink() or path.is_file()]
    entries += [("share/doc/sotto/LICENSE", (ROOT / "LICENSE").read_bytes())]
    return archive(out / f"{top}.tar.gz", top, entries)


def pack(build, out):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        staged = pathlib.Path(scratch) / "root"
        stage(build, staged)
        files = [relocatable(staged, out)]
        files.append(out / wheel_backend.write_wheel(out, build / "python/sotto", staged / "usr/bin/sotto"))
        debian_python(staged)
        files += debian(staged, out)
    files.append(out / wheel_backend.build_sdist(out))
    document = sbom.write(out / f"sotto-{wheel_backend.version()}.spdx.json", files, epoch())
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted([*files, document]))
    (out / "SHA256SUMS").write_text(sums)
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="pack twice and compare the bytes")
    arguments = parser.parse_args()
    sums = pack(arguments.build.resolve(), arguments.out.resolve())
    print(sums, end="")
    if arguments.check:
        with tempfile.TemporaryDirectory() as again:
            if pack(arguments.build.resolve(), pathlib.Path(again) / "out") != sums:
                sys.exit("package: two runs gave different bytes")
        print("package: the same bytes twice")


if __name__ == "__main__":
    main()
