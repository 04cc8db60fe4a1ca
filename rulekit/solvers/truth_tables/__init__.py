"""Counting rows by type: relevance of columns, ideal formulas, prime implicants.

What belongs here: contingency counts and what follows from them alone. May import
`rulekit.solvers.lp`.
"""

from rulekit.solvers.truth_tables.prime_implicants import MAX_COLUMNS, MinimumForm, minimum_dnf
from rulekit.solvers.truth_tables.relevance import SCORES, rankings
from rulekit.solvers.truth_tables.row_split import (
    MULTIPLIERS,
    SALT,
    SHIFTS,
    WORD,
    held_out,
    limit,
    mixed,
)
from rulekit.solvers.truth_tables.row_types import (
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
from rulekit.solvers.truth_tables.validation_curve import ValidationCurve, validation_curve

__all__ = [
    "MAX_COLUMNS",
    "MULTIPLIERS",
    "SALT",
    "SCORES",
    "SHIFTS",
    "WORD",
    "Contingency",
    "Counts",
    "MinimumForm",
    "ValidationCurve",
    "contingency",
    "held_out",
    "least_errors",
    "limit",
    "majority",
    "minimum_dnf",
    "mixed",
    "packed",
    "rankings",
    "type_codes",
    "type_counts",
    "validation_curve",
    "weighted_contingency",
]
