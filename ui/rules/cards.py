"""The Rules page's cards: figures, clauses, outcomes, rows, operating points, probabilities."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin
from streamlit.delta_generator import DeltaGenerator

from rulekit import plots
from rulekit.evaluation import brier_score, operating_points, reliability, threshold_rule
from rulekit.evaluation.operating import clause_points
from rulekit.exceptions import RuleError
from rulekit.export import clause_numbers, to_json
from rulekit.export.documents.html import matrix_html
from rulekit.rules import RuleSet, scorecard_of, verify_rule
from rulekit.rules.analysis.tree import divide_rows
from rulekit.rules.simplification import simplified_note
from rulekit.style.phrases import write_outcome
from rulekit.style.wording import capital, percent, plural
from ui import rule_numbers
from ui.cache import compute_once
from ui.escape import md, page_words
from ui.learners.points import scorecard
from ui.picked import count_look, directions
from ui.rule_numbers import Cases
from ui.rules.editor import edit_button, editor, get_edited_clause, keep, source
from ui.shell import once
from ui.state import KEEP, AppState, app_state
from ui.streamlit_private import rerun
from ui.widgets import COUNT, MANY, MISSING, chart, choice, flow_chart, parts_table, pick_row
from ui.words import clause_names, constant_answer, full_words, wording
from ui.workspace import change, make_key

SHOWN_ROWS = 500
CORRECT = "How many of the rows that the clause decides are predicted correctly."
WRONG = -1  # in the list of rows: those predicted wrongly
FULL_TEXTS = 5  # clauses of which the picture has the texts too
OPEN_QUESTIONS = 5  # more are folded
LINES_HEIGHT = 400  # in pixels, of the box of many clauses, which also holds their editor
LARGER = (
    "No condition found lowers the error enough. On Models, allow more with “Conditions at most”, "
    "or search longer."
)
BY_HAND = "Press “Add a clause” below, or “Back to the learned rule”."


def headline(rule: RuleSet, train: Cases, test: Cases | None) -> None:
    """Show the verdict, the rule's size and errors, overfitting, and the looks at test rows."""
    state = app_state()
    always = state.training[1].mode()[0]
    words = rule_numbers.verdict_words(rule, test or train, state.error, always, state.labels)
    st.markdown(f"**{md(words[0], 300)}** {' '.join(md(text, 200) for text in words[1:])}")
    size, learned, held_out = st.columns(3)
    has_clauses = not (scorecard_of(rule) or rule.is_constant)
    clauses = f" in {plural(rule.n_clauses, 'clause')}" * has_clauses
    size.metric("Conditions", f"{rule.n_conditions}{clauses}")
    learned.metric("Error, training rows", percent(rule_numbers.error(rule, train)))
    if (costs := state.costs) is not None:
        outcome, cheapest = rule_numbers.cheapest_words(train, costs)
        size.metric(f"Cost a 100, always {md(outcome, 40)}", cheapest)
        learned.metric("Cost a 100, training rows", rule_numbers.cost_words(rule, train, costs))
        if test is not None:
            held_out.metric("Cost a 100, test rows", rule_numbers.cost_words(rule, test, costs))
    if test is None:
        held_out.metric("Error, test rows", "—", help="No test rows were set aside on Data.")
        return
    looks = count_look()
    held_out.metric(
        "Error, test rows",
        percent(rule_numbers.error(rule, test)),
        help=f"{len(test.y):,} test rows, not used in learning. Looked at for "
        f"{plural(looks, 'rule')} so far: the more often, the more optimistic their error.",
    )
    if warning := rule_numbers.overfit_words(rule, train, test):
        st.warning(warning)


def alarms(rule: RuleSet, train: Cases) -> None:
    """Warn of a rule without conditions or without errors."""
    state = app_state()
    if rule.is_constant:
        words = "The rule has no condition: every row gets the same prediction."
        st.warning(md(f"{words} {BY_HAND if state.is_edited else LARGER}", 400))
    elif rule_numbers.error(rule, train) == 0:
        names = ", ".join(md(state.label(f)) for f in rule.features)
        st.warning(
            f"The rule is correct for all {len(train.y):,} training rows, which is rare. Check "
            f"whether it reads what contains the outcome or is known only after it: {names}."
        )


def clause_lines(
    model: ClassifierMixin, train: Cases, test: Cases | None, state: AppState
) -> frozenset[int]:
    """Show one line per clause with counts, switch and editing; return the clauses switched off."""
    rule = model.rule_set_
    if scorecard_of(rule):
        scorecard(model, wording(state), train)
        edit_button(rule, 0, "Edit", state)
        if get_edited_clause(state) == 0:
            editor(rule, 0, train, test, state)
        return frozenset()
    if rule.is_constant:
        st.markdown(f"Always **{md(constant_answer(rule))}**")
        return frozenset()
    tables = {one.name: clause_numbers(rule, one.columns, one.y) for one in (train, test) if one}
    lead = f"**{md(rule.labels[0])}** if{' all of these hold:' * (rule.form == 'cnf')}"
    _line()[1].markdown(lead)
    off = set()
    with st.container(height=LINES_HEIGHT if rule.n_clauses >= MANY else "content", border=False):
        for k in range(rule.n_clauses):
            switch, text, counts, edit = _line()
            key, label = f"use_{k}_{state.rule_json}", f"Use clause {k + 1}"
            used = switch.toggle(label, True, key=key, label_visibility="collapsed")
            words = md(full_words(rule.clauses[k], wording(state)), 5000)
            joint = "and " if rule.form == "cnf" else "or "
            if k and len(set(rule.labels)) > 1:
                joint = f"else **{md(rule.labels[k])}** if "
            text.markdown((joint if k else "") + (words if used else f"~~{words}~~"))
            right = [
                f"{part}: {t[k].n_right:,} of {t[k].n:,} correct" for part, t in tables.items()
            ]
            counts.caption("  \n".join(right), help=None if k else CORRECT)
            with edit:
                edit_button(rule, k, "Edit", state)
            if not used:
                off.add(k)
            if get_edited_clause(state) == k:
                editor(rule, k, train, test, state)
    _line()[1].markdown(f"otherwise **{md(rule.default)}**")
    return frozenset(off)


def name_conditions(rule: RuleSet, state: AppState) -> None:
    """Show a field for the name of each condition, which all texts show before it."""
    texts = dict.fromkeys(str(t) for c in rule.conditions for t in c.tests or (c,))
    if not texts:
        return
    named = dict(state.texts)
    with st.popover("Name conditions"):
        for text in texts:
            name = st.text_input(md(text), named.get(text, ""), key=make_key(f"name_{text}"))
            named[text] = name.strip()
    named = {text: name for text, name in named.items() if name}
    if named != state.texts:
        change(texts=named)
        rerun()


def _line() -> list[DeltaGenerator]:
    """Create the columns of a line: switch, text, counts, edit button."""
    return st.columns([1, 9.5, 5, 1.4], vertical_alignment="center", gap="xsmall")


def where_rows_go(rule: RuleSet, rows: Cases, state: AppState) -> None:
    """Draw the rows that each part of the rule decides, with the same counts as a table."""

    def select_part(part: Any) -> None:
        st.session_state["covered_which"] = int(part)
        st.session_state.update(rules_tab_4="Errors", rules_view_Errors_3="Predictions")

    st.subheader("Where the rows go", anchor=False)
    folded = rule.n_clauses >= MANY  # else the page would be very long
    small = rule.n_clauses > FULL_TEXTS
    table = flow_chart(rule, rows.columns, rows.y, "flow", on_select=select_part, is_small=small)
    with st.expander("The same counts as a table") if folded else st.container():
        parts_table(table, rows.name)


def predictions_card(rule: RuleSet, rows: Cases, state: AppState) -> None:
    """Show a matrix of predictions, and list the wrong ones or those of a part of the rule."""
    st.html(matrix_html(rule_numbers.confusion(rule, rows, state.labels)))
    st.caption("Rows: actual. Columns: predicted. Shade: share of the actual outcome.")
    wrong = rows.answers(rule) != rows.y
    parts = [part for part in divide_rows(rule, rows.columns) if part.label is not None]
    names = clause_names(rule) if scorecard_of(rule) else [part.name for part in parts]
    choices = {WRONG: wrong, **{k: part.rows for k, part in enumerate(parts)}}
    words = {WRONG: "wrong", **{k: f"decided by {name}" for k, name in enumerate(names)}}
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    which = left.selectbox("Rows", list(choices), format_func=words.get, key="covered_which")
    only = right.toggle("Only wrong ones", key="covered_wrong", disabled=which == WRONG)
    chosen = choices[which] & wrong if only else choices[which]
    st.caption(f"{int(chosen.sum()):,} of {len(chosen):,} {rows.name} rows")
    if chosen.any():
        frame = rule_numbers.case_frame(rule, rows, state)[chosen]
        options = {"alt": f"{int(chosen.sum()):,} rows {words[which]}", "placeholder": MISSING}
        st.dataframe(frame.head(SHOWN_ROWS), hide_index=True, height=240, **options)
        if len(frame) > SHOWN_ROWS:
            st.caption(f"Showing the first {SHOWN_ROWS}.")


def view(tab: str, *titles: str) -> str:
    """Show the views of a tab as buttons; return the selected one."""
    words = {title: title for title in titles}
    last = f"_rules_view_{tab}"  # survives an edit that changes which views there are
    usual = st.session_state.get(last, titles[0])
    key = f"rules_view_{tab}_{len(titles)}"
    st.session_state[last] = str(choice(tab, words, usual, key, label_visibility="collapsed"))
    return str(st.session_state[last])


def overlap_card(rule: RuleSet, rows: Cases) -> None:
    """Show how many rows each two clauses both match; a clause with itself, how many it matches."""
    if scorecard_of(rule) or rule.n_clauses < 2:
        st.caption("Overlap needs two clauses.")
        return
    held = rule_numbers.matches(rule, rows).astype(int)
    numbers = [f"clause {k + 1}" for k in range(rule.n_clauses)]
    several = int((held.sum(axis=1) > 1).sum())
    words = f"{several:,} of {len(held):,} {rows.name} rows match more than one clause."
    st.markdown(f"{words} The first clause that matches decides.")
    st.dataframe(
        pd.DataFrame(held.T @ held, index=numbers, columns=numbers),
        column_config=dict.fromkeys(numbers, COUNT),
        alt=f"Rows that two clauses match. {words}",
    )


def checks_card(model: ClassifierMixin, train: Cases, state: AppState) -> None:
    """Show what `verify_rule` finds over every possible row, each with rows that show it."""
    st.caption("Checks the rule over every possible row, not only the rows of this table.")
    rule, constraints = model.rule_set_, directions(state)
    key = repr((state.fit_key, state.rule_json, constraints))
    verify = partial(verify_rule, rule, train.X, constraints=constraints)
    check = compute_once("verified rule", key, verify, copy=False)
    numbers = rule_numbers.row_number(train.X.index.to_numpy()).tolist()
    unchecked = check.not_checked
    if check.verdict:
        (st.info if unchecked else st.success)(check.verdict)
    for k, finding in enumerate(check.findings):
        words = md(finding.sentence + finding.evidence(numbers), 900)
        if finding.is_fault:
            st.warning(f"**{md(capital(finding.kind))}.** {words}")
        else:
            st.markdown(f"- {words}")
        if (shorter := finding.shorter) is not None:
            args = shorter, source()
            st.button("Use the shorter rule", key=f"shorter_{k}", on_click=keep, args=args)
    if unchecked:
        title = f"Not checked: {len(unchecked)} questions"
        with st.expander(title) if len(unchecked) > OPEN_QUESTIONS else st.container():
            st.caption("  \n".join(md(f"Not checked: {text}.", 300) for text in unchecked))
    if removed := simplified_note(model):
        st.caption(md(removed, 900))


CURVES = {"roc": "ROC", "precision": "Precision and recall"}
WAYS = {"clauses": "Clauses, one after another", "chances": "From a probability on"}
MOST = 20  # number of probabilities to choose from
SOURCE = "_operating_source"  # model whose points are shown while one of them is selected
# Column of `operating_points`: its title, and what it is the share of.
SHARES = {
    "called_positive": ("predicted", "Rows predicted {name}, of all rows."),
    "found": ("recall (true positive rate)", "Rows predicted {name}, of those that are {name}."),
    "false_alarms": ("false positive rate", "Rows predicted {name}, of those that are not {name}."),
    "precision": ("precision", "Rows that are {name}, of those predicted {name}."),
    "error": ("error", "Rows predicted wrongly, of all rows."),
}


def operating_card(model: Any, rows: Cases, state: AppState) -> None:
    """Show the operating points of the rule as a curve, and select one."""
    # while one of its points is the rule, those of the original rule stay
    source, picked, rule_json = st.session_state.get(SOURCE, (None, None, None))
    if source is None or rule_json != to_json(model.rule_set_):
        source, picked = model, None
    if state.several or len(source.classes_) != 2:
        st.caption("Operating points need two outcomes.")
        return
    by = "chances"  # each is a total of a scorecard, which has no clauses to switch on
    if not scorecard_of(source.rule_set_):
        by = choice("Points", WAYS, "clauses", "operating_by", label_visibility="collapsed")
    options = {"by": by, "costs": state.costs, "positive": state.positive}
    try:
        points = operating_points(source, rows.X, rows.y, **options)
    except RuleError as error:
        st.info(md(page_words(error), 400))
        return
    # at most MOST points, evenly spread, with both ends
    spread = sorted({round(k * (len(points) - 1) / (MOST - 1)) for k in range(MOST)})
    points = points.iloc[spread].reset_index(drop=True)
    places = {value: k for k, value in enumerate(points.iloc[:, 0])}
    at = places.get(picked, None if picked else (len(points) - 1 if by == "clauses" else None))
    name = write_outcome(state.positive)
    sentence = plots.operating_sentence(points, name)

    def pick(position: Any) -> None:
        if int(position) < len(points):
            once(lambda: _take(source, points.iloc[int(position), 0], by))()

    curve = choice("Curve", CURVES, "roc", "operating_curve", label_visibility="collapsed")
    figure = plots.operating_figure(points, name, at, precision=curve == "precision")
    chart(figure, "operating", sentence, on_select=pick)
    counted = f"Counted on {rows.name} rows; a selected point becomes the rule."
    st.caption(md(f"{sentence} {counted}", 400))
    table = _point_table(points, by, state, source.positive_label_)
    alt = "The operating points; selecting one makes it the rule"
    columns = {
        title: st.column_config.Column(help=text.format(name=f'"{md(name)}"'))
        for title, text in SHARES.values()
    }
    pick_row(table, at, pick, key=f"operating_table_{by}", alt=alt, column_config=columns)


def _point_table(points: pd.DataFrame, by: str, state: AppState, described: Any) -> pd.DataFrame:
    if by == "clauses":
        table = {"clauses on": [", ".join(map(str, on)) or "none" for on in points["clauses"]]}
    elif described == state.positive:
        cuts = [f"{100 * t:.1f} %" if t < 1 else "never" for t in points["threshold"]]
        table = {f"probability of {described} from": cuts}
    else:  # the other outcome is predicted from a probability on
        cuts = [f"{100 * (1 - t):.1f} %" if t < 1 else "any" for t in points["threshold"]]
        table = {f"probability of {state.positive} above": cuts}
    for measure, (title, _) in SHARES.items():
        table[title] = [f"{100 * v:.1f} %" if v == v else "—" for v in points[measure]]
    if "cost_per_100" in points:
        table["cost a 100"] = [f"{v:.4g}" for v in points["cost_per_100"]]
    return pd.DataFrame(table)


def _take(source: Any, value: Any, by: str) -> None:
    """Select a point as the rule; the points of the original rule stay visible."""
    if by == "clauses":
        rule: RuleSet = dict(clause_points(source))[value]
        words = f"clauses {', '.join(map(str, value))} of it" if value else "none of its clauses"
    else:
        rule = threshold_rule(source, value)
        name = source.positive_label_
        words = f"{name} from a probability of {100 * value:.1f} % on"
        words = f"never {name}" if value >= 1 else words
    keep(rule, words)
    st.session_state[SOURCE] = source, value, app_state().rule_json


def chances_card(model: Any, rows: Cases, state: AppState) -> None:
    """Show the rule's probabilities beside the observed shares on these rows."""
    labels, label = model.classes_.tolist(), state.positive
    if state.several:
        label = st.selectbox("Outcome", labels, key="chances_outcome", **KEEP)
    if label not in labels:
        st.caption(md(f"The rule never predicts {label}.", 200))
        return
    chance = model.predict_proba(rows.columns)[:, labels.index(label)]
    true = rows.y == label
    table, pays = reliability(true, chance), ""
    sentence = plots.reliability_sentence(table, brier_score(true, chance), float(true.mean()))
    figure = plots.reliability_figure(table, write_outcome(label))
    chart(figure, f"reliability_{rows.name}", sentence)
    costs = state.costs
    if costs is not None and costs.matrix is not None and len(state.labels) == 2:
        positive, other = state.labels
        miss, alarm = costs.matrix[positive, other], costs.matrix[other, positive]
        share = 100 * alarm / (miss + alarm)
        pays = f" At the given costs, predicting {positive} is cheaper from {share:.1f} % on."
    meaning = (
        "A probability is the share of the outcome among training rows that meet the same "
        "conditions; shares of few rows are drawn towards a logistic regression on them."
    )
    if hasattr(model, "bands_"):
        meaning = (
            "Each total of points has a probability of its own, measured in cross-validation if "
            "each outcome has at least two training rows."
        )
    learned = " The rule was learned from these rows, which flatters it."
    flattered = learned * (rows.name == "training")
    words = f"{meaning} Class weights and costs play no part."
    st.markdown(md(f"{sentence}{pays}{flattered}", 700), help=words)
    shown = pd.DataFrame(
        {
            "predicted": _spans(table["low"], table["high"]),
            "rows": table["rows"],
            "predicted on average": [f"{100 * v:.1f} %" for v in table["stated"]],
            "observed": [f"{100 * v:.1f} %" for v in table["share"]],
            "95 %": _spans(table["low95"], table["high95"]),
        }
    )
    st.dataframe(shown, hide_index=True, column_config={"rows": COUNT}, alt=sentence)


def _spans(low: pd.Series, high: pd.Series) -> list[str]:
    return [f"{100 * a:.0f} to {100 * b:.0f} %" for a, b in zip(low, high, strict=True)]
