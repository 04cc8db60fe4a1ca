"""The smallest change of a row that gives another prediction, and the values it may take."""

# It is exact for literals and points. A sum of power laws can be changed by any mixture of its
# columns, so only changes of a single column are searched; for weighted sums none. Legend:
#   dnf      the rule as a DNF (a CNF is mirrored first): the first matching clause decides
#   option   one way to get another answer: clause d holds (or, d = n_clauses, none is needed),
#            and the unwanted clauses before it all fail
#   cell     index of a candidate value of a column; see `cells_of`

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, compress, count, islice, product
from operator import ge, itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.explain.boundary import (
    STEP,
    DomainValue,
    OtherText,
    cells_of,
    finite_numbers,
    number_cuts,
    ranges_of,
    whole_bounds,
)
from rulekit.explain.subject import Bounds, Ranges, Row, rows_with
from rulekit.rules import Clause, Columns, Condition, Literal, RuleSet, Schema
from rulekit.rules.condition import ORDERED, WORDS, as_column, list_numbers, words_of
from rulekit.style.phrases import (
    PLAIN,
    Wording,
    cap_list,
    exact,
    join_list,
    label_text,
    number,
    outcome_text,
    show_value,
)

MAX_CHECKED = 4096


@dataclass(frozen=True)
class Change:
    """One column that has to change; `text`: "glucose were 126 or lower (now 141)"."""

    feature: str
    old: Any
    new: Any
    text: str
    share: float | None = None  # the change as a share of the column's range

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain values."""
        return {"column": self.feature, "old": self.old, "new": self.new, "text": self.text}


def changes_between(
    rule: RuleSet, row: Row, candidates: Mapping[str, DomainValue], wording: Wording = PLAIN
) -> tuple[Change, ...]:
    """List the columns in which two rows differ, with the required values."""
    after = {f: c.value for f, c in candidates.items()}
    moved = [f for f in rule.features if candidates[f].cost > 0 or after[f] != row[f]]
    tests = {f: [t for t in rule.tests if t.feature == f] for f in moved}
    runs = {f: _run(rule, tests[f], row[f], after, f) for f in moved}
    many = math.prod(map(len, runs.values())) > MAX_CHECKED
    rows = [] if many else list(product(*runs.values()))
    values = {f: [row[k] for row in rows] for k, f in enumerate(runs)}
    if many or len(set(rule.predict(rows_with(after, values)))) > 1:  # some combination differs
        runs = {f: [after[f]] for f in moved}
    texts = {f: _text(f, row[f], candidates[f], runs[f], tests[f], wording) for f in moved}
    return tuple(Change(f, row[f], after[f], texts[f]) for f in moved)


def _run(rule: RuleSet, tests: Sequence[Literal], old: Any, after: Row, feature: str) -> list[Any]:
    """Collect neighbouring values, away from the old one, with the same prediction."""
    new = after[feature]
    numeric = isinstance(new, float) and isinstance(old, float) and math.isfinite(old)
    if not numeric or not any(x.op in ORDERED for x in tests):
        return [new]
    cells = list_numbers([*number_cuts(tests), new])
    outward = [v for v in cells if v > new] if new > old else [v for v in cells if v < new][::-1]
    run = [new, *outward]
    same = rule.predict(rows_with(after, {feature: run})) == rule.predict(rows_with(after, {}))
    return list(compress(run, np.logical_and.accumulate(same)))


def _text(
    feature: str, old: Any, to: DomainValue, run: list[Any], tests: list[Literal], wording: Wording
) -> str:
    name, now = wording.name(feature), show_value(old, wording=wording)
    if to.value is None:
        return f"{name} were missing (now {now})"
    words = [x for x in tests if x.op in WORDS]
    if words and not isinstance(to.value, OtherText):
        had, has = (words_of(t) if isinstance(t, str) else "" for t in (old, to.value))
        marks = {word: f" {word} " for word in (str(x.value) for x in words)}
        changed = [
            f"{'contained' if mark in has else 'did not contain'} the word {show_value(word)}"
            for word, mark in marks.items()
            if (mark in had) != (mark in has)
        ]
        return f"{name} {join_list(changed) or 'were not missing'}"
    if any(x.part for x in tests):
        return f"{name} were {to.value} (now {'missing' if old is None else old})"
    if isinstance(to.value, OtherText):
        named = dict.fromkeys(v for x in tests for v in x.values)
        listed = cap_list([show_value(v, wording=wording) for v in named])
        return f"{name} were {'other than' if len(named) == 1 else 'none of'} {listed} (now {now})"
    cuts = number_cuts(tests)
    if not isinstance(to.value, float) or not isinstance(old, float) or not cuts:
        return f"{name} were {show_value(to.value, wording=wording)} (now {now})"
    # the values of a run in words: "126 or lower", "above 126, but below 150"
    text = wording.amount(feature, exact(to.value))
    if len(run) > 1 or (to.beyond is not None and to.value not in cuts):
        last, up = run[-1], run[-1] > run[0] if len(run) > 1 else to.value > (to.beyond or 0.0)
        more, above, below = ("higher", "above", "below") if up else ("lower", "below", "above")
        text = f"{text} or {more}"
        if to.beyond is not None:
            text = f"{above} {wording.amount(feature, exact(to.beyond))}"
        further = [t for t in cuts if (t > last if up else t < last)]
        if last in cuts:
            text += f", {'up' if up else 'down'} to {exact(last)}"
        elif further:
            text += f", but {below} {exact(further[0 if up else -1])}"
    return f"{name} were {text} (now {number(old, min(cuts, key=lambda t: abs(t - old)))})"


CLOSER = (1.0, 1e-2, 1e-4, 1e-6)  # shares of that step, for bounds close together
MAX_DIGITS = 17


def turning_values(
    conditions: Iterable[Condition],
    row: Row,
    features: Iterable[str],
    turned: Callable[[Columns], Iterable[Any]],
    ranges: Ranges,
    whole: Bounds,
) -> Iterator[tuple[str, float]]:
    """Find for each column the nearest number that turns a result, other columns fixed."""
    for feature in features:
        old, values = row[feature], []
        for limit in dict.fromkeys(v for c in conditions for v in c.limits(feature, row)):
            if feature in whole:
                (low, high), step = whole[feature], max(1.0, float(np.spacing(abs(limit))))
                near = {float(f(limit)) + k * step for f in (np.floor, np.ceil) for k in (-1, 0, 1)}
                within = {min(max(v, min(low, old)), max(high, old)) for v in near}
                tried = sorted(within, key=lambda v: abs(v - old))
            else:
                margin = STEP * (ranges.get(feature) or max(abs(limit or old), 1e-300))
                tried = list(_list_numbers_past(limit, old, margin))
            values += list(compress(tried, turned(rows_with(row, {feature: tried}))))[:1]
        if values:
            yield feature, min(values, key=lambda v: abs(v - old))


def _list_numbers_past(bound: float, old: float, margin: float) -> Iterator[float]:
    """Return short numbers past a bound, on the far side, then on the near side."""
    away = 1.0 if bound >= old else -1.0
    for sign in (away, -away):
        for share in CLOSER:
            limit = bound + sign * share * margin
            if not math.isfinite(limit):
                continue
            low, high = min(bound, limit), max(bound, limit)
            size = math.floor(math.log10(max(abs(low), abs(high)) or 1.0))
            steps = [10.0 ** (size - digits) for digits in range(MAX_DIGITS)]
            tried = ((d, s, math.ceil(low / s) + k) for d, s in enumerate(steps, 1) for k in (0, 1))
            short = (float(f"{places * step:.{digits}g}") for digits, step, places in tried)
            for value in short:  # one of few digits, preferably the bound
                if low <= value <= high:
                    yield value
                    if value != bound:
                        break
        yield math.nextafter(bound, sign * math.inf)


MAX_STEPS = 100_000
NOT_SEARCHED = (
    "The smallest change is not worked out for a rule that compares a weighted sum of columns."
)
NO_SINGLE_CHANGE = (
    "No change of one column alone{} gives another prediction; changes of several were not "
    "searched."
)
TOO_MANY = (
    f"The smallest change was not found in {MAX_STEPS} {{}}; fix more columns with `immutable`, or "
    "explain a shorter rule."
)
EXACT, ROWS, ALONE, NONE = "all columns", "row by row", "one column alone", "none"
WAYS = {"literal": EXACT, "points": ROWS, "power_law": ALONE, "linear": NONE}  # for each kind
Fixed = frozenset[tuple[str, int]]
Fits = Mapping[str, NDArray[np.bool_]]  # whether a clause's tests of each column hold, by cell
#: A partial change in a heap: columns changed, cost, option, a number, fixed cells, all cells.
Entry = tuple[int, float, int, int, Fixed, dict[str, int]]


@dataclass(frozen=True)
class Counterfactual:
    """The smallest change that gives another prediction."""

    changes: tuple[Change, ...]
    prediction: Any
    cost: float | None  # a share of its range per number, else 1 per column; None without a change
    sentence: str

    @property
    def possible(self) -> bool:
        """Whether some change gives another prediction."""
        return bool(self.changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return {
            "possible": self.possible,
            "answer": self.prediction,
            "cost": self.cost,
            "changes": [c.to_dict() for c in self.changes],
            "sentence": self.sentence,
        }


def smallest_change(
    rule: RuleSet,
    values: Row,
    *,
    training: Columns | None = None,
    immutable: Collection[str] = (),
    wording: Wording = PLAIN,
) -> Counterfactual:
    """Find the smallest change of one row that gives another prediction."""
    # Smallest means: fewest columns, then the smallest sum of changes, numbers as shares of the
    # range; a strict threshold is priced itself, and the value lies past it. Values of the training
    # rows are tried first, then all values, then missing ones. The search is by uniform cost, so
    # its first result is optimal. RuleError after 100,000 steps.
    row, training = {f: values[f] for f in rule.features}, training or {}
    now = rule.predict(rows_with(row, {}) or {"": np.zeros(1)})[0]
    ways = {WAYS[condition.kind] for condition in rule.conditions}
    if ALONE in ways:
        return _single_change(rule, row, now, training, immutable, wording)
    if NONE in ways:
        return Counterfactual((), None, None, NOT_SEARCHED)
    dnf = rule.as_dnf
    read = {f for c in rule.conditions if getattr(c, "values", ()) for f in c.features}
    # of missing columns of which no value is tested, the levels or the range by the schema
    ends = {c.name: c.levels or (c.low, c.high) for c in (rule.schema or Schema()).columns}
    stated = {
        f: as_column(list(ends[f]))
        for f in ends.keys() - read
        if row.get(f, 0) is None and None not in ends[f]
    }
    tests = {f: [t for t in dnf.tests if t.feature == f] for f in row}
    for seen, erase in ((training or stated, False), (stated, False), (stated, True)):
        options = {
            f: (DomainValue(value, 0.0),)
            if f in immutable
            else cells_of(tests[f], value, seen.get(f), erase=erase)
            for f, value in row.items()
        }
        if ROWS in ways:
            change = _fewest_columns(rule, options, now)
        else:
            change = _Search(dnf, options, now).run()
        if change is not None:
            changes = changes_between(rule, row, change, wording)
            after = rule.predict(rows_with({f: c.value for f, c in change.items()}, {}))[0]
            text = _sentence(after, changes, training, wording)
            return Counterfactual(changes, after, sum(c.cost for c in change.values()), text)
    text = "No change of the columns the rule reads gives another prediction."
    fixed = [wording.name(f) for f in rule.features if f in immutable]
    if rule.is_constant:
        text = f"Every row is predicted {outcome_text(now)}: the rule reads no column."
    elif fixed:
        stay = "stays as it is" if len(fixed) == 1 else "stay as they are"
        text = f"No change gives another prediction while {join_list(fixed)} {stay}."
    return Counterfactual((), None, None, text)


def _single_change(
    rule: RuleSet, row: Row, now: Any, training: Columns, fixed: Collection[str], wording: Wording
) -> Counterfactual:
    """Find the smallest change of a single number that gives another prediction."""
    numbers = [f for f in rule.features if f not in fixed and isinstance(row[f], float)]
    seen = {f: training[f] for f in numbers if f in training}
    ranges, whole = ranges_of(seen), whole_bounds(seen)
    turning = turning_values(
        rule.conditions, row, numbers, lambda c: rule.predict(c) != now, ranges, whole
    )
    units = {f: ranges.get(f) or max(abs(row[f]), 1e-300) for f in numbers}
    costs = [(abs(new - row[f]) / units[f], f, new) for f, new in turning]
    best = min((c for c in costs if c[0] > 0), key=itemgetter(0), default=None)
    if best is None:
        kept = [wording.name(f) for f, ends in whole.items() if math.isfinite(ends[0])]
        within = f" ({join_list(kept)} in the range of the training rows)" if kept else ""
        return Counterfactual((), None, None, NO_SINGLE_CHANGE.format(within))
    cost, feature, new = best
    (answer,) = rule.predict(rows_with(row, {feature: [new]}))
    amount, old = wording.amount(feature, exact(new)), number(row[feature], new)
    text = f"{wording.name(feature)} were {amount} (now {old})"
    changes = (Change(feature, row[feature], new, text),)
    return Counterfactual(changes, answer, cost, _sentence(answer, changes, training, wording))


def _sentence(after: Any, changes: tuple[Change, ...], training: Columns, wording: Wording) -> str:
    outcome = label_text(after, wording) if wording.spoken else outcome_text(after)
    far = []
    for change in changes:
        column = training.get(change.feature)
        if isinstance(change.new, float) and column is not None and column.dtype.kind not in "Ob":
            seen = finite_numbers(column)
            if len(seen) and not seen.min() <= change.new <= seen.max():
                far.append(wording.name(change.feature))
    known = "past cases" if wording.spoken else "training rows"
    outside = f"; {join_list(far)} would be outside the range of the {known}" if far else ""
    return f"The prediction would be {outcome} if {join_list(c.text for c in changes)}{outside}."


def _fewest_columns(
    rule: RuleSet, options: Mapping[str, tuple[DomainValue, ...]], now: Any
) -> dict[str, DomainValue] | None:
    """Try every row that differs in one column, then in two, and so on; return the cheapest."""
    movable = [f for f in options if len(options[f]) > 1]
    left = MAX_STEPS
    for n in range(1, len(movable) + 1):
        changes = (
            dict(zip(group, picked, strict=True))
            for group in combinations(movable, n)
            for picked in product(*(options[f][1:] for f in group))
        )
        tried = list(islice(changes, left + 1))
        left -= len(tried)
        if left < 0:
            raise RuleError(TOO_MANY.format("rows"))
        values = {f: [t.get(f, v[0]).value for t in tried] for f, v in options.items()}
        columns = rows_with(dict.fromkeys(options), values)
        right = list(compress(tried, rule.predict(columns) != now))
        if right:
            best = min(right, key=lambda t: sum(c.cost for c in t.values()))
            return {f: best.get(f, v[0]) for f, v in options.items()}
    return None


class _Search:
    """Uniform-cost search over partial changes; one instance per search."""

    def __init__(self, dnf: RuleSet, options: dict[str, tuple[DomainValue, ...]], now: Any) -> None:
        self.options, self.order = options, count()
        columns = {f: {f: as_column([c.value for c in cells])} for f, cells in options.items()}
        fits = [
            {
                f: Clause(tuple(t for t in c.literals if t.feature == f)).mask(columns[f])
                for f in c.features
            }
            for c in dnf.clauses
        ]
        unwanted = [label == now for label in (*dnf.labels, dnf.default)]
        # of each option: the clause that has to hold, and those that have to fail
        self.goals: dict[int, tuple[Fits, list[Fits]]] = {
            k: ((*fits, {})[k], list(compress(fits[:k], unwanted)))
            for k, refused in enumerate(unwanted)
            if not refused
        }

    def run(self) -> dict[str, DomainValue] | None:
        """Return the cheapest row with a wanted prediction, None if there is none."""
        heap = [entry for k in self.goals for entry in self._complete_change(k, frozenset())]
        heapq.heapify(heap)
        visited: set[tuple[int, Fixed]] = set()
        while heap:
            _, _, option, _, fixed, chosen = heapq.heappop(heap)
            if (option, fixed) in visited:
                continue
            visited.add((option, fixed))
            if len(visited) > MAX_STEPS:
                raise RuleError(TOO_MANY.format("steps"))
            standing = [
                clause
                for clause in self.goals[option][1]
                if all(fits[chosen[f]] for f, fits in clause.items())
            ]
            if not standing:
                return {f: self.options[f][cell] for f, cell in chosen.items()}
            for way in min((list(self._ways(c, option, fixed)) for c in standing), key=len):
                for entry in self._complete_change(option, fixed | {way}):
                    heapq.heappush(heap, entry)
        return None

    def _complete_change(self, option: int, fixed: Fixed) -> Iterator[Entry]:
        """Complete a partial change as cheaply as the deciding clause allows, if it does."""
        chosen = {}
        for feature, options in self.options.items():
            allowed = np.flatnonzero(self.goals[option][0].get(feature, [True] * len(options)))
            if not len(allowed):
                return
            chosen[feature] = int(min(allowed, key=lambda k: (k > 0, options[k].cost, k)))
        chosen |= dict(fixed)
        cost = sum(self.options[f][cell].cost for f, cell in chosen.items())
        yield sum(map(bool, chosen.values())), cost, option, next(self.order), fixed, chosen

    def _ways(self, clause: Fits, option: int, fixed: Fixed) -> Iterator[tuple[str, int]]:
        """Return undominated cells that make a clause fail; every solution has one of them."""
        needed, unwanted = self.goals[option]
        for feature, fits in clause.items():
            if any(f == feature for f, _ in fixed):
                continue
            usable = np.flatnonzero(needed.get(feature, True) & ~fits).tolist()
            fails = ~np.array([c[feature] for c in unwanted if feature in c])
            goods = {k: (-self.options[feature][k].cost, *fails[:, k].tolist()) for k in usable}
            for k, good in goods.items():
                as_good = (m for m in usable if all(map(ge, goods[m], good)))
                if all(m >= k and goods[m] == good for m in as_good):
                    yield feature, k
