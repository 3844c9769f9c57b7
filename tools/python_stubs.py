#!/usr/bin/env python3
"""Writes the stubs of the Python module from the registry: python_stubs.py FOLDER

The build runs it with the built module in PYTHONPATH; FOLDER is the package of the build.
"""
import inspect
import pathlib
import sys

import sotto

MORE = {"schema": "Optional[Schema]", "columns": "Optional[list[str]]", "classes": "Optional[Union[str, Sequence[Any]]]",
        "reuse": "Optional[bool]"}
# Keywords that take more than the registry's text.
LOOSER = {("Pop", "learner"): "Any"}
HEAD = '''# Written by tools/python_stubs.py from the registry.
from typing import Any, Literal, Optional, Sequence, Tuple, Union

from sotto._batch import BatchModel
from sotto._online import OnlineModel, Schema
from sotto._pop import PopModel

__all__: list[str]
'''


def keyword_line(name, annotation, required):
    return f"{name}: {annotation}" + ("" if required else " = ...")


def stub_of(made, base):
    words = sorted(made._keywords, key=lambda word: not word.required)
    kinds = {word.name: LOOSER.get((made.__name__, word.name), word.annotation) for word in words}
    said = [keyword_line(word.name, kinds[word.name], word.required) for word in words]
    said += [keyword_line(name, MORE[name], False) for name in made._more]
    lines, line = [], "    def __init__(self, *"
    for part in said:
        if len(line) + len(part) > 116:
            lines.append(line + ",")
            line = "                 " + part
        else:
            line += ", " + part
    lines.append(line + ") -> None: ...")
    attributes = [f"    {word.name}: {kinds[word.name]}" for word in words]
    attributes += [f"    {name}: {MORE[name]}" for name in made._more]
    return "\n".join([f"class {made.__name__}({base.__name__}):", *attributes, *lines])


def models():
    parts = [HEAD]
    for name in sotto.models.__all__:
        made = getattr(sotto, name)
        base = made.__base__
        assert set(inspect.signature(made).parameters) == {word.name for word in made._keywords} | set(made._more)
        parts.append(stub_of(made, base) + "\n")
    return "\n".join(parts)


def home(name):
    """The module whose stub, or source, says what it is."""
    made = getattr(sotto, name)
    if name in sotto.models.__all__:
        return "sotto.models"
    if isinstance(made, str) or made.__module__ in ("sotto", "sotto._core"):
        return "sotto._core"
    return made.__module__


def package():
    lines = ["# Written by tools/python_stubs.py: what `import sotto` offers, and where it is."]
    lines += sorted(f"from {home(name)} import {name} as {name}" for name in sotto.__all__)
    return "\n".join(lines) + "\n"


def main(folder):
    for name, text in (("models.pyi", models()), ("__init__.pyi", package())):
        (pathlib.Path(folder) / name).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
