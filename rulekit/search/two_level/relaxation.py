"""All clauses at once: the two-level linear program (4.14), its rounding, and the exact rule."""

# Errors are counted once a row, objective (3.7). With the paper's equation numbers:
#   A     (n, d) bool     A[i, j]: column j is true in row i
#   y     (n,)   bool     rows that every clause has to cover; the others are to fail one clause
#   w     (R, d) float    the clauses
#   psi   (n,)   float    error of a row (4.14)
#   beta  (n, R) float    how far clause r is true on row i outside y: at least every w[r, j]
#                         with A[i, j]
#
# *One clause represents all.* The relaxation is convex and the same for every order of the clauses,
# so that the mean of an optimum over all orders is an optimum, with R equal clauses u and ``psi >=
# R * beta - (R - 1)``. That program has R times fewer variables and the same value.
#
# *Chains.* Thresholds of one number are nested: along a nested side a running maximum M, with
# ``M[k] >= u[k]`` and ``M[k] >= M[k+1]``, says the same as ``beta >= w`` for every true column.

from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy import sparse

from rulekit._sums import addable
from rulekit.binning.binned_table import Bools, Floats, Ints
from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection, error_cost
from rulekit.search.columns.priced_columns import (
    ALWAYS_PERTURBATION,
    PERTURBATION,
    TIE,
    RedundancyGroup,
    single_group,
    snap_weights,
)
from rulekit.search.lp import LinearProgram, seconds_left, solve_lp, solve_milp
from rulekit.search.one_level.problem import ClauseSolver

# Beyond these the programs do not end while anyone waits: the relaxation takes 8 s at 2 million
# entries, and time grows with the square of their number.
MOST_OF_EXACT, MOST_OF_RELAXED = 400_000, 10_000_000
Rows = tuple[Floats, Bools, Floats]  # A, y and weight, with equal rows merged
Groups = tuple[RedundancyGroup, ...]


def write_out(
    solver: ClauseSolver, theta: float, may_disable: bool = False
) -> tuple[Rows, Floats, Groups]:
    """Return the rows of a solver, the perturbed price of each column, and their groups."""
    A, y, weight = solver.distinct_rows()
    price, groups = theta + solver.perturbation, solver.groups
    if may_disable:  # a last column of ones disables a clause
        A = np.pad(A, ((0, 0), (0, 1)), constant_values=1)
        price = np.append(price, ALWAYS_PERTURBATION)
        groups = (*groups, single_group([solver.n_columns]))
    return (A, y, weight), price, groups


def two_level_program(
    rows: Rows, price: Floats, groups: Groups, n_clauses: int, copies: int
) -> LinearProgram:
    """Write (4.14): `copies` is R for distinct clauses, or 1 for one that represents all."""
    A, y, weight = rows
    (n, k), P, Z = A.shape, np.flatnonzero(y), np.flatnonzero(~y)
    each = n_clauses // copies  # clauses per copy
    # the rows of one clause, over its own variables and psi, and what they must reach
    pairs: list[tuple[int, int]] = []  # of a threshold and the next larger one of its side
    size = A.sum(axis=0)
    for side in (side for g in groups for side in (g.low, g.high)):
        # by size, not by rank: missing values may make variants of one threshold, and a link is
        # right only where every row of Z in the narrower one is in the wider one
        order = side[np.argsort(size[side], kind="stable")]
        true = A[np.ix_(Z, order)]
        if (true[:, :-1] <= true[:, 1:]).all():
            pairs += pairwise(order.tolist())
    inner, outer = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    inside = np.full(k, -1)
    inside[outer] = inner
    # Where the next narrower threshold holds too, its maximum is at least this one's (M[inner] >=
    # M[outer]): only the narrowest true threshold of a side needs a condition of its own.
    reads = A[Z] > 0
    reader, node = np.nonzero(reads & ~((inside >= 0) & reads[:, inside]))
    identity = sparse.eye_array(k)
    one = sparse.block_array(
        [
            [sparse.csr_array(A[P]), None, None, _unit(P, n)],  # psi + A w >= 1
            [-identity, identity, None, None],  # M >= w
            [None, _unit(inner, k) - _unit(outer, k), None, None],  # M[inner] >= M[outer]
            [None, -_unit(node, k), _unit(reader, len(Z)), None],  # beta >= M
        ],
        format="csr",
    )
    lower = (np.arange(one.shape[0]) < len(P)).astype(float)
    width = one.shape[1] - n  # n may be 0
    copy, psi = one[:, :width], one[:, width:]
    # Distinct clauses are ordered by their number of columns, which changes no optimum: without an
    # order the search would prove each of the R! arrangements of the same rule anew.
    in_turn = np.eye(copies - 1, copies) - np.eye(copies - 1, copies, 1)
    total = [sparse.csr_array((len(Z), 2 * k)), -each * sparse.eye_array(len(Z))]  # of beta
    matrix = sparse.block_array(
        [
            [sparse.kron(sparse.eye_array(copies), copy), sparse.vstack([psi] * copies)],
            [sparse.hstack(total * copies), _unit(Z, n)],  # psi - sum of beta >= -(R - 1)
            [sparse.csr_array(np.kron(in_turn, np.arange(copy.shape[1]) < k)), None],
        ],
        format="csr",
    )
    low = [np.tile(lower, copies), np.full(len(Z), 1.0 - n_clauses), np.zeros(copies - 1)]
    of_copy = np.concatenate([each * price, np.zeros(k + len(Z))])
    whole = np.append(np.tile(np.arange(len(of_copy)) < k, copies), np.zeros(n, dtype=bool))
    limits = matrix, np.concatenate(low), np.full(matrix.shape[0], np.inf)
    bounds = np.zeros(len(whole)), np.where(whole, 1.0, np.inf)
    return LinearProgram(np.append(np.tile(of_copy, copies), weight), *limits, *bounds, whole)


def _unit(columns: Ints, width: int) -> sparse.csr_array:
    """Stack unit rows: row i has a one in ``columns[i]``."""
    ones, rows = np.ones(len(columns)), np.arange(len(columns))
    return sparse.csr_array((ones, (rows, columns)), shape=(len(columns), width))


def solve_two_level_lp(
    solver: ClauseSolver, theta: float, n_clauses: int, *, may_disable: bool = False
) -> ClauseSelection:
    """Learn all clauses at once by the relaxation of (4.14), and round them without redundancy."""
    _check_size(solver, 1, MOST_OF_RELAXED, "two-level linear program", "rows x literals")
    limit = seconds_left(solver.deadline)
    rows, price, groups = write_out(solver, theta, may_disable)
    # one clause represents all, with chains
    answer = solve_lp(two_level_program(rows, price, groups, n_clauses, 1), time_limit=limit)
    if answer.status == "time limit":
        raise TimeLimitError(
            f"The two-level linear program was not solved within {limit:.3g} s; raise "
            "`time_limit`, or use `method='alternating'`."
        )
    if answer.x is None or answer.value is None:
        raise answer.error("The two-level linear program")
    u, value = snap_weights(answer.x[: len(price)]), answer.value
    w = np.tile(u, (n_clauses, 1))
    # (clause, group) after (clause, group), heaviest first, is settled by the relaxed error cost
    mass = np.array([[row[g.columns].sum() for g in groups] for row in w])
    order = np.argsort(-np.round(mass, 9).ravel(), kind="stable")
    for r, g in zip(*np.unravel_index(order, mass.shape), strict=True):
        group = groups[g]
        # The group's own weights go first: the gain is that over the clause without it.
        w[r, group.columns] = 0.0
        gain = _gain_of_covering(rows, w, int(r))
        w[r, _cheapest_combination(group, rows[0][:, group.columns].T, addable(gain), price)] = 1.0
    # The optimum is that of perturbed prices; each of R clauses of weight u paid at most this much
    # too much, so that the value minus it is a bound for the given prices.
    slack = n_clauses * float(solver.perturbation.max(initial=0.0) + ALWAYS_PERTURBATION)
    return _select(rows, theta, w, solver.n_columns, value - slack * max(1.0, float(u.sum())))


def solve_two_level_exact(
    solver: ClauseSolver,
    theta: float,
    n_clauses: int,
    start: ClauseSelection | None = None,
    *,
    may_disable: bool = False,
) -> ClauseSelection:
    """Solve the integer program (4.14) on a small table, with proof or with a bound."""
    _check_size(solver, n_clauses, MOST_OF_EXACT, "exact method", "rows x literals x clauses")
    rows, price, groups = write_out(solver, theta, may_disable)
    program = two_level_program(rows, price, groups, n_clauses, n_clauses)
    solution = solve_milp(program, time_limit=seconds_left(solver.deadline))
    if solution.status not in ("optimal", "time limit"):
        raise solution.error("The two-level integer program")
    k, n_rows = len(price), len(rows[1])
    w = np.zeros((n_clauses, k))
    if solution.x is not None:
        # the weights lead the variables of each clause; psi, one a row, follows all clauses
        w = np.round(solution.x[: len(solution.x) - n_rows].reshape(n_clauses, -1)[:, :k])
    bound = None if solution.bound is None else solution.bound - n_clauses * k * PERTURBATION
    rule = _select(rows, theta, w, solver.n_columns, bound)
    if solution.status == "optimal":
        return replace(rule, lower_bound=rule.value, proved=True)
    if start is None or (value := error_cost(*rows, start.chosen, theta)) >= rule.value:
        return rule
    return ClauseSelection(start.chosen, value, (), rule.lower_bound)


def _check_size(solver: ClauseSolver, copies: int, most: int, method: str, unit: str) -> None:
    """Raise an error before writing a program of more entries than can be solved."""
    table = solver.table
    seen = np.column_stack([table.content, table.y])[table.weight > 0]
    if (entries := copies * solver.n_columns * len(np.unique(seen, axis=0))) > most:
        ways = "fewer thresholds, or fewer clauses" if copies > 1 else "or fewer thresholds"
        raise ValueError(
            f"The {method} takes tables of up to {most:,} entries ({unit}); this one has "
            f"{entries:,}. Use `method='alternating'`, {ways}."
        )


def _cheapest_combination(
    group: RedundancyGroup, block: Floats, gain: Floats, price: Floats
) -> list[int]:
    """Find the columns of one group that lower the cost most."""
    columns = group.columns
    delta = price[columns] - block @ gain
    best_one = float(delta.min(initial=np.inf))
    best_two = np.inf
    if group.pairs.any():
        low, high = np.searchsorted(columns, group.low), np.searchsorted(columns, group.high)
        both = delta[low][:, None] + delta[high]
        if group.overlap:  # rows of both sides were counted twice
            # `delta` of each side holds their gain, so that it is given back once
            both = both + (block[low] * gain) @ block[high].T
        both = np.where(group.pairs, both, np.inf)
        best_two = float(both.min())
    best = min(0.0, best_one, best_two) + TIE
    if best >= 0.0:
        return []
    if best_one <= best:
        return [int(columns[np.argmax(delta <= best_one + TIE)])]
    a, b = divmod(int(np.argmax(both <= best_two + TIE)), both.shape[1])
    return [int(group.low[a]), int(group.high[b])]


def _gain_of_covering(rows: Rows, w: Floats, r: int) -> Floats:
    """Return for each row by how much its error (4.14) falls if clause r becomes true on it."""
    # A row of y waits for its worst clause. What the others lack stays, however true r becomes, so
    # that r saves only what it lacks more than they do; where another is worse it saves nothing.
    A, y, weight = rows
    short = np.maximum(0.0, 1.0 - A @ w.T)  # (n, R)
    others = np.delete(short, r, axis=1).max(axis=1, initial=0.0)
    saved = np.maximum(others, short[:, r]) - others
    # Another row is wrong as far as all clauses are true on it at once. beta is a maximum over the
    # true columns, not a sum, so that one whole column takes it from what it is to 1; and as long
    # as the others together leave a gap (slack + 1 <= 0) the row is rejected and nothing is lost.
    beta = np.stack([(A * row).max(axis=1, initial=0.0) for row in w], axis=1)
    slack = np.delete(beta, r, axis=1).sum(axis=1) - (len(w) - 1)
    lost = np.maximum(0.0, slack + 1.0) - np.maximum(0.0, slack + beta[:, r])
    return weight * np.where(y, saved, -lost)


def _select(rows: Rows, theta: float, w: Floats, d: int, bound: float | None) -> ClauseSelection:
    """Write whole weights as clauses, and value them."""
    chosen = w[~(w[:, d:] > 0.5).any(axis=1), :d] > 0.5
    return ClauseSelection(chosen, error_cost(*rows, chosen, theta), (), bound)
