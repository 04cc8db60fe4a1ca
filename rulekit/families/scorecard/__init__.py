"""Points that add up: integer scorecards.

What belongs here: the learner, and how it makes a table of cells into a problem of points. May
import `rulekit.binning`, `rulekit.search` and the learners' common parts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
