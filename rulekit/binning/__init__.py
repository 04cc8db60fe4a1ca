"""From a table to bins, and to conditions as sets of bins.

What belongs here: choosing cut points and levels, and the training matrix that they make of a
table, which solvers read. What does not: learning. May import `rulekit.rules` and `rulekit.data`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
