from .binarizer import Binarizer as Binarizer
from .binarizer import candidate_summary as candidate_summary
from .binned_table import BinnedTable as BinnedTable
from .binned_table import Conditions as Conditions

__all__ = ["Binarizer", "BinnedTable", "Conditions", "candidate_summary"]
