"""Rows of an analysis and of other files: names, tables, figures of a rule clause by clause."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import hypergeom
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from rulekit.data import Costs, RowGroups, Table, read_table
from rulekit.data.costs import COST
from rulekit.data.drift import match_levels
from rulekit.data.matching import describe_numbers, match_names, match_units, strip_flags
from rulekit.data.options import cell_options
from rulekit.data.reading.loading import read_with_layout
from rulekit.evaluation import group_metrics
from rulekit.evaluation.metrics import confusion_table, cost_per_100
from rulekit.learners.choice import EXACT, ODDS, Loss
from rulekit.rules import Columns, RuleSet
from rulekit.style.phrases import outcome_text, write_outcome
from rulekit.style.wording import format_measure, percent
from ui.cache import compute_once
from ui.learners.spec import RunSpec
from ui.state import CATEGORIES, CUT, DATES, DURATIONS, NUMERIC, AppState

# Overfitting: if both parts were equally hard, as many wrong test rows would be this improbable.
BY_CHANCE = 0.01
FEW_GROUPS = 8  # columns with at most this many values are offered as groups first


@dataclass(frozen=True)
class Cases:
    """One part of the table, "training" or "test": columns and labels; `X` has the row numbers."""

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    columns: Columns

    @property
    def target(self) -> NDArray[Any]:
        """The true classes with the dtype that learners accept."""
        return pd.Series(self.y).infer_objects().to_numpy()

    def answers(self, rule: RuleSet) -> NDArray[Any]:
        """Return the rule's prediction for each row."""
        return rule.predict(self.columns)


def rows_of(state: AppState, model: ClassifierMixin) -> tuple[Cases, Cases | None]:
    """Return the training rows and the test rows (None without test rows)."""

    def part(name: str, X: pd.DataFrame, y: pd.Series) -> Cases:
        return Cases(name, X, y.to_numpy(dtype=object), model.read_columns(X))

    if state.is_of_all_rows:  # learned from all rows: there are no test rows
        return part("training", *state.data), None
    test = part("test", *state.testing) if len(state.testing[0]) else None
    return part("training", *state.training), test


def training_gap(model: ClassifierMixin, groups: RowGroups, state: AppState) -> float:
    """Return the larger gap of groups in true and false positive rate, on the training rows."""
    found = group_metrics(model, *state.training, groups, positive=state.positive).gaps
    return max((found[name].size for name in ODDS if name in found), default=float("nan"))


def class_shares(state: AppState) -> tuple[pd.Series, str]:
    """Return the share of each class in the training rows, the largest first, and of what it is."""
    y, weight = state.training[1], state.training_weight
    if weight is None:
        return y.value_counts(normalize=True), "of training rows"
    sums = pd.Series(weight).groupby(y.to_numpy()).sum().sort_values(ascending=False, kind="stable")
    return sums / sums.sum(), "of the weight of training rows"


def beats_majority(model: ClassifierMixin, state: AppState, spec: RunSpec) -> bool:
    """Return whether a rule loses less on all training rows than one prediction for all."""
    X, y = state.training
    costs, labels, rows = spec.error_costs(state.labels), y.to_numpy(), np.arange(len(y))

    def compare() -> bool:
        weight = compute_sample_weight(spec.class_weight, y)
        if state.training_weight is not None:
            weight = weight * state.training_weight
        loss = Loss(labels, weight, costs)
        constant = min(loss.compute(rows, np.full(len(y), label, object)) for label in state.labels)
        return bool(loss.compute(rows, model.predict(X)) < constant - EXACT)

    key = repr((state.fit_key, model.rule_set_, costs, spec.class_weight))
    return bool(compute_once("beats majority", key, compare))


def matches(rule: RuleSet, rows: Cases) -> NDArray[np.bool_]:
    """Return which rows each clause decides: holds on (DNF) or fails on (CNF), shape (n, k)."""
    fired = rule.clauses_fired(rows.columns)
    return fired if rule.form == "dnf" else ~fired


def error(rule: RuleSet, rows: Cases) -> float:
    """Return the share of rows that a rule predicts wrongly."""
    return float(np.mean(rows.answers(rule) != rows.y))


def cost_words(rule: RuleSet, rows: Cases, costs: Costs) -> str:
    """Return the cost of a rule's errors per hundred rows."""
    return format_measure(cost_per_100(rows.y, rows.answers(rule), costs), COST, costs.unit)


def cheapest_words(rows: Cases, costs: Costs) -> tuple[str, str]:
    """Return the outcome that is cheapest to predict for every row, and its cost."""
    labels, counts = np.unique(rows.y, return_counts=True)
    outcome, cost = costs.cheapest(labels, counts)
    return outcome_text(outcome), format_measure(cost, COST, costs.unit)


def verdict_words(
    rule: RuleSet, rows: Cases, folds: float | None, always: Any, labels: list[Any]
) -> list[str]:
    """Return sentences on errors: of new rows, of a constant, and the most frequent kind."""
    # `rows` are the test rows, or without any the training rows; `always` is a constant.
    share = error(rule, rows)
    errors = {rows.name: share} | ({} if folds is None else {"folds": folds})
    new = rows.name == "test" or folds is not None
    expected = 100 * (folds if folds is not None and rows.name != "test" else share)
    wrong = "fewer than 1" if 0 < expected < 0.5 else f"{expected:.0f}"
    measured = ", ".join(f"{name} {percent(value)}" for name, value in errors.items())
    sentences = [
        f"Wrong for {wrong} of 100 {'new' if new else 'training'} rows ({measured}); always "
        f"{write_outcome(always)}: {percent(float(np.mean(rows.y != always)))}."
    ]
    counts = confusion(rule, rows, labels).to_numpy() * ~np.eye(len(labels), dtype=bool)
    i, j = np.unravel_index(int(counts.argmax()), counts.shape)
    if counts[i, j]:
        sentences.append(
            f"Most errors: {counts[i, j]:,} of {counts.sum():,} wrong {rows.name} rows are "
            f"{write_outcome(labels[i])}, predicted {outcome_text(labels[j])}."
        )
    return sentences


def overfit_words(rule: RuleSet, train: Cases, test: Cases) -> str:
    """Return a warning if the test error is above the training error (one-sided Fisher test)."""
    here, there = (int(np.sum(rows.answers(rule) != rows.y)) for rows in (train, test))
    n_train, n_test = len(train.y), len(test.y)
    chance = hypergeom.sf(there - 1, n_train + n_test, here + there, n_test)
    if there * n_train <= here * n_test or chance > BY_CHANCE:
        return ""
    shorter = "; fewer conditions (on Models) may do better" if rule.n_conditions > 1 else ""
    return (
        f"The rule overfits: {percent(there / n_test)} of the test rows are wrong, "
        f"{percent(here / n_train)} of the training rows, more than chance explains (p < 0.01). "
        f"Expect the error of the test rows{shorter}."
    )


def confusion(rule: RuleSet, rows: Cases, labels: list[Any]) -> pd.DataFrame:
    """Count the actual classes of rows (rows) against those predicted (columns)."""
    return confusion_table(rows.y, rows.answers(rule), labels)


def read_as_before(content: bytes, name: str, columns: Iterable[str], state: AppState) -> Table:
    """Read another file as that of the table was read, with its names of `columns`."""
    options, sheet = cell_options(state.options), state.options.get("sheet")
    given, _, layout = read_with_layout(content, name=name, options=options)
    if layout is not None and sheet in layout.sheets:
        given = read_table(content, name=name, options=replace(options, sheet=sheet))
    return as_before(match_names(given, columns), state)


def as_before(table: Table, state: AppState) -> Table:
    """Convert columns to the types that the user selected in the first table."""
    for name, day_first in state.options.get(DATES, {}).items():
        if name in table.frame.columns:
            table = table.as_date(name, day_first=day_first)
    for kind, turn in (
        (NUMERIC, Table.as_numeric),
        (CATEGORIES, Table.as_category),
        (DURATIONS, Table.as_duration),
    ):
        for name in state.options.get(kind, ()):
            if name in table.frame.columns:
                table = turn(table, name)
    table = strip_flags(table, [c.name for c in state.table.columns if c.is_number])
    used = cell_options(state.options)
    schema = describe_numbers(state.table, [*state.features], used)
    table = match_units(table, schema, used.percent or "points")
    if levels := match_levels(state.table, table, columns=tuple(state.options.get("merged") or ())):
        table = respell_levels(table, levels)
    for name, cut in state.options.get(CUT, {}).items():
        if name in table.frame.columns and table.column(name).is_number:
            table = table.with_cut(name, cut)
    return table


def respell_levels(table: Table, levels: dict[str, dict[str, str]]) -> Table:
    """Return the table with levels in another spelling; the cells of the file stay."""
    new = Table.from_frame(table.frame.replace(levels), name=table.name, notes=table.notes)
    return replace(new, cells=table.cells)


ROW, TRUTH, ANSWER = "row", "actual", "predicted"


def row_number(position: Any) -> Any:
    """Return the display number of a row (or rows) of the table: the first one is 1."""
    return position + 1


def row_position(number: int) -> int:
    """Return the table's position for a display number."""
    return number - 1


def row_name(position: int, state: AppState) -> str:
    """Return a row's display name: its number, and its label if a column has labels."""
    name = f"Row {row_number(position)}"
    column = state.column_with_role("id")
    if column is None:
        return name
    label = state.table.frame[column].iloc[position]
    return name if pd.isna(label) else f"{name}, {state.label(column)} {label}"


def case_frame(rule: RuleSet, rows: Cases, state: AppState) -> pd.DataFrame:
    """List rows for display: `ROW`, `TRUTH`, `ANSWER`, features of the rule, then the others."""
    used = [f for f in rule.features if f in rows.X.columns]
    frame = rows.X[[*used, *[c for c in rows.X.columns if c not in used]]].reset_index(drop=True)
    for column, dates in frame.select_dtypes("datetime").items():
        if (dates.isna() | (dates == dates.dt.normalize())).all():  # without time of day
            frame[column] = dates.dt.date
    names: list[str] = [ROW, TRUTH, ANSWER]
    for column in frame.columns:
        name = state.label(column)
        names.append(name if name not in names else f"{name} ({column})")
    frame.insert(0, "", rows.answers(rule).astype(str), allow_duplicates=True)
    frame.insert(0, "", rows.y.astype(str), allow_duplicates=True)
    frame.insert(0, "", row_number(rows.X.index.to_numpy()), allow_duplicates=True)
    return frame.set_axis(names, axis=1)
