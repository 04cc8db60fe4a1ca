"""What every solver over Boolean columns shares.

What belongs here: candidate columns, their redundancy, the rounding of fractional columns, the
perturbation that makes a vertex unique, and the covering program written out. May import
`rulekit.search.lp`.
"""

from rulekit.search.columns.candidates import (
    PricedColumns,
    compact_program,
    priced,
)
from rulekit.search.columns.cell_sets import (
    DENSE,
    CellSets,
    ClauseSelection,
    ColumnStructure,
    RedundancyGroup,
    error_cost,
    hamming_cost,
    redundancy_groups,
    row_order,
    runs_of,
    single_group,
)
from rulekit.search.columns.generated_dual import GeneratedDual, RowGroups
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
from rulekit.search.columns.small_dual import SMALL, solve_small_dual

__all__ = [
    "ALWAYS_PERTURBATION",
    "DENSE",
    "PERTURBATION",
    "SMALL",
    "TIE",
    "CellSets",
    "ClauseSelection",
    "ColumnStructure",
    "GeneratedDual",
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
    "row_order",
    "runs_of",
    "single_group",
    "snapped",
    "solve_small_dual",
]
