"""Differences between two rule sets."""

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulekit.rules.condition import ORDERED, Condition
from rulekit.rules.literal import Literal
from rulekit.rules.points_split import PointsSplit
from rulekit.rules.rule_set import Clause, Label, rule_of


@dataclass(frozen=True, slots=True)
class ChangedThreshold:
    """A condition whose number, date, level or required points have changed."""

    feature: str
    op: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class ChangedClause:
    """A clause in which only thresholds have changed."""

    before: Clause
    after: Clause
    label: Label
    thresholds: tuple[ChangedThreshold, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RuleComparison:
    """Differences between a rule set and a later one.

    Attributes
    ----------
    kept, removed, added : tuple of Clause
        Clauses of both, of the first only, of the second only. A clause is the same if it has the
        same conditions, in any order, and the same label.
    changed : tuple of ChangedClause
        Pairs that differ in thresholds alone; they are not among `removed` and `added`.
    reordered : bool
        Whether the kept clauses of different labels are in another order.
    default_changed : bool
        Whether rows that no clause decides get another label.
    mirrored : bool
        Whether the second was negated (De Morgan) to be compared, because the two
        were of different form.
    rows : ndarray of int, shape (c,), or None
        Rows that get another answer; None if no table was given.
    before, after : ndarray of object, shape (c,), or None
        Their answers.
    n_rows : int
    """

    kept: tuple[Clause, ...]
    removed: tuple[Clause, ...]
    added: tuple[Clause, ...]
    changed: tuple[ChangedClause, ...]
    reordered: bool
    default_changed: bool
    mirrored: bool
    rows: NDArray[np.intp] | None
    before: NDArray[np.object_] | None
    after: NDArray[np.object_] | None
    n_rows: int

    @property
    def is_same(self) -> bool:
        """Whether both rules are written alike, apart from the order of conditions."""
        changes = self.removed or self.added or self.changed
        return not (changes or self.reordered or self.default_changed)

    def __str__(self) -> str:
        """Return the differences as one sentence."""
        clauses = (self.kept, self.changed, self.removed, self.added)
        words = ("kept", "with other thresholds", "removed", "added")
        parts = [f"{len(c)} {word}" for c, word in zip(clauses, words, strict=True) if c]
        text = f"Clauses: {', '.join(parts) or 'none in either'}."
        if self.rows is not None:
            text += f" {len(self.rows):,} of {self.n_rows:,} rows get another answer."
        return text


def compare_rules(a: Any, b: Any, X: Any = None) -> RuleComparison:
    """Compare two rules.

    Parameters
    ----------
    a, b : RuleSet or fitted model
        The earlier and the later one. If their forms differ, `b` is negated
        where that is possible, which changes none of its answers.
    X : data frame, or mapping of str to ndarray of shape (n,), optional
        Rows on which the answers of the two rules are compared.

    Raises
    ------
    RuleError
        If one of the two has no rule, or the rows do not fit the rules.

    Notes
    -----
    Clauses that differ in thresholds alone are paired so that the nearest go together, distance
    being the sum of the relative changes. Cost is O(k**2 m) for k clauses of m literals, and the
    two predictions.

    Examples
    --------
    >>> from rulekit.rules import RuleSet
    >>> a = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> b = RuleSet((Clause((Literal("age", ">", 55),)),), ("ill",), "dnf", "well")
    >>> found = compare_rules(a, b, {"age": np.array([40.0, 52.0, 60.0])})
    >>> found.changed[0].thresholds
    (ChangedThreshold(feature='age', op='>', before=50.0, after=55.0),)
    >>> print(found)
    Clauses: 1 with other thresholds. 1 of 3 rows get another answer.
    """
    a, b = rule_of(a), rule_of(b)
    converted = b if b.form == a.form or len(set(b.labels)) != 1 else b.negate()
    # an empty CNF has a label
    left, right = (list(zip(rule.clauses, rule.labels, strict=False)) for rule in (a, converted))
    alike = a.form == converted.form
    shared = set(map(_key, left)) & set(map(_key, right)) if alike else set()
    kept, order = ([p for p in pairs if _key(p) in shared] for pairs in (left, right))
    removed, added = ([p for p in pairs if _key(p) not in shared] for pairs in (left, right))
    options = []  # pairs that differ in thresholds only, the nearest first
    for (i, old), (j, new) in product(enumerate(removed), enumerate(added)) if alike else ():
        earlier, later = _positions(old[0]), _positions(new[0])
        if earlier is None or later is None or old[1] != new[1]:
            continue
        if [p.around for p in earlier] == [p.around for p in later]:
            moved = [(p, q) for p, q in zip(earlier, later, strict=True) if p.number != q.number]
            pairs = [ChangedThreshold(p.feature, p.op, p.value, q.value) for p, q in moved]
            numbers = ((p.number, q.number) for p, q in moved)
            distance = sum(abs(q - p) / max(abs(p), abs(q)) for p, q in numbers)
            options.append((distance, i, j, ChangedClause(old[0], new[0], old[1], tuple(pairs))))
    matches: dict[int, tuple[int, int, ChangedClause]] = {}
    for _, i, j, pair in sorted(options, key=lambda option: option[:3]):
        if i not in matches and all(j != used for _, used, _ in matches.values()):
            matches[i] = (i, j, pair)
    changed = [matches[i] for i in sorted(matches)]
    gone, come = {i for i, _, _ in changed}, {j for _, j, _ in changed}
    several_labels = len({label for _, label in kept}) > 1
    answers: dict[str, Any] = dict.fromkeys(("rows", "before", "after")) | {"n_rows": 0}
    if X is not None:
        before, after = a.predict(X), b.predict(X)
        rows = np.flatnonzero([u != v for u, v in zip(before, after, strict=True)])
        answers = {
            "rows": rows,
            "before": before[rows],
            "after": after[rows],
            "n_rows": len(before),
        }
    return RuleComparison(
        kept=tuple(clause for clause, _ in kept),
        removed=tuple(clause for i, (clause, _) in enumerate(removed) if i not in gone),
        added=tuple(clause for j, (clause, _) in enumerate(added) if j not in come),
        changed=tuple(pair for _, _, pair in changed),
        reordered=several_labels and list(map(_key, kept)) != list(map(_key, order)),
        default_changed=a.default != converted.default,
        mirrored=converted.form != b.form,
        **answers,
    )


Pair = tuple[Clause, Label]


def _key(pair: Pair) -> tuple[frozenset[Condition], Label]:
    return frozenset(pair[0].conditions), pair[1]


class _Position(NamedTuple):
    """A number in a clause and its surroundings; two clauses with equal places are paired."""

    around: tuple[object, ...]
    feature: str
    op: str
    number: float
    value: Any


def _positions(clause: Clause) -> list[_Position] | None:
    """List the numbers of a clause in a fixed order; None if terms of a sum are ambiguous."""
    places: list[_Position] = []
    points = [c for c in clause.conditions if isinstance(c, PointsSplit)]
    for condition in clause.conditions:
        if isinstance(condition, Literal):
            places.append(_position(condition))
        elif [condition] != points:
            return None
    for split in points:
        places += [_position(c, p) for c, p in split.given]
        op, total = split.comparison
        places.append(_Position(("total", op), "points", op, float(total), float(total)))
    return sorted(places, key=lambda p: (repr(p.around), p.number))


def _position(literal: Literal, *around: object) -> _Position:
    ordered = literal.op in ORDERED
    plain = None if ordered else repr(literal.value)
    scale = () if literal.is_plain else (literal.scale,)
    around = (literal.feature, literal.op, literal.missing, plain, *scale, *around)
    number = float(literal.positions[0]) if ordered else 0.0
    value = literal.value if ordered else number
    return _Position(around, literal.subject, literal.op, number, value)
