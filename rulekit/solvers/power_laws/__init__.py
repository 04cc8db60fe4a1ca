"""Splits by weighted sums of power laws: which columns, which exponents, which weights.

What belongs here: structures, the exact lower level, the constructive upper level. Imports no other
solver.
"""

from rulekit.solvers.power_laws.genetic import genetic_search
from rulekit.solvers.power_laws.genetic_weights import GeneticLevel
from rulekit.solvers.power_laws.impurity import ClassMass
from rulekit.solvers.power_laws.laws import PowerTable, canonical, shifts_for
from rulekit.solvers.power_laws.pair_screening import likely_features
from rulekit.solvers.power_laws.split_beam import SEARCHED_ROWS, beam_search
from rulekit.solvers.power_laws.split_search import REFINED, LowerLevel
from rulekit.solvers.power_laws.split_task import FoundSplit, SplitTask, target_impurity

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
