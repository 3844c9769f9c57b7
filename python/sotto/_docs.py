"""Docstrings of the classes, in numpydoc's form, from the tables of the registry."""
import inspect
import textwrap

MORE = {
    "schema": ("dict, str or PathLike", "Public columns, types, values and ranges: a dict, or the path of a JSON file."),
    "columns": ("list of str, int or 'words'",
                "Without a schema: the public names of the columns. Default: those of the first row. 'words': rows are "
                "dicts of any names, which are hashed. An integer: sparse rows with this many columns."),
    "classes": ("sequence or 'public'",
                "Names of the labels, or 'public' if those that occur in the y of fit are publicly known. Default: 0/1, "
                "-1/+1 and False/True, predicted as 0/1, or what the schema says."),
    "reuse": ("bool", "For a base_learner that is a Python object: predict on objects that are kept, which is faster, "
                      "and trust that a prediction changes none of them."),
}
_TYPES = {"flag": "bool", "whole": "int", "real": "float", "text": "str"}


def _filled(text, indent):
    return textwrap.fill(text, 96, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def kind_of(word):
    words = word.option["words"]
    kind = "{" + ", ".join(repr(value) for value in words) + "}" if words else _TYPES[word.option["type"]]
    if word.required:
        return kind
    return f"{kind}, optional" if word.default is None else f"{kind}, default {word.default!r}"


def sentence(text):
    text = text[0].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def _parameters(keywords, more):
    lines = ["Parameters", "----------"]
    for word in sorted(keywords, key=lambda word: not word.required):
        lines += [f"{word.name} : {kind_of(word)}", _filled(sentence(word.explain()), "    ")]
    for name in more:
        kind, text = MORE[name]
        lines += [f"{name} : {kind}, optional", _filled(text, "    ")]
    return lines


def _notes(entry, base, aliases):
    lines = []
    if entry.get("publishes"):
        lines.append(f"Publishes: {entry['publishes']}.")
    if entry.get("promise"):
        lines.append(f"A mistake bound is proved for: {entry['promise']}.")
    if aliases:
        lines.append("Aliases: " + ", ".join(f"{old} for {new}" for old, new in sorted(aliases.items())) + ".")
    more = inspect.getdoc(base) if "_learner`" in (inspect.getdoc(base) or "") else ""
    return lines + ([more] if more else [])


def docstring(entry, keywords, base, aliases):
    """Of one class."""
    lines = [_filled(sentence(entry["help"]), ""), "", *_parameters(keywords, base._more)]
    notes = _notes(entry, base, aliases)
    if notes:
        lines += ["", "Notes", "-----"]
        for note in notes:
            lines += [_filled(note, ""), ""]
    return "\n".join(lines).rstrip() + "\n"
