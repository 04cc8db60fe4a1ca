"""A limit on the gap between groups: only rules within it are suggested."""

from dataclasses import replace

import streamlit as st

from rulekit.data import RowGroups, row_groups
from rulekit.evaluation import group_metrics
from rulekit.learners.choice import ODDS
from ui.cache import kept
from ui.escape import md
from ui.learners.spec import RunSpec
from ui.models.points import Curve
from ui.picked import model_key
from ui.state import KEEP, AppState

FEW_GROUPS = 8  # columns with at most this many values are listed first


def gap_fields(state: AppState, usual: RunSpec) -> dict[str, object]:
    """Show the fields of the limit and return the matching fields of a run."""
    target = state.target
    others = [c for c in state.table.columns if c.name != target]
    others.sort(key=lambda c: not 2 <= c.n_distinct <= FEW_GROUPS)
    columns = [c.name for c in others]
    column = st.selectbox(
        "Groups by",
        columns,
        columns.index(usual.gap_column) if usual.gap_column in columns else None,
        format_func=lambda name: md(state.label(name), 60),
        key="run_gap_column",
        placeholder="No limit",
        help="Any column of the table, whether rules read it or not.",
        **KEEP,
    )
    points = st.number_input(
        "Largest gap, in points",
        min_value=0.0,
        max_value=100.0,
        value=None if usual.max_gap is None else 100 * usual.max_gap,
        step=1.0,
        format="%g",
        key="run_max_gap",
        placeholder="No limit",
        disabled=column is None,
        help="Between two groups, in the true or the false positive rate, on the training rows. "
        "Only rules within it are suggested. Groups of fewer than 30 rows are not compared. Rules "
        "with a smaller gap than any on the curve are searched on Rules, under Groups.",
        **KEEP,
    )
    if column is None or points is None:
        return {"gap_column": "", "max_gap": None}
    return {"gap_column": column, "max_gap": points / 100}


def with_gaps(result: Curve, spec: RunSpec, state: AppState) -> Curve:
    """Measure the gap of each rule on the training rows; the same object if nothing changes."""
    if spec.max_gap is None:
        return result if result.max_gap is None else replace(result, gaps=(), max_gap=None)
    if (result.gap_column, result.max_gap) == (spec.gap_column, spec.max_gap):
        return result
    column = state.table.frame.loc[state.training[0].index, spec.gap_column]
    groups = row_groups(column, state.label(spec.gap_column))
    gaps = tuple(_gap(result, k, groups, spec, state) for k in range(len(result.settings)))
    return replace(result, gaps=gaps, max_gap=spec.max_gap, gap_column=spec.gap_column)


def _gap(result: Curve, number: int, groups: RowGroups, spec: RunSpec, state: AppState) -> float:
    """Return the gap of a point's rule; NaN without a rule or with too small groups."""
    model = result.models.get(model_key(result.settings[number]))
    if model is None:
        return float("nan")
    X, y = state.training
    key = repr((state.fit_key, spec.gap_column, state.positive, model.rule_set_))

    def largest() -> float:
        found = group_metrics(model, X, y, groups, positive=state.positive).gaps
        return max((found[name].size for name in ODDS if name in found), default=float("nan"))

    return float(kept(f"gap {number}", key, largest))


def gap_words(result: Curve, number: int, state: AppState) -> str:
    """Return the gap of a point's rule beside its limit; empty without a limit."""
    if result.max_gap is None:
        return ""
    gap, name = result.gaps[number], state.label(result.gap_column)
    if gap != gap:
        return f"The gap by {name} cannot be measured: its groups are too small."
    limit = f"{100 * result.max_gap:g} points allowed"
    return f"Gap by {name}: {100 * gap:.1f} points on the training rows ({limit})."
