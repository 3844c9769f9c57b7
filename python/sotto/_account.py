"""Privacy cost of compositions of mechanisms: arithmetic, without data."""
from __future__ import annotations

from typing import NamedTuple, Optional

from sotto import _arguments, _core


class Account(NamedTuple):
    """Answer of `account`. Every number is rounded against us."""

    epsilon: float
    delta: float
    #: Laplace scale or Gaussian sigma; for "pure" the epsilon of each.
    noise_scale: float
    #: The bound that was used.
    method: str
    #: The answer in a sentence.
    guarantee: str


def account(mechanism: Optional[str] = None, *, compose: Optional[str] = None, noise_scale: Optional[float] = None,
            epsilon_each: Optional[float] = None, compositions: int = 1,
            reports: Optional[int] = None, gap: Optional[int] = None,
            stopper: Optional[float] = None, delta: Optional[float] = None,
            epsilon: Optional[float] = None, target_epsilon: Optional[float] = None,
            method: Optional[str] = None) -> Account:
    """The tight (epsilon, delta) of a composition, or the minimum noise for a target.

    `mechanism` is laplace, discrete-laplace, gaussian, discrete-gaussian, pure,
    above-threshold, between-thresholds or pop. Give `delta` to get epsilon,
    `epsilon` to get delta, `target_epsilon` with `delta` to get the minimum noise.
    No data is touched: it is arithmetic, certified and rounded against us, for
    `compositions` runs that may be adaptive and interleaved. The same as the
    command `sotto account`. Different mechanisms go into `compose`, as in
    "laplace:20*100,gaussian:50*10,pure:0.1,dp:0.5/1e-7".

    Raises InvalidArgument for options that do not go together or are out of
    range, NotConverged where no bound could be certified.

    >>> round(account("gaussian", noise_scale=50, compositions=1000, delta=1e-6).epsilon, 2)
    2.92
    """
    return Account(*_core.account(_arguments.to_settings(
        mechanism=None if mechanism is None else _arguments.word("mechanism", mechanism), compose=compose, noise_scale=noise_scale,
        epsilon_each=epsilon_each, compositions=compositions, reports=reports, gap=gap,
        stopper=stopper, delta=delta, epsilon=epsilon, target_epsilon=target_epsilon,
        method=method)))
