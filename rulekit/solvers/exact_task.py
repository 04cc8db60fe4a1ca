"""What `rulekit.solvers.exact_clause` is asked, and what it answers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClauseLimits:
    """When to give up on a proof.

    Parameters
    ----------
    max_tests : int, default=20_000_000
        Literals tried against a node.
    seconds : float, optional
        Wall time.
    should_stop : callable, optional
        Asked now and then.
    """

    max_tests: int = 20_000_000
    seconds: float | None = None
    should_stop: Callable[[], bool] = field(default=lambda: False)


@dataclass(frozen=True, slots=True)
class ExactClause:
    """The best clause found, and whether it is proved to be the best.

    Parameters
    ----------
    chosen : tuple of int or None
        Columns of the literals; None where the rule without clauses is best (or where no clause
        beats the incumbent).
    value : float
        Value of the best clause, at least that of the incumbent.
    proved : bool
        Whether the search ended by itself.
    n_tests : int
        Literals tried against a node.
    upper : float
        No clause is worth more, nor the incumbent; `value` where `proved`.
    """

    chosen: tuple[int, ...] | None
    value: float
    proved: bool
    n_tests: int
    upper: float


@dataclass(frozen=True, eq=False)
class ClauseTask:
    """The literals over the rows that weigh anything.

    Parameters
    ----------
    P, N : ndarray of bool, shapes (rows of the described class, d), (rows of the other class, d)
        Whether each literal holds for each row.
    weight_p, weight_n : ndarray of float
        Positive weights of these rows.
    theta : float
        Price of a literal.
    slot : ndarray of int, shape (d,)
        Slots, numbered from 0.
    step : ndarray of bool, shape (rows of the other class, d)
        Rows that a literal does not hold for, but the next looser one of its slot does.
    incumbent : float
        Value to be exceeded.
    limits : ClauseLimits
        When to give up.
    """

    P: Bools
    N: Bools
    weight_p: Floats
    weight_n: Floats
    theta: float
    slot: Ints
    step: Bools
    incumbent: float
    limits: ClauseLimits


def clause_task(
    holds: Bools,
    y: Bools,
    weight: Floats,
    theta: float,
    slots: Sequence[int],
    incumbent: float,
    limits: ClauseLimits,
) -> ClauseTask:
    """Sort the rows by class, leave out those of weight zero, and find the steps.

    Weights are rounded to multiples of a power of two that is so small that no sum of them is
    rounded again: they then weigh the same in every order.
    """
    _, exponent = math.frexp(float(weight.sum()))
    unit = math.ldexp(1.0, max(exponent - 52, -1000))
    weight = np.rint(weight / unit) * unit
    P, N = holds[y & (weight > 0)], holds[~y & (weight > 0)]
    slot = np.unique(np.asarray(slots, dtype=np.int64), return_inverse=True)[1].reshape(-1)
    step = ~N
    # nested literals, from the loosest on
    order = np.lexsort((np.arange(len(slot)), -holds.sum(axis=0), slot))
    for looser, tighter in pairwise(order):
        if slot[looser] == slot[tighter]:
            step[:, tighter] &= N[:, looser]
    return ClauseTask(
        P,
        N,
        weight[y & (weight > 0)],
        weight[~y & (weight > 0)],
        float(theta),
        slot,
        step,
        max(float(incumbent), 0.0),
        limits,
    )
