"""The paper's Hamming distance: how far a rule is from predicting a row correctly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import DataError
from rulekit.explain.subject import subject_of
from rulekit.rules import Columns, RuleSet
from rulekit.style.phrases import label_text, listed


def hamming_distances(
    rule: RuleSet, columns: Columns, y: NDArray[Any], classes: tuple[Any, ...] | None = None
) -> list[int | None]:
    """Count the literals to add or remove until the rule predicts a row correctly.

    Parameters
    ----------
    rule : RuleSet
        A rule whose clauses share one label.
    columns : mapping of str to ndarray of shape (n,)
        The rows.
    y : ndarray of shape (n,)
        Their true labels.
    classes : tuple, optional
        The labels that may occur; the rule's own two if None.

    Returns
    -------
    list of int or None, length n
        0 where the rule is right. For a CNF, as in equations (3.10) and (3.11) of [1]_: a row of
        the rule's label counts the clauses that fail (each needs one more literal); any other row
        counts the literals that hold in the clause with fewest (they have to go). For a DNF the
        mirror image: a row of the label counts the literals that fail in the clause with fewest;
        any other row counts the clauses that hold. None where the distance is not defined: a rule
        without clauses that would have to hold, or one whose clauses have several labels.

    Raises
    ------
    DataError
        If a true label is not one of the classes, or there is not one label a row.

    References
    ----------
    .. [1] G. Su, D. Wei, K. R. Varshney, D. M. Malioutov, "Interpretable two-level Boolean rule
       learning for classification", 2015, section 3.2.

    Examples
    --------
    >>> from rulekit.rules import Clause, Literal
    >>> clause = Clause((Literal("age", ">", 50), Literal("bmi", ">", 30)))
    >>> rule = RuleSet((clause,), ("ill",), "dnf", "well")
    >>> columns = {"age": np.array([40.0, 60.0]), "bmi": np.array([20.0, 35.0])}
    >>> hamming_distances(rule, columns, np.array(["ill", "well"], dtype=object))
    [2, 1]
    """
    _check_labels(y, classes or _labels(rule), len(rule.clauses_fired(columns)))
    if len(set(rule.labels)) > 1:
        return [None] * len(y)
    if not rule.clauses:
        right = rule.labels[0] if rule.form == "cnf" else rule.default
        return [0 if v == right else None for v in y]
    dnf = subject_of(rule).dnf
    failing = np.array([(~c.condition_masks(columns)).sum(axis=1) for c in dnf.clauses])
    to_hold, held = failing.min(axis=0), (failing == 0).sum(axis=0)
    is_first_class = np.array([v == dnf.labels[0] for v in y], dtype=bool)
    return [int(v) for v in np.where(is_first_class, to_hold, held)]


def _labels(rule: RuleSet) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*rule.labels, rule.default)))


def _check_labels(y: NDArray[Any], classes: tuple[Any, ...], n: int) -> None:
    if len(y) != n:
        raise DataError(f"`y` must hold one label a row; there are {n} rows and {len(y)} labels.")
    if len(classes) < 2:  # a rule without clauses does not name the other class
        return
    strange = next((i for i, v in enumerate(y) if v not in classes), None)
    if strange is not None:
        raise DataError(
            f"`y` holds {label_text(y[strange])} (row {strange}), which the rule never answers; "
            f"its labels are {listed(label_text(c) for c in classes)}."
        )
