from .plots.bspace import bspace_figure as bspace_figure
from .plots.bspace import bspace_sentence as bspace_sentence
from .plots.bspace import columns_figure as columns_figure
from .plots.bspace import log_helps as log_helps
from .plots.bspace import split_points as split_points
from .tree import PowerLawTreeClassifier as PowerLawTreeClassifier

__all__ = [
    "PowerLawTreeClassifier",
    "bspace_figure",
    "bspace_sentence",
    "columns_figure",
    "log_helps",
    "split_points",
]
