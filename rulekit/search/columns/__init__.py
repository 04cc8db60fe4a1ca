"""What every solver over Boolean columns shares.

What belongs here: prices of columns, their redundancy, the rounding of fractional columns, the
perturbation that makes a vertex unique, and the covering program written out. May import
`rulekit.search.lp`.
"""

from rulekit.search.columns.candidates import (
    PricedColumns,
    compact_program,
    priced,
)
from rulekit.search.columns.clause_selection import (
    ClauseSelection,
    MovableCuts,
    error_cost,
    hamming_cost,
)
from rulekit.search.columns.generated_dual import GeneratedDual, RowGroups
from rulekit.search.columns.redundancy import RedundancyGroup, redundancy_groups, single_group
from rulekit.search.columns.rounding import (
    ALWAYS_PERTURBATION,
    PERTURBATION,
    TIE,
    RoundingTask,
    default_perturbation,
    round_at_random,
    round_by_threshold,
    round_without_redundancy,
    rounding_layout,
    snapped,
)

__all__ = [
    "ALWAYS_PERTURBATION",
    "PERTURBATION",
    "TIE",
    "ClauseSelection",
    "GeneratedDual",
    "MovableCuts",
    "PricedColumns",
    "RedundancyGroup",
    "RoundingTask",
    "RowGroups",
    "compact_program",
    "default_perturbation",
    "error_cost",
    "hamming_cost",
    "priced",
    "redundancy_groups",
    "round_at_random",
    "round_by_threshold",
    "round_without_redundancy",
    "rounding_layout",
    "single_group",
    "snapped",
]
