"""Conditions that an analyst requires: put where they cost least."""

import numpy as np

from rulekit.estimators._binary_problem import BinaryProblem
from rulekit.exceptions import RuleError
from rulekit.rules import Clause, Literal
from rulekit.rules.constraints import Constraints, Wish

Clauses = tuple[tuple[Literal, ...], ...]


def with_required(
    clauses: Clauses, problem: BinaryProblem, constraints: Constraints, form: str
) -> Clauses:
    """Add each required condition that no clause of a rule holds.

    Parameters
    ----------
    clauses : tuple of tuple of Literal
        ANDs of literals in a DNF, ORs in a CNF.
    problem : BinaryProblem
        The training table, made for this form.
    constraints : Constraints
        `required` is what must appear.
    form : {"dnf", "cnf"}
        Form of the rule.

    Returns
    -------
    tuple of tuple of Literal
        For a required column, one of its literals is added. It goes where the weight of wrong
        training rows is smallest, in the place of the same test on the same column if the clause
        has one; ties go to the first clause, then to the first literal. A rule without clauses
        gets one.

    Raises
    ------
    RuleError
        If a required column has no literal that may be used.
    """
    for wish in constraints.required:
        if not any(grants(lit, wish) for clause in clauses for lit in clause):
            options = _additions(clauses or ((),), _candidates(wish, problem))
            costs = [_wrong_weight(option, problem, form) for option in options]
            clauses = options[int(np.argmin(np.round(costs, 9)))]
    return clauses


def grants(literal: Literal, wish: Wish) -> bool:
    """Say whether a literal is what was wished for: the very one, or any of the column."""
    return literal.feature == wish if isinstance(wish, str) else literal == wish


def _candidates(wish: Wish, problem: BinaryProblem) -> list[Literal]:
    if isinstance(wish, Literal):
        return [wish]
    found = [literal for literal in problem.literals if literal.feature == wish]
    if not found:
        raise RuleError(
            f"Column {wish!r} is required in the rule, but gives no condition that may be used: "
            "it is constant, or all its conditions are forbidden. Drop the wish."
        )
    return found


def _additions(clauses: Clauses, candidates: list[Literal]) -> list[Clauses]:
    return [
        (*clauses[:r], _with(clause, literal), *clauses[r + 1 :])
        for r, clause in enumerate(clauses)
        for literal in candidates
    ]


def _with(clause: tuple[Literal, ...], literal: Literal) -> tuple[Literal, ...]:
    kept = [c for c in clause if (c.feature, c.op) != (literal.feature, literal.op)]
    return (*kept, literal)


def _wrong_weight(clauses: Clauses, problem: BinaryProblem, form: str) -> float:
    """Weigh the training rows that a rule gets wrong."""
    op = "and" if form == "dnf" else "or"
    held = np.array([Clause(clause, op).mask(problem.columns) for clause in clauses])
    answer = held.any(axis=0) if form == "dnf" else held.all(axis=0)
    described = ~problem.y if form == "dnf" else problem.y
    return float(problem.weight[answer != described].sum())
