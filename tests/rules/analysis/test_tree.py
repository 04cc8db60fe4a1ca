"""Trees in the paths of rule sets: written and found again; rows divided by a rule."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.rules import Branch, Clause, Literal, RuleSet, tree_of_rule
from rulekit.rules.analysis.tree import Leaf, divide_rows, paths_to_leaves, rule_of_tree

CONDITIONS = [Literal(name, ">", value) for name in "abcd" for value in (0.0, 1.0)]


@st.composite
def trees(draw, depth=3, used=()):
    """A tree that asks no condition twice on one way down."""
    free = [c for c in CONDITIONS if c not in used]
    if depth == 0 or draw(st.booleans()):
        return Leaf(draw(st.sampled_from(("red", "green", "blue"))))
    condition = draw(st.sampled_from(free))
    below = trees(depth - 1, (*used, condition))
    return Branch(condition, draw(below), draw(below))


def answer(tree, row):
    while isinstance(tree, Branch):
        tree = tree.yes if tree.condition.mask(row)[0] else tree.no
    return tree.label


def shape(tree, default):
    """A tree without what gives the default on both sides, and without clause numbers."""
    if isinstance(tree, Leaf):
        return tree.label
    yes, no = shape(tree.yes, default), shape(tree.no, default)
    if yes == no == default:
        return default
    return (tree.condition, yes, no)


@given(trees(), st.lists(st.sampled_from((-1.0, 0.5, 2.0)), min_size=4, max_size=4))
def test_the_paths_of_a_tree_answer_as_the_tree_does(tree, values):
    row = {name: np.array([v]) for name, v in zip("abcd", values, strict=True)}
    rule = rule_of_tree(tree, "blue")
    assert rule.predict(row)[0] == answer(tree, row)
    assert rule.clauses_fired(row).sum() <= 1


@given(trees())
def test_a_tree_is_found_again_in_its_paths(tree):
    rule = rule_of_tree(tree, "blue")
    result = tree_of_rule(rule)
    turned = {c: c.negate() for c in CONDITIONS}

    def upright(node):
        """Turn branches that were found upside down."""
        if isinstance(node, Leaf):
            return node
        yes, no = upright(node.yes), upright(node.no)
        if node.condition in turned.values():
            return Branch(node.condition.negate(), no, yes)
        return Branch(node.condition, yes, no)

    assert shape(upright(result), "blue") == shape(tree, "blue")
    shown = {leaf.clause for _, leaf in paths_to_leaves(result)} - {None}
    assert shown == set(range(rule.n_clauses))


def test_other_clauses_have_no_tree_and_a_constant_is_a_leaf():
    a, b = CONDITIONS[0], CONDITIONS[2]
    overlapping = RuleSet((Clause((a,)), Clause((b,))), ("red", "red"), "dnf", "blue")
    assert tree_of_rule(overlapping) is None
    assert tree_of_rule(RuleSet((Clause((a, b), "or"),), ("red",), "cnf", "blue")) is None
    nested = RuleSet((Clause((a,)), Clause((a, b))), ("red", "red"), "dnf", "blue")
    assert tree_of_rule(nested) is None
    assert tree_of_rule(RuleSet((), (), "dnf", "blue")) == Leaf("blue")


AGE = {"age": np.array([60.0, 40.0, 20.0, 10.0])}
OLD, ADULT = Clause((Literal("age", ">", 50),)), Clause((Literal("age", ">", 18),))


def test_clause_takes_what_no_earlier_clause_takes():
    parts = divide_rows(RuleSet((OLD, ADULT), ("a", "b"), "dnf", "c"), AGE)
    assert [part.rows.tolist().count(True) for part in parts] == [4, 1, 2, 1]
    assert [part.start for part in parts] == [0, 0, 1, 3]


def test_clause_of_a_cnf_takes_the_rows_that_fail_it():
    parts = divide_rows(RuleSet((ADULT,), ("adult",), "cnf", "child"), AGE)
    counts = [(part.label, int(part.rows.sum())) for part in parts[1:]]
    assert counts == [("child", 1), ("adult", 3)]
