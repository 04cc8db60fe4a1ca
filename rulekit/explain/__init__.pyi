from .boundary import distance_to_boundary as distance_to_boundary
from .boundary import ranges_of as ranges_of
from .checks import explain_path as explain_path
from .checks import read_points as read_points
from .reasons import Reason as Reason
from .reasons import rank_reasons as rank_reasons
from .row import Explanation as Explanation
from .row import explain as explain
from .scored import Scored as Scored
from .scored import score as score

__all__ = [
    "Explanation",
    "Reason",
    "Scored",
    "distance_to_boundary",
    "explain",
    "explain_path",
    "ranges_of",
    "rank_reasons",
    "read_points",
    "score",
]
