"""Nodes of a tree of power laws: what they answer, and which of them are pruned."""

import numpy as np

from rulekit.families.power_law.growing import Node, as_tree, prune
from rulekit.rules import Branch, Factor, PowerLaw, PowerLawSplit
from rulekit.rules.analysis.tree import Leaf

LAW = PowerLaw(1.0, (Factor("a"),))


def node(mass, yes=None, no=None, high=0.0):
    split = None if yes is None else PowerLawSplit((LAW,), high)
    sides = () if yes is None else (yes, no)
    return Node(np.arange(0), np.array(mass, dtype=float), 0, split, sides)


def test_pruning_collapses_what_costs_least_and_never_the_root():
    small = node([3, 2], node([3, 0]), node([0, 2]))
    large = node([97, 98], node([95, 1]), node([2, 97]))
    root = node([100, 100], small, large)
    prune(root, 0.03)
    assert [node.split is None for node in (small, large)] == [True, False]
    prune(root, 1.0)
    assert large.split is None


def test_rows_go_down_to_the_answer_of_their_leaf():
    inner = node([2, 3], node([0, 2]), node([2, 1]), high=5.0)
    root = node([5, 4], node([3, 1]), inner)
    assert root.answers({"a": np.array([-1.0, 3.0, 7.0, 0.0])}, 4).tolist() == [0, 1, 0, 0]
    assert (root.length, len(root.leaves)) == (2, 3)
    below = Branch(inner.split, Leaf("no"), Leaf("yes"))
    assert as_tree(root, ["yes", "no"]) == Branch(root.split, Leaf("yes"), below)
