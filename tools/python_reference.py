#!/usr/bin/env python3
"""Writes docs/reference/python.md from the docstrings of the built module.

    PYTHONPATH=build/release/python /usr/bin/python3 tools/python_reference.py          writes the page
    PYTHONPATH=build/release/python /usr/bin/python3 tools/python_reference.py --check  fails if it is not up to date
"""
import inspect
import pathlib
import re
import sys

import sotto
from sotto import _docs, mechanisms

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "reference" / "python.md"
HEAD = """# Python reference

For users of the `sotto` module who look something up: every class, keyword and method. Written by
`tools/python_reference.py` from the docstrings, which editors and `help()` show as well. The guide is
[python.md](../python.md).

```python
import sotto

model = sotto.TideClassifier(epsilon=1, delta=1e-6)
print(model.guarantee)
```
"""
VALUES = (sotto.Budget, sotto.Run, sotto.Round, sotto.Guarantee, sotto.Plan, sotto.PublishedModel)
ERRORS = (sotto.InvalidArgument, sotto.FailedPrecondition, sotto.BudgetExhausted, sotto.NotConverged,
          sotto.Corruption, sotto.Unavailable)
FUNCTIONS = ("plan", "schema", "load", "load_published", "show", "account", "check_learner")


def flat(text):
    """One line of Markdown."""
    return re.sub(r"\s+", " ", text or "").strip().replace("|", "\\|").replace("<", "&lt;")


def body(text):
    """A docstring with its numpydoc sections as code blocks."""
    text = inspect.cleandoc(text or "")
    start = re.search(r"^(Parameters|Returns|Raises|Attributes|Examples)\n-+$", text, re.M)
    if start is None:
        return text + "\n"
    said, sections = text[:start.start()].rstrip(), re.sub(r"\n-+\n", "\n", text[start.start():])
    return f"{said}\n\n```text\n{sections}\n```\n"


def table(keywords):
    lines = ["| keyword | type | meaning |", "| --- | --- | --- |"]
    for word in sorted(keywords, key=lambda word: (not word.required, word.name)):
        lines.append(f"| `{word.name}` | {flat(_docs.kind_of(word))} | {flat(_docs.sentence(word.explain()))} |")
    return "\n".join(lines) + "\n"


def classes(base):
    found = {}
    for name in sotto.models.__all__:
        made = getattr(sotto.models, name)
        if issubclass(made, base) and made._entry and made._entry["name"] not in found:
            found[made._entry["name"]] = made
    return list(found.values())


def shared(made):
    """Keywords that all these classes have, with the same meaning."""
    texts = [{(word.name, word.explain()) for word in one._keywords} for one in made]
    return set.intersection(*texts)


def names_of(made):
    extra = " and ".join(f"`{one.__name__}`" for one in made.__subclasses__())
    shorts = [short for short, one in sotto.models.ALIASES.items() if one is made and short != made.__name__]
    notes = [f"made as {extra}"] if extra else []
    return notes + [f"alias `{short}`" for short in shorts]


def models(title, base, more):
    made = classes(base)
    common = shared(made)
    lines = [f"## {title}\n", "Keywords that all of them have:\n"]
    words = {word.name: word for word in made[0]._keywords if (word.name, word.explain()) in common}
    lines.append(table(words.values()) + "".join(
        f"| `{name}` | {_docs.MORE[name][0]}, optional | {flat(_docs.MORE[name][1])} |\n" for name in more))
    for one in made:
        own = [word for word in one._keywords if (word.name, word.explain()) not in common]
        notes = "; ".join(names_of(one))
        lines.append(f"### {one.__name__}\n")
        lines.append(f"{_docs.sentence(one._entry['help'])}{' (' + notes + ')' if notes else ''} Publishes: "
                     f"{one._entry.get('publishes') or 'nothing'}.\n")
        if own:
            lines.append(table(own))
    return "\n".join(lines)


def methods(cls, level="###"):
    lines = []
    for name, member in inspect.getmembers(cls):
        if name.startswith("_") or not (callable(member) or isinstance(member, property)) or not member.__doc__:
            continue
        if isinstance(member, property):
            lines.append(f"{level} {cls.__name__}.{name}\n\n{body(member.__doc__)}")
        elif inspect.isfunction(member) or inspect.ismethod(member):
            signature = re.sub(r"\bself(, )?", "", str(inspect.signature(member)), count=1)
            lines.append(f"{level} {cls.__name__}.{name}{signature}\n\n{body(member.__doc__)}")
    return "\n".join(lines)


def page():
    parts = [HEAD, models("Online models", sotto.OnlineModel, ("schema", "columns", "classes")),
             "## Methods of online models\n", methods(sotto.OnlineModel),
             models("Models of tables", sotto.BatchModel, ("schema", "classes")),
             "## Methods of models of tables\n", methods(sotto.BatchModel), "## Functions\n"]
    for name in FUNCTIONS:
        function = getattr(sotto, name)
        parts.append(f"### sotto.{name}\n\n{body(function.__doc__)}")
    parts.append("## Results\n")
    for made in VALUES:
        parts += [f"### {made.__name__}\n\n{body(made.__doc__)}", methods(made, "####")]
    parts.append("## Mechanisms\n\nIn `sotto.mechanisms`; also by their names in `sotto`.\n")
    for name in mechanisms.__all__:
        made = getattr(mechanisms, name)
        if isinstance(made, type) and hasattr(made, "guarantee") and not hasattr(made, "_fields"):
            parts.append(f"### {name}\n\n{body(made.__doc__.split('>>>')[0])}")
    parts.append("## Exceptions\n\nEach is a `SottoError`.\n")
    for made in ERRORS:
        also = ", ".join(base.__name__ for base in made.__bases__ if base is not sotto.SottoError)
        parts.append(f"* `{made.__name__}`, also a `{also}`")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def main(arguments):
    text = page()
    if arguments == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit("docs/reference/python.md is not what the docstrings say: run tools/python_reference.py")
        return
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
