from .plots.bspace import bspace_figure as bspace_figure
from .plots.bspace import bspace_sentence as bspace_sentence
from .plots.bspace import columns_figure as columns_figure
from .plots.bspace import log_helps as log_helps
from .plots.bspace import split_points as split_points
from .plots.tree import tree_figure as tree_figure
from .plots.tree import tree_sentence as tree_sentence
from .tree import PowerLawTreeClassifier as PowerLawTreeClassifier

__all__ = [
    "PowerLawTreeClassifier",
    "bspace_figure",
    "bspace_sentence",
    "columns_figure",
    "log_helps",
    "split_points",
    "tree_figure",
    "tree_sentence",
]
