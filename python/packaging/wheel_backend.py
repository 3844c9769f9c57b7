"""Builds a wheel of the Python module: the backend that pyproject.toml names (PEP 517).

CMake compiles it; if ./run build has done so for this Python, what is there is used. A
wheel is a zip archive with a list of its files, so no package is needed to write one.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def version():
    return re.search(r"project\(sotto VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def build():
    """Compiles, and returns the folder of the package."""
    missing = [program for program in ("cmake", "ninja", "g++") if shutil.which(program) is None]
    if missing:
        raise RuntimeError(f"{', '.join(missing)}: not installed; tools/apt-packages.txt names what a build needs")
    folder = ROOT / "build/release"
    if not (folder / f"python/sotto/_core{SUFFIX}").exists():
        folder = ROOT / "build/wheel"
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DSOTTO_TESTS=OFF", "-DSOTTO_BENCH=OFF", f"-DSOTTO_PYTHON_PROGRAM={sys.executable}"],
                       check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "sotto_python_package"], check=True)
    return folder / "python/sotto"


def metadata():
    return f"Metadata-Version: 2.1\nName: sotto\nVersion: {version()}\nRequires-Python: >=3.9\n" \
           "Summary: Private online learning: predict, then learn, with a stated guarantee\n"


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def files(package):
    """What is in the wheel: (name, content), sorted."""
    info = f"sotto-{version()}.dist-info"
    for path in sorted(package.iterdir()):
        wanted = path.suffix in (".py", ".pyi") or path.name in (f"_core{SUFFIX}", "py.typed")
        if wanted:
            yield f"sotto/{path.name}", path.read_bytes()
    yield f"{info}/METADATA", metadata().encode()
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: sotto\nRoot-Is-Purelib: false\n"
                            f"Tag: {tag()}\n").encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = build()
    name = f"sotto-{version()}-{tag()}.whl"
    record = ""
    # The same bytes for the same files: no times.
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for place, content in files(package):
            entry = zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, content)
            record += record_line(place, content)
        place = f"sotto-{version()}.dist-info/RECORD"
        wheel.writestr(zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0)), record + f"{place},,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("sotto is built from its repository; there is no source archive")
