"""Boxes from a plane as a learner of Models: its settings under the names all learners share.

There a setting has a price ``theta`` and a number ``n_clauses``. Here these are the price ν of a
unit of margin missed by the plane, and the most boxes the rule may have.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rulekit.estimators import LPSVM, HyperplaneRuleClassifier
from rulekit.evaluation.grid import settings_of

HYPERPLANE = "hyperplane"
NUS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
MULTIPLES = (1, 1.5, 2, 3, 5, 8, 15, 30)  # from no column to about ten, on most tables
CONFIDENCE_FOLDS = 5  # of the picked model; a sweep has no use for confidences
PARAMETERS = {"theta": "linear__nu", "n_clauses": "max_rules"}
PRICE_HELP = (
    "What a unit of margin missed by a row costs, against the plane's weights. The smaller ν is, "
    "the fewer columns the plane reads, and the shorter its boxes are."
)


def usual_nus(y: Any) -> tuple[float, ...]:
    """Return prices in proportion to the rows of the smaller class, with two digits.

    With standardised columns the plane reads none up to about one, divided by these rows.
    """
    rows = max(1, int(min(y.value_counts())))
    return tuple(sorted({float(f"{multiple / rows:.2g}") for multiple in MULTIPLES}))


def hyperplane_grid(nus: Sequence[float], clauses: tuple[int, int]) -> dict[str, list[Any]]:
    """Return the grid of a sweep: prices of the plane, and most boxes."""
    return {"max_rules": list(range(clauses[0], clauses[1] + 1)), "linear__nu": list(nus)}


def hyperplane_settings(nus: Sequence[float], clauses: tuple[int, int]) -> list[dict[str, Any]]:
    """List the settings of that grid, in its order, under the shared names."""
    names = {theirs: ours for ours, theirs in PARAMETERS.items()}
    return [
        {names[name]: value for name, value in setting.items()}
        for setting in settings_of(hyperplane_grid(nus, clauses))
    ]


def hyperplane_parameters(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the estimator's parameters for a setting under the shared names."""
    return {PARAMETERS[name]: value for name, value in setting.items() if name in PARAMETERS}


def hyperplane_estimator(
    positive: Any, class_weight: str | None, plane_answers: bool
) -> HyperplaneRuleClassifier:
    """Return the unfitted estimator with everything but the swept parameters."""
    return HyperplaneRuleClassifier(
        LPSVM(),
        uncovered="hyperplane" if plane_answers else "other",
        confidence_folds=0,
        positive_label=positive,
        class_weight=class_weight,
    )


def price_symbol(learner: str) -> str:
    """Return the letter of a learner's price."""
    return "ν" if learner == HYPERPLANE else "θ"
