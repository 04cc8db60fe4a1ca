"""The first paper's methods for rules of several clauses.

What belongs here: set covering, block coordinate descent, alternating minimisation, the two-level
linear program and its exact twin, and local search. May import the doors of `one_level`, `columns`
and `lp`.
"""

from rulekit.search.two_level.alternating import alternating
from rulekit.search.two_level.block_coordinate import block_coordinate
from rulekit.search.two_level.local_search import local_search
from rulekit.search.two_level.relaxation import solve_two_level_exact, solve_two_level_lp
from rulekit.search.two_level.set_cover import set_cover
from rulekit.search.two_level.task import TwoLevelTask

__all__ = [
    "TwoLevelTask",
    "alternating",
    "block_coordinate",
    "local_search",
    "set_cover",
    "solve_two_level_exact",
    "solve_two_level_lp",
]
