"""Converts tables to what the extension reads: in place, where possible."""
import array
import collections
import sys
import warnings

from sotto._core import InvalidArgument


def loaded(name):
    """A package, if it was imported: an object of its types implies that."""
    return sys.modules.get(name)


def is_frame(data):
    return hasattr(data, "columns") and hasattr(data, "dtypes") and hasattr(data, "iloc")


def is_array(data):
    return hasattr(data, "__array_interface__") or hasattr(data, "__array__")


def is_table(data):
    """True for a DataFrame, an array or a sparse matrix, which has all its rows at once."""
    return is_frame(data) or is_array(data) or is_sparse(data)


def is_sparse(data):
    """True for a sparse matrix or array of SciPy."""
    return hasattr(data, "tocsr")


def compressed(data):
    """A sparse matrix as the extension reads it: the arrays of its compressed rows."""
    rows = data.tocsr()
    if rows.dtype.kind not in NUMBERS:
        raise InvalidArgument(UNUSABLE.get(rows.dtype.kind, "a sparse matrix of objects: expected numbers"))
    return SparseRows(rows.indptr, rows.indices, plain(rows.data), rows.shape[1])


class SparseRows(tuple):
    """(starts, places, values, columns) of a sparse matrix."""

    def __new__(cls, *parts):
        return super().__new__(cls, parts)

    @property
    def shape(self):
        return len(self[0]) - 1, self[3]


def is_masked(data):
    """True for a masked array of NumPy. Masked values are missing."""
    return hasattr(data, "mask") and hasattr(data, "filled")


def listed(values, what):
    """The items of an iterable, as a list."""
    if not isinstance(values, (str, bytes)):
        try:
            return list(values)
        except TypeError:
            pass
    raise InvalidArgument(f"{what}: an object of type {type(values).__name__}: expected a list of them")


def has_column(data, name):
    """Of a DataFrame, or of rows that are dicts."""
    if is_frame(data):
        return name in data.columns
    return isinstance(data, (list, tuple)) and any(isinstance(row, dict) and name in row for row in data)


def without_column(data, name):
    """The same table without a column it has, and that column."""
    if is_frame(data):
        return data.drop(columns=[name]), data[name]
    rows, column = [], []
    for row in data:
        is_dict = isinstance(row, dict)
        column.append(row.get(name) if is_dict else None)
        rows.append({key: value for key, value in row.items() if key != name} if is_dict else row)
    return rows, column


def labels(y):
    """Labels as one column, in any form that scikit-learn takes."""
    if y is None:
        raise InvalidArgument("requires y to be passed, but the target y is None")
    if hasattr(y, "tocsr"):
        raise InvalidArgument("y: a sparse matrix: expected a list or an array of one dimension")
    if is_array(y) and not hasattr(y, "cat"):
        numpy = loaded("numpy")
        array = y if is_masked(y) else numpy.asarray(y)
        if array.ndim == 2 and array.shape[1] == 1:
            warn_of_column()
            return array.ravel()
        if array.ndim != 1:
            raise InvalidArgument(f"y should be a 1d array, got an array of shape {array.shape} instead.")
        return y if hasattr(y, "to_numpy") else array
    return y if hasattr(y, "dtype") else listed(y, "y")


def warn_of_column():
    exceptions = loaded("sklearn.exceptions")
    kind = exceptions.DataConversionWarning if exceptions else UserWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                  "(n_samples,), for example using ravel().", kind, stacklevel=5)


def check_finite(x):
    """Refuses numbers that predict cannot use, in words that scikit-learn's users know."""
    if hasattr(x, "dtype") and x.dtype.kind == "f":
        numpy = loaded("numpy")
        if not numpy.isfinite(x).all():
            what = "NaN" if numpy.isnan(x).any() else "infinity"
            raise InvalidArgument(f"Input X contains {what}: expected finite numbers, or skip_bad=True, which predicts "
                                  "None for such rows")


def check_size(x, *others):
    """Refuses a table without rows or columns, and labels or users that are not one for each row."""
    rows, columns = height(x), width(None, x)
    if rows == 0 and columns > 0 or not hasattr(x, "shape") and columns == 0:
        raise InvalidArgument("Found array with 0 sample(s) while a minimum of 1 is required.")
    if columns == 0:
        raise InvalidArgument(f"0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.")
    for other in others:
        if other is not None:
            check_length(rows, length(other))


def length(column):
    """Length of what `series` returns."""
    return len(column[0] if isinstance(column, tuple) else column)


def check_length(rows, others):
    if rows != others:
        raise InvalidArgument(f"Found input variables with inconsistent numbers of samples: {[rows, others]}")


def series(column, strict=True):
    """A column of pandas, an array or an iterable, as the extension reads it.

    One value can decide which type a column has, so a value means the same in all types. If
    `strict`, raises for a column of dates, durations or complex numbers.
    """
    dtype = getattr(column, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if hasattr(column, "cat"):
        return column.cat.codes.to_numpy(), column.cat.categories.tolist()
    if hasattr(column, "to_numpy"):
        if is_extension(dtype) and kind in NUMBERS:
            return column.to_numpy(dtype=float, na_value=float("nan"))
        column = column.to_numpy()
        kind = column.dtype.kind
    elif kind is None and hasattr(column, "__array__"):
        column = loaded("numpy").asarray(column)
        kind = column.dtype.kind
    if is_masked(column):
        return unmasked(column)
    if kind in NUMBERS:
        return plain(column)
    if kind in UNUSABLE:
        return unusable(column, strict)
    return values_of(column)


def as_list(column, what="a column"):
    """The values as a list, unchanged: for public values and predictions."""
    return listed(column.tolist() if hasattr(column, "tolist") else column, what)


def values_of(column, what="a column"):
    """The values of users as a list. NumPy turns all values into texts if one is a text: the
    numbers among them are numbers again."""
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    values = as_list(column, what)
    return [number_of(value) for value in values] if kind in TEXTS else values


TEXTS = frozenset("US")


def number_of(value):
    """The number that a text or bytes stand for (1, 1.0, True, (1+0j)); anything else unchanged."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    if text in ("True", "False"):
        return text == "True"
    for kind in (float, complex):
        try:
            number = kind(text)
        except (TypeError, ValueError):
            continue
        if text in (repr(number), repr(number).removesuffix(".0")):
            return number
    return value


def is_extension(dtype):
    """True for a dtype of pandas, which may hold NA."""
    return type(dtype).__module__.startswith("pandas")


NUMBERS = frozenset("biuf")  # kinds of arrays
# Kinds of arrays whose values are neither numbers nor texts.
DATES = "dates or durations: expected numbers or texts; say which number of them is meant"
UNUSABLE = {"c": "Complex data not supported: expected numbers or texts", "m": DATES, "M": DATES}
NO_NUMBER = type("date or duration", (), {})()


def unusable(column, strict):
    if strict:
        raise InvalidArgument(UNUSABLE[column.dtype.kind])
    if column.dtype.kind == "c":  # some may be real
        return column.astype(complex).tolist()
    return [None if value != value else NO_NUMBER for value in column]


def unmasked(array):
    """The values; masked ones are missing."""
    if array.dtype.kind in NUMBERS:
        return array.astype(float).filled(float("nan"))
    return values_of(array)


def plain(array):
    """An array of numbers that the extension can read in place."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8) or not array.dtype.isnative:
        with loaded("numpy").errstate(over="ignore"):  # infinite, and no number that can be used
            return array.astype(float)
    return array


def table(data, wanted=None, strict=True, exact=True):
    """(names or None, an array of numbers or a list of columns).

    A list or dict of another shape than the others raises if `strict`; otherwise it becomes a
    bad row. `wanted` are the columns, if they are known; if `exact`, a dict with further
    names is of another shape.
    """
    if is_frame(data):
        names = [str(name) for name in data.columns]
        return names, [series(data.iloc[:, i], strict) for i in range(len(names))]
    if is_sparse(data):
        return None, compressed(data)
    if is_array(data):
        return None, from_array(data, strict)
    if isinstance(data, memoryview):
        data = data.tolist()
    return from_rows(listed(data, "X"), wanted, strict, exact)


# Stands in each column of a row of another shape; errors name its type.
NO_ROW = type("row of another shape", (), {})()


def length_of(row):
    """Number of values of a row; None if it is no row."""
    if isinstance(row, (str, bytes, set, frozenset)) or not hasattr(type(row), "__len__"):
        return None
    try:
        return len(row)
    except Exception:  # of the row's own methods
        return None


def shape_of(row):
    """Names of a dict, length of any other row, None if it is no row."""
    try:
        return frozenset(map(str, row)) if isinstance(row, dict) else length_of(row)
    except Exception:  # of the row's own methods
        return None


def typical(rows):
    """The first row of the most common shape: one row alone does not decide it."""
    shapes = [shape_of(row) for row in rows]
    counts = collections.Counter(shape for shape in shapes if shape is not None)
    return rows[shapes.index(counts.most_common(1)[0][0])] if counts else None


def from_rows(rows, wanted, strict, exact):
    first = next((row for row in rows if length_of(row) is not None), None) if strict else typical(rows)
    names = wanted
    if isinstance(first, dict) and wanted is None:
        names = [str(name) for name in first]
    if strict and rows:
        check_shape(rows)
    elif rows and first is None and wanted is None:
        raise no_rows()
    width = len(names) if names is not None else len(first) if rows else 0
    if strict and rows and not isinstance(first, dict):
        width = len(first)
    cells = [cells_of(row, names, width, exact) for row in rows]
    columns = [[row[j] for row in cells] for j in range(width)] if rows else []
    return names if isinstance(first, dict) else None, columns


def no_rows():
    return InvalidArgument("Expected 2D array, got rows of different lengths or single values instead. "
                           "Reshape your data: rows and columns")


def check_shape(rows):
    """Raises unless all rows are dicts, or all have one length."""
    if all(isinstance(row, dict) for row in rows):
        return
    lengths = {None if isinstance(row, dict) else length_of(row) for row in rows}
    if len(lengths) != 1 or None in lengths:
        raise no_rows()


def cells_of(row, names, width, exact):
    """The cells of a row. A row that cannot be read becomes a bad one."""
    try:
        if row is None:
            return [None] * width
        if isinstance(row, dict):
            held = {str(name): value for name, value in row.items()}
            if not exact or held.keys() <= set(names):
                return [held.get(name) for name in names]
            return [NO_ROW] * width
        cells = [row] if length_of(row) is None else list(row)
        if len(cells) == width:
            return cells
    except Exception:  # of the row's own methods
        pass
    return [NO_ROW] * width


def from_array(data, strict):
    numpy = loaded("numpy")
    array = data if is_masked(data) or not numpy else numpy.asarray(data)
    if array.ndim != 2:
        raise InvalidArgument(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: "
                              "rows and columns")
    if array.dtype.kind in NUMBERS and not is_masked(array):
        return plain(array)
    return [series(array[:, j], strict) for j in range(array.shape[1])]


def width(names, x):
    return len(names) if names is not None else (x.shape[1] if hasattr(x, "shape") else len(x))


def height(x):
    if hasattr(x, "shape"):
        return x.shape[0]
    if not x:
        return 0
    return len(x[0][0]) if isinstance(x[0], tuple) else len(x[0])


def blank_rows(x):
    """For each row, True if it has cells and all of them are missing. No cell of a sparse matrix is."""
    if isinstance(x, tuple):
        return [False] * height(x)
    columns = [x[:, i] for i in range(x.shape[1])] if hasattr(x, "shape") else x
    blank = [bool(columns)] * height(x)
    for column in columns:
        coded = isinstance(column, tuple)
        for row, cell in enumerate(column[0] if coded else column):
            if blank[row]:
                blank[row] = bool(cell < 0) if coded else cell is None or bool(cell != cell) or cell == ""
    return blank


def numbered(count):
    return [f"c{i + 1}" for i in range(count)]


def users_of(user):
    """Names one after the other."""
    return None if user is None else values_of(user, "user")


def as_array(values, like=None):
    """An array if NumPy is in use, otherwise a list."""
    numpy = loaded("numpy")
    if numpy is None:
        return values
    return numpy.asarray(values) if like is None else numpy.asarray(values, dtype=like)


def doubles(raw):
    """The numbers in memory: a NumPy array if NumPy can be imported, otherwise one of Python's."""
    try:
        import numpy
        return numpy.frombuffer(raw, dtype=float).copy()
    except ImportError:
        made = array.array("d")
        made.frombytes(raw)
        return made


def matrix(raw, columns):
    """The same with so many columns: an array of two dimensions, or a list of lists."""
    flat = doubles(raw)
    if hasattr(flat, "reshape"):
        return flat.reshape(-1, columns)
    return [list(flat[start:start + columns]) for start in range(0, len(flat), columns)]
