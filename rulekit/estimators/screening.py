"""Screening on request: which candidate conditions of a table some best rule does without."""

from collections.abc import Mapping
from typing import Any

from rulekit.binarize import Binarizer
from rulekit.estimators.condition_screening import ConditionScreening
from rulekit.estimators.one_level import OneLevelRuleClassifier
from rulekit.rules.constraints import Constraints
from rulekit.solvers.proved_cover import best_columns
from rulekit.solvers.screening import BASIC, COUNTING, ENHANCED, screen

HOW = {"counting": COUNTING, "duality": (), "basic": BASIC, "enhanced": ENHANCED}


def screen_conditions(
    X: Any,
    y: Any,
    *,
    theta: float = 1.0,
    form: str = "dnf",
    how: str = "duality",
    positive_label: Any = None,
    class_weight: Any = None,
    binarizer: Binarizer | None = None,
    constraints: Constraints | Mapping[str, Any] | None = None,
    sample_weight: Any = None,
) -> ConditionScreening:
    """Remove the candidate conditions that some best rule of one clause does without.

    Parameters
    ----------
    X, y, sample_weight
        As in `OneLevelRuleClassifier.fit`.
    theta : float, default=1.0
        Price of a literal, in misclassified training rows.
    form, positive_label, class_weight, binarizer, constraints
        As in `OneLevelRuleClassifier`.
    how : {"counting", "duality", "basic", "enhanced"}, default="duality"
        "counting": a condition costs as much as it saves, or another threshold of its column does
        the same for no more; safe for the linear program too. "duality": also, every rule with it
        costs more than a known one, by the optimum of the linear program. "basic", "enhanced":
        the two versions of the paper.

    Returns
    -------
    ConditionScreening

    Raises
    ------
    ValueError
        If `how` is unknown, or a parameter is not allowed.
    DataError
        If the table cannot be used.

    Notes
    -----
    Takes O(n p + d) for p columns and d conditions, and for "duality" the linear program.

    References
    ----------
    .. [1] S. Dash, D. M. Malioutov, K. R. Varshney, "Screening for learning classification rules
       via Boolean compressed sensing" (2014).

    Examples
    --------
    >>> from rulekit import load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> found = screen_conditions(X, y, positive_label="malignant")
    >>> found.n_conditions > found.n_removed > 0, found.unproved()
    (True, [])
    """
    if how not in HOW:
        raise ValueError(f"`how` must be one of {tuple(HOW)}, got {how!r}.")
    model = OneLevelRuleClassifier(
        theta,
        form,
        exact=True,
        positive_label=positive_label,
        class_weight=class_weight,
        binarizer=binarizer,
        constraints=constraints,
    )
    problem = model.cells(X, y, sample_weight)
    task = problem.priced(float(theta))
    if how == "duality":
        found = best_columns(task, screening="duality").screening
    else:
        found = screen(task, HOW[how])
    assert found is not None
    return ConditionScreening(problem, found, float(theta))
