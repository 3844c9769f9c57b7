"""Schemas of tables that are in memory, from what is declared to be public."""
from sotto._core import InvalidArgument
from sotto._data import is_frame


def schema(table, *, ranges=None, label=None, classes=None, label_range=None, public=False, missing=False,
           other=False):
    """Describes the public columns of a table, for `schema=`. Reads no row.

    Parameters
    ----------
    table : DataFrame or list of str
        Of a DataFrame only names and types are read and, with `public`, the values of its
        categories. The columns of a list are numbers.
    ranges : pair or dict of pairs, optional
        Public range of all numbers, or of each by name. Never the minimum and maximum of the data.
    label : str, optional
        Column of the labels.
    classes : sequence, optional
        Names of the labels.
    label_range : pair, optional
        Public range of labels that are numbers.
    public : bool, default False
        Declares that the values of categories are publicly known, whoever is in the table.
    missing : bool or list of str, default False
        Columns whose fields may be missing, or all of them.
    other : bool or list of str, default False
        Categories that take values which are not listed, or all of them.

    Returns
    -------
    dict
    """
    if isinstance(table, (str, bytes, dict)) or not (is_frame(table) or hasattr(table, "__iter__")):
        raise InvalidArgument(f"table: an object of type {type(table).__name__}: expected a DataFrame or a list of names")
    if label is not None and not isinstance(label, str):
        raise InvalidArgument(f"label: an object of type {type(label).__name__}: expected the name of a column")
    names = [str(name) for name in (table.columns if is_frame(table) else table)]
    columns = []
    for place, name in enumerate(names):
        if name == label:
            continue
        column = table.iloc[:, place] if is_frame(table) else None
        columns.append(_column(name, column, _range_of(name, ranges), public))
    for column in columns:
        if _is_among(column["name"], missing):
            column["missing"] = True
        if column["type"] == "category" and _is_among(column["name"], other):
            column["other"] = True
    made = {"columns": columns}
    if label is not None or classes is not None or label_range is not None:
        made["label"] = _label(label or "y", classes, label_range)
    return made


def _is_among(name, names):
    return names if isinstance(names, bool) else name in names


def _range_of(name, ranges):
    return _pair(ranges.get(name) if isinstance(ranges, dict) else ranges, f"the range of column {name!r}")


def _pair(limits, what):
    """[low, high], or None."""
    if limits is None:
        return None
    try:
        low, high = (float(limit) for limit in limits)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{what}: expected a pair of numbers") from None
    return [low, high]


def _column(name, column, limits, public):
    if column is not None and hasattr(column, "cat"):
        if not public:
            raise InvalidArgument(f"the values of column {name!r} are known from the table alone: public=True says that "
                                  "they are publicly known, whoever is in it")
        return {"name": name, "type": "category", "values": [str(value) for value in column.cat.categories]}
    kind = "f" if column is None else column.dtype.kind
    if kind == "b":
        return {"name": name, "type": "boolean"}
    if kind not in "iuf":
        raise InvalidArgument(f"column {name!r} holds texts: which there are must be publicly known. Make it a "
                              "category of all of them (astype) and say public=True")
    made = {"name": name, "type": "number"}
    if limits is not None:
        made["range"] = limits
    return made


def _label(name, classes, limits):
    limits = _pair(limits, "label_range")
    if limits is not None:
        return {"column": name, "range": limits}
    texts = ["0", "1"] if classes is None else [str(value) for value in classes]
    if len(texts) == 2:
        return {"column": name, "negative": texts[0], "positive": texts[1]}
    return {"column": name, "classes": texts}
