from .columns.conform import columns_of as columns_of
from .columns.conform import conform as conform
from .columns.conform import infer as infer
from .costs import Costs as Costs
from .drift import DriftNote as DriftNote
from .drift import compare_tables as compare_tables
from .folds import hold_out as hold_out
from .folds import make_folds as make_folds
from .groups import RowGroups as RowGroups
from .groups import row_groups as row_groups
from .options import Limits as Limits
from .options import ParseOptions as ParseOptions
from .quality import QualityNote as QualityNote
from .quality import quality_notes as quality_notes
from .reading.loading import read_table as read_table
from .samples.bundled import list_samples as list_samples
from .samples.bundled import load_sample as load_sample
from .samples.synthetic import credit as credit
from .samples.synthetic import plant_two_level as plant_two_level
from .schema import Table as Table
from .target import suggest_positive as suggest_positive
from .target import suggest_target as suggest_target
from .target import target_notes as target_notes

__all__ = [
    "Costs",
    "DriftNote",
    "Limits",
    "ParseOptions",
    "QualityNote",
    "RowGroups",
    "Table",
    "columns_of",
    "compare_tables",
    "conform",
    "credit",
    "hold_out",
    "infer",
    "list_samples",
    "load_sample",
    "make_folds",
    "plant_two_level",
    "quality_notes",
    "read_table",
    "row_groups",
    "suggest_positive",
    "suggest_target",
    "target_notes",
]
