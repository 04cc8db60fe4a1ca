"""The smallest change of one column alone that gives another answer, for rules with power laws.

A literal's smallest change is exact over all columns (`counterfactual`); a sum of power laws can be
moved by any mixture of its columns, so only changes of a single column are looked for here.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.explain.changes import Change
from rulekit.explain.domains import value_ranges
from rulekit.explain.phrases import PLAIN, Wording, exact, number
from rulekit.explain.splits import is_finite_row
from rulekit.explain.subject import as_column
from rulekit.rules import Literal, PowerLawSplit, RuleSet
from rulekit.rules.crossings import crossings

STEP = 1e-3  # share of the range by which the value named may lie past the bound
MAX_DIGITS = 17


def single_change(
    rule: RuleSet,
    row: Mapping[str, Any],
    wanted: Callable[[Any], bool],
    *,
    training: Mapping[str, NDArray[Any]] | None = None,
    immutable: Collection[str] = (),
    wording: Wording = PLAIN,
) -> tuple[Change, Any, float] | None:
    """Find the number that has to change least, alone, for a wanted answer.

    Parameters
    ----------
    rule : RuleSet
    row : mapping of str to float, str, bool or None
    wanted : callable
        Says whether an answer is wanted.
    training : mapping of str to ndarray, optional
        Rows that tell how wide a column's range is; without them a change is measured against
        the value itself.
    immutable : collection of str
        Columns that must not change.
    wording : Wording
        What columns are called.

    Returns
    -------
    (change, answer, cost) or None
        The cost is the change as a share of the range.
    """
    ranges = value_ranges(training) if training is not None else {}
    best: tuple[float, str, float, Any] | None = None
    for feature in rule.features:
        old = row[feature]
        if feature in immutable or not isinstance(old, float) or isinstance(old, bool):
            continue
        low, high = ranges.get(feature, (0.0, 0.0))
        unit = high - low if high > low else max(abs(old), 1e-300)
        for bound in _bounds(rule, feature, row):
            tried = ((v, _answer(rule, row, feature, v)) for v in _past(bound, old, STEP * unit))
            new, answer = next(((v, a) for v, a in tried if wanted(a)), (old, None))
            cost = abs(new - old) / unit
            if cost > 0 and (best is None or cost < best[0]):
                best = (cost, feature, new, answer)
    if best is None:
        return None
    cost, feature, new, answer = best
    old = row[feature]
    amount = wording.amount(feature, exact(new))
    text = f"{wording.name(feature)} were {amount} (now {number(old, new)})"
    return Change(feature, old, new, text), answer, cost


def _bounds(rule: RuleSet, feature: str, row: Mapping[str, Any]) -> Iterator[float]:
    """List the values of a column at which some condition may change its answer."""
    for condition in dict.fromkeys(c for clause in rule.clauses for c in clause.conditions):
        if feature not in condition.features:
            continue
        if isinstance(condition, Literal):
            values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
            yield from (v for v in values if isinstance(v, float) and not isinstance(v, bool))
        elif isinstance(condition, PowerLawSplit):
            others = {f: row[f] for f in condition.features if f != feature} | {feature: 0.0}
            if is_finite_row(condition, others):
                yield from crossings(condition, feature, {f: float(v) for f, v in others.items()})


def _past(bound: float, old: float, room: float) -> Iterator[float]:
    """Give a short number just past a bound and the next one, on the far side, then on the near."""
    away = 1.0 if bound >= old else -1.0
    for sign in (away, -away):
        limit = bound + sign * room
        yield from _short_between(min(bound, limit), max(bound, limit), bound)
        yield math.nextafter(bound, sign * math.inf)


def _short_between(low: float, high: float, bound: float) -> Iterator[float]:
    """Give a number of few digits between two others: the bound if it is one, then another."""
    for digits in range(1, MAX_DIGITS + 1):
        step = 10.0 ** (math.floor(math.log10(abs(high) or abs(low) or 1.0)) - digits + 1)
        first = math.ceil(low / step)
        for places in (first, first + 1):
            short = float(f"{places * step:.{digits}g}")
            if low <= short <= high:
                yield short
                if short != bound:
                    return


def _answer(rule: RuleSet, row: Mapping[str, Any], feature: str, value: float) -> Any:
    columns = {f: as_column([value if f == feature else row[f]]) for f in rule.features}
    with np.errstate(all="ignore"):
        return rule.predict(columns)[0]
