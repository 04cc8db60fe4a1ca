"""From a table to Boolean columns, each of them a literal.

What belongs here: choosing cut points and levels, and the matrix (or the codes) they make of a
table. What does not: learning. May import `rulekit.rules` and `rulekit.data`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
