from .ideal_dnf import IdealDNFClassifier as IdealDNFClassifier
from .plots import validation_figure as validation_figure
from .plots import validation_sentence as validation_sentence

__all__ = ["IdealDNFClassifier", "validation_figure", "validation_sentence"]
