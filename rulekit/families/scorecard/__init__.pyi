from .scorecard import ScorecardClassifier as ScorecardClassifier

__all__ = ["ScorecardClassifier"]
