"""Splits by weighted sums of power laws: which columns, which exponents, which weights.

What belongs here: structures, the exact lower level, the constructive upper level. Imports no other
solver.
"""

from rulekit.families.power_law.solver.genetic import genetic_search
from rulekit.families.power_law.solver.genetic_weights import GeneticLevel
from rulekit.families.power_law.solver.impurity import ClassMass
from rulekit.families.power_law.solver.laws import PowerTable, canonical, shifts_for
from rulekit.families.power_law.solver.pair_screening import likely_features
from rulekit.families.power_law.solver.split_beam import SEARCHED_ROWS, beam_search
from rulekit.families.power_law.solver.split_search import REFINED, LowerLevel
from rulekit.families.power_law.solver.split_task import FoundSplit, SplitTask, target_impurity

__all__ = [
    "REFINED",
    "SEARCHED_ROWS",
    "ClassMass",
    "FoundSplit",
    "GeneticLevel",
    "LowerLevel",
    "PowerTable",
    "SplitTask",
    "beam_search",
    "canonical",
    "genetic_search",
    "likely_features",
    "shifts_for",
    "target_impurity",
]
