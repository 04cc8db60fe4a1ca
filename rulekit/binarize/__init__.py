"""From a table to Boolean columns, each of them a literal.

What belongs here: choosing cut points and levels, and the matrix (or the codes) they make of a
table. What does not: learning. May import `rulekit.rules` and `rulekit.data`.
"""

from rulekit.binarize.binarizer import Binarizer
from rulekit.binarize.conditions import Conditions, complemented, conditions_of
from rulekit.binarize.matrix import BinaryMatrix, BinCodes
from rulekit.binarize.summary import CellSummary, ColumnSummary, candidate_summary

__all__ = [
    "BinCodes",
    "Binarizer",
    "BinaryMatrix",
    "CellSummary",
    "ColumnSummary",
    "Conditions",
    "candidate_summary",
    "complemented",
    "conditions_of",
]
