#!/usr/bin/env python3
"""Writes the stubs of the Python module from the registry: python_stubs.py FOLDER

The build runs it with the built module in PYTHONPATH; FOLDER is the package of the build. The
docstrings are in them, because editors show those of stubs.
"""
import inspect
import pathlib
import sys
import textwrap

import sotto
from sotto import _options

MORE = {"schema": "Optional[Schema]", "columns": "Union[list[str], int, Literal['words'], None]",
        "classes": "Optional[Union[str, Sequence[Any]]]", "reuse": "Optional[bool]"}
# Keywords that take more than the registry's text.
LOOSER = {("PrivateEnsemble", "base_learner"): "Any"}
HEAD = '''# Written by tools/python_stubs.py from the registry.
from typing import Any, Literal, Optional, Sequence, Tuple, Type, Union

from sotto._batch import BatchModel
from sotto._online import OnlineModel, Schema
from sotto._pop import PopModel
from sotto._tide import TideModel

__all__: list[str]
ALIASES: dict[str, Type[Any]]
'''
LIST = '''class PrivateDecisionList(BatchModel):
    def __init__(self, *, method: Literal['cover', 'list'] = ..., epsilon: float, **keywords: Any) -> None: ...
'''


def keyword_line(name, annotation, required):
    return f"{name}: {annotation}" + ("" if required else " = ...")


def filled(said):
    """The lines of an __init__ with these parameters."""
    lines, line = [], "    def __init__(self, *"
    for part in said:
        if len(line) + len(part) > 116:
            lines.append(line + ",")
            line = "                 " + part
        else:
            line += ", " + part
    return lines + [line + ") -> None: ..."]


def stub_of(made, base):
    words = sorted(made._keywords, key=lambda word: not word.required)
    kinds = {word.name: LOOSER.get((made.__name__, word.name), word.annotation) for word in words}
    kinds.update((name, MORE[name]) for name in made._more)
    aliases = {old: kinds[new] for old, new in _options.aliases_of(made._keywords).items()}
    required = {word.name for word in words if word.required}
    said = [keyword_line(name, kind, name in required) for name, kind in kinds.items()]
    said += [keyword_line(old, kind, False) for old, kind in aliases.items()]
    attributes = [f"    {name}: {kind}" for name, kind in {**kinds, **aliases}.items()]
    text = textwrap.indent('"""' + made.__doc__.rstrip() + '\n"""', "    ", lambda line: line.strip())
    return "\n".join([f"class {made.__name__}({base.__name__}):", text, *attributes, *filled(said)])


def models():
    parts = [HEAD]
    for name in sotto.models.__all__:
        made = getattr(sotto.models, name)
        if not made._entry:
            parts.append(LIST)
            continue
        assert set(inspect.signature(made).parameters) == {word.name for word in made._keywords} | set(made._more)
        parts.append(stub_of(made, made.__base__) + "\n")
    parts += [f"{short} = {made.__name__}" for short, made in sotto.models.ALIASES.items() if short != made.__name__]
    return "\n".join(parts) + "\n"


def public_names():
    return [name for name in dir(sotto) if not name.startswith("_")] + ["__version__"]


def home(name):
    """The module whose stub, or source, says what it is."""
    made = getattr(sotto, name)
    if inspect.ismodule(made):
        return "sotto"
    if name in sotto.models.__all__ or name in sotto.models.ALIASES:
        return "sotto.models"
    if isinstance(made, str) or made.__module__ in ("sotto.errors", "sotto._core", "sotto"):
        return "sotto._core"
    return made.__module__


def package():
    lines = ["# Written by tools/python_stubs.py: what `import sotto` offers, and where it is."]
    lines += sorted(f"from {home(name)} import {name} as {name}" for name in public_names())
    return "\n".join(lines) + "\n"


def main(folder):
    for name, text in (("models.pyi", models()), ("__init__.pyi", package())):
        (pathlib.Path(folder) / name).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
