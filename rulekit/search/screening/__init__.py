"""Which columns some best clause does without, each removal with a certificate.

What belongs here: bounds, the tests that remove, the check of their certificates, and the proof of
a clause over any number of columns. May import the doors of `columns` and `lp`.
"""

from rulekit.search.screening.proved_cover import ProvedClause, best_columns
from rulekit.search.screening.relaxed_cover import relax
from rulekit.search.screening.screen import BASIC, COUNTING, ENHANCED, Screening, screen, unproved

__all__ = [
    "BASIC",
    "COUNTING",
    "ENHANCED",
    "ProvedClause",
    "Screening",
    "best_columns",
    "relax",
    "screen",
    "unproved",
]
