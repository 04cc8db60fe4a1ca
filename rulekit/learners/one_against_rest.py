"""Several classes in turn: each described against those that come later."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.learners.training import TrainingTable, as_constraints, plain_label
from rulekit.rules import Clause, RuleSet

#: Learns ANDs that describe one class (its number) among some rows of the table.
Describe = Callable[[NDArray[np.intp], int], Sequence[Clause]]


def refuse_with_several(model: Any, table: TrainingTable) -> None:
    """Reject parameters of two-class rules."""
    n = len(table.classes)
    if model.positive_label is not None:
        raise ValueError(
            f"`positive_label` names the class that a rule of two classes describes; `y` holds {n} "
            f"classes, and a list describes them all. Got positive_label={model.positive_label!r}: "
            "leave it None, or learn from `y == label` for one class against the rest."
        )
    if getattr(model, "form", "dnf") != "dnf":
        raise ValueError(
            f"`form` must be 'dnf' where `y` holds more than two classes ({n} here): the clauses "
            f"of an ordered list are ANDs; got {model.form!r}."
        )
    directions = as_constraints(getattr(model, "constraints", None)).directions
    if directions:
        raise ValueError(
            f"`constraints` has a direction for column {dict(directions).popitem()[0]!r}, which "
            f"needs two classes; `y` has {n}. Remove the direction, or learn "
            "from `y == label`."
        )


def one_against_rest(
    table: TrainingTable, weight: NDArray[np.float64], describe: Describe
) -> RuleSet:
    """Learn an ordered list class by class; shapes: weight (n,)."""
    mass = np.bincount(table.codes, weight, minlength=len(table.classes))
    names = [plain_label(c) for c in table.classes]
    clauses: list[Clause] = []
    labels: list[Any] = []
    left, default = np.arange(len(table.codes)), int(mass.argmax())
    for code in np.argsort(mass, kind="stable")[:-1].tolist():
        described = table.codes[left] == code
        if not described.any() or described.all():
            continue
        clauses_of_class = describe(left, code)
        held = np.zeros(len(left), dtype=bool)
        for clause in clauses_of_class:
            held |= clause.mask({f: table.columns[f][left] for f in table.columns})
        clauses += clauses_of_class
        labels += [names[code]] * len(clauses_of_class)
        left = left[~held]
    if len(left):
        default = int(np.bincount(table.codes[left], weight[left]).argmax())
    return RuleSet(tuple(clauses), tuple(labels), "dnf", names[default])
