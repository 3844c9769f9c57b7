"""Checks that the extension was built for this Python; if not, says what to do."""
import importlib
import pathlib
import sys

try:
    importlib.import_module("sotto._core")
except ModuleNotFoundError:
    builds = sorted(path.name.split(".")[1] for path in pathlib.Path(__file__).parent.glob("_core.*.so"))
    raise ImportError(
        f"sotto was built for {' and '.join(builds) or 'no Python'}, and this is {sys.implementation.cache_tag} "
        f"({sys.executable}). Use the Python it was built for (on Debian /usr/bin/python3), or build it for this one: "
        "pip install . in the source tree") from None
