"""Explanations: why a row was decided as it was, and what would change the answer.

What belongs here: questions about single rows (what decided, what is missing and by how much, the
smallest change, past cases alike) and the sentences that answer them. What does not: drawing,
export formats, anything that learns. May import the estimators and everything below them.

The package can be called: ``rulekit.explain(model, X)`` is ``rulekit.explain.explain(model, X)``,
so that no function hides the package of its name.
"""

import sys
from types import ModuleType
from typing import Any

from rulekit.explain.boundary import distance_to_boundary, ranges_of
from rulekit.explain.changes import Change
from rulekit.explain.counterfactual import Counterfactual, smallest_change
from rulekit.explain.hamming import hamming_distances
from rulekit.explain.near_miss import CheckedClause, CheckedLiteral, NearMiss
from rulekit.explain.points import GivenPoints, PointsReading, read_points
from rulekit.explain.row import Explanation, explain
from rulekit.explain.scored import Figures, Scored, score
from rulekit.explain.similar import PastCases, SimilarCase, similar_cases, training_rows
from rulekit.explain.single_change import single_change
from rulekit.explain.splits import (
    SplitChange,
    SplitReading,
    TermReading,
    explain_path,
    power_law_of,
    read_split,
)
from rulekit.families.hyperplane.explain import (
    CoveringBox,
    HyperplaneExplanation,
    explain_with_hyperplane,
)
from rulekit.style.phrases import Wording, Words, clause_words, condition_text

__all__ = [
    "Change",
    "CheckedClause",
    "CheckedLiteral",
    "Counterfactual",
    "CoveringBox",
    "Explanation",
    "Figures",
    "GivenPoints",
    "HyperplaneExplanation",
    "NearMiss",
    "PastCases",
    "PointsReading",
    "Scored",
    "SimilarCase",
    "SplitChange",
    "SplitReading",
    "TermReading",
    "Wording",
    "Words",
    "clause_words",
    "condition_text",
    "distance_to_boundary",
    "explain",
    "explain_path",
    "explain_with_hyperplane",
    "hamming_distances",
    "power_law_of",
    "ranges_of",
    "read_points",
    "read_split",
    "score",
    "similar_cases",
    "single_change",
    "smallest_change",
    "training_rows",
]


class _CallablePackage(ModuleType):
    """A package that answers a call as `explain` does."""

    def __call__(self, model: Any, X: Any, y: Any = None, **options: Any) -> list[Explanation]:
        """Explain the answer of a rule for each row of a table; see `rulekit.explain.explain`."""
        return explain(model, X, y, **options)


sys.modules[__name__].__class__ = _CallablePackage
