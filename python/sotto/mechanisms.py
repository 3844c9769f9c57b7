"""Private mechanisms, one class each, and the privacy cost of compositions.

Every class states its guarantee before it sees data (`guarantee`) and draws its noise
from the operating system. An object is one stream of answers: it cannot be copied or
pickled, and refuses to continue in a forked process, because two continuations would
spend the guarantee twice. `seed=` is for experiments: anyone can recompute the noise,
`private` is False, and the guarantee and the repr say so.

Exceptions depend on public arguments and on types, never on the value of a private
number: counts, scores and query values out of range are clipped to the range.

Threads may share an object; calls take turns, and bulk calls release the GIL.
"""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from sotto import _arguments, _core
from sotto._account import Account, account
from sotto._words import Guarantee

__all__ = ["Account", "BetweenThresholds", "Counter", "Histogram", "Mirror", "Monitor",
           "Quantiles", "Rank", "Selection", "SparseVector", "Zone", "account"]


class _Mechanism:
    """Base of all mechanisms."""

    _core: Any
    _words: str

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, known before any data."""
        return Guarantee(self._core.guarantee())

    @property
    def private(self) -> bool:
        """False if a seed makes the noise known to anyone."""
        return bool(self._core.private())

    def __repr__(self) -> str:
        name = f"{type(self).__name__}({self._words})"
        return f"<{name}>" if self.private else f"<{name}, NOT PRIVATE: seeded>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__} is one stream of answers and is not copied: "
                        "two continuations would spend its guarantee twice")


class _Steps(_Mechanism):
    """A mechanism that counts are added to."""

    @property
    def steps(self) -> int:
        """Number of counts added: public."""
        return int(self._core.steps())


class _Test(_Mechanism):
    """A mechanism that tests queries until all reports are given."""

    @property
    def halted(self) -> bool:
        """True once all reports were given. Public."""
        return bool(self._core.halted())

    @property
    def reports_left(self) -> int:
        """Number of reports left (of the charged kind, or in the band). Public."""
        return int(self._core.reports_left())


class Counter(_Steps):
    """A private running count: a number in, an estimate of the sum so far out.

    Neighbours: streams in which one count differs by 1 (with `rounds_per_user`: that
    many of them). Released: every estimate, at once. `delta` 0 asks for a pure
    mechanism; `horizon`, the maximum number of steps, and `expected_events` choose the
    mechanism with the smallest proved error. The same as the command `sotto count`.

    Counts are clipped to [0, 2^30], because an error would reveal a larger one. Raises
    TypeError for anything but an integer, FailedPrecondition after the horizon; neither
    depends on a count's value.

    >>> counter = Counter(epsilon=1, delta=1e-6, horizon=1000)
    >>> estimate = counter.add(1)
    >>> estimates = counter.add_many([1, 0, 3])
    """

    def __init__(self, epsilon: float, *, delta: float = 0.0, horizon: Optional[int] = None,
                 mechanism: str = "auto", expected_events: Optional[int] = None,
                 rounds_per_user: int = 1, seed: Optional[int] = None) -> None:
        self._words = _arguments.shown(epsilon=epsilon, delta=delta, horizon=horizon)
        self._core = _core.Counter(_arguments.to_settings(
            epsilon=epsilon, delta=delta, horizon=horizon, mechanism=_arguments.word("mechanism", mechanism),
            expected_events=expected_events, rounds_per_user=rounds_per_user, seed=seed))

    def add(self, count: int) -> int:
        """One step: an estimate of the sum, this count included."""
        return int(self._core.add(count))

    def add_many(self, counts: Iterable[int]) -> Any:
        """One step for each count: the same as `add`, one by one.

        Takes an array of integers (NumPy's, or any with the buffer protocol) or any
        iterable of them. Raises before the first step if they would pass the horizon.
        """
        return _arguments.numbers(self._core.add_many(counts), "q", "int64")

    @property
    def mechanism(self) -> str:
        """The chosen mechanism: tree, square-root or sparse."""
        return str(self._core.mechanism())

    @property
    def error_bound(self) -> float:
        """Error of all estimates with 95% confidence, as `describe` says."""
        return float(self._core.error_bound())

    def describe(self) -> str:
        """The mechanism, the error to expect, for how long, under which conditions."""
        return str(self._core.describe())


class Monitor(_Steps):
    """A private alarm: reports when a running count reaches a threshold, and halts.

    Neighbours: streams in which one count differs by 1 (with `rounds_per_user`: that
    many of them). Released: after every step whether the count is reached. The same as
    the command `sotto monitor`.

    Counts are clipped to [0, 2^30]. Raises TypeError for anything but an integer,
    FailedPrecondition after the alarm or the horizon, which are public.

    >>> monitor = Monitor(epsilon=1, threshold=500, horizon=1000)
    >>> above = monitor.add(3)
    """

    def __init__(self, epsilon: float, *, threshold: int, horizon: int, delta: float = 0.0,
                 rounds_per_user: int = 1, seed: Optional[int] = None) -> None:
        self._words = _arguments.shown(epsilon=epsilon, threshold=threshold, horizon=horizon)
        self._core = _core.Monitor(_arguments.to_settings(
            epsilon=epsilon, delta=delta, threshold=threshold, horizon=horizon,
            rounds_per_user=rounds_per_user, seed=seed))

    def add(self, count: int) -> bool:
        """One step: True if the count has reached the threshold."""
        return bool(self._core.add(count))

    def add_many(self, counts: Iterable[int]) -> Any:
        """The answers up to and with the first that is true; later counts are not looked at."""
        return _arguments.answers(self._core.add_many(counts))

    @property
    def halted(self) -> bool:
        """True once the alarm was given. Public."""
        return bool(self._core.halted())

    def describe(self) -> str:
        """When the alarm comes, with 95% confidence."""
        return str(self._core.describe())


class Rank(NamedTuple):
    """An estimate of how many numbers are below a query, and its error bound."""

    estimate: int
    error: int


class Quantiles(_Mechanism):
    """Private ranks of numbers: how many are below x, for `horizon` queries.

    `data` is an array or an iterable of numbers; a missing one (NaN, None) is
    below nothing and never counted. Neighbours: one number replaced (`relation`
    "replace") or added or removed ("add-remove"); with `rounds_per_user`, that many
    of them. Released: the noisy number of records and every answer. Queries may depend
    on earlier answers. The same as the command `sotto quantile`.

    Raises InvalidArgument if a query is NaN and FailedPrecondition after the
    horizon, both public; never because of the data.

    >>> quantiles = Quantiles([3.5, 1.0, 2.0] * 1000, epsilon=1, delta=1e-6, horizon=100)
    >>> estimate, error = quantiles.rank(2.5)
    """

    def __init__(self, data: Iterable[Optional[float]], *, epsilon: float, delta: float,
                 horizon: int, relation: str = "replace", rounds_per_user: int = 1,
                 seed: Optional[int] = None) -> None:
        self._words = _arguments.shown(epsilon=epsilon, delta=delta, horizon=horizon, relation=relation)
        self._core = _core.Quantiles(_arguments.to_settings(
            epsilon=epsilon, delta=delta, horizon=horizon, relation=_arguments.word("relation", relation),
            rounds_per_user=rounds_per_user, seed=seed), data)

    def rank(self, x: float) -> Rank:
        """How many numbers are below x. One query of the horizon."""
        return Rank(*self._core.rank(x))

    def ranks(self, x: Iterable[float]) -> Tuple[Any, Any]:
        """Estimates and their errors for many queries: the same as `rank`, one by one."""
        estimates, errors = self._core.ranks(x)
        return _arguments.numbers(estimates, "q", "int64"), _arguments.numbers(errors, "q", "int64")

    def quantile(self, share: float, low: float, high: float, steps: int = 30) -> float:
        """A number in [low, high] below which about this fraction of the numbers lies.

        Halves the range `steps` times, one query each, and spends nothing else. The range
        must be public.
        """
        share = _arguments.share("share", share)
        low, high = _arguments.real("low", low), _arguments.real("high", high)
        if not low < high:
            raise _core.InvalidArgument("low must be less than high")
        for _ in range(_arguments.whole("steps", steps, 1, 64)):
            middle = low + (high - low) / 2
            if self.rank(middle).estimate < share * self.size:
                low = middle
            else:
                high = middle
        return low + (high - low) / 2

    @property
    def size(self) -> int:
        """The noisy number of records, released when the object was made."""
        return int(self._core.size())

    @property
    def queries(self) -> int:
        """Number of answered queries. Public."""
        return int(self._core.queries())


class SparseVector(_Test):
    """Which of a stream of queries reach a threshold, up to `reports` of them.

    A query's value is a number that one record moves by at most `sensitivity`; the
    caller computes it from the data and states that bound. Neighbours: those of the
    sensitivity. Released: every answer; answers of the kind that is not charged are
    free. Picks the form with the smallest noise for (epsilon, delta): AboveThreshold
    with a noisy threshold that is kept or redrawn, or fresh noise on every query
    (`form` asks for one of them). `monotone`: all queries move the same way between
    neighbours.

    Values are divided by the sensitivity and rounded down, exactly, and clipped to the
    range; a missing one (NaN, None) is the smallest. Raises TypeError for anything but
    a number, FailedPrecondition once all reports were given, which is public.

    >>> vector = SparseVector(epsilon=1, delta=1e-6, threshold=500, reports=100)
    >>> above = vector.test(731)
    """

    def __init__(self, epsilon: float, *, threshold: float, delta: float = 0.0, reports: int = 1,
                 sensitivity: float = 1, monotone: bool = False, charge: str = "above",
                 form: str = "auto", seed: Optional[int] = None) -> None:
        self._words = _arguments.shown(epsilon=epsilon, delta=delta, threshold=threshold, reports=reports)
        self._core = _core.SparseVector(
            _arguments.real("epsilon", epsilon), _arguments.real("delta", delta),
            _arguments.threshold("threshold", threshold),
            _arguments.whole("reports", reports, 1, 2**32), bool(monotone), _arguments.word("charge", charge),
            _arguments.word("form", form), _arguments.text("sensitivity", sensitivity), seed)

    def test(self, value: float) -> bool:
        """True if the value is at or above the threshold, noisily."""
        return bool(self._core.test(value))

    def test_many(self, values: Iterable[float]) -> Any:
        """The answers up to and with the one that uses up the reports."""
        return _arguments.answers(self._core.test_many(values))

    @property
    def form(self) -> str:
        """The chosen form."""
        return str(self._core.form())

    @property
    def noise_deviation(self) -> float:
        """Standard deviation of all noise in one test, in sensitivities."""
        return float(self._core.deviation())

    def error_bound(self, tests: int, failure: float = 0.05) -> int:
        """A distance from the threshold, in sensitivities: with probability 1 - failure all of
        `tests` answers to values farther away are correct."""
        return int(self._core.error_bound(_arguments.whole("tests", tests, 1, 2**62),
                                          _arguments.share("failure", failure)))


class Zone(NamedTuple):
    """An answer of BetweenThresholds: "low", "medium" or "high"; noisy only if medium."""

    zone: str
    noisy: Optional[int]


class BetweenThresholds(_Test):
    """Tells low, high or in the band between for each query; only the band is paid for.

    As SparseVector, with two thresholds: it halts after `reports` answers in the band.
    Neighbours: those of the sensitivity. Released: every answer, and in the band the
    noisy value too (in sensitivities).

    >>> between = BetweenThresholds(epsilon=1, delta=1e-6, low=400, high=600, reports=50)
    >>> answer = between.test(731)
    >>> answer.zone in ("low", "medium", "high")
    True
    """

    _ZONES = {-1: "low", 0: "medium", 1: "high"}

    def __init__(self, epsilon: float, *, delta: float, low: float, high: float, reports: int = 1,
                 sensitivity: float = 1, seed: Optional[int] = None) -> None:
        self._words = _arguments.shown(epsilon=epsilon, delta=delta, low=low, high=high, reports=reports)
        self._core = _core.BetweenThresholds(
            _arguments.real("epsilon", epsilon), _arguments.real("delta", delta), _arguments.threshold("low", low),
            _arguments.threshold("high", high), _arguments.whole("reports", reports, 1, 2**32),
            _arguments.text("sensitivity", sensitivity), seed)

    def test(self, value: float) -> Zone:
        """The zone of a value, noisily."""
        zone, noisy = self._core.test(value)
        return Zone(self._ZONES[zone], noisy if zone == 0 else None)

    def test_many(self, values: Iterable[float]) -> Tuple[Any, Any]:
        """Zones (-1 low, 0 in the band, 1 high) and noisy values (0 outside of the band), up to
        and with the one that uses up the reports."""
        zones, noisy = self._core.test_many(values)
        return _arguments.numbers(zones, "b", "int8"), _arguments.numbers(noisy, "q", "int64")

    @property
    def noise_scale(self) -> float:
        """Scale of the Laplace noise on each value, in sensitivities."""
        return float(self._core.noise_scale())


class Mirror(_Mechanism):
    """Mirrors a secret stream of bits: False for a zero, and for a one False at first and True in
    the end.

    Neighbours: one hidden step is a zero or a one. Released: every answer but that
    step's own, also to an adversary who chooses all other bits. The number of ones
    that are answered False does not depend on the length of the stream.

    A bit is a bool or an integer; anything but 0 is a one. Raises TypeError for
    anything else.

    >>> mirror = Mirror(epsilon=1, delta=1e-6)
    >>> answer = mirror.next(True)
    """

    def __init__(self, epsilon: float, *, delta: float, delay: int = 1, kind: str = "auto",
                 seed: Optional[int] = None) -> None:
        self._words = _arguments.shown(epsilon=epsilon, delta=delta)
        self._core = _core.Mirror(_arguments.real("epsilon", epsilon), _arguments.real("delta", delta),
                                  _arguments.whole("delay", delay, 1, 2**40), _arguments.word("kind", kind), seed)

    def next(self, bit: Union[bool, int]) -> bool:
        """The answer to the next bit."""
        return bool(self._core.next(bit))

    def next_many(self, bits: Iterable[Union[bool, int]]) -> Any:
        """The answers to many bits: the same as `next`, one by one."""
        return _arguments.answers(self._core.next_many(bits))

    @property
    def kind(self) -> str:
        """The chosen mechanism."""
        return str(self._core.kind())

    @property
    def expected_mistakes(self) -> float:
        """Ones answered False, over an endless stream."""
        return float(self._core.expected_mistakes())

    @property
    def worst_mistakes(self) -> Optional[int]:
        """Maximum number of mistakes; None if only the probability of more falls geometrically."""
        worst = self._core.worst_mistakes()
        return None if worst is None else int(worst)


class Selection(_Mechanism):
    """A private argmax: chooses a candidate with a score near the best.

    `candidates` is their number, or the candidates themselves; both are public. Scores
    are integers that one record moves by at most `sensitivity`; `monotone`: an added
    record moves all of them the same way. Neighbours: those of the sensitivity.
    Released: the choice. Every call of `choose` spends the guarantee once;
    `account("pure", ...)` computes the cost of several.

    Raises InvalidArgument unless there is one score for each candidate, TypeError for
    anything but an integer; neither depends on a score's value.

    >>> selection = Selection(["red", "green", "blue"], epsilon=1)
    >>> choice = selection.choose([120, 340, 80])
    """

    def __init__(self, candidates: Union[int, Sequence[Any]], *, epsilon: float,
                 sensitivity: int = 1, monotone: bool = False,
                 seed: Optional[int] = None) -> None:
        self._candidates: Optional[Tuple[Any, ...]] = None
        if not isinstance(candidates, (int, str, bytes)) and hasattr(candidates, "__iter__"):
            self._candidates = tuple(candidates)
            candidates = len(self._candidates)
        count = _arguments.whole("candidates", candidates, 1, 2**24)
        self._words = _arguments.shown(candidates=count, epsilon=epsilon, sensitivity=sensitivity)
        self._core = _core.Selection(count, _arguments.real("epsilon", epsilon),
                                     _arguments.whole("sensitivity", sensitivity, 1, 2**40), bool(monotone),
                                     seed)

    def choose(self, scores: Iterable[int]) -> Any:
        """The candidate chosen, or its place if only their number is known."""
        place = int(self._core.choose(scores))
        return place if self._candidates is None else self._candidates[place]

    @property
    def reason(self) -> str:
        """Which mechanism it is, and why."""
        return str(self._core.reason())

    def loss_bound(self, failure: float = 0.05) -> int:
        """With probability 1 - failure the chosen score is at most this much below the best."""
        return int(self._core.loss_bound(_arguments.share("failure", failure)))


class Histogram(_Mechanism):
    """Noisy counts of the items that occur, without a list of possible items.

    A rare item is not shown: its count must reach a threshold. Neighbours: one record's
    item replaced (`relation` "replace"), or a record added or removed ("add-remove").
    Released: the shown items and their noisy counts, in the order of their texts. Every
    call of `release` spends the guarantee once.

    Items are texts; map a missing one to a text first. Raises TypeError for anything
    else.

    >>> histogram = Histogram(epsilon=1, delta=1e-6)
    >>> counts = histogram.release(["red"] * 300 + ["blue"] * 200)
    """

    def __init__(self, epsilon: float, *, delta: float, relation: str = "replace",
                 seed: Optional[int] = None) -> None:
        self._words = _arguments.shown(epsilon=epsilon, delta=delta, relation=relation)
        self._core = _core.Histogram(_arguments.real("epsilon", epsilon), _arguments.real("delta", delta),
                                     _arguments.word("relation", relation), seed)

    def release(self, items: Iterable[str]) -> Dict[str, int]:
        """One record, one item: the items that are shown and their noisy counts."""
        return dict(self._core.release(items))

    @property
    def threshold(self) -> int:
        """Noisy count from which an item is shown."""
        return int(self._core.threshold())

    def count_for(self, failure: float = 0.05) -> int:
        """Smallest true count that is shown with probability 1 - failure."""
        return int(self._core.count_for(_arguments.share("failure", failure)))
