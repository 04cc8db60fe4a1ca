"""Set covering: one clause after another, each from the rows that are still undecided.

Letters are defined in `task`.
"""

import numpy as np

from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.one_level.problem import LearnedClause
from rulekit.search.two_level.task import INITS, Iterate, TwoLevelTask, check_n_clauses


def set_cover(task: TwoLevelTask, n_clauses: int) -> ClauseSelection:
    """Learn a CNF clause by clause; what an earlier clause rejects is left to it.

    Solves at most R one-level problems.

    Source: Su, Wei, Varshney, Malioutov (2015), section 2.2.
    """
    clauses, history = cover_clauses(task, n_clauses)
    return clauses.selection(history)


def cover_clauses(task: TwoLevelTask, n_clauses: int) -> tuple[Iterate, list[dict[str, object]]]:
    """Do the work of `set_cover`; the other methods start from here."""
    check_n_clauses(n_clauses)
    undecided = task.weight > 0
    clauses: list[LearnedClause] = []
    history: list[dict[str, object]] = []
    for r in range(n_clauses):
        try:
            clause = task.learn(undecided) if undecided.any() else task.empty_clause()
        except TimeLimitError:
            clauses += [task.disabled_clause()] * (n_clauses - r)
            history.append({"step": r, "clause": r, "stopped": "time limit"})
            break
        clauses.append(clause)
        history.append(_entry(r, clause, undecided))
        undecided = undecided & (task.count(clause) > 0)
    selection = task.iterate(clauses)
    history[-1]["objective"] = selection.value
    return selection, history


def initial_clauses(
    task: TwoLevelTask, n_clauses: int, init: str
) -> tuple[Iterate, list[dict[str, object]]]:
    """Start block coordinate descent or alternating minimisation."""
    if init not in INITS:
        raise ValueError(f"`init` must be one of {INITS}, got {init!r}.")
    check_n_clauses(n_clauses)
    entry: dict[str, object] = {"step": 0, "clause": None, "start": init}
    if init == "set_cover":
        clauses, covering = cover_clauses(task, n_clauses)
        if "stopped" in covering[-1]:
            entry["stopped"] = covering[-1]["stopped"]
    elif init == "zero":
        clauses = task.iterate([task.empty_clause()] * n_clauses)
    else:
        clauses, stopped = _random_start(task, n_clauses)
        entry.update(stopped)
    return clauses, [entry | {"objective": clauses.value}]


def _random_start(task: TwoLevelTask, n_clauses: int) -> tuple[Iterate, dict[str, object]]:
    if task.rng is None:
        raise ValueError("A random start needs a random generator; give the task one.")
    part = task.rng.integers(n_clauses, size=len(task.y))
    clauses: list[LearnedClause] = []
    try:
        for r in range(n_clauses):
            clauses.append(task.learn(task.y | (part == r)))
    except TimeLimitError:
        clauses += [task.disabled_clause()] * (n_clauses - len(clauses))
        return task.iterate(clauses), {"stopped": "time limit"}
    return task.iterate(clauses), {}


def _entry(r: int, clause: LearnedClause, undecided: np.ndarray) -> dict[str, object]:
    return {
        "step": r,
        "clause": r,
        "n_rows": int(undecided.sum()),
        "n_columns": int(clause.selected.sum()),
        "disabled": clause.disabled,
        "clause_cost": clause.cost,
    }
