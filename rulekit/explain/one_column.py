"""The smallest change of one column alone that gives another prediction, for power laws.

For literals the smallest change is exact over all columns (`counterfactual`). A sum of power laws
can be changed by any mixture of its columns, so only changes of a single column are searched.

Every value that changes a condition or a prediction comes from `turning_value`: it has few digits,
and was checked.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.explain.changes import Change
from rulekit.explain.domains import value_ranges
from rulekit.explain.subject import as_column
from rulekit.rules import RuleSet
from rulekit.style.phrases import PLAIN, Wording, exact, number

STEP = 1e-3  # share of the range by which a returned value may lie past the bound
CLOSER = (1.0, 1e-2, 1e-4, 1e-6)  # shares of that step, for bounds close together
MAX_DIGITS = 17
Floats = NDArray[np.float64]
Ranges = Mapping[str, tuple[float, float]]


def single_change(
    rule: RuleSet,
    row: Mapping[str, Any],
    wanted: Callable[[Any], bool],
    *,
    training: Mapping[str, NDArray[Any]] | None = None,
    immutable: Collection[str] = (),
    wording: Wording = PLAIN,
) -> tuple[Change, Any, float] | None:
    """Find the smallest change of a single number that gives a wanted prediction."""
    ranges = value_ranges(training) if training is not None else {}
    best: tuple[float, str, float] | None = None
    for feature in rule.features:
        old = row[feature]
        if feature in immutable or not isinstance(old, float) or isinstance(old, bool):
            continue

        def changes_it(values: Floats, feature: str = feature) -> list[bool]:
            return [wanted(a) for a in _answers(rule, row, feature, values)]

        new = turning_value(_bounds(rule, feature, row), feature, old, changes_it, ranges)
        cost = 0.0 if new is None else abs(new - old) / _unit(feature, old, ranges)
        if new is not None and cost > 0 and (best is None or cost < best[0]):
            best = (cost, feature, new)
    if best is None:
        return None
    cost, feature, new = best
    old = row[feature]
    (answer,) = _answers(rule, row, feature, np.array([new]))
    amount = wording.amount(feature, exact(new))
    text = f"{wording.name(feature)} were {amount} (now {number(old, new)})"
    return Change(feature, old, new, text), answer, cost


def turning_value(
    limits: Iterable[float],
    feature: str,
    old: float,
    changes_it: Callable[[Floats], Iterable[Any]],
    ranges: Ranges,
) -> float | None:
    """Find the nearest value at which a result changes.

    >>> turning_value([126.04], "glucose", 141.0, lambda x: x < 126.04, {"glucose": (40, 340)})
    126.0
    """
    values = []
    for limit in limits:
        margin = STEP * _unit(feature, limit or old, ranges)
        tried = np.array(list(_past(limit, old, margin)))
        values += [float(v) for v, t in zip(tried, changes_it(tried), strict=True) if t][:1]
    return min(values, key=lambda v: abs(v - old), default=None)


def _unit(feature: str, value: float, ranges: Ranges) -> float:
    low, high = ranges.get(feature, (0.0, 0.0))
    return high - low if high > low else max(abs(value), 1e-300)


def _bounds(rule: RuleSet, feature: str, row: Mapping[str, Any]) -> Iterator[float]:
    """List the values of a column at which some condition may change its result."""
    for condition in dict.fromkeys(c for clause in rule.clauses for c in clause.conditions):
        yield from condition.limits(feature, row)


def _past(bound: float, old: float, margin: float) -> Iterator[float]:
    """Return short numbers past a bound, on the far side, then on the near side."""
    away = 1.0 if bound >= old else -1.0
    for sign in (away, -away):
        for share in CLOSER:
            limit = bound + sign * share * margin
            if math.isfinite(limit):
                yield from _short_between(min(bound, limit), max(bound, limit), bound)
        yield math.nextafter(bound, sign * math.inf)


def _short_between(low: float, high: float, bound: float) -> Iterator[float]:
    """Return a number of few digits between two others, preferably the bound."""
    size = math.floor(math.log10(max(abs(low), abs(high)) or 1.0))
    for digits in range(1, MAX_DIGITS + 1):
        step = 10.0 ** (size - digits + 1)
        first = math.ceil(low / step)
        for places in (first, first + 1):
            short = float(f"{places * step:.{digits}g}")
            if low <= short <= high:
                yield short
                if short != bound:
                    return


def _answers(
    rule: RuleSet, row: Mapping[str, Any], feature: str, values: Floats
) -> NDArray[np.object_]:
    columns = {f: as_column([row[f]] * len(values)) for f in rule.features} | {feature: values}
    with np.errstate(all="ignore"):
        return rule.predict(columns)
