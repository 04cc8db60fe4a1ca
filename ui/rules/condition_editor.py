"""Editor of one condition: its cut point or levels beside the column's values by outcome."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from rulekit.plots import outcomes
from rulekit.plots.outcomes import FEW, MAX_LEVELS, gather_outliers, outcome_levels
from rulekit.rules import Clause, Literal, RuleSet
from rulekit.rules.condition import GAPS, ORDERED, WORDS, spell_part
from rulekit.style.palette import base_layout
from rulekit.style.phrases import condition_text
from rulekit.style.wording import percent
from ui.cache import compute_once
from ui.escape import md
from ui.rule_numbers import Cases
from ui.state import AppState
from ui.widgets import COUNT, chart
from ui.words import wording

STEPS = 200  # approximate number of steps of a slider
MOST_DIGITS = 12  # decimals of a cut point
MOST_LEVELS = 500  # number of levels that a list offers
DATE_TICKS = 5
TICKS = (50, 20, 10, 5, 2, 1)  # steps of the slider between ticks of the figure
FIELD, GAP, THUMB = 150, 16, 5  # pixels beside a slider, and its inset; the figure has the same
TABLE = "Add or remove conditions"
SUMMED = "This condition computes with several columns at once. It cannot be edited here."
NOTHING = f"A test for missing values has no cut point. It can be removed under “{TABLE}”."


@dataclass(frozen=True)
class ConditionCounts:
    """Counts of rows by the m distinct values of a condition's column, the last one "missing"."""

    # The condition has one result for all rows with a value, so another cut is counted in O(m).

    name: str
    n: int
    before: int  # rows that the unchanged rule predicts wrongly
    values: NDArray[Any]  # (m,), as `Literal.compute_values` returns them
    outcomes: NDArray[np.intp]  # (n_outcomes, m)
    wrong: NDArray[np.float64]  # (2, m), rows predicted wrongly if the condition fails, or holds
    moved: NDArray[np.float64]  # (2, m), rows with a changed prediction

    def errors(self, literal: Literal) -> tuple[int, int]:
        """Return how many rows are wrong, and how many change, with another condition."""
        holds = literal.mask_of(self.values).astype(int)
        at = np.arange(len(holds))
        return int(self.wrong[holds, at].sum()), int(self.moved[holds, at].sum())

    def sides(self, literal: Literal) -> NDArray[np.intp]:
        """Return the rows of each outcome where a condition holds and fails, shape (2, n)."""
        holds = literal.mask_of(self.values)
        return np.array([self.outcomes[:, side].sum(axis=1) for side in (holds, ~holds)])

    @property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        return int(self.outcomes[:, -1].sum())


def condition_counts(
    rule: RuleSet, k: int, i: int, rows: Cases, labels: Sequence[Any]
) -> ConditionCounts:
    """Count rows by the values of condition i of clause k, a `Literal`, and by outcome."""
    clause = rule.clauses[k]
    compared = cast("Literal", clause.conditions[i]).compute_values(rows.columns)
    codes, values = pd.factorize(compared)  # -1 where missing
    missing = np.array([None if compared.dtype == object else np.nan], dtype=compared.dtype)
    m = len(values) + 1
    codes = codes % m
    others = [c.mask(rows.columns) for j, c in enumerate(clause.conditions) if j != i]
    join = np.logical_and if clause.op == "and" else np.logical_or
    fired = rule.clauses_fired(rows.columns)
    now = rule.answers(fired)
    wrong, moved = [], []
    for holds in (False, True):
        fired[:, k] = join.reduce([np.full(len(codes), holds), *others])
        answer = rule.answers(fired)
        wrong.append(np.bincount(codes, answer != rows.y, m))
        moved.append(np.bincount(codes, answer != now, m))
    return ConditionCounts(
        rows.name,
        len(codes),
        int((now != rows.y).sum()),
        np.concatenate([values, missing]),
        np.array([np.bincount(codes[rows.y == label], minlength=m) for label in labels]),
        np.array(wrong),
        np.array(moved),
    )


def with_condition(rule: RuleSet, k: int, i: int, literal: Literal) -> RuleSet:
    """Return the rule with another condition i in clause k."""
    conditions = rule.clauses[k].conditions
    return rule.with_conditions(k, (*conditions[:i], literal, *conditions[i + 1 :]))


def with_levels(literal: Literal, levels: tuple[Any, ...]) -> Literal:
    """Return a test of equality with other levels; a single level uses equality."""
    if len(levels) == 1 and literal.op in ("==", "!="):
        return replace(literal, value=levels[0])
    return replace(literal, op="in" if literal.op in ("==", "in") else "not-in", value=levels)


def edit_condition(
    rule: RuleSet, k: int, i: int, train: Cases, test: Cases | None, state: AppState
) -> RuleSet | None:
    """Show condition i of clause k with the errors of the edited rule; return it on "Apply"."""
    condition = rule.clauses[k].conditions[i]
    literal = next(iter(Clause((condition,)).literals), None)  # None for a sum or product
    if literal is None or literal.op in GAPS:
        st.info(SUMMED if literal is None else NOTHING)
        return None
    key = f"{k}_{i}_{hash(state.rule_json)}"
    counts = []
    for rows in filter(None, (train, test)):
        count = partial(condition_counts, rule, k, i, rows, state.labels)
        place = repr((state.fit_key, state.rule_json, k, i, rows.name))
        counts.append(compute_once("condition counts", place, count, copy=False))
    container = st.container()
    edited = _edit_value(literal, counts[0], key, state)
    if edited is None:
        return None
    if counts[0].n_missing or edited.missing:
        title = f"Also holds if missing ({counts[0].n_missing:,} training rows)"
        missing = st.checkbox(title, edited.missing, key=f"missing_{key}")
        edited = replace(edited, missing=bool(missing))
    with st.container(key=f"edited_errors_{key}"):
        lines = []
        for part in counts:
            wrong, moved = part.errors(edited)
            line, then = f"{part.name.capitalize()} rows: {percent(part.before / part.n)}", ""
            if edited != literal:
                line += f" → {percent(wrong / part.n)}"
                then = f"; {moved:,} of {part.n:,} change their prediction."
            lines.append(f"{line} wrong{then}")
        if edited != literal:
            lines.append("The cross-validated error of an edited rule is not measured.")
        st.info("  \n".join(map(md, lines)))
    pressed = st.button("Apply", key="score_edit", type="primary")
    words = condition_text(edited, wording(state))
    table = pd.DataFrame(counts[0].sides(edited), columns=list(map(str, state.labels)), dtype=int)
    table.insert(0, "training rows", [words, "all others"])
    columns = dict.fromkeys(table.columns[1:], COUNT)
    alt = f"Training rows by outcome that meet: {words}"
    st.dataframe(table, hide_index=True, column_config=columns, alt=alt)
    with container:  # last, so that the errors are there before the figure is drawn
        _figure(edited, literal, train, key, state)
    return with_condition(rule, k, i, edited) if pressed else None


def _edit_value(
    literal: Literal, counts: ConditionCounts, key: str, state: AppState
) -> Literal | None:
    """Show the widget for the value of a condition; return the condition with its value."""
    if literal.op in WORDS:
        word = st.text_input("Word", literal.value, key=f"word_{key}")
        return replace(literal, value=word.strip())
    if literal.op in ORDERED and literal.order is not None:
        level = st.select_slider("Limit", literal.order, literal.value, key=f"level_{key}")
        return replace(literal, value=level)
    if literal.op in ORDERED:
        rows = np.repeat(counts.values[:-1].astype(float), counts.outcomes.sum(axis=0)[:-1])
        return _edit_cut(literal, rows, key, state)
    if not (offered := list(literal.order or ())):
        levels = {*counts.values[:-1].tolist(), *literal.values}
        offered = sorted(levels, key=lambda level: (type(level).__name__, level))
    if len(offered) > MOST_LEVELS:
        words = f"The column has {len(offered):,} levels, too many for a list."
        st.info(f"{words} Edit the condition under “{TABLE}”.")
        return None
    which = "one" if literal.op in ("==", "in") else "none"
    label = md(f"{wording(state).subject(literal)} is {which} of", 200)
    text_of = partial(_level_text, part=literal.part)
    chosen = st.multiselect(label, offered, list(literal.values), text_of, f"levels_{key}")
    if not chosen:
        st.info("Choose at least one level; a condition without levels matches no row.")
        return None
    return with_levels(literal, tuple(chosen))


def _level_text(level: Any, part: str | None) -> str:
    text = spell_part(level, part)
    return f"{text:.12g}" if isinstance(text, float) else str(text)


def _edit_cut(literal: Literal, values: NDArray[np.float64], key: str, state: AppState) -> Literal:
    """Show a slider and a field for a cut point, kept equal."""
    slid, typed = f"slide_{key}", f"cut_{key}"
    limit = float(literal.positions[0])
    low, high, step = slider_range(values, limit, literal.op)
    digits = max(digits_of(step), digits_of(limit))
    is_date = literal.part == "date"

    def convert(number: float) -> Any:
        return date.fromisoformat(literal.value_at(number)[:10]) if is_date else number

    ends = convert(low), convert(high)

    def follow(source: str, target: str) -> None:
        if (value := st.session_state[source]) is not None:
            st.session_state[target] = min(max(value, ends[0]), ends[1])
            if target == typed:
                st.session_state[typed] = value if is_date else round(value, digits)

    st.session_state.setdefault(typed, convert(limit))
    st.session_state.setdefault(slid, min(max(convert(limit), ends[0]), ends[1]))
    name = md(f"Cut point: {state.label(literal.feature)} {literal.op}", 91)
    more = {} if is_date else {"step": step, "format": f"%.{digits}f"}
    with st.container(horizontal=True, vertical_alignment="bottom", gap=None):
        if ends[0] < ends[1]:
            st.space(base_layout().margin.l - THUMB)
            st.slider(name, *ends, key=slid, on_change=follow, args=(slid, typed), **more)
            st.space(GAP)
        field = st.date_input if is_date else st.number_input
        more = {"min_value": date.min, "max_value": date.max} if is_date else more
        more |= {"on_change": follow, "args": (typed, slid), "width": FIELD}
        value = field("or typed", key=typed, **more)
    if value is None or value == convert(limit):
        return literal
    return replace(literal, value=value.isoformat() if is_date else float(value))


def slider_range(
    values: NDArray[np.float64], limit: float, op: str = ">"
) -> tuple[float, float, float]:
    """Return ends and step of a slider over the limit and a column's values as they are drawn."""
    drawn = gather_outliers(values, [limit])[0] if len(values) else np.array([limit])
    low, high = min(drawn.min(), limit), max(drawn.max(), limit)
    if low == high:
        return float(low), float(high), 1.0
    rough = (high - low) / STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
    if np.array_equal(values, np.floor(values)):
        step = max(step, 1.0)
        # a cut lies beside its number, and all are drawn
        low, high = (low - 1, high) if op in ("<=", ">") else (low, high + 1)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ends, digits = (first * step, last * step), digits_of(step)
    return round(ends[0], digits), round(ends[1], digits), round(step, digits)


def tick_distance(low: float, high: float, step: float) -> float:
    """Return the distance of ticks along a slider: some of its steps, at most a third of it."""
    return step * next((n for n in TICKS if 3 * n * step <= high - low), 1)


def digits_of(number: float) -> int:
    """Return the number of decimals of a number, at most `MOST_DIGITS`."""
    return next((d for d in range(MOST_DIGITS) if round(number, d) == number), MOST_DIGITS)


def _figure(literal: Literal, before: Literal, train: Cases, key: str, state: AppState) -> None:
    """Show the column's training rows by outcome, with the cut point in line with its slider."""
    name = state.label(literal.feature)
    values = literal.compute_values(train.columns)
    alt = f"Training rows by {name} and outcome; the table below counts them."
    codes = pd.Index(state.labels).get_indexer(train.y)
    if literal.op in ORDERED and literal.order is None:
        numbers = values.astype(float)
        present = numbers[~np.isnan(numbers)]
        edges = [literal.edge]
        figure = outcomes.outcome_bins_figure(numbers, codes, edges, name=name, **state.looks)
        limit = float(before.positions[0])
        low, high, step = slider_range(present, limit, before.op)
        distinct = np.unique(gather_outliers(present, [limit])[0])
        # the line of a cut of whole numbers is half of one beside it
        half = 0.5 if before.op in ("<=", ">") else -0.5
        axis = np.add([low, high], half * np.array_equal(present, np.floor(present)))
        if len(distinct) > FEW:  # otherwise the few bins would have the only ticks
            figure.update_xaxes(range=axis, tick0=0, dtick=tick_distance(low, high, step))
        elif np.array_equal(distinct, distinct[0] + np.arange(len(distinct))):
            figure.update_xaxes(range=axis - distinct[0])  # drawn side by side from 0
        figure.update_layout(margin_r=FIELD + GAP + THUMB).update_yaxes(automargin=False)
        if literal.part == "date":
            ticks = np.linspace(present.min(), present.max(), DATE_TICKS)
            texts = [str(literal.value_at(tick))[:10] for tick in ticks]
            figure.update_xaxes(tickvals=ticks, ticktext=texts)
        chart(figure, f"condition_{key}", alt)
        return
    if literal.op in WORDS:
        return
    cells = list(values)
    if literal.part is not None or literal.order is not None:
        cells = [None if v != v else _level_text(literal.value_at(v), literal.part) for v in cells]
    levels = outcome_levels(cells, codes, len(state.labels))
    figure = outcomes.outcome_levels_figure(levels, name=name, **state.looks)
    chart(figure, f"condition_{key}", alt)
    if len(levels) > MAX_LEVELS:
        st.caption(f"Drawn are the {MAX_LEVELS} most frequent of {len(levels):,} levels.")
