"""Counting rows by type: relevance of columns, ideal formulas, prime implicants.

What belongs here: contingency counts and what follows from them alone. May import
`rulekit.search.lp`.
"""

from rulekit.families.ideal_dnf.solver.prime_implicants import MAX_COLUMNS, MinimumForm, minimum_dnf
from rulekit.families.ideal_dnf.solver.relevance import SCORES, rankings
from rulekit.families.ideal_dnf.solver.row_types import (
    Contingency,
    Counts,
    contingency,
    least_errors,
    majority,
    packed,
    type_codes,
    type_counts,
    weighted_contingency,
)
from rulekit.families.ideal_dnf.solver.validation_curve import ValidationCurve, validation_curve

__all__ = [
    "MAX_COLUMNS",
    "SCORES",
    "Contingency",
    "Counts",
    "MinimumForm",
    "ValidationCurve",
    "contingency",
    "least_errors",
    "majority",
    "minimum_dnf",
    "packed",
    "rankings",
    "type_codes",
    "type_counts",
    "validation_curve",
    "weighted_contingency",
]
