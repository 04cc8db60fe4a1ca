"""A tree of power laws while it is learned: its nodes, and how they are pruned."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.rules import Branch, Columns, PowerLawSplit, Tree
from rulekit.rules.analysis.tree import Leaf

Floats = NDArray[np.float64]


@dataclass
class Node:
    """A part of the training rows, and how it is split further.

    Shapes: mass (K,).
    """

    rows: NDArray[np.intp]
    mass: Floats
    depth: int
    split: PowerLawSplit | None = None
    yes: "Node | None" = None
    no: "Node | None" = None

    @property
    def answer(self) -> int:
        """The class of most weight; of equal ones the first."""
        return int(self.mass.argmax())

    def below(self) -> Iterator["Node"]:
        """List this node and all below it, parents first."""
        yield self
        if self.yes is not None and self.no is not None:
            yield from self.yes.below()
            yield from self.no.below()

    @property
    def splits(self) -> list["Node"]:
        """The nodes that are split, parents first."""
        return [node for node in self.below() if node.split is not None]

    @property
    def length(self) -> int:
        """Exponents over all splits."""
        return sum(node.split.n_conditions for node in self.splits if node.split is not None)

    @property
    def leaves(self) -> list["Node"]:
        """The nodes that are not split."""
        return [node for node in self.below() if node.split is None]

    def answers(self, columns: Columns, n: int) -> NDArray[np.intp]:
        """Predict n rows, as codes of classes, shape (n,)."""
        answers = np.full(n, self.answer)
        if self.split is not None and self.yes is not None and self.no is not None:
            held = self.split.mask(columns)
            for side, rows in ((self.yes, held), (self.no, ~held)):
                part = {name: values[rows] for name, values in columns.items()}
                answers[rows] = side.answers(part, int(rows.sum()))
        return answers

    @property
    def is_last(self) -> bool:
        """Whether it is split, and neither side is split further."""
        sides = self.yes, self.no
        return self.split is not None and all(s is None or s.split is None for s in sides)

    @property
    def is_uninformative(self) -> bool:
        """Whether both sides, which are leaves, give one answer."""
        return self.yes is not None and self.no is not None and self.yes.answer == self.no.answer

    def collapse(self) -> None:
        """Make this node a leaf."""
        self.split = self.yes = self.no = None


def prune(root: Node, tolerance: float) -> None:
    """Collapse splits below the root as long as balanced training accuracy allows it.

    Each round collapses the split whose loss keeps accuracy highest, of equal ones the one with
    most splits below. The paper does not say in which order it goes.
    """
    size = np.where(root.mass > 0, root.mass, np.inf)
    lowest = _balanced(root, size) - tolerance - 1e-12
    while True:
        options = [node for node in root.splits if node is not root]
        if not options:
            break
        worth = [(_gain(node, size), len(node.splits)) for node in options]
        best = max(range(len(options)), key=lambda k: (worth[k], -k))
        if _balanced(root, size) + worth[best][0] < lowest:
            break
        options[best].collapse()


def as_tree(node: Node, labels: list[Any]) -> Tree:
    """Write a node and all below it as a tree of labels."""
    if node.split is None or node.yes is None or node.no is None:
        return Leaf(labels[node.answer])
    return Branch(node.split, as_tree(node.yes, labels), as_tree(node.no, labels))


def _balanced(node: Node, size: Floats) -> float:
    """Sum over leaves of the share of its class that each gets right, by number of classes."""
    right = sum(leaf.mass[leaf.answer] / size[leaf.answer] for leaf in node.leaves)
    return float(right / np.isfinite(size).sum())


def _gain(node: Node, size: Floats) -> float:
    """Return the change of balanced accuracy (mostly a loss) if a node becomes a leaf."""
    now = _balanced(node, size)
    return float(node.mass[node.answer] / size[node.answer] / np.isfinite(size).sum() - now)
