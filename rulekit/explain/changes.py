"""Changes that lead to another prediction, described by all values that cause it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

from rulekit.explain.domains import Candidate, OtherText, number_cuts
from rulekit.explain.subject import as_column
from rulekit.rules import Literal, RuleSet
from rulekit.rules.scales import ORDERED, WORDS
from rulekit.style.phrases import PLAIN, Wording, exact, levels, listed, number, shown

MAX_CHECKED = 4096


@dataclass(frozen=True)
class Change:
    """One column that has to change; None is a missing value.

    `text` states the change in words: "glucose were 126 or lower (now 141)".
    """

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
