"""Column generation as a method of the two-level learner: prices, limits, a proved bound."""

from typing import Any

import numpy as np

from rulekit.estimators._binary_problem import BinaryProblem
from rulekit.estimators._boxes import box_table
from rulekit.estimators._clock import Clock
from rulekit.solvers.box_problem import ERRORS
from rulekit.solvers.clause_selection import ClauseSelection
from rulekit.solvers.column_generation import GeneratedRule, GenerationPlan, generate
from rulekit.solvers.exact_clause import ClauseLimits

PROOF_TESTS = 1_000_000  # of exact pricing without a time limit, so that such a fit ends soon
ALL_TESTS = 10**12
PROVED = 1e-6


def generated(
    problem: BinaryProblem, theta: float, clause_price: float, finish_seconds: float = 0.0
) -> ClauseSelection:
    """Generate clauses and choose among them.

    Parameters
    ----------
    problem : BinaryProblem
        The learner's table.
    theta, clause_price : float
        Prices of a literal and of a clause, in training rows.
    finish_seconds : float, default=0.0
        For an integer program over the generated clauses after the local search.

    Returns
    -------
    ClauseSelection
        Of any number of clauses; its value is the priced Hamming loss. Its bound is there only
        after exact pricing; the last entry of its history tells whether that solved the linear
        program over all clauses ("linear program") or came to a lower bound only ("below the linear
        program"). Without a price of literals that is not tried.
    """
    table = box_table(problem, ERRORS)
    clock = Clock(problem.cover.deadline)
    limits = ClauseLimits(max_tests=ALL_TESTS, should_stop=clock)
    plan = GenerationPlan(
        clause_price,
        theta,
        prove=theta > 0,
        finish_seconds=finish_seconds,
        exact_limits=limits,
        all_tests=PROOF_TESTS if clock.end is None else None,
        should_stop=clock,
    )
    found = generate(table.problem, plan)
    chosen = table.chosen(found.boxes)
    proved = found.lower_bound is not None and (
        found.objective - found.lower_bound <= PROVED * max(1.0, found.objective)
    )
    off = np.zeros(len(chosen), dtype=bool)
    history = _history(found, stopped=clock.ran_out)
    return ClauseSelection(chosen, off, found.objective, history, found.lower_bound, proved)


def _history(found: GeneratedRule, *, stopped: bool) -> tuple[dict[str, Any], ...]:
    """Tell the master's value round by round, and the rule's at the end."""
    steps: list[dict[str, Any]] = [
        {"step": k, "objective": entry["master"], "clauses": int(entry["clauses"])}
        for k, entry in enumerate(found.history)
    ]
    last: dict[str, Any] = {"step": len(steps), "objective": found.objective}
    if found.lower_bound is not None:
        last["lower_bound"] = found.lower_bound
        last["bound"] = "linear program" if found.solved else "below the linear program"
    if stopped:
        last["stopped"] = "time limit"
    return (*steps, last)
