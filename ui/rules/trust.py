"""The tabs Groups, Stability and Alternatives of Rules."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from rulekit.data import RowGroups, row_groups
from rulekit.data.groups import GROUP_MEASURES
from rulekit.evaluation import (
    Alternatives,
    GroupMetrics,
    Stability,
    alternatives,
    errors_by_month,
    group_metrics,
    stability,
)
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import DataError
from rulekit.families import RuleClassifier
from rulekit.learners import BoxSearchClassifier
from rulekit.plots import (
    band_figure,
    band_sentence,
    describe_returned,
    gap_figure,
    gap_sentence,
    group_figure,
    group_sentence,
    month_figure,
    month_sentence,
    plot_returned,
)
from rulekit.rules import RuleSet, scorecard_of
from rulekit.style.scorecard import clause_names
from rulekit.style.wording import percent, plural
from ui.cache import compute_once
from ui.escape import md
from ui.learners.spec import quiet
from ui.rule_numbers import FEW_GROUPS, Cases, case_frame, training_gap
from ui.rules.editor import keep, source
from ui.runs.background import answer_of
from ui.runs.worker import Report
from ui.state import KEEP, AppState
from ui.theme import chart
from ui.widgets import SHARE, choice, pick_row, rule_text
from ui.words import clause_words, count_differing, rule_words, wording
from ui.workspace import pick_rule

N_RESAMPLES = 100
BUDGET_SECONDS = 60.0
OTHERS = 5  # maximal number of clauses of other rules to list
BY_HAND = (
    "Stability is only known for learned rules; this one was edited or selected from others. Use "
    "“Back to the learned rule”, or select a rule on Models."
)
SECONDS = 10.0
MOST_RULES = 2_000
SHOWN, SHOWN_ROWS, SHOWN_PAIRS = 200, 200, 12
WITHIN = (0.0, 0.005, 0.01, 0.02, 0.05)
LEADING, EVERY = "the best of each set of columns", "all, with every cut"
PICKED = "_just_as_good"  # session key of the viewed rule of each list


def look(
    model: ClassifierMixin,
    X: pd.DataFrame,
    y: NDArray[Any],
    options: dict[str, Any],
    report: Report,
) -> Alternatives:
    """Search for alternatives, as a job."""
    quiet()
    limits = {"max_rules": MOST_RULES, "time_limit": SECONDS}
    return alternatives(model, X, y, **options, **limits)


def just_as_good_card(model: ClassifierMixin, train: Cases, state: AppState) -> None:
    """Show the rules within a margin, and select one."""
    if state.several:
        st.info(
            "Alternatives are only available for two outcomes. On Data, let the rule describe one "
            "class against the rest."
        )
        return
    within = choice(
        "Rules that cost at most this much more than the best",
        {share: f"{100 * share:g} % of rows" for share in WITHIN},
        0.01,
        "alike_within",
        help="A wrong row counts one, or what it costs; a condition, its price in learning.",
    )
    key = repr((state.rule_key, within))
    weight = state.sample_weight if state.is_of_all_rows else state.training_weight
    options = {"within": within, "sample_weight": weight, "learner": _learner(state)}
    task = partial(look, model, train.X, train.target, options)
    alternatives = answer_of("alike", "Searching for alternatives", key, task)
    if alternatives is None:
        return
    sentences = alternatives.sentences({name: state.label(name) for name in train.columns})
    st.markdown("\n".join(f"- {md(sentence, 600)}" for sentence in sentences))
    _rules(alternatives, key, train, state)


def _learner(state: AppState) -> BoxSearchClassifier | None:
    """Return a learner with the current conditions for an edited rule; else None."""
    if not state.is_edited:
        return None
    spec = state.spec
    return BoxSearchClassifier(
        binarizer=state.binning.binarizer(),
        class_weight=spec.class_weight,
        costs=spec.error_costs(state.labels),
        constraints=spec.constraints(state.features, state.positive),
    )


def _rules(alternatives: Alternatives, key: str, train: Cases, state: AppState) -> None:
    """Show the table of rules, and the selected one."""
    lacking = {
        f"without {state.label(c)}": c for c in alternatives.columns.query("selected > 0")["column"]
    }
    chosen = st.selectbox("Rules shown", [LEADING, *lacking, EVERY], key="alike_which")
    numbers = alternatives.leading if chosen == LEADING else alternatives.table["rule"].tolist()
    if chosen in lacking:
        numbers = [k for k in numbers if lacking[chosen] not in alternatives.table["columns"][k]]
    if not numbers:
        without = alternatives.columns.set_index("column")["without"]
        rule = without[lacking[chosen]] if chosen in lacking else None
        st.caption("None of them." if rule is None else "None of them; the best that was found is:")
        if rule is not None:
            _one(alternatives, rule, train, state)
        return
    of_key, number = st.session_state.get(PICKED, (None, None))
    position = numbers.index(number) if of_key == key and number in numbers else None
    shown = numbers[:SHOWN]
    names = [", ".join(map(state.label, alternatives.table["columns"][k])) for k in shown]
    table = alternatives.table.loc[shown]
    pick_row(
        pd.DataFrame(
            {
                "rule": table["rule"] + 1,
                "wrong": 100 * table["wrong"],
                "differs": 100 * table["differs"],
                "conditions": table["n_conditions"],
                "clauses": table["n_clauses"],
                "reads": names,
            }
        ),
        position if position is not None and position < len(shown) else None,
        lambda row: st.session_state.update({PICKED: (key, shown[row])}),
        key="alike_table",
        alt=f"{len(shown)} rules as good as the selected one; picking one shows it below",
        height="content" if len(shown) < 6 else 212,
        column_config={
            "wrong": st.column_config.NumberColumn("wrong, training", format="%.1f %%"),
            "differs": st.column_config.NumberColumn(
                "other predictions", format="%.1f %%", help="Share of the training rows."
            ),
        },
    )
    if len(numbers) > SHOWN:
        st.caption(f"Showing the first {SHOWN} of {len(numbers):,}.")
    if position is not None:
        _one(alternatives, alternatives.rules[number], train, state)
    _pairs(alternatives)


def _one(alternatives: Alternatives, rule: RuleSet, train: Cases, state: AppState) -> None:
    """Show a rule, the rows with other predictions, and a button to use it."""
    rule_text(rule_words(rule, wording(state)))
    rows = alternatives.differing_rows(rule)
    if len(rows):
        st.markdown(md(_difference(alternatives, rule, rows, train, state), 900))
    else:
        st.caption("Same predictions as the selected rule on all training rows.")
    if rule != alternatives.selected:
        st.button(
            "Use this rule",
            key="alike_take",
            on_click=keep,
            args=(rule, f"an alternative to: {source()}"),
        )
    if len(rows):
        with st.expander(f"The {plural(len(rows), 'row')} with different predictions"):
            frame = case_frame(alternatives.selected, train, state).iloc[rows[:SHOWN_ROWS]]
            st.dataframe(
                frame.assign(**{"this rule": rule.predict(train.columns)[rows[:SHOWN_ROWS]]}),
                hide_index=True,
                alt=f"{len(rows)} rows that the two rules predict differently",
                height=240,
            )
            if len(rows) > SHOWN_ROWS:
                st.caption(f"Showing the first {SHOWN_ROWS}.")


def _difference(
    alternatives: Alternatives, rule: RuleSet, rows: NDArray[np.intp], train: Cases, state: AppState
) -> str:
    """Return how many predictions differ, which rule is right there, and where the rows are."""
    rules = alternatives.selected, rule
    differing = count_differing(*rules, "this one", train.columns, train.y)
    where = alternatives.differs_where(rule)
    if where is None:
        return differing
    held = where.mask(train.columns)
    inside = int(held[rows].sum())
    words = clause_words(where.clauses[0], wording(state))
    return (
        f"{differing} {inside:,} of these rows have {words}; of the {int(held.sum()):,} rows "
        f"there, the predictions of {percent(inside / held.sum())} differ."
    )


def _pairs(alternatives: Alternatives) -> None:
    """Show how often each two of the best rules disagree."""
    numbers = alternatives.leading[:SHOWN_PAIRS]
    if len(numbers) < 2:
        return
    with st.expander("How often each two of them disagree"):
        shares = 100 * alternatives.disagreement(numbers)
        names = [f"rule {k + 1}" for k in numbers]
        shares.index, shares.columns = pd.Index(names), pd.Index(names)
        st.dataframe(
            shares,
            column_config=dict.fromkeys(names, SHARE),
            alt="Shares of the training rows that each two rules predict differently",
        )


def repeat(
    model: ClassifierMixin,
    X: pd.DataFrame,
    y: NDArray[Any],
    options: dict[str, Any],
    report: Report,
) -> Stability:
    """Learn the rule on resamples and report progress, as a job."""
    quiet()
    return stability(
        model,
        X,
        y,
        budget_seconds=BUDGET_SECONDS,
        on_progress=lambda stability: report(done=stability.n_made, interim=stability),
        **options,
    )


def months_card(model: ClassifierMixin, train: Cases, test: Cases | None, state: AppState) -> None:
    """Show the error and the predicted share by month, where a column has the date of each row."""
    if not state.time_columns or state.is_of_all_rows:
        return
    by = state.split.by or state.time_columns[0]
    dates = state.dates(by)
    parts = {
        rows.name: errors_by_month(model, rows.X, rows.y, dates.loc[rows.X.index])
        for rows in filter(None, (train, test))
    }
    if max(map(len, parts.values())) < 2:
        return
    label = str(state.labels[0])
    st.markdown(f"**Error by month of {md(state.label(by), 40)}**")
    chart(month_figure(parts, label), "months", month_sentence(parts, label))
    with st.expander("Months as a table"):
        table = pd.concat([t.assign(rows=name) for name, t in parts.items()])
        shares = ["error", "low", "high", "predicted", "actual"]
        st.dataframe(
            table.assign(**100 * table[shares]),
            hide_index=True,
            alt="Rows, errors and predictions of each month",
            column_config=dict.fromkeys(shares, SHARE),
        )


def how_stable_card(model: ClassifierMixin, train: Cases, state: AppState) -> None:
    """Learn the rule again from resamples on demand, and show how often its parts return."""
    if state.is_edited:
        st.info(BY_HAND)
        return
    whole = state.is_of_all_rows
    groups = state.groups if whole else state.training_groups
    weight = state.sample_weight if whole else state.training_weight
    st.caption(
        f"Learns the rule again from {N_RESAMPLES} resamples of the training rows, each drawn with "
        "replacement, with the settings it was learned with, and counts what returns."
    )
    options = {"n_resamples": N_RESAMPLES, "groups": groups, "sample_weight": weight}
    stability = answer_of(
        "stable",
        "Learning again",
        state.rule_key,
        partial(repeat, model, train.X, train.target, options),
        offer="Learn it from resamples",
        total=N_RESAMPLES,
    )
    if stability is None or not stability.n_made:
        return
    names = {name: state.label(name) for name in train.columns}
    st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in stability.sentences(names)))
    if len(stability.columns):
        words = describe_returned(stability, names)
        chart(plot_returned(stability, names), "stable_columns", words)
    if (stability.cuts["returned"] > 0).any():
        chart(band_figure(stability, names), "stable_cuts", band_sentence(stability, names))
    _tables(stability, names)


def _tables(stability: Stability, names: dict[str, str]) -> None:
    """Show the same figures as tables."""
    columns, cuts = (
        table.assign(column=[names.get(c, c) for c in table["column"]])
        for table in (stability.columns, stability.cuts)
    )
    clauses = stability.clauses
    is_clause = clauses["number"] > 0
    clauses = pd.concat([clauses[is_clause], clauses[~is_clause].head(OTHERS)])
    clauses = clauses.assign(overlap=100 * clauses["overlap"])
    parts, part, number = "Clauses", "clause", "clause no."
    if scorecard_of(stability.selected):
        parts, part, number = "Points", "points", "in the rule"
        totals = ["", *clause_names(stability.selected)]
        clauses = clauses.assign(number=[totals[k] for k in clauses["number"]])
    for title, table in (("Columns", columns), ("Cuts", cuts), (parts, clauses)):
        with st.expander(f"{title} as a table"):
            st.dataframe(
                table,
                hide_index=True,
                alt=f"{title} and in how many of {stability.n_made} resamples they returned",
                column_config={
                    "selected": "in the rule",
                    "near": st.column_config.NumberColumn(
                        help="So near that at most 5 % of the rows lie between."
                    ),
                    "low": st.column_config.NumberColumn("a tenth up to"),
                    "middle": st.column_config.NumberColumn("half up to"),
                    "high": st.column_config.NumberColumn("nine tenths up to"),
                    "clause": part,
                    "number": number,
                    "overlap": st.column_config.NumberColumn("same rows", format="%.0f %%"),
                },
            )


GAP_SECONDS = 60.0

TITLES = {
    "error": "Error",
    "found": "True positive rate",
    "false_alarms": "False positive rate",
    "called_positive": "Predicted",
}
READ = (
    "Shares with 95 % intervals. *True positive rate*: share predicted {0} of the rows that are "
    "{0}. *False positive rate*: the same of all other rows. *Predicted*: the same of all rows."
)
MOST_CONDITIONS = 12
OWN = "groups compared"  # name of the group column in the search, which must not use it
SOURCE = "a rule chosen for a smaller gap between groups"


def gap_curve(
    state: AppState, groups: RowGroups, report: Report
) -> tuple[pd.DataFrame, pd.DataFrame, list[RuleSet]]:
    """Compare settings on inner folds, as a job: the curve, all settings, a rule for each row."""
    X, y = state.training
    own = OWN if OWN not in X else OWN + "_"
    spec = state.spec
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
    model = RuleClassifier(groups=own, refine=False, time_limit=GAP_SECONDS, **shared).fit(
        X, y, sample_weight=state.training_weight
    )
    curve = model.choice_.gap_curve()
    learner = BoxSearchClassifier(n_perturbations=0, **shared)
    names = list(model.choice_.setting)
    settings = [
        {name: row[name] for name in names} | {"n_clauses": int(row["n_clauses"])}
        for row in curve.to_dict("records")
    ]
    fits = fit_settings(learner, X, y, settings, state.training_weight)
    return curve, model.choice_.table, [fitted.rule_set_ for fitted in fits]


def gap_curve_card(column: str, groups: RowGroups, state: AppState) -> None:
    """Search for rules with a smaller gap on demand; show their cost, and select one."""
    st.markdown("**What would a smaller gap cost?**")
    if state.several:
        st.caption("Rules with a smaller gap are only available for two outcomes.")
        return
    st.caption(
        "Compares some hundred kinds of rule on five folds of the training rows, for up to about "
        f"{GAP_SECONDS:g} seconds: how often each is wrong, and how far the groups are apart in "
        "true and false positive rate. The column itself is not used by these rules."
    )
    key = repr((state.fit_key, column, state.run_settings))
    task = partial(gap_curve, replace(state, result=None, model=None), groups)
    offer = "Search for rules with a smaller gap"
    comparison = answer_of("gaps", "Comparing rules on five folds", key, task, offer=offer)
    if comparison is not None:
        _show_curve(*comparison, groups, state)


def _show_curve(
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
    rule_text(rule_words(rules[k], wording(state)))
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
    gap = training_gap(state.model, groups, state)
    return None if gap != gap or state.error is None else (gap, state.error)


def groups_card(model: Any, rows: Cases, state: AppState) -> None:
    """Show a choice of columns, and the figures of the groups of one."""
    left, seen = st.columns([3, 2], vertical_alignment="bottom")
    columns = [c.name for c in state.table.columns if c.name != state.target]
    frame = state.table.frame.loc[rows.X.index]
    few = (k for k, name in enumerate(columns) if 2 <= frame[name].nunique() <= FEW_GROUPS)
    column = left.selectbox(
        "Groups by",
        columns,
        next(few, 0),
        format_func=state.label,
        key="groups_column",
        help="Any column of the table, whether the rule reads it or not. Numbers of many values "
        "are cut into four bins of about equally many rows.",
        **KEEP,
    )
    positive = state.positive
    if state.several:
        positive = seen.selectbox("Outcome", state.labels, key="groups_outcome", **KEEP)
    try:
        groups = row_groups(frame[column], state.label(column))
    except DataError as error:
        st.info(md(str(error), 400))
        return
    key = repr((state.fit_key, state.rule_json, column, rows.name, positive))
    metrics = compute_once(
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
