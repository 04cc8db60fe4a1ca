from .binarizer import Binarizer as Binarizer
from .binned_table import BinnedTable as BinnedTable
from .binned_table import Conditions as Conditions
from .summary import candidate_summary as candidate_summary

__all__ = ["Binarizer", "BinnedTable", "Conditions", "candidate_summary"]
