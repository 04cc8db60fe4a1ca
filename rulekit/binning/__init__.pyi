from .binarizer import Binarizer as Binarizer
from .binned_table import BinnedTable as BinnedTable
from .conditions import Conditions as Conditions
from .conditions import complemented as complemented
from .conditions import conditions_of as conditions_of
from .summary import candidate_summary as candidate_summary

__all__ = [
    "Binarizer",
    "BinnedTable",
    "Conditions",
    "candidate_summary",
    "complemented",
    "conditions_of",
]
