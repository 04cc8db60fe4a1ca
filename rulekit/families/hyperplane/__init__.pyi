from .explain import HyperplaneExplanation as HyperplaneExplanation
from .explain import explain_with_hyperplane as explain_with_hyperplane
from .hyperplane import HyperplaneRuleClassifier as HyperplaneRuleClassifier
from .lp_svm import LPSVM as LPSVM
from .plots.hypercubes import coverage_figure as coverage_figure
from .plots.hypercubes import coverage_sentence as coverage_sentence
from .plots.hypercubes import interval_figure as interval_figure
from .plots.hypercubes import interval_sentence as interval_sentence
from .plots.hypercubes import projection_figure as projection_figure
from .plots.hypercubes import projection_sentence as projection_sentence

__all__ = [
    "LPSVM",
    "HyperplaneExplanation",
    "HyperplaneRuleClassifier",
    "coverage_figure",
    "coverage_sentence",
    "explain_with_hyperplane",
    "interval_figure",
    "interval_sentence",
    "projection_figure",
    "projection_sentence",
]
