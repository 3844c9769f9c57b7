"""Arguments of mechanisms: public ones are checked, with the messages of the command line."""
from __future__ import annotations

import math
import operator
import sys
from array import array
from typing import Any, List, Tuple

from sotto import _core


def to_settings(**options: Any) -> List[Tuple[str, str]]:
    """Options as the library's tables read them: by name, as text."""
    return [(name.replace("_", "-"), text(name, value))
            for name, value in options.items() if value is not None]


def text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        raise TypeError(f"{name}: expected a number, not bool")
    try:
        return str(operator.index(value))
    except TypeError:
        pass
    return repr(real(name, value))


def real(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes, bool)) or value is None:
        raise TypeError(f"{name}: expected a number, not {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, not {type(value).__name__}") from None
    if not math.isfinite(number):
        raise _core.InvalidArgument(f"{name} must be a finite number")
    return number


def whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise _core.InvalidArgument(f"{name} must be from {low} to {high}")
    return number


def share(name: str, value: Any) -> float:
    number = real(name, value)
    if not 0 < number < 1:
        raise _core.InvalidArgument(f"{name} must be between 0 and 1")
    return number


def word(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, not {type(value).__name__}")
    return value


def numbers(data: bytes, letter: str, dtype: str) -> Any:
    """An array of NumPy's if the program uses NumPy, else one of Python's."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        return numpy.frombuffer(data, dtype=dtype).copy()
    made = array(letter)
    made.frombytes(data)
    return made


def answers(data: bytes) -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        return numpy.frombuffer(data, dtype="?").copy()
    return [answer != 0 for answer in data]


def shown(**options: Any) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in options.items() if value is not None)


def threshold(name: str, value: Any) -> Any:
    if isinstance(value, (bool, str, bytes)) or value is None:
        raise TypeError(f"{name}: expected a number, not {type(value).__name__}")
    try:
        return operator.index(value)
    except TypeError:
        return real(name, value)
