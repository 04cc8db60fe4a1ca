"""The tab "Groups" of Rules: errors and predictions by group, and what a smaller gap costs."""

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.data import RowGroups, row_groups
from rulekit.data.groups import GROUP_MEASURES
from rulekit.evaluation import GroupMetrics, group_metrics
from rulekit.exceptions import DataError
from rulekit.families import RuleClassifier
from rulekit.learners import BoxSearchClassifier
from rulekit.learners.choice import ODDS
from rulekit.plots import gap_figure, gap_sentence, group_figure, group_sentence
from rulekit.rules import RuleSet
from rulekit.style.wording import percent, plural
from ui.cache import kept
from ui.escape import md
from ui.learners.spec import RunSpec
from ui.rule_numbers import Rows
from ui.runs.background import answer_of
from ui.runs.worker import Reporter
from ui.state import KEEP, AppState
from ui.theme import chart
from ui.widgets import choice
from ui.words import rule_words, wording
from ui.workspace import pick_rule

SECONDS = 60.0

HELP = (
    "Compares some hundred kinds of rule on five folds of the training rows, for up to about "
    f"{SECONDS:g} seconds: how often each is wrong, and how far the groups are apart in true "
    "and false positive rate. The column itself is not used by these rules."
)

FEW_GROUPS = 8  # columns with at most this many values are listed first
TITLES = {
    "error": "Error",
    "found": "True positive rate",
    "false_alarms": "False positive rate",
    "called_positive": "Predicted",
}
READ = (
    "Shares with 95 % intervals. *True positive rate*: share of the actual {0} predicted {0}. "
    "*False positive rate*: share of the others predicted {0}. *Predicted*: share of all rows."
)
MOST_CONDITIONS = 12
OWN = "groups compared"  # name of the group column in the search, which must not use it
SOURCE = "a rule chosen for a smaller gap between groups"


def gap_curve(
    state: AppState, groups: RowGroups, reporter: Reporter
) -> tuple[pd.DataFrame, pd.DataFrame, list[RuleSet]]:
    """Compare settings on inner folds, as a job: the curve, all settings, a rule for each row."""
    X, y = state.training
    own = OWN if OWN not in X else OWN + "_"
    spec = RunSpec.from_dict(state.run_settings)
    constraints = spec.constraints(state.features, state.positive) or {}
    constraints["forbidden"] = (*constraints.get("forbidden", ()), own)
    shared = {
        "max_conditions": MOST_CONDITIONS,
        "random_state": 0,
        "class_weight": spec.class_weight,
        "binarizer": state.binning.binarizer(),
        "constraints": constraints,
    }
    X = X.assign(**{own: groups.of_rows})
    model = RuleClassifier(groups=own, refine=False, time_limit=SECONDS, **shared).fit(
        X, y, sample_weight=state.training_weight
    )
    curve = model.choice_.gap_curve()
    learner = BoxSearchClassifier(n_perturbations=0, **shared)
    names = list(model.choice_.setting)
    settings = [
        {name: row[name] for name in names} | {"n_clauses": int(row["n_clauses"])}
        for row in curve.to_dict("records")
    ]
    fits = learner.fit_many(X, y, settings, sample_weight=state.training_weight)
    return curve, model.choice_.table, [fitted.rule_set_ for fitted in fits]


def gap_curve_card(column: str, groups: RowGroups, state: AppState) -> None:
    """Search for rules with a smaller gap on demand; show their cost, and select one."""
    st.markdown("**What would a smaller gap cost?**")
    if state.several:
        st.caption("Rules with a smaller gap are only available for two outcomes.")
        return
    st.caption(HELP)
    key = repr((state.fit_key, column, state.run_settings))
    task = partial(gap_curve, replace(state, sweep=None, model=None), groups)
    offer = "Search for rules with a smaller gap"
    comparison = answer_of("gaps", "Comparing rules on five folds", key, task, offer=offer)
    if comparison is not None:
        _shown(*comparison, groups, state)


def _shown(
    curve: pd.DataFrame,
    every: pd.DataFrame,
    rules: list[RuleSet],
    groups: RowGroups,
    state: AppState,
) -> None:
    name, mark = groups.name, _mark(curve, rules, groups, state)
    sentence = gap_sentence(curve, name)
    chart(gap_figure(curve, every, name, mark), "gap_curve", sentence)
    st.caption(
        md(sentence, 400) + " The gap is the larger one of the true and false positive rate, over "
        "the rows of all five folds."
    )
    if mark is not None:
        st.caption(
            f"Selected rule (ring): gap {100 * mark[0]:.1f} points on the training rows, "
            f"{percent(mark[1])} wrong in cross-validation."
            if state.model.rule_set_ not in rules
            else "The ring is the selected rule, measured on these five folds."
        )
    if curve.empty:
        return
    names = [
        f"gap {100 * row['gap']:.1f} points, {percent(row['test_error'])} wrong, "
        f"{plural(rule.n_conditions, 'condition')}"
        for rule, (_, row) in zip(rules, curve.iterrows(), strict=True)
    ]
    k = st.selectbox(
        "Rule", range(len(rules)), format_func=names.__getitem__, key=f"gap_rule_{len(rules)}"
    )
    st.code(rule_words(rules[k], wording(state)), None, wrap_lines=True)
    st.button(
        "Use this rule",
        key="take_gap_rule",
        on_click=pick_rule,
        args=(rules[k],),
        kwargs={"source": SOURCE},
        help="Its gap on training and test rows is then shown above.",
    )


def _mark(
    curve: pd.DataFrame, rules: list[RuleSet], groups: RowGroups, state: AppState
) -> tuple[float, float] | None:
    """Return gap and error of the selected rule, the curve's if it is there; None if unknown."""
    rule = state.model.rule_set_
    if rule in rules:
        row = curve.iloc[rules.index(rule)]
        return float(row["gap"]), float(row["test_error"])
    X, y = state.training
    gaps = group_metrics(state.model, X, y, groups, positive=state.positive).gaps
    found = [gaps[name].size for name in ODDS if name in gaps]
    return (max(found), state.error) if found and state.error is not None else None


def groups_card(model: Any, rows: Rows, state: AppState) -> None:
    """Show a choice of columns, and the figures of the groups of one."""
    left, seen = st.columns([3, 2], vertical_alignment="bottom")
    columns = [c.name for c in state.table.columns if c.name != state.target]
    column = left.selectbox(
        "Groups by",
        columns,
        columns.index(_first(columns, rows, state)),
        format_func=lambda name: md(state.label(name), 60),
        key="groups_column",
        help="Any column of the table, whether the rule reads it or not. Numbers of many values "
        "are cut into four bins of about equally many rows.",
        **KEEP,
    )
    positive = state.positive
    if state.several:
        positive = seen.selectbox("Outcome", state.labels, key="groups_outcome", **KEEP)
    try:
        groups = _groups(column, rows, state)
    except DataError as error:
        st.info(md(str(error), 400))
        return
    key = repr((state.fit_key, state.rule_json, column, rows.name, positive))
    metrics = kept(
        "groups",
        key,
        lambda: group_metrics(model, rows.X, rows.y, groups, positive=positive),
        copy=False,
    )
    titles = {name: TITLES[name] for name in GROUP_MEASURES}
    measure = choice("Share", titles, "error", "groups_share", label_visibility="collapsed")
    chart(group_figure(metrics, measure), f"groups_{rows.name}", group_sentence(metrics, measure))
    for sentence in metrics.sentences():
        st.markdown(f"- {md(sentence, 600)}")
    _table(metrics)
    st.caption(READ.format(md(positive, 60)))
    if rows.name == "training":
        gap_curve_card(column, groups, state)


def _first(columns: list[str], rows: Rows, state: AppState) -> str:
    """Return the default column: the first with few values, else the first."""
    frame = state.table.frame.loc[rows.X.index]
    few = (name for name in columns if 2 <= frame[name].nunique() <= FEW_GROUPS)
    return next(few, columns[0])


def _groups(column: str, rows: Rows, state: AppState) -> RowGroups:
    return row_groups(state.table.frame.loc[rows.X.index, column], state.label(column))


def _table(metrics: GroupMetrics) -> None:
    """Show the figures of each group, and of all rows."""
    table = pd.concat([metrics.table, metrics.overall.to_frame().T])
    shown = pd.DataFrame({metrics.name: table.index, "rows": table["rows"].astype(int).to_numpy()})
    for measure, title in TITLES.items():
        ends = table[[measure, f"{measure}_low", f"{measure}_high"]].itertuples(index=False)
        shown[title] = [
            "no rows"
            if share != share
            else f"{100 * share:.1f} % ({100 * low:.0f}–{100 * high:.0f})"
            for share, low, high in ends
        ]
    st.dataframe(shown, hide_index=True, alt="; ".join(metrics.sentences()))
