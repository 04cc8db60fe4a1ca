"""The choice of a rule among generated clauses: local search, and an integer program after it.

See `column_generation` for the problem and its symbols. A clause whose reduced cost
exceeds what the best known rule costs above the master's value is in no better rule made of
generated clauses: it is left out.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rulekit.search.box_search import Bools, Floats, Ints
from rulekit.search.clause_generation.master import GAIN, ClausePool, MasterAnswer
from rulekit.search.lp import HIGHS_STATUS, LinearProgram, highs_module, solve_milp

SEED = 0  # of the perturbations
CLAUSES_PER_PERTURBATION = 4


def choose_clauses(
    pool: ClausePool, answer: MasterAnswer, n_perturbations: int = 30, start: Sequence[int] = ()
) -> list[int]:
    """Choose clauses by local search: add, remove and swap from the rounded linear program."""
    if not len(pool):
        return []
    starts = [np.flatnonzero(answer.z > part) for part in (0.5, 0.2)]
    starts.append(np.array(start, np.int64))
    everything = _Choice(pool, np.arange(len(pool)))
    best = min((everything.descend(start) for start in starts), key=everything.objective)
    value = everything.objective(best)
    useful = useful_clauses(pool, answer, value)
    if not len(useful):
        return sorted(best.tolist())
    useful = np.union1d(useful, best)
    some = _Choice(pool, useful)
    chosen, rng = np.searchsorted(useful, best), np.random.default_rng(SEED)
    for _ in range(
        max(n_perturbations, len(useful) // CLAUSES_PER_PERTURBATION) if n_perturbations else 0
    ):
        if value <= answer.value + GAIN:
            break
        perturbed = some.descend(_perturbed(chosen, len(useful), rng))
        if some.objective(perturbed) < value - GAIN:
            chosen, value = perturbed, some.objective(perturbed)
    return sorted(useful[chosen].tolist())


def useful_clauses(pool: ClausePool, answer: MasterAnswer, value: float) -> Ints:
    """Return the clauses that a rule cheaper than `value` may have."""
    return np.flatnonzero(pool.reduced_costs(answer.mu) < value - answer.value - GAIN)


def _perturbed(chosen: Ints, n: int, rng: np.random.Generator) -> Ints:
    """Take one or two clauses out and a random one in."""
    n_out = min(len(chosen), int(rng.integers(1, 3)))
    out = rng.permutation(len(chosen))[:n_out]
    return np.union1d(np.delete(chosen, out), rng.integers(n))


class _Choice:
    """Local search among some clauses of a pool."""

    def __init__(self, pool: ClausePool, columns: Ints) -> None:
        self.held: Bools = pool.held[columns]
        self.cost = pool.cost[columns]
        self.weight = pool.described_weight
        self._rows_by_clauses = np.ascontiguousarray(self.held.T, dtype=float)

    def objective(self, chosen: Ints) -> float:
        """Priced Hamming loss."""
        missed = ~self.held[chosen].any(axis=0)
        return float(self.weight[missed].sum() + self.cost[chosen].sum())

    def descend(self, chosen: Ints) -> Ints:
        """Take the best single addition, removal or swap until none lowers the objective."""
        while True:
            change = self._changes(chosen)
            out, into = divmod(int(change.argmin()), change.shape[1])
            if change[out, into] >= -GAIN:
                return np.sort(chosen)
            if out:
                chosen = np.delete(chosen, out - 1)
            if into:
                chosen = np.append(chosen, into - 1)

    def _changes(self, chosen: Ints) -> Floats:
        """Change of the objective by taking out one clause (row 0: none) and putting in another.

        Column 0 puts none in.
        """
        held = self.held[chosen]
        count = held.sum(axis=0)
        alone = np.zeros((1 + len(chosen), len(self.weight)))  # rows missed, or held by one alone
        alone[0] = np.where(count == 0, self.weight, 0.0)
        alone[1:] = np.where(held & (count == 1), self.weight, 0.0)
        saved = alone @ self._rows_by_clauses
        change = np.zeros((1 + len(chosen), 1 + len(self.cost)))
        change[1:] += (alone[1:].sum(axis=1) - self.cost[chosen])[:, None]
        change[:, 1:] += self.cost - saved[0]
        change[1:, 1:] -= saved[1:]
        return change


def improve_by_program(
    pool: ClausePool, answer: MasterAnswer, chosen: list[int], seconds: float
) -> list[int]:
    """Look for a cheaper rule by an integer program over the useful clauses, rows merged."""
    value = pool.objective(chosen)
    useful = useful_clauses(pool, answer, value)
    if not len(useful):
        return chosen
    columns = np.union1d(useful, np.array(chosen, np.int64))
    program = _program(pool, columns)
    start = np.zeros(len(program.c))
    start[np.searchsorted(columns, chosen)] = 1.0
    n = len(columns)
    start[n:] = program.A[:, :n] @ start[:n] < 0.5
    solution = _solved(program, start, value, seconds)
    if solution is None:
        return chosen
    better = columns[solution[:n] > 0.5].tolist()
    return better if pool.objective(better) < value - GAIN else chosen


def _program(pool: ClausePool, columns: Ints) -> LinearProgram:
    """Write the choice as an integer program; rows that the same clauses hold for are one."""
    patterns, group = np.unique(pool.held[columns].T, axis=0, return_inverse=True)
    weight = np.bincount(group.reshape(-1), weights=pool.described_weight)
    m, n = patterns.shape
    return LinearProgram(
        np.concatenate([pool.cost[columns], weight]),
        np.hstack([patterns.astype(float), np.eye(m)]),
        np.ones(m),
        np.full(m, np.inf),
        np.zeros(n + m),
        np.ones(n + m),
        np.arange(n + m) < n,
    )


def _solved(program: LinearProgram, start: Floats, value: float, seconds: float) -> Floats | None:
    """Solve with HiGHS from a start, or with SciPy, which knows none."""
    module = highs_module()
    if module is None:
        return solve_milp(program, time_limit=seconds, incumbent=(start, value)).x
    highs: Any = module._Highs()
    options: dict[str, Any] = {"output_flag": False, "threads": 1, "random_seed": 0}
    options |= {"mip_rel_gap": 0.0, "mip_abs_gap": GAIN, "time_limit": max(seconds, 1e-3)}
    for option, setting in options.items():
        highs.setOptionValue(option, setting)
    m, n = program.A.shape
    rows, places = np.nonzero(program.A)
    starts = np.searchsorted(rows, np.arange(m))
    highs.addVars(n, program.x_lower, program.x_upper)
    highs.changeColsCost(n, np.arange(n, dtype=np.int32), program.c)
    assert program.integrality is not None
    integers = np.flatnonzero(program.integrality).astype(np.int32)
    kinds = np.full(len(integers), int(module.HighsVarType.kInteger), np.uint8)
    highs.changeColsIntegrality(len(integers), integers, kinds)
    highs.addRows(
        m,
        program.lower,
        program.upper,
        len(places),
        starts.astype(np.int32),
        places.astype(np.int32),
        program.A[rows, places],
    )
    solution = module.HighsSolution()
    solution.col_value = start.tolist()
    highs.setSolution(solution)
    highs.run()
    status = HIGHS_STATUS.get(highs.getModelStatus().name, "error")
    if status not in ("optimal", "time limit"):
        return None
    values = np.array(highs.getSolution().col_value)
    return values if len(values) == n else None
