"""Boxes that cover one side of a plane, and the 1-norm support vector machine.

What belongs here: half-spaces, the extraction of boxes, and the linear program of the plane. May
import `rulekit.search.lp`.
"""

from rulekit.families.hyperplane.solver.corners import CRITERIA, water_fill
from rulekit.families.hyperplane.solver.half_space import HalfSpace, Region, plane_values
from rulekit.families.hyperplane.solver.hypercubes import Boxes, carry_on, extract_boxes
from rulekit.families.hyperplane.solver.lp_svm import LPSVMPlane, LPSVMProgram

__all__ = [
    "CRITERIA",
    "Boxes",
    "HalfSpace",
    "LPSVMPlane",
    "LPSVMProgram",
    "Region",
    "carry_on",
    "extract_boxes",
    "plane_values",
    "water_fill",
]
