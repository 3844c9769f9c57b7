"""Builds wheels and the source archive: the backend that pyproject.toml names (PEP 517, PEP 660).

CMake compiles, several sources as one; if ./run build has done so for this Python, what is there
is used. A wheel is a zip archive with a list of its files, so no package is needed to write one.
It has the module and the program. Metadata are known without compiling.
"""
import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
# Folders and files of the source archive, where no git says what belongs to the tree.
NOT_SOURCE = {"build", ".git", "__pycache__"}


def version():
    return re.search(r"project\(sotto VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def build():
    """Compiles, and returns the build tree."""
    missing = [program for program in ("cmake", "ninja", "g++") if shutil.which(program) is None]
    if missing:
        raise RuntimeError(f"{', '.join(missing)}: not installed; tools/apt-packages.txt names what a build needs")
    folder = ROOT / "build/release"
    if not (folder / f"python/sotto/_core{SUFFIX}").exists():
        folder = ROOT / "build/wheel"
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DSOTTO_TESTS=OFF", "-DSOTTO_BENCH=OFF", "-DSOTTO_UNITY=ON",
                        f"-DSOTTO_PYTHON_PROGRAM={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "sotto_python_package", "--target", "sotto"], check=True)
    return folder


def metadata():
    return f"Metadata-Version: 2.1\nName: sotto\nVersion: {version()}\nRequires-Python: >=3.9\n" \
           "Summary: Private online learning: predict, then learn, with a stated guarantee\nLicense: Apache-2.0\n"


def information():
    return f"sotto-{version()}.dist-info"


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def stripped(program):
    """The program without its symbol table: a fifth of the bytes."""
    if shutil.which("strip") is None:
        return program.read_bytes()
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / program.name
        subprocess.run(["strip", "-o", copy, program], check=True)
        return copy.read_bytes()


def package_files(package, program):
    """What is in the wheel: (name, content, mode), sorted."""
    for path in sorted(package.iterdir()):
        if path.name == f"_core{SUFFIX}":
            yield f"sotto/{path.name}", stripped(path), 0o755
        elif path.suffix in (".py", ".pyi") or path.name == "py.typed":
            yield f"sotto/{path.name}", path.read_bytes(), 0o644
    yield f"sotto-{version()}.data/scripts/sotto", stripped(program), 0o755


def information_files():
    yield f"{information()}/METADATA", metadata().encode(), 0o644
    yield f"{information()}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: sotto\nRoot-Is-Purelib: false\n"
                                     f"Tag: {tag()}\n").encode(), 0o644


def zip_wheel(folder, files):
    """The same bytes for the same files: no times."""
    name = f"sotto-{version()}-{tag()}.whl"
    record = ""
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for place, content, mode in [*files, *information_files()]:
            entry = zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
            wheel.writestr(entry, content)
            record += record_line(place, content)
        place = f"{information()}/RECORD"
        wheel.writestr(zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0)), record + f"{place},,\n")
    return name


def write_wheel(folder, package, program):
    return zip_wheel(folder, package_files(package, program))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    made = build()
    return write_wheel(wheel_directory, made / "python/sotto", made / "bin/sotto")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without compiling anything."""
    folder = pathlib.Path(metadata_directory) / information()
    folder.mkdir()
    for name, content, _ in information_files():
        (folder / pathlib.Path(name).name).write_bytes(content)
    return folder.name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A module whose Python files are those of the tree: edits count at once, C++ after a build."""
    made = build()
    links = ROOT / "build/editable"
    shutil.rmtree(links, ignore_errors=True)
    (links / "sotto").mkdir(parents=True)
    for path in (made / "python/sotto").iterdir():
        source = ROOT / "python/sotto" / path.name
        if path.is_file():
            (links / "sotto" / path.name).symlink_to(source if source.exists() else path)
    script = f'#!/bin/sh\nexec "{made / "bin/sotto"}" "$@"\n'.encode()
    return zip_wheel(wheel_directory, [("sotto.pth", f"{links}\n".encode(), 0o644),
                                       (f"sotto-{version()}.data/scripts/sotto", script, 0o755)])


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def source_files():
    """The files of the tree: those that git knows, or all beside a build."""
    try:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL).stdout.decode().split("\0")
        names = [name for name in listed if name and (ROOT / name).exists()]
    except (OSError, subprocess.CalledProcessError):
        names = []
    if names:
        return sorted(names)
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in NOT_SOURCE]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files if name != "PKG-INFO"]
    return sorted(found)


def source_time():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL).stdout)
    except (OSError, subprocess.CalledProcessError):
        return 0


def build_sdist(sdist_directory, config_settings=None):
    top = f"sotto-{version()}"
    name = f"{top}.tar.gz"
    with open(os.path.join(sdist_directory, name), "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for place in ["PKG-INFO", *source_files()]:
            path = ROOT / place
            info = tarfile.TarInfo(f"{top}/{place}")
            info.mtime = source_time()
            if place != "PKG-INFO" and path.is_symlink():
                info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
                tar.addfile(info)
                continue
            content = metadata().encode() if place == "PKG-INFO" else path.read_bytes()
            info.size = len(content)
            info.mode = 0o755 if place != "PKG-INFO" and os.access(path, os.X_OK) else 0o644
            tar.addfile(info, io.BytesIO(content))
    return name
