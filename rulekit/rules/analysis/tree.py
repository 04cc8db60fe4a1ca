"""Conversion between decision trees and rule sets of disjoint paths to leaves."""

from collections.abc import Iterator
from dataclasses import dataclass

from rulekit.rules.condition import Condition
from rulekit.rules.rule_set import Clause, Label, RuleSet

Path = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf with its prediction; `clause` counts clauses from 0, None is the default."""

    label: Label
    clause: int | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """An inner node with its split.

    Attributes
    ----------
    condition : Condition
    yes, no : Branch or Leaf
        Where rows go on which it holds, and all others.
    """

    condition: Condition
    yes: "Branch | Leaf"
    no: "Branch | Leaf"


Tree = Branch | Leaf


def paths_to_leaves(tree: Tree) -> Iterator[tuple[Path, Leaf]]:
    """List the leaves of a tree from left to right, each with its path conditions."""
    if isinstance(tree, Leaf):
        yield (), tree
        return
    for path, leaf in paths_to_leaves(tree.yes):
        yield (tree.condition, *path), leaf
    for path, leaf in paths_to_leaves(tree.no):
        yield (tree.condition.negate(), *path), leaf


def rule_of_tree(tree: Tree, default: Label) -> RuleSet:
    """Write a tree as a rule set of disjoint paths."""
    paths = [(path, leaf.label) for path, leaf in paths_to_leaves(tree) if leaf.label != default]
    clauses = tuple(Clause(path) for path, _ in paths)
    return RuleSet(clauses, tuple(label for _, label in paths), "dnf", default)


def tree_of_rule(rule_set: RuleSet) -> Tree | None:
    """Find the tree whose paths form a rule set.

    Parameters
    ----------
    rule_set : RuleSet

    Returns
    -------
    Branch, Leaf or None
        None where the clauses are not the paths of one tree, each beginning with the same
        condition or its negation, and so on below.

    Examples
    --------
    >>> from rulekit.rules import Literal
    >>> a, b = Literal("age", ">", 50), Literal("bmi", ">", 30)
    >>> rule = RuleSet((Clause((a, b)), Clause((a.negate(),))), ("ill", "well"), "dnf", "fair")
    >>> tree_of_rule(rule).yes.no
    Leaf(label='fair', clause=None)
    """
    if rule_set.form != "dnf":
        return None
    paths = [(k, clause.conditions) for k, clause in enumerate(rule_set.clauses)]
    return _tree(paths, rule_set)


def _tree(paths: list[tuple[int, Path]], rule_set: RuleSet) -> Tree | None:
    if not paths:
        return Leaf(rule_set.default)
    if any(not path for _, path in paths):
        index = paths[0][0]
        return Leaf(rule_set.labels[index], index) if len(paths) == 1 else None
    condition = paths[0][1][0]
    against = condition.negate()
    held = [(k, path[1:]) for k, path in paths if path[0] == condition]
    failed = [(k, path[1:]) for k, path in paths if path[0] == against]
    if len(held) + len(failed) < len(paths):
        return None
    yes, no = _tree(held, rule_set), _tree(failed, rule_set)
    if yes is None or no is None:
        return None
    return Branch(condition, yes, no)
