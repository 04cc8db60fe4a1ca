"""Joint effect of conditions on one column, joined by AND, and rule sets made shorter by it."""

import math
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, overload

from rulekit.exceptions import RuleError
from rulekit.rules.condition import ORDERED, WORDS, Condition, Scalar, value_at
from rulekit.rules.literal import Literal, holds
from rulekit.rules.rule_set import Clause, Label, RuleSet

LOWER, UPPER = (">", ">="), ("<", "<=")
INFINITE = (math.inf, -math.inf)


@dataclass(frozen=True, slots=True)
class FeatureTest:
    """The values of one column that meet several conditions at once."""

    feature: str
    low: float = -math.inf  # a position, see `Literal.positions`; closed if infinite
    low_closed: bool = True
    high: float = math.inf
    high_closed: bool = True
    # the only values allowed, sorted; None for an interval, never for levels with an order
    values: tuple[Scalar, ...] | None = None
    excluded: tuple[Scalar, ...] = ()  # values inside the interval
    missing: bool = False
    literals: tuple[Literal, ...] = ()  # original conditions; equality ignores them
    scale: tuple[Any, ...] = (None, None, None)

    @property
    def n_conditions(self) -> int:
        """Number of literals it was made of."""
        return len(self.literals)

    @property
    def has_interval(self) -> bool:
        """Whether an end of the interval is finite."""
        return math.isfinite(self.low) or math.isfinite(self.high)

    @property
    def allows_present(self) -> bool:
        """Whether some present value is allowed."""
        return self.values is None or len(self.values) > 0

    @property
    def never(self) -> bool:
        """Whether no value meets it."""
        return not self.allows_present and not self.missing

    @property
    def always(self) -> bool:
        """Whether every value meets it, missing values included."""
        order = self.scale[1]
        if order is not None:
            return self.missing and self.values is not None and len(self.values) == len(order)
        return self.missing and self.values is None and not self.has_interval and not self.excluded

    @property
    def same_as(self) -> tuple[object, ...]:
        """A key that two tests share exactly when the same values meet them."""
        return (
            self.feature,
            self.scale,
            (self.low, self.low_closed, self.high, self.high_closed),
            None if self.values is None else frozenset(self.values),
            frozenset(self.excluded),
            self.missing,
        )

    def fewest_literals(self) -> tuple[Literal, ...]:
        """Write the test with fewest literals; raise RuleError if nothing meets it."""
        if self.never:
            raise RuleError(f"No value of column {self.feature!r} is left. Drop the clause.")
        if self.scale[2] is not None and self.allows_present:
            return (replace(self.literals[0], missing=self.missing),)
        if not self.allows_present and self.scale[1] is None:
            return (Literal(self.feature, "missing"),)
        if self.values is not None:
            return self._fewest_values(self.values)
        literals = []
        if math.isfinite(self.low):
            literals.append(self._literal(">=" if self.low_closed else ">", self.low))
        if math.isfinite(self.high):
            literals.append(self._literal("<=" if self.high_closed else "<", self.high))
        if self.excluded:
            literals.append(self._list_tests("!=", "not-in", self.excluded))
        if not literals and not self.missing:
            literals.append(Literal(self.feature, "not-missing"))
        return tuple(literals)

    def _fewest_values(self, values: tuple[Any, ...]) -> tuple[Literal, ...]:
        """List values; consecutive levels by their ends, where that takes one literal."""
        order = self.scale[1]
        if order is None:
            return (self._list_tests("==", "in", values),)
        top = len(order) - 1.0
        if not values:  # no level, but what has no place in the order
            return (self._literal("not-in", tuple(map(float, range(len(order))))),)
        if len(values) > 1 and values[-1] - values[0] == len(values) - 1:
            if values[0] == 0.0:
                return () if self.always else (self._literal("<=", values[-1]),)
            if values[-1] == top:
                return (self._literal(">=", values[0]),)
        return (self._list_tests("==", "in", values),)

    def _list_tests(self, one: str, many: str, values: tuple[Scalar, ...]) -> Literal:
        return self._literal(one, values[0]) if len(values) == 1 else self._literal(many, values)

    def _literal(self, op: str, positions: Any) -> Literal:
        """Build a literal of this column and scale."""
        part, order, _ = self.scale
        value = positions
        if part is not None or order is not None:
            several = positions if isinstance(positions, tuple) else (positions,)
            values = tuple(value_at(v, part, order) for v in several)
            value = values if isinstance(positions, tuple) else values[0]
        return Literal(self.feature, op, value, self.missing, part, order)


def feature_test(literals: Sequence[Literal]) -> FeatureTest:
    """Combine literals of one column, joined by AND."""
    if len({(literal.feature, literal.scale) for literal in literals}) != 1:
        raise RuleError(
            "A test of one column needs literals of exactly one column, read in one way, got "
            f"{sorted({literal.subject for literal in literals})}."
        )
    if literals[0].op in WORDS:
        return _word_test(literals)
    named = [v for c in literals if c.op in ("!=", "not-in") for v in c.positions]
    ordered = any(c.op in ORDERED for c in literals)
    low, high = _end(literals, LOWER), _end(literals, UPPER)
    if ordered:  # what lies outside need not be excluded, nor what an open end leaves out
        named = [v for v in named if not _outside(v, low.value, high.value)]
    low, high = low.exclude(named), high.exclude(named)
    if ordered:
        named = [v for v in named if v not in (low.value, high.value) or v in INFINITE]
    test = FeatureTest(
        literals[0].feature,
        low.value,
        low.closed,
        high.value,
        high.closed,
        excluded=_sort_tests(named),
        missing=all(c.missing for c in literals),
        literals=tuple(literals),
        scale=literals[0].scale,
    )
    values = _only_values(literals, test)
    if values is None:
        return test
    return FeatureTest(
        test.feature, values=values, missing=test.missing, literals=test.literals, scale=test.scale
    )


def _word_test(literals: Sequence[Literal]) -> FeatureTest:
    """Combine tests of one word; the value True means that the text contains it."""
    missing = all(c.missing for c in literals)
    values = [v for v in (False, True) if all(holds(c, v) for c in literals)]
    return FeatureTest(
        literals[0].feature,
        values=tuple(values),
        missing=missing,
        literals=tuple(literals),
        scale=literals[0].scale,
    )


def intervals(clause: Clause) -> tuple[FeatureTest | Condition, ...]:
    """Group the literals of a clause for reading."""
    # An AND has one test a column, where the column is first read. An OR has one test a literal,
    # since a union of conditions is no interval. Conditions of other kinds are returned unchanged.
    groups: dict[object, list[Condition]] = {}
    for number, condition in enumerate(clause.conditions):
        key: object = number
        if clause.op == "and" and isinstance(condition, Literal):
            key = (condition.feature, condition.scale)
        groups.setdefault(key, []).append(condition)
    tests: list[FeatureTest | Condition] = []
    for group in groups.values():
        literals = [c for c in group if isinstance(c, Literal)]
        tests.append(feature_test(literals) if literals else group[0])
    return tuple(tests)


class _IntervalEnd(NamedTuple):
    """One end of an interval; an infinite one is closed."""

    value: float
    closed: bool

    def exclude(self, values: Sequence[Scalar]) -> "_IntervalEnd":
        """Open the ends that are among excluded values."""
        excluded = math.isfinite(self.value) and self.value in values
        return _IntervalEnd(self.value, self.closed and not excluded)


def _end(literals: Sequence[Literal], ops: tuple[str, str]) -> _IntervalEnd:
    """Find the strictest end of the interval; an open end is stricter than a closed one."""
    sign = 1.0 if ops == LOWER else -1.0
    strict = [c for c in literals if c.op in ops]
    ends = [_IntervalEnd(float(v), c.op in (">=", "<=")) for c in strict for v in c.positions]
    none = _IntervalEnd(-sign * math.inf, True)
    return max(ends, key=lambda end: (sign * end.value, not end.closed), default=none)


def _only_values(literals: Sequence[Literal], test: FeatureTest) -> tuple[Scalar, ...] | None:
    """List the allowed values where they can be listed; None otherwise."""
    lists = [c.positions for c in literals if c.op in ("==", "in")]
    order = literals[0].order
    if order is not None:
        lists = [tuple(map(float, range(len(order))))]
    if lists:
        return _sort_tests([v for v in lists[0] if all(holds(c, v) for c in literals)])
    if any(c.op == "missing" for c in literals) or test.low > test.high:
        return ()
    if test.low == test.high:
        return (test.low,) if test.low_closed and test.high_closed else ()
    return None


def _outside(value: Scalar, low: float, high: float) -> bool:
    return isinstance(value, str) or value < low or value > high


def _sort_tests(values: list[Scalar]) -> tuple[Scalar, ...]:
    return tuple(sorted(set(values), key=lambda v: (type(v).__name__, v)))


@overload
def simplify(rule_set: RuleSet) -> RuleSet: ...


@overload
def simplify(
    rule_set: RuleSet, *, return_removed: typing.Literal[True]
) -> tuple[RuleSet, tuple[str, ...]]: ...


def simplify(rule_set: RuleSet, *, return_removed: bool = False) -> Any:
    """Remove redundant parts of a rule set without changing any prediction.

    Within a clause, the literals of one column become as few as possible: implied ones go
    (``x > 3`` beside ``x > 5``), values tested one by one are gathered (``c == red or c == blue``
    becomes ``c in {blue, red}``), ``x >= 5 and x <= 5`` becomes ``x == 5``, and all of them say the
    same about a missing value. What gives 0 points goes; points of a single condition become the
    condition. Clauses that cannot hold (DNF) or cannot fail (CNF) go, and so do
    clauses that never decide a row: those whose rows an earlier clause takes, or a later one with
    the same label when no clause of another label is in between.

    Parameters
    ----------
    rule_set : RuleSet
    return_removed : bool, default=False
        Whether to return what was removed as well.

    Returns
    -------
    RuleSet, or pair of RuleSet and tuple of str
        Of the same form, labels and default. A DNF that holds nowhere has no clauses, one that
        holds everywhere a single clause without conditions; a CNF the other way round. Literals of
        one column stand together, where the column was first read. With `return_removed` also a
        sentence for each clause that was removed or written in another way.

    Notes
    -----
    "Every row" means every combination of values, seen in training or not, missing ones included,
    on which the rule set can be evaluated at all. Nothing is assumed of a column: that one holds
    only whole numbers, or only two levels, is not used. Simplifying twice changes nothing more.
    Cost is O(k**2 m) for k clauses of m literals.

    Examples
    --------
    >>> both = Clause((Literal("age", ">", 40), Literal("age", ">", 50)))
    >>> simplify(RuleSet((both,), ("ill",), "dnf", "well")).clauses[0].conditions
    (Literal(feature='age', op='>', value=50.0, missing=False),)
    """
    simpler = _simplify(rule_set)
    return (simpler, tuple(_list_removed(rule_set, simpler))) if return_removed else simpler


def _list_removed(before: RuleSet, after: RuleSet) -> Iterator[str]:
    """Describe each clause that is no longer there as it was."""
    left = list(after.clauses)
    for number, clause in enumerate(before.clauses, start=1):
        shorter, name = simplify_clause(clause), f"Clause {number} ({_write(clause)})"
        if shorter is None:
            yield f"{name} {'can never hold' if before.form == 'dnf' else 'always holds'}."
        elif shorter not in left:
            yield f"{name} changes no answer beside the other clauses."
        else:
            left.remove(shorter)
            if set(shorter.conditions) != set(clause.conditions):
                yield f"{name} means {_write(shorter)}."


def simplified_note(model: Any) -> str:
    """Return what was removed from the clauses that a model learned; empty if nothing was."""
    removed = getattr(getattr(model, "learner_", model), "simplified_", ())
    return f"Shortened after the search: {' '.join(removed)}" if removed else ""


def _write(clause: Clause) -> str:
    return f" {clause.op.upper()} ".join(map(str, clause.conditions)) or "no condition"


def _simplify(rule_set: RuleSet) -> RuleSet:
    if rule_set.form == "cnf":
        label = rule_set.labels[0]
        mirrored = _simplify(rule_set.negate())
        if not mirrored.clauses:
            return RuleSet((), (label,), "cnf", rule_set.default, rule_set.schema)
        return mirrored.negate()
    clauses: list[tuple[Clause, Label]] = []
    for clause, label in zip(rule_set.clauses, rule_set.labels, strict=True):
        shorter = simplify_clause(clause)
        if shorter is not None:
            clauses.append((shorter, label))
    alive = _deciding(clauses)
    return RuleSet(
        tuple(clause for clause, _ in alive),
        tuple(label for _, label in alive),
        "dnf",
        rule_set.default,
        rule_set.schema,
    )


def simplify_clause(clause: Clause) -> Clause | None:
    """Write a clause with as few literals per column as possible."""
    if clause.op == "or":
        mirrored = simplify_clause(clause.negate())
        return None if mirrored is None else mirrored.negate()
    conditions: list[Condition] = []
    shorter = Clause(tuple(c.shorter() for c in clause.conditions), "and")
    for test in intervals(shorter):
        if not isinstance(test, FeatureTest):
            conditions.append(test)
        elif test.never:
            return None
        else:
            conditions.extend(test.fewest_literals())
    joined = [c for c in conditions if not isinstance(c, Literal)]
    if any(a.implies(b.negate()) for a in joined for b in joined):
        return None
    implied = [c for k, c in enumerate(joined) if _is_redundant(joined, k)]
    return Clause(tuple(c for c in conditions if c not in implied), "and")


def _is_redundant(conditions: Sequence[Condition], k: int) -> bool:
    """Whether another condition (the earlier of two equivalent ones) implies the k-th."""
    condition = conditions[k]
    return any(
        other.implies(condition) and (j < k or not condition.implies(other))
        for j, other in enumerate(conditions)
        if j != k
    )


def implies(narrow: Clause, wide: Clause) -> bool:
    """Return whether every row that meets one AND surely meets another."""
    by_scale = _group_by_scale(narrow)
    if any(feature_test(literals).never for literals in by_scale.values()):
        return True
    others = [c for c in wide.conditions if not isinstance(c, Literal)]
    if any(not any(condition.implies(c) for condition in narrow.conditions) for c in others):
        return False
    return all(_is_implied(by_scale.get(f, []), more) for f, more in _group_by_scale(wide).items())


def _is_implied(given: Sequence[Literal], more: Sequence[Literal]) -> bool:
    """Return whether further literals of a column exclude nothing new."""
    together = feature_test([*given, *more])
    if not given:
        return together.always
    return feature_test(given).same_as == together.same_as


def _group_by_scale(clause: Clause) -> dict[object, list[Literal]]:
    """Group literals by the scale they compare; see `Literal.scale`."""
    by_scale: dict[object, list[Literal]] = {}
    for literal in clause.literals:
        by_scale.setdefault((literal.feature, literal.scale), []).append(literal)
    return by_scale


def _deciding(kept: Sequence[tuple[Clause, Label]]) -> list[tuple[Clause, Label]]:
    """Remove the ANDs that never decide a row."""
    alive: list[tuple[Clause, Label]] = []
    for clause, label in kept:
        if any(implies(clause, earlier) for earlier, _ in alive):
            continue
        run = len(alive)
        while run > 0 and alive[run - 1][1] == label:
            run -= 1
        later = [pair for pair in alive[run:] if not implies(pair[0], clause)]
        alive = [*alive[:run], *later, (clause, label)]
    return alive
