"""The two-level program (4.14) written out, short: chains, and one clause for all where relaxed.

Throughout the module, with the paper's equation numbers::

    A     (n, d) bool     A[i, j]: column j is true in row i
    y     (n,)   bool     rows that every clause has to cover; the others are to fail one clause
    R                     number of clauses
    w     (R, d) float    the clauses
    psi   (n,)   float    error of a row (4.14)
    beta  (n, R) float    how far clause r is true on row i outside y: at least every w[r, j]
                          with A[i, j]

*One clause represents all.* The relaxation is convex and the same for every order of the
clauses, so that the mean of an optimum over all orders is an optimum, with R equal clauses u and
``psi >= R * beta - (R - 1)``. That program has R times fewer variables and the same value.

*Chains.* ``beta >= w`` is required for every true column. Thresholds of one number are nested, and
a row in ``x <= 3`` is in ``x <= 5``: along a nested side a running maximum M, with ``M[k] >= u[k]``
and ``M[k] >= M[k+1]``, says the same with one condition a row and side.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.search.columns import ALWAYS_PERTURBATION, RedundancyGroup, single_group
from rulekit.search.lp import LinearProgram
from rulekit.search.one_level import CoverProblem

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class TwoLevelTable:
    """Rows, weights and prices of a two-level problem, without rows of no weight.

    Shapes: A (n, k), y, weight (n,), price (k,), required (k,), columns (k,).
    """

    A: Floats
    y: Bools
    weight: Floats
    price: Floats
    required: Bools
    groups: tuple[RedundancyGroup, ...]
    columns: Index


def two_level_table(
    problem: CoverProblem, theta: float, disable_cost: float | None = None
) -> TwoLevelTable:
    """Collect what the two-level programs need from the one-level problem of the same table."""
    A, y, weight = problem.distinct_rows()
    columns = np.flatnonzero(problem.allowed | problem.required)
    place = np.full(problem.n_columns, -1)
    place[columns] = np.arange(len(columns))
    groups = [_moved(g, place) for g in problem.groups]
    groups = [g for g in groups if len(g.columns)]
    A, price = A[:, columns], theta + problem.perturbation[columns]
    required = problem.required[columns]
    if disable_cost is not None and not required.any():
        groups.append(single_group([len(columns)]))
        A = np.hstack([A, np.ones((len(A), 1))])
        price = np.append(price, disable_cost + ALWAYS_PERTURBATION)
        required, columns = np.append(required, False), np.append(columns, -1)
    return TwoLevelTable(A, y, weight, price, required, tuple(groups), columns)


def two_level_program(table: TwoLevelTable, n_clauses: int, copies: int) -> LinearProgram:
    """Write (4.14): `copies` is R for distinct clauses, or 1 for one that represents all.

    Variables are w, M (a running maximum a column) and beta of each copy, then psi.
    """
    k, n = table.A.shape[1], table.A.shape[0]
    P, Z = np.flatnonzero(table.y), np.flatnonzero(~table.y)
    each = n_clauses // copies  # clauses per copy
    copy, psi, lower = _one_copy(table, P, Z)
    total = sparse.hstack([_empty(len(Z), 2 * k), -each * sparse.eye_array(len(Z))])  # of beta
    matrix = sparse.vstack(
        [
            sparse.hstack([sparse.kron(sparse.eye_array(copies), copy), _repeated(psi, copies)]),
            sparse.hstack([*[total] * copies, _unit(Z, n)]),  # psi - sum of beta >= -(R - 1)
            sparse.hstack([_descending(copies, copy.shape[1], k), _empty(copies - 1, n)]),
        ],
        format="csr",
    )
    low = np.concatenate(
        [np.tile(lower, copies), np.full(len(Z), 1.0 - n_clauses), np.zeros(copies - 1)]
    )
    none = np.zeros(k + len(Z))
    whole = np.concatenate([np.ones(k, dtype=bool), none > 0])
    ceiling = np.concatenate([np.ones(k), none + np.inf])
    return LinearProgram(
        np.concatenate([np.tile(np.concatenate([each * table.price, none]), copies), table.weight]),
        matrix,
        low,
        np.full(len(low), np.inf),
        np.concatenate([np.tile(np.concatenate([table.required, none]), copies), np.zeros(n)]),
        np.concatenate([np.tile(ceiling, copies), np.full(n, np.inf)]),
        np.concatenate([np.tile(whole, copies), np.zeros(n, dtype=bool)]),
    )


def _one_copy(
    table: TwoLevelTable, P: Index, Z: Index
) -> tuple[sparse.csr_array, sparse.csr_array, Floats]:
    """Write the rows of one clause: over its own variables, over psi, and what they must reach."""
    n, k = table.A.shape
    inner, outer = _links(table, Z)
    reader, node = _reads(table, Z, inner, outer)
    own = sparse.eye_array(k)
    m, n_links, n_reads = len(P), len(inner), len(node)
    rows = sparse.vstack(
        [
            sparse.hstack([sparse.csr_array(table.A[P]), _empty(m, k + len(Z))]),  # psi + A w >= 1
            sparse.hstack([-own, own, _empty(k, len(Z))]),  # M >= w
            sparse.hstack(
                [
                    _empty(n_links, k),
                    _unit(inner, k) - _unit(outer, k),
                    _empty(n_links, len(Z)),
                ]
            ),  # M[inner] >= M[outer]
            sparse.hstack([_empty(n_reads, k), -_unit(node, k), _unit(reader, len(Z))]),
        ],
        format="csr",
    )
    rest = rows.shape[0] - m
    psi = sparse.vstack([_unit(P, n), _empty(rest, n)], format="csr")
    return rows, psi, np.concatenate([np.ones(m), np.zeros(rest)])


def _links(table: TwoLevelTable, Z: Index) -> tuple[Index, Index]:
    """Pair each threshold with the next larger one of its side, where rows bear out the nesting."""
    pairs: list[tuple[int, int]] = []
    size = table.A.sum(axis=0)
    for side in (side for g in table.groups for side in (g.low, g.high)):
        # by size, not by rank: missing values may make variants of one threshold, and a link is
        # right only where every row of Z in the narrower one is in the wider one
        order = side[np.argsort(size[side], kind="stable")]
        true = table.A[np.ix_(Z, order)]
        if (true[:, :-1] <= true[:, 1:]).all():
            pairs += pairwise(order.tolist())
    links = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return links[:, 0], links[:, 1]


def _reads(table: TwoLevelTable, Z: Index, inner: Index, outer: Index) -> tuple[Index, Index]:
    """List (row of Z, column) where a row reads a maximum: a true column, none inside it true."""
    inside = np.full(table.A.shape[1], -1)
    inside[outer] = inner
    # Where the next narrower threshold holds too, its maximum is at least this one's (M[inner] >=
    # M[outer]): only the narrowest true threshold of a side needs a condition of its own.
    true = table.A[Z] > 0
    reader, node = np.nonzero(true & ~((inside >= 0) & true[:, inside]))
    return reader, node


def _unit(columns: Index, width: int) -> sparse.csr_array:
    """Stack unit rows: row i has a one in ``columns[i]``."""
    ones, rows = np.ones(len(columns)), np.arange(len(columns))
    return sparse.csr_array((ones, (rows, columns)), shape=(len(columns), width))


def _empty(rows: int, columns: int) -> sparse.csr_array:
    return sparse.csr_array((rows, columns))


def _repeated(block: sparse.csr_array, times: int) -> sparse.csr_array:
    return sparse.vstack([block] * times, format="csr")


def _descending(copies: int, width: int, k: int) -> sparse.csr_array:
    """Order distinct clauses by their number of columns, which changes no optimum."""
    # Clauses that only change places are the same rule; without an order the search would prove
    # each of the R! arrangements anew.
    step = np.zeros((copies - 1, copies * width))
    for r in range(copies - 1):
        step[r, r * width : r * width + k] = 1.0
        step[r, (r + 1) * width : (r + 1) * width + k] = -1.0
    return sparse.csr_array(step)


def _moved(group: RedundancyGroup, place: Index) -> RedundancyGroup:
    """Renumber the columns of a group; those that are not allowed drop out."""
    low, high = place[group.low] >= 0, place[group.high] >= 0
    single = place[group.single]
    return RedundancyGroup(
        place[group.low][low],
        place[group.high][high],
        single[single >= 0],
        group.pairs[np.ix_(low, high)],
        group.overlap,
    )
