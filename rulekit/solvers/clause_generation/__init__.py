"""Rules by column generation, and single clauses with a proof.

What belongs here: pricing, the restricted master, the choice among generated clauses, and the
branch and bound of one clause. May import the doors of `box_search` (pricing improves boxes) and
`lp`.
"""

from rulekit.solvers.clause_generation.column_generation import (
    GeneratedRule,
    GenerationPlan,
    generate,
)
from rulekit.solvers.clause_generation.exact_clause import ClauseLimits, best_clause
from rulekit.solvers.clause_generation.half_lines import HalfLines, half_lines

__all__ = [
    "ClauseLimits",
    "GeneratedRule",
    "GenerationPlan",
    "HalfLines",
    "best_clause",
    "generate",
    "half_lines",
]
