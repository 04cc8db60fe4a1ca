"""The tabs Groups, Stability and Alternatives of Rules."""

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit import evaluation, plots
from rulekit.data import RowGroups, row_groups
from rulekit.data.groups import GROUP_MEASURES
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import DataError
from rulekit.families import RuleClassifier
from rulekit.learners import BoxSearchClassifier
from rulekit.rules import RuleSet, scorecard_of
from rulekit.style.scorecard import clause_names
from rulekit.style.wording import percent, plural
from ui.cache import compute_once
from ui.escape import md, page_words
from ui.learners.spec import quiet
from ui.rule_numbers import FEW_GROUPS, Cases, case_frame, training_gap
from ui.rules.editor import keep, source
from ui.runs.background import answer_of
from ui.runs.worker import Report
from ui.state import KEEP, AppState
from ui.widgets import COUNT, MISSING, SHARE, chart, choice, pick_row, rule_text
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
ONE_CLASS = (
    "Alternatives are only available for two outcomes. On Data, let the rule describe one class "
    "against the rest."
)
NUMBER = st.column_config.NumberColumn
WRONG = NUMBER("wrong, training", format="%.1f %%")
OTHER = NUMBER("other predictions", format="%.1f %%", help="Share of the training rows.")
HEADS = {  # of the tables of what returned
    "selected": "in the rule",
    "near": NUMBER(help="So near that at most 5 % of the rows lie between."),
    "low": "a tenth up to",
    "middle": "half up to",
    "high": "nine tenths up to",
    "clause": "clause",
    "number": "clause no.",
    "overlap": NUMBER("same rows", format="%.0f %%"),
}
COSTS_HELP = "A wrong row counts one, or what it costs; a condition, its price in learning."


def look(
    model: ClassifierMixin, rows: tuple[Any, Any], options: dict[str, Any], report: Report
) -> evaluation.Alternatives:
    """Search for alternatives, as a job."""
    quiet()
    return evaluation.alternatives(
        model, *rows, max_rules=MOST_RULES, time_limit=SECONDS, **options
    )


def just_as_good_card(model: ClassifierMixin, train: Cases, state: AppState) -> None:
    """Show the rules within a margin, and select one."""
    if state.several:
        st.info(ONE_CLASS)
        return
    shares = {share: f"{100 * share:g} % of rows" for share in WITHIN}
    title = "Rules that cost at most this much more than the best"
    within = choice(title, shares, 0.01, "alike_within", help=COSTS_HELP)
    key = repr((state.rule_key, within))
    weight = state.sample_weight if state.is_of_all_rows else state.training_weight
    spec, options = state.spec, {"within": within, "sample_weight": weight}
    if state.is_edited:  # the current conditions
        options["learner"] = BoxSearchClassifier(
            binarizer=state.binning.binarizer(),
            class_weight=spec.class_weight,
            costs=spec.error_costs(state.labels),
            constraints=spec.constraints(state.features, state.positive),
        )
    task = partial(look, model, (train.X, train.target), options)
    alternatives = answer_of("alike", "Searching for alternatives", key, task)
    if alternatives is None:
        return
    sentences = alternatives.sentences({name: state.label(name) for name in train.columns})
    st.markdown("\n".join(f"- {md(sentence, 600)}" for sentence in sentences))
    _rules(alternatives, key, train, state)


def _rules(alternatives: evaluation.Alternatives, key: str, train: Cases, state: AppState) -> None:
    """Show the table of rules, the selected one, and how often the best ones disagree."""
    columns = alternatives.columns
    lacking = {f"without {state.label(c)}": c for c in columns.query("selected > 0")["column"]}
    chosen = st.selectbox("Rules shown", [LEADING, *lacking, EVERY], key="alike_which")
    numbers = alternatives.leading if chosen == LEADING else alternatives.table["rule"].tolist()
    if chosen in lacking:
        numbers = [k for k in numbers if lacking[chosen] not in alternatives.table["columns"][k]]
    if not numbers:
        without = columns.set_index("column")["without"]
        rule = without[lacking[chosen]] if chosen in lacking else None
        st.caption("None of them." if rule is None else "None of them; the best that was found is:")
        if rule is not None:
            _one(alternatives, rule, train, state)
        return
    of_key, number = st.session_state.get(PICKED, (None, None))
    position = numbers.index(number) if of_key == key and number in numbers else None
    shown = numbers[:SHOWN]
    table = alternatives.table.loc[shown]
    pick_row(
        pd.DataFrame(
            {
                "rule": table["rule"] + 1,
                "wrong": 100 * table["wrong"],
                "differs": 100 * table["differs"],
                "conditions": table["n_conditions"],
                "clauses": table["n_clauses"],
                "reads": [", ".join(map(state.label, names)) for names in table["columns"]],
            }
        ),
        position if position is not None and position < len(shown) else None,
        lambda row: st.session_state.update({PICKED: (key, shown[row])}),
        key="alike_table",
        alt=f"{len(shown)} rules as good as the selected one; picking one shows it below",
        height="content" if len(shown) < 6 else 212,
        column_config={"wrong": WRONG, "differs": OTHER},
    )
    if len(numbers) > SHOWN:
        st.caption(f"Showing the first {SHOWN} of {len(numbers):,}.")
    if position is not None:
        _one(alternatives, alternatives.rules[number], train, state)
    best = alternatives.leading[:SHOWN_PAIRS]
    if len(best) < 2:
        return
    names = [f"rule {k + 1}" for k in best]
    shares = (100 * alternatives.disagreement(best)).set_axis(names).set_axis(names, axis=1)
    alt = "Shares of the training rows that each two rules predict differently"
    with st.expander("How often each two of them disagree"):
        st.dataframe(shares, column_config=dict.fromkeys(names, SHARE), alt=alt)


def _one(
    alternatives: evaluation.Alternatives, rule: RuleSet, train: Cases, state: AppState
) -> None:
    """Show a rule, the rows with other predictions, and a button to use it."""
    rule_text(rule_words(rule, wording(state)))
    rows = alternatives.differing_rows(rule)
    if len(rows):
        words = count_differing(alternatives.selected, rule, "this one", train.columns, train.y)
        if (where := alternatives.differs_where(rule)) is not None:
            held = where.mask(train.columns)
            inside, n_held = held[rows].sum(), held.sum()
            clause = clause_words(where.clauses[0], wording(state))
            words += (
                f" {inside:,} of these rows have {clause}; of the {n_held:,} rows there, the "
                f"predictions of {percent(inside / n_held)} differ."
            )
        st.markdown(md(words, 900))
    else:
        st.caption("Same predictions as the selected rule on all training rows.")
    if rule != alternatives.selected:
        args = rule, f"an alternative to: {source()}"
        st.button("Use this rule", key="alike_take", on_click=keep, args=args)
    if len(rows):
        with st.expander(f"The {plural(len(rows), 'row')} with different predictions"):
            frame = case_frame(alternatives.selected, train, state)
            frame = frame.assign(**{"this rule": rule.predict(train.columns)}).iloc[rows]
            alt = f"{len(rows):,} rows that the two rules predict differently"
            st.dataframe(
                frame.head(SHOWN_ROWS), hide_index=True, alt=alt, height=240, placeholder=MISSING
            )
            if len(rows) > SHOWN_ROWS:
                st.caption(f"Showing the first {SHOWN_ROWS}.")


def repeat(
    model: ClassifierMixin, rows: tuple[Any, Any], options: dict[str, Any], report: Report
) -> evaluation.Stability:
    """Learn the rule on resamples and report progress, as a job."""
    quiet()
    options = {"on_progress": lambda made: report(done=made.n_made, interim=made), **options}
    return evaluation.stability(model, *rows, budget_seconds=BUDGET_SECONDS, **options)


def months_card(model: ClassifierMixin, train: Cases, test: Cases | None, state: AppState) -> None:
    """Show the error and the predicted share by month, where a column has the date of each row."""
    if not state.time_columns or state.is_of_all_rows:
        return
    by = state.split.by or state.time_columns[0]
    dates = state.dates(by)
    parts = {
        rows.name: evaluation.errors_by_month(model, rows.X, rows.y, dates.loc[rows.X.index])
        for rows in filter(None, (train, test))
    }
    if max(map(len, parts.values())) < 2:
        return
    label = str(state.labels[0])
    st.markdown(f"**Error by month of {md(state.label(by), 40)}**")
    chart(plots.month_figure(parts, label), "months", plots.month_sentence(parts, label))
    table = pd.concat([t.assign(rows=name) for name, t in parts.items()])
    shares = dict.fromkeys(["error", "low", "high", "predicted", "actual"], SHARE)
    table = table.assign(**100 * table[list(shares)])
    alt = "Rows, errors and predictions of each month"
    with st.expander("Months as a table"):
        st.dataframe(table, hide_index=True, alt=alt, column_config=shares)


def how_stable_card(model: ClassifierMixin, train: Cases, state: AppState) -> None:
    """Learn the rule again from resamples on demand, and show how often its parts return."""
    if state.is_edited:
        st.info(BY_HAND)
        return
    groups, weight = state.training_groups, state.training_weight
    if state.is_of_all_rows:
        groups, weight = state.groups, state.sample_weight
    st.caption(
        f"Learns the rule again from {N_RESAMPLES} resamples of the training rows, each drawn with "
        "replacement, with the settings it was learned with, and counts what returns."
    )
    options = {"n_resamples": N_RESAMPLES, "groups": groups, "sample_weight": weight}
    task = partial(repeat, model, (train.X, train.target), options)
    button = {"offer": "Learn it from resamples", "total": N_RESAMPLES}
    stability = answer_of("stable", "Learning again", state.rule_key, task, **button)
    if stability is None or not stability.n_made:
        return
    names = {name: state.label(name) for name in train.columns}
    st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in stability.sentences(names)))
    if len(stability.columns):
        words = plots.describe_returned(stability, names)
        chart(plots.plot_returned(stability, names), "stable_columns", words)
    if (stability.cuts["returned"] > 0).any():
        words = plots.band_sentence(stability, names)
        chart(plots.band_figure(stability, names), "stable_cuts", words)
    columns, cuts = (
        table.assign(column=[names.get(c, c) for c in table["column"]])
        for table in (stability.columns, stability.cuts)
    )
    is_clause = stability.clauses["number"] > 0
    clauses = pd.concat([stability.clauses[is_clause], stability.clauses[~is_clause].head(OTHERS)])
    clauses = clauses.assign(overlap=100 * clauses["overlap"])
    parts, heads = "Clauses", HEADS
    if scorecard_of(stability.selected):
        parts, heads = "Points", HEADS | {"clause": "points", "number": "in the rule"}
        totals = ["", *clause_names(stability.selected)]
        clauses = clauses.assign(number=[totals[k] for k in clauses["number"]])
    for title, table in (("Columns", columns), ("Cuts", cuts), (parts, clauses)):
        alt = f"{title} and in how many of {stability.n_made} resamples they returned"
        with st.expander(f"{title} as a table"):
            st.dataframe(table, hide_index=True, alt=alt, column_config=heads)


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
    (X, y), weight, spec = state.training, state.training_weight, state.spec
    own = OWN if OWN not in X else OWN + "_"
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
    model = RuleClassifier(groups=own, refine=False, time_limit=GAP_SECONDS, **shared)
    selection = model.fit(X, y, sample_weight=weight).choice_
    curve = selection.gap_curve()
    settings = curve[list(selection.setting)].astype({"n_clauses": int}).to_dict("records")
    fits = fit_settings(BoxSearchClassifier(n_perturbations=0, **shared), X, y, settings, weight)
    return curve, selection.table, [fitted.rule_set_ for fitted in fits]


def gap_curve_card(column: str, groups: RowGroups, state: AppState) -> None:
    """Search for rules with a smaller gap on demand; show their cost, and select one."""
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
    if comparison is None:
        return
    curve, every, rules = comparison
    mark, words, selected = None, "", state.model.rule_set_
    if selected in rules:
        row = curve.iloc[rules.index(selected)]
        mark = float(row["gap"]), float(row["test_error"])
        words = "The ring is the selected rule, measured on these five folds."
    elif (gap := training_gap(state.model, groups, state)) == gap and state.error is not None:
        mark = gap, state.error
        words = (
            f"Selected rule (ring): gap {100 * gap:.1f} points on the training rows, "
            f"{percent(state.error)} wrong in cross-validation."
        )
    sentence = plots.gap_sentence(curve, groups.name)
    chart(plots.gap_figure(curve, every, groups.name, mark), "gap_curve", sentence)
    st.caption(
        f"{md(sentence, 400)} The gap is the larger one of the true and false positive rate, over "
        f"the rows of all five folds. {words}"
    )
    if curve.empty:
        return
    names = [
        f"gap {100 * gap:.1f} points, {percent(wrong)} wrong, "
        f"{plural(rule.n_conditions, 'condition')}"
        for rule, gap, wrong in zip(rules, curve["gap"], curve["test_error"], strict=True)
    ]
    places, key = range(len(rules)), f"gap_rule_{len(rules)}"
    k = st.selectbox("Rule", places, format_func=names.__getitem__, key=key)
    rule_text(rule_words(rules[k], wording(state)))
    use = partial(pick_rule, rules[k], source=SOURCE)
    words = "Its gap on training and test rows is then shown above."
    st.button("Use this rule", key="take_gap_rule", help=words, on_click=use)


def groups_card(model: Any, rows: Cases, state: AppState) -> None:
    """Show a choice of columns, and the figures of the groups of one."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    columns = [c.name for c in state.table.columns if c.name != state.target]
    frame = state.table.frame.loc[rows.X.index]
    few = (k for k, name in enumerate(columns) if 2 <= frame[name].nunique() <= FEW_GROUPS)
    words = (
        "Any column of the table, whether the rule reads it or not. Numbers of many values are cut "
        "into four bins of about equally many rows."
    )
    index, key = next(few, 0), "groups_column"
    column = left.selectbox("Groups by", columns, index, state.label, key, words, **KEEP)
    positive = state.positive
    if state.several:
        positive = right.selectbox("Outcome", state.labels, key="groups_outcome", **KEEP)
    try:
        groups = row_groups(frame[column], state.label(column))
    except DataError as error:
        st.info(md(page_words(error), 400))
        return
    key = repr((state.fit_key, state.rule_json, column, rows.name, positive))
    measure_groups = partial(
        evaluation.group_metrics, model, rows.X, rows.y, groups, positive=positive
    )
    metrics = compute_once("groups", key, measure_groups, copy=False)
    titles = {name: TITLES[name] for name in GROUP_MEASURES}
    measure = choice("Share", titles, "error", "groups_share", label_visibility="collapsed")
    words = plots.group_sentence(metrics, measure)
    chart(plots.group_figure(metrics, measure), f"groups_{rows.name}", words)
    found, n_gaps = [f"- {md(text, 600)}" for text in metrics.sentences()], len(metrics.gaps)
    st.markdown("\n".join(found[:n_gaps]))
    table = pd.concat([metrics.table, metrics.overall.to_frame().T])
    shown = pd.DataFrame({metrics.name: table.index, "rows": table["rows"].astype(int).to_numpy()})
    for name, title in TITLES.items():
        ends = 100 * table[[name, f"{name}_low", f"{name}_high"]].astype(float)
        shown[title] = [
            "no rows" if share != share else f"{share:.1f} % ({low:.0f}–{high:.0f})"
            for share, low, high in ends.itertuples(index=False)
        ]
    alt = "; ".join(metrics.sentences())
    st.dataframe(shown, hide_index=True, column_config={"rows": COUNT}, alt=alt)
    with st.expander("How groups are compared"):
        st.caption(READ.format(md(positive, 60)))
        st.markdown("\n".join(found[n_gaps:]))
    if rows.name == "training":
        with st.expander("What would a smaller gap cost?", key="gap_cost"):
            gap_curve_card(column, groups, state)
