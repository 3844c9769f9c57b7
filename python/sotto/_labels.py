"""Labels: the public set of them, their spellings, and predictions by their places."""
import numbers

from sotto._core import InvalidArgument
from sotto._data import as_array, as_list, doubles, loaded, number_of, values_of


def explained(predictions, wanted):
    """R^2 of the rows that have both."""
    pairs = [(a, b) for a, b in zip(predictions, wanted) if a is not None and b is not None]
    mean = sum(b for _, b in pairs) / max(len(pairs), 1)
    left, all_of_it = sum((a - b) ** 2 for a, b in pairs), sum((b - mean) ** 2 for _, b in pairs)
    return 1 - left / all_of_it if all_of_it > 0 else float(left == 0)


def hashable(classes):
    try:
        if len(set(classes)) == len(classes):
            return classes
    except TypeError:
        pass
    raise InvalidArgument("classes: expected different texts or numbers")


def distinct(y):
    """The labels that occur: only for labels that were declared public."""
    try:
        values = set(value for value in as_list(y) if not is_missing(value))
    except TypeError:  # of one that cannot be looked up
        raise InvalidArgument("classes: expected labels that are texts or numbers") from None
    if any(isinstance(value, complex) or isinstance(value, float) and not value.is_integer() for value in values):
        raise InvalidArgument("Unknown label type: continuous. Labels that are numbers need a schema with their range")
    try:
        return sorted(values, key=lambda value: (isinstance(value, str), value))
    except TypeError:
        raise InvalidArgument("classes: expected labels that are texts or numbers") from None


NO_LABEL = "none of the classes"


def coded(y, classes, strict=True):
    """Labels by their places among the classes."""
    places = {}
    for place, value in enumerate(classes):
        for spelled in spellings(value):
            places.setdefault(spelled, place)
    places.update((value, place) for place, value in enumerate(classes))

    def place_of(value):
        try:
            return None if is_missing(value) else places[value]
        except Exception:  # of the label's own methods, too
            if not strict:
                return NO_LABEL  # a row that cannot be used
            raise InvalidArgument(f"Unknown label type: a label that is none of the classes {classes!r}") from None

    return [place_of(value) for value in values_of(y)]


def spellings(label):
    """Other forms of a label: one text in an array turns all its labels into texts."""
    if isinstance(label, (str, bytes)):
        return [number_of(label)]
    return [str(label), repr(label)] if isinstance(label, (bool, int, float)) else []


def is_missing(value):
    try:
        return value is None or bool(value != value)
    except Exception:  # pandas' NA does not say whether it is itself
        return type(value).__name__ == "NAType"


def has_signs(y):
    """True if a label is -1: the pair -1/+1, in any type."""
    kind = getattr(getattr(y, "dtype", None), "kind", None)
    if kind in ("i", "f") and hasattr(y, "min"):
        return bool((y == -1).any())
    return any(is_minus_one(value) for value in values_of(y))


def is_minus_one(value):
    return isinstance(value, numbers.Real) and value == -1


def from_places(raw, labels):
    """Predictions as labels: raw are doubles, the places of labels or numbers; NaN has no prediction."""
    places = doubles(raw)
    numpy = loaded("numpy")
    if numpy is None:
        return [None if place != place else labels[int(place)] if labels else place for place in places]
    missing = numpy.isnan(places)
    if missing.any():
        return numpy.array([None if place != place else labels[int(place)] if labels else place
                            for place in places.tolist()], dtype=object)
    return as_array(labels)[places.astype(int)] if labels else places
