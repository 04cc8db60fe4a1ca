"""Ordered rule lists of any number of classes: the first box that holds a row answers it.

What belongs here: the binned problem with a class a row, what a list costs, and the search over
lists. The box that is best while the rest of a list stays comes from `box_search`.
"""

from rulekit.search.rule_lists.problem import ListProblem, RuleList
from rulekit.search.rule_lists.search import ListArchive, ListPlan, ListSearch

__all__ = ["ListArchive", "ListPlan", "ListProblem", "ListSearch", "RuleList"]
