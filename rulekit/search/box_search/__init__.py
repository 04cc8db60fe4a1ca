"""The search over boxes: coordinate descent with an archive of the best rule of each size.

What belongs here: the binned problem, the kernels of its moves, the descents and the search that
make them, and the refinement of thresholds afterwards. Imports no other solver.
"""

from rulekit.search.box_search.problem import (
    ERRORS,
    HAMMING,
    Bools,
    Boxes,
    BoxPrices,
    BoxProblem,
    End,
    Floats,
    Ints,
    merge_equal_rows,
    no_boxes,
)
from rulekit.search.box_search.search import (
    Archive,
    ArchiveEntry,
    Descent,
    SearchPlan,
    SingleBox,
    refined_cuts,
    search,
)

__all__ = [
    "ERRORS",
    "HAMMING",
    "Archive",
    "ArchiveEntry",
    "Bools",
    "BoxPrices",
    "BoxProblem",
    "Boxes",
    "Descent",
    "End",
    "Floats",
    "Ints",
    "SearchPlan",
    "SingleBox",
    "merge_equal_rows",
    "no_boxes",
    "refined_cuts",
    "search",
]
