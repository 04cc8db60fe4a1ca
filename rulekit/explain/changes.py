"""Changes that lead to another prediction, described by all values that cause it.

For literals the smallest change is exact over all columns (`counterfactual`). A sum of power laws
can be changed by any mixture of its columns, so only changes of a single column are searched.
Every value that changes a condition or a prediction comes from `turning_value`: it has few digits,
and was checked.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.explain.domains import Candidate, OtherText, number_cuts, value_ranges
from rulekit.explain.subject import as_column
from rulekit.rules import Literal, RuleSet
from rulekit.rules.scales import ORDERED, WORDS
from rulekit.style.phrases import PLAIN, Wording, exact, levels, listed, number, shown

MAX_CHECKED = 4096


@dataclass(frozen=True)
class Change:
    """One column that has to change; `text`: "glucose were 126 or lower (now 141)"."""

    feature: str
    old: Any
    new: Any
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain values."""
        return {"column": self.feature, "old": self.old, "new": self.new, "text": self.text}


def changes_between(
    rule: RuleSet,
    row: Mapping[str, Any],
    candidates: Mapping[str, Candidate],
    wording: Wording = PLAIN,
) -> tuple[Change, ...]:
    """List the columns in which two rows differ, with the required values."""
    after = {f: c.value for f, c in candidates.items()}
    moved = [f for f in rule.features if candidates[f].cost > 0 or after[f] != row[f]]
    literals = {f: _literals_on(rule, f) for f in moved}
    runs = {f: _run(rule, literals[f], row, after, f) for f in moved}
    if not _all_agree(rule, after, runs):
        runs = {f: [after[f]] for f in moved}
    return tuple(
        Change(f, row[f], after[f], _text(f, row[f], candidates[f], runs[f], literals[f], wording))
        for f in moved
    )


def _literals_on(rule: RuleSet, feature: str) -> list[Literal]:
    conditions = (c for clause in rule.clauses for c in clause.conditions)
    return [x for c in conditions for x in c.tests if x.feature == feature]


def _run(
    rule: RuleSet,
    literals: Sequence[Literal],
    row: Mapping[str, Any],
    after: Mapping[str, Any],
    feature: str,
) -> list[Any]:
    """Collect neighbouring values, away from the old one, with the same prediction."""
    new, old = after[feature], row[feature]
    if not _is_number(new) or not _is_number(old) or not math.isfinite(old):
        return [new]
    if not any(x.op in ORDERED for x in literals):
        return [new]
    cells = sorted({new, *_values(literals)})
    outward = [v for v in cells if v > new] if new > old else [v for v in cells if v < new][::-1]
    wanted = _answers(rule, after, {feature: [new]})[0]
    run = [new]
    for value in outward:
        if _answers(rule, after, {feature: [value]})[0] != wanted:
            break
        run.append(value)
    return run


def _values(literals: Sequence[Literal]) -> list[float]:
    """Return every threshold, and one number between each two and beyond the outer ones."""
    cuts = number_cuts(literals)
    between = [a + (b - a) / 2 for a, b in pairwise(cuts)]
    return [cuts[0] - 1 - abs(cuts[0]), *cuts, *between, cuts[-1] + 1 + abs(cuts[-1])]


def _answers(
    rule: RuleSet, after: Mapping[str, Any], runs: Mapping[str, Sequence[Any]]
) -> list[Any]:
    rows = [dict(zip(runs, values, strict=True)) for values in product(*runs.values())]
    columns = {f: as_column([r.get(f, after[f]) for r in rows]) for f in after}
    return list(rule.predict(columns))


def _all_agree(rule: RuleSet, after: Mapping[str, Any], runs: Mapping[str, Sequence[Any]]) -> bool:
    if math.prod(len(run) for run in runs.values()) > MAX_CHECKED:
        return False
    return len(set(_answers(rule, after, runs))) == 1


def _is_number(value: Any) -> bool:
    return isinstance(value, float) and not isinstance(value, bool)


def _text(
    feature: str,
    old: Any,
    to: Candidate,
    run: Sequence[Any],
    literals: Sequence[Literal],
    wording: Wording,
) -> str:
    name, now = wording.name(feature), shown(old, wording=wording)
    if to.value is None:
        return f"{name} were missing (now {now})"
    tests = [x for x in literals if x.op in WORDS]
    if tests and not isinstance(to.value, OtherText):
        return f"{name} {_words_text(tests, old, to.value)}"
    if any(x.part for x in literals):
        return f"{name} were {to.value} (now {'missing' if old is None else old})"
    if isinstance(to.value, OtherText):
        named = dict.fromkeys(v for x in literals for v in x.values)
        other = "other than" if len(named) == 1 else "none of"
        return f"{name} were {other} {levels(named, wording)} (now {now})"
    cuts = number_cuts(literals)
    if not _is_number(to.value) or not _is_number(old) or not cuts:
        return f"{name} were {shown(to.value, wording=wording)} (now {now})"
    words = _range_text(feature, to, run, cuts, wording)
    nearest = min(cuts, key=lambda t: abs(t - old))
    return f"{name} were {words} (now {number(old, nearest)})"


def _words_text(tests: Sequence[Literal], old: Any, new: str) -> str:
    """Return the words that were added and removed."""
    column = {tests[0].feature: as_column([old, new])}
    changed = []
    for word in dict.fromkeys(str(x.value) for x in tests):
        had, has = Literal(tests[0].feature, "contains", word).mask(column).tolist()
        if had != has:
            changed.append(f"{'contained' if has else 'did not contain'} the word {shown(word)}")
    return listed(changed) or "were not missing"


def _range_text(
    feature: str, to: Candidate, run: Sequence[float], cuts: Sequence[float], wording: Wording
) -> str:
    """Return the values of a run in words: "126 or lower", "above 126, but below 150"."""
    if len(run) == 1 and (to.beyond is None or to.value in cuts):
        return wording.amount(feature, exact(to.value))
    up = run[-1] > run[0] if len(run) > 1 else to.value > (to.beyond or 0.0)
    if to.beyond is None:
        start = f"{wording.amount(feature, exact(to.value))} or {'higher' if up else 'lower'}"
    else:
        start = f"{'above' if up else 'below'} {wording.amount(feature, exact(to.beyond))}"
    last = run[-1]
    further = [t for t in cuts if (t > last if up else t < last)]
    if last in cuts:
        return f"{start}, {'up' if up else 'down'} to {exact(last)}"
    if not further:
        return start
    end = exact(further[0] if up else further[-1])
    return f"{start}, but {'below' if up else 'above'} {end}"


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
            return [wanted(a) for a in _predictions(rule, row, feature, values)]

        new = turning_value(_bounds(rule, feature, row), feature, old, changes_it, ranges)
        cost = 0.0 if new is None else abs(new - old) / _unit(feature, old, ranges)
        if new is not None and cost > 0 and (best is None or cost < best[0]):
            best = (cost, feature, new)
    if best is None:
        return None
    cost, feature, new = best
    old = row[feature]
    (answer,) = _predictions(rule, row, feature, np.array([new]))
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


def _predictions(
    rule: RuleSet, row: Mapping[str, Any], feature: str, values: Floats
) -> NDArray[np.object_]:
    columns = {f: as_column([row[f]] * len(values)) for f in rule.features} | {feature: values}
    with np.errstate(all="ignore"):
        return rule.predict(columns)
