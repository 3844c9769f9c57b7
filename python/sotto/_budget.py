"""One privacy budget for all releases about the same people."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Union

from sotto import _arguments, _core
from sotto._words import SEEDED

Path = Union[str, "os.PathLike[str]"]


class Cost(NamedTuple):
    """An (epsilon, delta)."""

    epsilon: float
    delta: float


def _name(what: str, value: Optional[str]) -> str:
    return "" if value is None else _arguments.word(what, value)


class Budget:
    """A record of what was spent on the same people, with a limit.

    The record is a file that `sotto budget` and `--budget` use, too. A charge is on disk
    when `spend` returns, and is never taken back. Charge before any data is read:

    >>> budget = Budget.create("readers.budget", people="readers", epsilon=3, delta=1e-5)  # doctest: +SKIP
    >>> model = TideClassifier(epsilon=1, delta=1e-6)                                      # doctest: +SKIP
    >>> budget.spend(model)                                                                # doctest: +SKIP
    >>> budget.left().epsilon                                                              # doctest: +SKIP
    2.0

    All releases together are (epsilon, delta)-private for each person, also if each was
    chosen in view of those before. Data of groups that have no person in common are
    charged with `group=`; each group has the whole limit.

    Parameters
    ----------
    path : str or os.PathLike
        An existing record; `Budget.create` makes one.
    """

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)
        self.report()

    @classmethod
    def create(cls, path: Path, *, epsilon: float, delta: float, slack: float = 0.0,
               people: str = "people") -> "Budget":
        """Makes a new record. Raises FailedPrecondition if there is a file.

        Parameters
        ----------
        epsilon, delta : float
            Limit on all releases together. Samplers spend about 1e-20 of delta, so 0 admits no release.
        slack : float, default 0
            Part of `delta` that is kept aside, so that many small charges may sum to more than `epsilon`.
        people : str
            Your name for the people it is about.
        """
        _core.budget_create(os.fspath(path), _arguments.word("people", people), _arguments.real("epsilon", epsilon),
                            _arguments.real("delta", delta), _arguments.real("slack", slack))
        return cls(path)

    def spend(self, release: Any = None, *, epsilon: Optional[float] = None, delta: float = 0.0,
              group: Optional[str] = None, note: Optional[str] = None) -> None:
        """Charges a release, before it reads data.

        Parameters
        ----------
        release : model, mechanism or Guarantee, optional
            Anything with a `guarantee`. Otherwise give `epsilon` and `delta`.
        group : str, optional
            The data are of this group only; no person is in two groups.
        note : str, optional
            Words for the record.

        Raises
        ------
        BudgetExhausted
            The limit would be exceeded. Nothing was charged: release nothing.
        """
        if (release is None) == (epsilon is None):
            raise _core.InvalidArgument("expected a release, or epsilon and delta")
        if release is None:
            guarantee = {"notion": "dp", "relation": "replace", "epsilon": _arguments.real("epsilon", epsilon),
                         "delta": _arguments.real("delta", delta), "adversary": "adaptive", "rounds_per_user": 1,
                         "protects": "a user's data"}
            command = "python"
        else:
            stated = getattr(release, "guarantee", release)
            if not hasattr(stated, "keys"):
                raise _core.InvalidArgument("expected a model, a mechanism or a guarantee to charge")
            guarantee = dict(stated)
            command = "python" if isinstance(release, dict) else "python " + type(release).__name__
        if str(guarantee.get("text", "")).startswith(SEEDED):
            raise _core.InvalidArgument("a budget records private releases, and a seed makes one that is not private")
        _core.budget_spend(self._path, json.dumps(guarantee), command, _name("group", group), _name("note", note))

    def report(self) -> Dict[str, Any]:
        """The record, as `sotto budget export` prints it."""
        made: Dict[str, Any] = json.loads(_core.budget_read(self._path))
        return made

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    @property
    def limit(self) -> Cost:
        """The limit on all releases together."""
        return Cost(**self.report()["limit"])

    def spent(self, group: Optional[str] = None) -> Cost:
        """The sum of the charges for the people of a group, or of none."""
        return self._of_group("spent", group)

    def left(self, group: Optional[str] = None) -> Cost:
        """The limit minus the sum. With `slack`, small charges may be admitted beyond it."""
        return self._of_group("left", group)

    @property
    def entries(self) -> List[Dict[str, Any]]:
        """All charges, oldest first."""
        found: List[Dict[str, Any]] = self.report()["entries"]
        return found

    def _of_group(self, what: str, group: Optional[str]) -> Cost:
        costs = {made["group"]: Cost(**made[what]) for made in self.report()["groups"]}
        return costs.get(group, costs[None])

    def __repr__(self) -> str:
        made = self.report()
        return (f"<Budget of {made['people']}: epsilon {made['spent']['epsilon']:g} of {made['limit']['epsilon']:g}, "
                f"delta {made['spent']['delta']:g} of {made['limit']['delta']:g} spent>")
