"""Explanation of single rows, as data and as sentences, with the clauses that nearly match."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rulekit._notebook import notebook_html
from rulekit.data.typed import read_labels
from rulekit.exceptions import DataError
from rulekit.explain.boundary import hamming_distances
from rulekit.explain.checks import CheckedClause, CheckedLiteral, Checker, describe_near_miss
from rulekit.explain.counterfactual import Counterfactual, smallest_change
from rulekit.explain.reasons import Reason, rank_reasons
from rulekit.explain.similar import (
    PastCases,
    SimilarCase,
    Training,
    list_past_cases,
    similar_cases,
    training_rows,
)
from rulekit.explain.subject import columns_for, row_values, rows_with, value_at
from rulekit.rules import MonotonicityCheck, RuleSet, monotonicity_checks, scorecard_of
from rulekit.rules.rule_set import rule_of
from rulekit.style.phrases import (
    MAX_LISTED,
    PLAIN,
    Wording,
    cap_list,
    count_noun,
    join_list,
    label_text,
    outcome_text,
)


@dataclass(frozen=True)
class Explanation:
    """Reasons for the prediction of one row.

    Attributes
    ----------
    row : int
        Position of the row in the table, from 0.
    prediction : str, int, float or bool
    sentence : str
        The reason in one sentence.
    fired : tuple of CheckedClause
        The clauses that hold, the deciding one first, with the row's values. For a CNF that
        predicts its label: every clause, with the conditions that hold in it. For another CNF: the
        clauses that fail, described by what holds instead (the negated conditions).
    near_misses : tuple of CheckedClause
        The other clauses, nearest first, after those that would change the prediction if they held:
        of another class, and before the deciding clause. For a CNF these are the clauses that hold,
        described by what would have to be true for them to fail.
    hamming_distance : int or None
        Literals to add or remove until the rule is right about this row; None without a true label.
    past : PastCases or None
        Outcomes of training rows decided in the same way, if given.
    values : dict of str to float, str, bool or None
        The row's values in the columns that the rule reads.
    """

    row: int
    prediction: Any
    sentence: str
    fired: tuple[CheckedClause, ...]
    near_misses: tuple[CheckedClause, ...]
    hamming_distance: int | None
    past: PastCases | None
    values: dict[str, Any]
    _context: "_Context" = field(repr=False, compare=False)

    @cached_property
    def counterfactual(self) -> Counterfactual:
        """The smallest change that gives another prediction; computed on first access."""
        context = self._context
        more: Any = {"immutable": context.immutable, "wording": context.wording}
        return smallest_change(context.rule, self.values, training=context.training.columns, **more)

    @property
    def supporting(self) -> tuple[str, ...]:
        """At most three more sentences: past cases, the smallest change, unused columns."""
        lines = [] if self.past is None else [self.past.sentence]
        spoken, change = self._context.wording.spoken, self.counterfactual
        if change.possible or (not spoken and change.sentence != self.sentence):
            lines.append(change.sentence)
        if self._context.unused:
            names = [self._context.wording.name(f) for f in self._context.unused]
            shown = join_list(names) if len(names) <= MAX_LISTED else cap_list(names)
            lines.append(f"Not used: {shown}.")
        return tuple(lines)

    @property
    def monotonicity(self) -> tuple[str, ...]:
        """What each satisfied monotonic constraint means for this row.

        See `rulekit.rules.monotonicity_checks`; columns with a missing value are left out.
        """
        return tuple(
            check.describe_row(self.prediction, self._context.wording.name)
            for check in self._context.monotonicity
            if check.kept and self.values.get(check.feature) is not None
        )

    @cached_property
    def reasons(self) -> tuple[Reason, ...]:
        """The columns of a scorecard that decide the row, the most points first."""
        if not self._context.is_scorecard:
            return ()
        row = rows_with(self.values, {})
        return rank_reasons(self._context.rule, row, wording=self._context.wording)[0]

    def similar(self, k: int = 5) -> tuple[SimilarCase, ...]:
        """Find the training rows most like this one; empty without training rows."""
        return similar_cases(self._context.rule, self._context.training, self.values, k)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return notebook_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON; clauses count from 1."""
        return {
            "row": self.row,
            "answer": self.prediction,
            "sentence": self.sentence,
            "values": self.values,
            "fired": [c.to_dict() for c in self.fired],
            "near_misses": [m.to_dict() for m in self.near_misses],
            "reasons": [reason.text for reason in self.reasons],
            "smallest_change": self.counterfactual.to_dict(),
            "hamming_distance": self.hamming_distance,
            "past_cases": None if self.past is None else self.past.sentence,
        }


@dataclass(frozen=True)
class _Context:
    """Data shared by all explained rows."""

    rule: RuleSet
    dnf: RuleSet
    training: Training
    immutable: frozenset[str]
    wording: Wording
    unused: tuple[str, ...]
    monotonicity: tuple[MonotonicityCheck, ...]

    @cached_property
    def is_scorecard(self) -> bool:
        """Whether the clauses are ranges of totals."""
        return bool(scorecard_of(self.dnf))

    def checker(self, value: Any, row: Mapping[str, Any], holds: bool) -> Checker:
        """Return what checks a condition on one row."""
        return Checker(value, row, holds, self.training.ranges, self.wording, self.training.whole)


def explain(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    training: Any = None,
    immutable: Collection[str] = (),
    wording: Wording = PLAIN,
) -> list[Explanation]:
    """Explain the prediction of a rule for each row of a table.

    Parameters
    ----------
    model : fitted rule model or RuleSet
    X : DataFrame, array or mapping of column name to array, n rows
        The rows; checked exactly as `predict` does.
    y : array-like of shape (n,), optional
        Their true labels, for the Hamming distance.
    training : table, or pair of table and labels, optional
        Past rows. They define the scale of near misses, realistic values of the smallest change
        and, with labels, the number of past cases with the same decision.
    immutable : collection of str
        Columns that the smallest change must not change.
    wording : Wording
        What columns, units and clauses are called in sentences.

    Returns
    -------
    list of Explanation, length n

    Raises
    ------
    DataError
        If the table lacks a column, labels do not fit, or `immutable` names an unknown column.
    RuleError
        If the model is not fitted.

    Notes
    -----
    Prediction and reason come from one evaluation of the rule, so they cannot disagree. Linear in
    rows times literals; the smallest change is computed on first access.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulekit.rules import Clause, Literal
    >>> clause = Clause((Literal("glucose", ">", 126), Literal("age", ">", 50)))
    >>> rule = RuleSet((clause,), ("ill",), "dnf", "well")
    >>> old, young = explain(rule, pd.DataFrame({"glucose": [141, 141], "age": [57, 44]}))
    >>> old.sentence
    'Predicted ill: glucose 141 > 126 and age 57 > 50 (clause 1).'
    >>> young.near_misses[0].sentence
    'Clause 1 nearly matches, 1 of 2 conditions met: age is 44 but would have to be above 50.'
    """
    rule, columns = rule_of(model), columns_for(model, X)
    wording = wording.for_rule(rule)
    given = (y, training[1] if isinstance(training, tuple) else None)
    if columns is not X:
        columns.report.warn(stacklevel=2)
    past = training_rows(model, training)
    fixed = frozenset({immutable} if isinstance(immutable, str) else immutable)
    if strange := sorted(fixed - set(columns.names)):
        shown = join_list(map(repr, list(columns.names)[:MAX_LISTED]))
        raise DataError(
            f"`immutable` names {strange[0]!r}, which is no column of the table ({shown} ...)."
        )
    # not unused: what the rule reads, and the outcome, which labels name
    learned = list(map(str, getattr(model, "feature_names_in_", ())))
    titles = [getattr(labels, "name", None) for labels in given]
    named = {str(title) for title in titles if title is not None}
    named = {*named.difference(learned), *rule.features}
    unused = tuple(n for n in dict.fromkeys([*learned, *columns.names]) if n not in named)
    dnf = rule.as_dnf
    context = _Context(rule, dnf, past, fixed, wording, unused, monotonicity_checks(model))
    answers = rule.predict(columns).tolist()
    distances: list[int | None] = [None] * len(answers)
    if y is not None:
        classes = getattr(model, "classes_", None)
        names = None if classes is None else tuple(np.asarray(classes).tolist())
        distances = hamming_distances(rule, columns, read_labels(y).astype(object), names)
    checked: list[list[CheckedClause]] = [[] for _ in answers]
    for index, (clause, label) in enumerate(zip(dnf.clauses, dnf.labels, strict=True)):
        holds = clause.condition_masks(columns).tolist()
        compared = [
            (c, c.compute_values(columns), {f: columns[f] for f in c.features})
            for c in clause.conditions
        ]
        for i, row in enumerate(checked):
            checks = (
                context.checker(value_at(values, i), row_values(cells, i), held).write(condition)
                for (condition, values, cells), held in zip(compared, holds[i], strict=True)
            )
            row.append(CheckedClause(index, label, tuple(checks)))
    read = {f: columns[f] for f in rule.features}
    past_cases = list_past_cases(dnf, columns, past, wording)
    rows = zip(answers, checked, distances, past_cases, strict=True)
    return [
        Explanation(i, v, *_reason(context, v, clauses), off, cases, row_values(read, i), context)
        for i, (v, clauses, off, cases) in enumerate(rows)
    ]


def _reason(
    context: _Context, answer: Any, clauses: list[CheckedClause]
) -> tuple[str, tuple[CheckedClause, ...], tuple[CheckedClause, ...]]:
    """Return the sentence on one row, the clauses that hold, and the near misses."""
    fired, mirrored = tuple(c for c in clauses if c.holds), context.rule.form == "cnf"
    missed = [
        describe_near_miss(c, mirrored, context.wording, is_band=context.is_scorecard)
        for c in clauses
        if not c.holds
    ]
    # clauses after the deciding one do not affect the prediction
    decides = fired[0].index if fired else len(clauses)
    missed.sort(key=lambda m: (m.label == answer or m.index > decides, m.nearness))
    if mirrored and not fired:  # the CNF's own clauses, with the conditions that hold
        met = (
            [context.checker(c.value, c.row, True).write(c.literal.negate()) for c in k.failing]
            for k in clauses
        )
        label = context.rule.labels[0]
        fired = tuple(CheckedClause(k, label, tuple(checks)) for k, checks in enumerate(met))
    return _sentence(context, answer, missed, fired), fired, tuple(missed)


def _sentence(
    context: _Context, answer: Any, missed: list[CheckedClause], fired: tuple[CheckedClause, ...]
) -> str:
    wording, word, rule = context.wording, context.wording.clause, context.rule
    if wording.spoken:
        return _address_person(context, answer, missed, fired)
    start = f"Predicted {outcome_text(answer)}"
    if rule.is_constant:
        return f"{start}: the rule reads no column, every row gets this prediction."
    names, mirrored = [f"{word} {c.index + 1}" for c in fired], rule.form == "cnf"
    if mirrored and answer == rule.labels[0]:
        reasons = [f"{name} as {c.checks[0].text}" for name, c in zip(names, fired, strict=True)]
        return f"{start}: every {word} holds, {_join_reasons(reasons, word)}."
    if not fired:
        near, failing = missed[0], "; ".join(c.text for c in missed[0].failing)
        text = f"no {word} matches. Closest is {word} {near.index + 1}: {failing}."
        if context.is_scorecard:
            text = near.sentence[0].lower() + near.sentence[1:]
        elif len(missed) == 1:
            text = f"{word} 1 does not match, as {failing}."
        return f"{start}: {text}"
    causes = [_all_of(c.checks, wording) for c in fired]
    if mirrored:
        reasons = [f"{name} fails, {cause}" for name, cause in zip(names, causes, strict=True)]
        return f"{start}: {_join_reasons(reasons, word)}."
    if context.is_scorecard:
        return f"{start}: {causes[0]}."
    also = f"; {join_list(names[1:])} {'match' if len(names) > 2 else 'matches'} too"
    because = causes[0] if fired[0].checks else "a clause without conditions"
    return f"{start}: {because} ({names[0]}{also if names[1:] else ''})."


def _address_person(
    context: _Context, answer: Any, missed: list[CheckedClause], fired: tuple[CheckedClause, ...]
) -> str:
    """Return the reason, addressed to the person concerned."""
    wording = context.wording
    start = f"Predicted {label_text(answer, wording)}"
    if context.rule.is_constant:
        return f"{start} for everybody, whatever the values are."
    if context.rule.form == "cnf" and answer == context.rule.labels[0]:
        return f"{start} because {_join_texts(c.checks[0].text for c in fired)}."
    if fired:
        return f"{start} because {_all_of(fired[0].checks, wording)}."
    failing = join_list(c.text for c in missed[0].failing)
    return f"{start}: for {label_text(missed[0].label, wording)}, {failing}."


def _all_of(checks: tuple[CheckedLiteral, ...], wording: Wording) -> str:
    if not wording.spoken:
        return join_list(c.text for c in checks) or "it has no condition"
    return _join_texts(c.text for c in checks) or "everybody gets it"


def _join_texts(texts: Iterable[str]) -> str:
    """Join texts that contain commas: "a is 3, above 2, and b is 1"."""
    *parts, last = dict.fromkeys(texts) or [""]
    return f"{', '.join(parts)}, and {last}" if parts else last


def _join_reasons(reasons: list[str], word: str) -> str:
    """Join at most five reasons."""
    more = len(reasons) - MAX_LISTED
    rest = [f"and {count_noun(more, f'more {word}')} likewise"] * (more > 0)
    return "; ".join([*reasons[:MAX_LISTED], *rest])
