"""How a rule divides rows: the part that each clause or leaf decides, in the rule's order."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulekit.rules.analysis.tree import Branch, Tree, tree_of_rule
from rulekit.rules.condition import Columns
from rulekit.rules.points_split import scorecard_of
from rulekit.rules.rule_set import Clause, Label, RuleSet, n_rows


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
        nodes: list[Part] = []
        _add_nodes(nodes, tree, every.rows, 0, "", 0, columns)
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


def _add_nodes(
    parts: list[Part],
    tree: Tree,
    rows: NDArray[np.bool_],
    start: int,
    name: str,
    parent: int,
    columns: Columns,
) -> None:
    """Append a node and those below it, the side where its condition holds first."""
    if not isinstance(tree, Branch):
        parts.append(Part(name, None, tree.label, rows, start, parent))
        return
    number = 1 + sum(part.label is None for part in parts)
    place, held = len(parts), rows & tree.condition.mask(columns)
    name = f"split {number} ({name})" if name else "split 1"
    parts.append(Part(name, Clause((tree.condition,)), None, rows, start, parent))
    middle = start + int(held.sum())
    _add_nodes(parts, tree.yes, held, start, f"split {number}: yes", place, columns)
    _add_nodes(parts, tree.no, rows & ~held, middle, f"split {number}: no", place, columns)
