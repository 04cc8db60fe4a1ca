from .model import SampleGuarantee as SampleGuarantee
from .ideal_dnf import IdealDNFClassifier as IdealDNFClassifier
from .plots import validation_figure as validation_figure
from .plots import validation_sentence as validation_sentence

__all__ = [
    "IdealDNFClassifier",
    "SampleGuarantee",
    "validation_figure",
    "validation_sentence",
]
