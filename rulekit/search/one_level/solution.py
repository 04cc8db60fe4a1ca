"""Requests to a `CoverProblem` and its results: clauses relaxed, rounded, or proved."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import SolverError
from rulekit.search.columns import TIE, RoundingTask, compact_program, round_without_redundancy
from rulekit.search.lp import solve_milp
from rulekit.search.sums import addable

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CoverSolution:
    """A relaxed clause.

    Shapes: w (d,).
    """

    w: Floats
    value: float
    is_binary: bool
    disabled: float = 0.0


@dataclass(frozen=True)
class LearnedClause:
    """A clause of whole columns.

    Shapes: selected (d,).
    """

    selected: Bools
    disabled: bool
    cost: float
    bound: float
    was_binary: bool
    proved: bool = False


@dataclass(frozen=True)
class SubProblem:
    """One sub-problem after its rows in Z are folded into the prices.

    Shapes: m (g,), price (d,).
    """

    m: Floats
    price: Floats
    always: float = np.inf


@dataclass
class CoverCounters:
    """Number and cost of calls of a `CoverProblem`; approximate with threads."""

    n_calls: int = 0
    n_solved: int = 0
    n_remembered: int = 0


def exact_clause(
    task: RoundingTask, always: float = np.inf, time_limit: float | None = None
) -> LearnedClause:
    """Find the clause of least cost, with proof or with a bound."""
    free = ~task.required
    covered = task.P.values(np.flatnonzero(task.required)).any(axis=1)
    m = np.where(covered, 0.0, task.m)
    # A column that costs as much as all it covers can leave any clause at no loss.
    columns = np.flatnonzero((task.price < task.P.sums(addable(m))) & free)
    program = compact_program(task.P.values(columns).astype(float), m, task.price[columns])
    found = solve_milp(program, time_limit=time_limit)
    if found.status not in ("optimal", "time limit"):
        raise SolverError(
            f"An integer program that always has a solution ended with {found.status!r} "
            f"({found.message}); please report the table that shows this."
        )
    candidates = [round_without_redundancy(task, np.zeros(len(free)))]
    if found.x is not None:
        selected = task.required.copy()
        selected[columns] = found.x[: len(columns)] > 0.5
        candidates.insert(0, selected)
    cost, best = min(((task.cost(s), k) for k, s in enumerate(candidates)))
    proved = found.status == "optimal"
    # The program left required columns out; every clause pays for them on top of its bound.
    fixed = float(task.price[task.required].sum())
    bound = cost if proved else fixed + (0.0 if found.bound is None else found.bound)
    bound = min(bound, cost, always)
    if always < cost - TIE:
        return LearnedClause(np.zeros_like(free), True, always, bound, True, proved)
    return LearnedClause(candidates[best], False, cost, bound, True, proved)


def checked_theta(theta: float) -> float:
    """Return a price of a column, or say what is wrong with it."""
    if not 0 <= theta < np.inf:
        raise ValueError(f"`theta` must be a finite number of at least 0, got {theta!r}.")
    return float(theta)


def check_shapes(
    shape: tuple[int, ...], y: Bools, weight: Floats | None, perturbation: Floats | None
) -> None:
    """Raise ValueError where arrays do not go with a table of this shape."""
    if len(shape) != 2:
        raise ValueError(f"`A` must have two dimensions, rows by columns; it has {len(shape)}.")
    for name, array, size in (
        ("y", y, shape[0]),
        ("weight", weight, shape[0]),
        ("perturbation", perturbation, shape[1]),
    ):
        if array is not None and np.shape(array) != (size,):
            raise ValueError(
                f"`{name}` must have shape ({size},) to go with `A` of shape {shape}; its "
                f"shape is {np.shape(array)}."
            )
