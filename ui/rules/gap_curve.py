"""The cost of a smaller gap between groups, computed in the background, with its rules."""

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from rulekit.data import RowGroups
from rulekit.evaluation import group_metrics
from rulekit.families import RuleClassifier
from rulekit.learners import BoxSearchClassifier
from rulekit.learners.group_gaps import ODDS
from rulekit.plots import gap_figure, gap_sentence
from rulekit.rules import RuleSet
from rulekit.style.wording import percent, plural
from ui.escape import md
from ui.learners.spec import RunSpec
from ui.runs.background import answer_of
from ui.runs.worker import Reporter
from ui.state import AppState
from ui.theme import chart
from ui.words import rule_words, wording
from ui.workspace import pick_rule

SECONDS = 60.0
MOST_CONDITIONS = 12
OWN = "groups compared"  # name of the group column in the search, which must not use it
SOURCE = "a rule chosen for a smaller gap between groups"


@dataclass(frozen=True)
class GapCurve:
    """A job that compares settings on inner folds, and learns the rules of those on the curve.

    Its result is a triple: the curve, all compared settings, and a rule for each row of the curve.
    """

    state: AppState
    column: str
    groups: RowGroups

    def __call__(self, reporter: Reporter) -> tuple[pd.DataFrame, pd.DataFrame, list[RuleSet]]:
        """Search and learn."""
        state = self.state
        X, y = state.training
        column = OWN if OWN not in X else OWN + "_"
        spec = RunSpec.from_dict(state.run_settings)
        constraints = spec.constraints(state.features, state.positive) or {}
        constraints["forbidden"] = (*constraints.get("forbidden", ()), column)
        shared = {
            "max_conditions": MOST_CONDITIONS,
            "random_state": 0,
            "class_weight": spec.class_weight,
            "binarizer": state.binning.binarizer(),
            "constraints": constraints,
        }
        X = X.assign(**{column: self.groups.of_rows})
        model = RuleClassifier(groups=column, refine=False, time_limit=SECONDS, **shared).fit(
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
    task = GapCurve(replace(state, sweep=None, model=None), column, groups)
    offer = "Search for rules with a smaller gap"
    comparison = answer_of("gaps", "Comparing rules on five folds", key, task, offer=offer)
    if comparison is not None:
        _shown(*comparison, groups, state)


HELP = (
    "Compares some hundred kinds of rule on five folds of the training rows, for up to about "
    f"{SECONDS:g} seconds: how often each is wrong, and how far the groups are apart in true "
    "and false positive rate. The column itself is not used by these rules."
)


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
            else "The ring is the selected rule."
        )
    if curve.empty:
        return
    names = [
        f"gap {100 * row['gap']:.1f} points, {percent(row['test_error'])} wrong, "
        f"{plural(row['n_conditions'], 'condition')}"
        for _, row in curve.iterrows()
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
    """Return gap and error of the selected rule: as on the curve if it is there, else its own.

    None without a cross-validated error or enough rows in the groups.
    """
    rule = state.model.rule_set_
    if rule in rules:
        row = curve.iloc[rules.index(rule)]
        return float(row["gap"]), float(row["test_error"])
    X, y = state.training
    gaps = group_metrics(state.model, X, y, groups, positive=state.positive).gaps
    found = [gaps[name].size for name in ODDS if name in gaps]
    return (max(found), state.error) if found and state.error is not None else None
