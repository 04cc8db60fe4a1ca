"""From a table to bins, and to conditions as sets of bins: what solvers read.

What belongs here: cut points, levels and the training matrix. May import `rules` and `data`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
