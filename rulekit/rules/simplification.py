"""Joint effect of conditions on one column, joined by AND, and rule sets made shorter by it."""

import math
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, NamedTuple, overload

from rulekit.exceptions import RuleError
from rulekit.rules.condition import ORDERED, WORDS, Condition, Scalar
from rulekit.rules.literal import Literal, group_by_scale, holds
from rulekit.rules.rule_set import Clause, Label, RuleSet

LOWER, UPPER = (">", ">="), ("<", "<=")
SHORT = (*ORDERED, "==", "!=")  # no literal without an order of levels is shorter


class _End(NamedTuple):
    """One end of an interval of positions, see `Literal.positions`; an infinite one is closed."""

    value: float
    closed: bool = True


LEAST, MOST = _End(-math.inf), _End(math.inf)


@dataclass(frozen=True, slots=True)
class FeatureTest:
    """The values of one column that meet several conditions at once."""

    literals: tuple[Literal, ...] = field(compare=False)
    missing: bool
    low: _End = LEAST
    high: _End = MOST
    excluded: tuple[Scalar, ...] = ()  # values inside the interval
    # the only values allowed, sorted; None for an interval, never for levels with an order
    values: tuple[Scalar, ...] | None = None

    @property
    def never(self) -> bool:
        """Whether no value meets it."""
        return self.values == () and not self.missing

    @property
    def always(self) -> bool:
        """Whether every value meets it, missing values included."""
        if (order := self.literals[0].order) is not None:
            return self.missing and self.values is not None and len(self.values) == len(order)
        return self == FeatureTest(self.literals, True)

    def fewest_literals(self) -> tuple[Literal, ...]:
        """Write the test with fewest literals; raise RuleError if nothing meets it."""
        first = self.literals[0]
        if self.never:
            raise RuleError(f"No value of column {first.feature!r} is left. Drop the clause.")
        if len(self.literals) == 1 and first.op in SHORT and first.order is None:
            return self.literals
        if self.values == () and first.order is None:
            return (Literal(first.feature, "missing"),)
        if first.op in WORDS:
            return (replace(first, missing=self.missing),)
        if first.order is not None:
            return self._fewest_levels(self.values or (), len(first.order))
        if self.values is not None:
            return (self._list_tests("==", "in", self.values),)
        literals = [
            self._literal(closed if end.closed else beyond, end.value)
            for end, closed, beyond in ((self.low, ">=", ">"), (self.high, "<=", "<"))
            if math.isfinite(end.value)
        ]
        if self.excluded:
            literals.append(self._list_tests("!=", "not-in", self.excluded))
        if not literals and not self.missing:
            literals.append(Literal(first.feature, "not-missing"))
        return tuple(literals)

    def _fewest_levels(self, values: tuple[Any, ...], n: int) -> tuple[Literal, ...]:
        """List levels of an order of n; consecutive ones by their ends where one literal does."""
        if not values:  # no level, but what has no place in the order
            return (self._literal("not-in", tuple(map(float, range(n)))),)
        if len(values) > 1 and values[-1] - values[0] == len(values) - 1:
            if values[0] == 0.0:
                return () if self.always else (self._literal("<=", values[-1]),)
            if values[-1] == n - 1.0:
                return (self._literal(">=", values[0]),)
        return (self._list_tests("==", "in", values),)

    def _list_tests(self, one: str, many: str, values: tuple[Scalar, ...]) -> Literal:
        return self._literal(one, values[0]) if len(values) == 1 else self._literal(many, values)

    def _literal(self, op: str, positions: Any) -> Literal:
        """Build a literal of this column and scale."""
        first, several = self.literals[0], isinstance(positions, tuple)
        value = tuple(map(first.value_at, positions)) if several else first.value_at(positions)
        return replace(first, op=op, value=value, missing=self.missing)


_Read = Sequence[tuple[Literal, tuple[Scalar, ...]]]  # literals with their positions


def _combine(read: _Read) -> FeatureTest:
    """Combine literals of one column and scale."""
    literals = tuple(c for c, _ in read)
    first, missing = literals[0], all(c.missing for c in literals)
    pairs = [(c.op, values) for c, values in read]
    lists: list[Sequence[Any]] = [values for op, values in pairs if op in ("==", "in")]
    if first.op in WORDS:  # True means that the text contains the word
        lists = [(False, True)]
    elif first.order is not None:
        lists = [tuple(map(float, range(len(first.order))))]
    if lists:
        values: Sequence[Any] = lists[0]
        if len(literals) > 1 or first.op not in ("==", "in") or first.order is not None:
            values = [v for v in values if all(holds(c, v) for c in literals)]
        return FeatureTest(literals, missing, values=_sort_values(values))
    named = [v for op, values in pairs if op in ("!=", "not-in") for v in values]
    low, high = _find_end(pairs, LOWER), _find_end(pairs, UPPER)
    ordered = any(op in ORDERED for op, _ in pairs)
    if ordered:  # what lies outside need not be excluded, nor what an open end leaves out
        named = [v for v in named if not isinstance(v, str) and low.value <= v <= high.value]
    ends = [e.value for e in (low, high) if math.isfinite(e.value)]
    low, high = (_End(v, closed and not (v in ends and v in named)) for v, closed in (low, high))
    if ordered:
        named = [v for v in named if v not in ends]
    absent = any(c.op == "missing" for c in literals)
    if absent or low.value >= high.value:
        is_point = low == high and low.closed and not absent
        return FeatureTest(literals, missing, values=(low.value,) if is_point else ())
    return FeatureTest(literals, missing, low, high, _sort_values(named))


def _find_end(pairs: Sequence[tuple[str, Sequence[Any]]], ops: tuple[str, str]) -> _End:
    """Find the strictest end of the interval; an open end is stricter than a closed one."""
    sign = 1.0 if ops == LOWER else -1.0
    ends = [_End(float(v), op in (">=", "<=")) for op, vs in pairs if op in ops for v in vs]
    none = LEAST if ops == LOWER else MOST
    return max(ends, key=lambda end: (sign * end.value, not end.closed), default=none)


def _sort_values(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    return tuple(sorted(set(values), key=lambda v: (isinstance(v, str), v)))


def group_conditions(conditions: Sequence[Condition]) -> tuple[FeatureTest | Condition, ...]:
    """Group the literals of an AND by column and scale; other conditions are unchanged."""
    groups = group_by_scale([c for c in conditions if isinstance(c, Literal)]).values()
    tests: dict[Condition, FeatureTest | Condition] = {g[0][0]: _combine(g) for g in groups}
    firsts = (c for c in conditions if c in tests or not isinstance(c, Literal))
    return tuple(tests.get(c, c) for c in firsts)


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
    if not return_removed:
        return simpler
    left, removed = list(simpler.clauses), []
    for number, clause in enumerate(rule_set.clauses, start=1):
        shorter, name = simplify_clause(clause), f"Clause {number} ({_write(clause)})"
        if shorter is None:
            never = "can never hold" if rule_set.form == "dnf" else "always holds"
            removed.append(f"{name} {never}.")
        elif shorter not in left:
            removed.append(f"{name} changes no answer beside the other clauses.")
        else:
            left.remove(shorter)
            if set(shorter.conditions) != set(clause.conditions):
                removed.append(f"{name} means {_write(shorter)}.")
    return simpler, tuple(removed)


def simplified_note(model: Any) -> str:
    """Return what was removed from the clauses that a model learned; empty if nothing was."""
    removed = getattr(getattr(model, "learner_", model), "simplified_", ())
    return f"Shortened after the search: {' '.join(removed)}" if removed else ""


def _write(clause: Clause) -> str:
    return f" {clause.op.upper()} ".join(map(str, clause.conditions)) or "no condition"


def _simplify(rule_set: RuleSet) -> RuleSet:
    if rule_set.form == "cnf":
        return restore_form(rule_set, _simplify(rule_set.negate()))
    pairs = zip(map(simplify_clause, rule_set.clauses), rule_set.labels, strict=True)
    kept = [(clause, label) for clause, label in pairs if clause is not None]
    alive: list[tuple[_Tests, Label]] = []
    for clause, label in kept if len(kept) > 1 else ():
        tests = _list_tests(clause)
        if any(_tests_imply(tests, earlier) for earlier, _ in alive):
            continue
        run = len(alive)
        while run > 0 and alive[run - 1][1] == label:
            run -= 1
        later = [pair for pair in alive[run:] if not _tests_imply(pair[0], tests)]
        alive = [*alive[:run], *later, (tests, label)]
    kept = [(tests[0], label) for tests, label in alive] or kept
    clauses, labels = (tuple(pair[k] for pair in kept) for k in (0, 1))
    same = clauses == rule_set.clauses
    return rule_set if same else replace(rule_set, clauses=clauses, labels=labels)


def restore_form(rule: RuleSet, dnf: RuleSet) -> RuleSet:
    """Return a changed DNF in the form of the rule that it was made of."""
    if rule.form == "dnf":
        return dnf
    return dnf.negate() if dnf.clauses else rule.take_clauses(())


def simplify_clause(clause: Clause) -> Clause | None:
    """Write a clause with as few literals per column as possible."""
    if clause.op == "or":
        mirrored = simplify_clause(clause.negate())
        return None if mirrored is None else mirrored.negate()
    literals = [c for c in clause.conditions if isinstance(c, Literal)]
    short = {c.feature for c in literals if c.op in SHORT and c.order is None}
    if len(short) == len(clause.conditions):  # one short literal a column
        return clause
    conditions: list[Condition] = []
    shorter = (c if isinstance(c, Literal) else c.shorter() for c in clause.conditions)
    for test in group_conditions(tuple(dict.fromkeys(shorter))):
        if not isinstance(test, FeatureTest):
            conditions.append(test)
        elif test.never:
            return None
        else:
            conditions.extend(test.fewest_literals())
    joined = [c for c in conditions if not isinstance(c, Literal)]
    if any(a.implies(b.negate()) for a in joined for b in joined):
        return None
    implied = [  # by another condition, of two equivalent ones by the earlier
        c
        for (j, other), (k, c) in permutations(enumerate(joined), 2)
        if other.implies(c) and (j < k or not c.implies(other))
    ]
    kept = tuple(c for c in conditions if c not in implied)
    return clause if kept == clause.conditions else Clause(kept)


_Tests = tuple[Clause, dict[object, tuple[FeatureTest, _Read]], list[Condition]]


def _list_tests(clause: Clause) -> _Tests:
    """Combine the literals of an AND by scale; list its conditions of other kinds."""
    groups = group_by_scale([c for c in clause.conditions if isinstance(c, Literal)])
    others = [c for c in clause.conditions if not isinstance(c, Literal)]
    return clause, {scale: (_combine(group), group) for scale, group in groups.items()}, others


def _tests_imply(narrow: _Tests, wide: _Tests) -> bool:
    """Return whether every row that meets one AND surely meets another."""
    clause, alone, _ = narrow
    if any(test.never for test, _ in alone.values()):
        return True
    if any(not any(condition.implies(c) for condition in clause.conditions) for c in wide[2]):
        return False
    for scale, (test, read) in wide[1].items():  # which must exclude nothing new
        if scale not in alone:
            excludes = not test.always
        else:
            excludes = _combine([*alone[scale][1], *read]) != alone[scale][0]
        if excludes:
            return False
    return True
