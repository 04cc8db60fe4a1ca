"""The one-level problem over whole columns, by integer programming."""

import numpy as np

from rulekit.exceptions import SolverError
from rulekit.solvers.cover_solution import LearnedClause
from rulekit.solvers.formulations import compact_program
from rulekit.solvers.lp import solve_milp
from rulekit.solvers.rounding import TIE, RoundingTask, round_without_redundancy


def exact_clause(
    task: RoundingTask, always: float = np.inf, time_limit: float | None = None
) -> LearnedClause:
    """Find the clause of least cost, with proof or with a bound.

    Parameters
    ----------
    task : RoundingTask
        Rows to be covered, their weights, prices without perturbation, required columns.
    always : float, default=inf
        Price of disabling the clause.
    time_limit : float, optional
        Seconds. The best clause by then is returned, no worse than a greedy one.

    Returns
    -------
    LearnedClause
        `proved` says whether it is known to be optimal; of several optimal clauses it is the
        one that HiGHS finds.

    Raises
    ------
    SolverError
        If HiGHS fails.
    """
    free = ~task.required
    m = np.where(task.P[:, task.required].any(axis=1), 0.0, task.m)
    # A column that costs as much as all it covers can leave any clause at no loss.
    columns = np.flatnonzero((task.price < m @ task.P) & free)
    program = compact_program(task.P[:, columns], m, task.price[columns])
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
    fixed = float(task.price[task.required].sum())
    bound = cost if proved else fixed + (0.0 if found.bound is None else found.bound)
    bound = min(bound, cost, always)
    if always < cost - TIE:
        return LearnedClause(np.zeros_like(free), True, always, bound, True, proved)
    return LearnedClause(candidates[best], False, cost, bound, True, proved)
