"""One clause: which columns make the best OR of columns, for one price or along all prices.

What belongs here: the linear program of one clause, its integer program, and the path of theta.
May import the doors of `columns` and `lp`.
"""

from rulekit.search.one_level.problem import CoverProblem, LearnedClause, SubProblem
from rulekit.search.one_level.program import Vertex

__all__ = [
    "CoverProblem",
    "LearnedClause",
    "SubProblem",
    "Vertex",
]
