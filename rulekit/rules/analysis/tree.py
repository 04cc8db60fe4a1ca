"""Decision trees as rule sets of disjoint paths to leaves, and how a rule divides rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulekit.rules.condition import Columns, Condition
from rulekit.rules.points_split import scorecard_of
from rulekit.rules.rule_set import Clause, Label, RuleSet, n_rows

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

    def build(paths: list[tuple[int, Path]]) -> Tree | None:
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
        yes, no = build(held), build(failed)
        return None if yes is None or no is None else Branch(condition, yes, no)

    paths = [(k, clause.conditions) for k, clause in enumerate(rule_set.clauses)]
    return build(paths) if rule_set.form == "dnf" else None


@dataclass(frozen=True, eq=False)
class Part:
    """Rows that a clause or leaf decides, or that come to a split of a tree."""

    # `label` is the prediction, None for a split. Rows are drawn side by side from `start` on; a
    # part lies within that of its `parent` (a position in the list; the first part has all rows).

    name: str
    clause: Clause | None
    label: Label | None
    rows: NDArray[np.bool_]
    start: int
    parent: int


def divide_rows(rule: RuleSet, columns: Columns) -> list[Part]:
    """Return all rows, then the parts of a rule: its clauses and the rest, or a tree's nodes."""
    # A CNF is read as the clauses that its rows fail on. The parts with a label hold each row once.
    every = Part("all", None, None, np.ones(n_rows(columns), dtype=bool), 0, 0)
    if rule.form == "cnf":
        rule = rule.negate()
    tree = tree_of_rule(rule)
    if isinstance(tree, Branch) and _splits_again(tree) and not scorecard_of(rule):
        nodes: list[Part] = []  # from the root, the side where a condition holds first

        def add(node: Tree, rows: NDArray[np.bool_], start: int, name: str, parent: int) -> None:
            if not isinstance(node, Branch):
                nodes.append(Part(name, None, node.label, rows, start, parent))
                return
            number = 1 + sum(part.label is None for part in nodes)
            place, held = len(nodes), rows & node.condition.mask(columns)
            name = f"split {number} ({name})" if name else "split 1"
            nodes.append(Part(name, Clause((node.condition,)), None, rows, start, parent))
            add(node.yes, held, start, f"split {number}: yes", place)
            add(node.no, rows & ~held, start + int(held.sum()), f"split {number}: no", place)

        add(tree, every.rows, 0, "", 0)
        return nodes
    fired, parts, left = rule.clauses_fired(columns), [every], every.rows
    for k, (clause, label) in enumerate(zip(rule.clauses, rule.labels, strict=False)):
        taken, start = left & fired[:, k], int((~left).sum())
        parts.append(Part(f"clause {k + 1}", clause, label, taken, start, 0))
        left = left & ~taken
    return [*parts, Part("otherwise", None, rule.default, left, int((~left).sum()), 0)]


def _splits_again(tree: Branch) -> bool:
    """Return whether a split has further splits or leaves of clauses on both sides."""
    sides = (tree.yes, tree.no)
    if all(isinstance(side, Branch) or side.clause is not None for side in sides):
        return True
    return any(isinstance(side, Branch) and _splits_again(side) for side in sides)
