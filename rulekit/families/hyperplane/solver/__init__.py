"""Boxes that cover one side of a plane, and the 1-norm support vector machine.

What belongs here: half-spaces, the extraction of boxes, and the linear program of the plane. May
import `rulekit.search.lp`.
"""
