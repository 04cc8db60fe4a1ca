"""Rules by column generation, and single clauses with a proof.

What belongs here: pricing, the restricted master, the choice among generated clauses, and the
branch and bound of one clause: of the best one, and of all that are near it. May import the doors
of `box_search` (pricing improves boxes) and `lp`.
"""

from rulekit.search.clause_generation.column_generation import (
    GeneratedRule,
    GenerationPlan,
    generate,
)
from rulekit.search.clause_generation.exact_clause import (
    ClauseLimits,
    NearBest,
    best_box_search,
    best_clause,
    half_lines,
    near_best_clauses,
)
from rulekit.search.clause_generation.pricing import MANY_COLUMNS

__all__ = [
    "MANY_COLUMNS",
    "ClauseLimits",
    "GeneratedRule",
    "GenerationPlan",
    "NearBest",
    "best_box_search",
    "best_clause",
    "generate",
    "half_lines",
    "near_best_clauses",
]
