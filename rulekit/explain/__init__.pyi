from .boundary import distance_to_boundary as distance_to_boundary
from .boundary import ranges_of as ranges_of
from .changes import Change as Change
from .counterfactual import Counterfactual as Counterfactual
from .counterfactual import smallest_change as smallest_change
from .near_miss import CheckedClause as CheckedClause
from .near_miss import CheckedLiteral as CheckedLiteral
from .near_miss import NearMiss as NearMiss
from .one_column import single_change as single_change
from .row import Explanation as Explanation
from .row import explain as explain
from .row import hamming_distances as hamming_distances
from .scored import Figures as Figures
from .scored import Scored as Scored
from .scored import score as score
from .similar import PastCases as PastCases
from .similar import SimilarCase as SimilarCase
from .similar import similar_cases as similar_cases
from .similar import training_rows as training_rows
from .splits import GivenPoints as GivenPoints
from .splits import PointsReading as PointsReading
from .splits import SplitChange as SplitChange
from .splits import SplitReading as SplitReading
from .splits import TermReading as TermReading
from .splits import explain_path as explain_path
from .splits import power_law_of as power_law_of
from .splits import read_points as read_points
from .splits import read_split as read_split

__all__ = [
    "Change",
    "CheckedClause",
    "CheckedLiteral",
    "Counterfactual",
    "Explanation",
    "Figures",
    "GivenPoints",
    "NearMiss",
    "PastCases",
    "PointsReading",
    "Scored",
    "SimilarCase",
    "SplitChange",
    "SplitReading",
    "TermReading",
    "distance_to_boundary",
    "explain",
    "explain_path",
    "hamming_distances",
    "power_law_of",
    "ranges_of",
    "read_points",
    "read_split",
    "score",
    "similar_cases",
    "single_change",
    "smallest_change",
    "training_rows",
]
