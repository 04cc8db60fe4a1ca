"""The Explain page: selection of a case, cards of its reason and what-if, presenter mode."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from streamlit.delta_generator import DeltaGenerator

from rulekit.explain import Explanation, distance_to_boundary, explain, ranges_of
from rulekit.plots import case_figure, case_sentence
from rulekit.rules import Clause, Columns, RuleSet, scorecard_of
from rulekit.rules.condition import ORDERED, missing_in
from rulekit.rules.literal import EQUALITIES
from rulekit.style import phrases
from rulekit.style.phrases import Wording, cap_list, join_list, outcome_text, write_outcome
from rulekit.style.wording import capital, plural
from ui.escape import md
from ui.learners.offered import CARDS
from ui.learners.points import chance_sentence
from ui.rule_numbers import ANSWER, ROW, TRUTH, Cases, matches, row_number
from ui.state import KEEP, AppState, app_state
from ui.widgets import MISSING, chart, choice, flow_chart, pick_row, rule_text
from ui.words import clause_names, clause_words, find_fixed_columns, find_limits, value_words
from ui.workspace import change, make_key


def similar(
    explanation: Explanation, rule: RuleSet, row: Columns, train: Cases, state: AppState
) -> None:
    """List the training rows most like the case, by the rule's columns."""
    if not (cases := explanation.similar(5)):
        st.caption("The rule looks at no value, so no case is more alike than another.")
        return
    if not scorecard_of(rule):
        st.markdown(md(count_alike(rule, row, train), 300))
    n = len({x for c in rule.conditions for x in c.tests or (c,)})  # as `similar_cases` counts
    lines = [
        {ROW: row_number(train.X.index[case.row]), TRUTH: str(case.label)}
        | {"conditions alike": f"{round(case.agreement * n)} of {n}"}
        | {state.label(f): value_words(v, find_limits(rule, f)) for f, v in case.values.items()}
        for case in cases
    ]
    st.dataframe(pd.DataFrame(lines), hide_index=True, alt="The five past cases most like this one")


def count_alike(rule: RuleSet, row: Columns, train: Cases) -> str:
    """Return how many training rows meet the same conditions, and how many have the prediction."""
    same = np.ones(len(train.y), dtype=bool)
    for clause in rule.clauses:
        same &= (clause.condition_masks(train.columns) == clause.condition_masks(row)).all(axis=1)
    predicted, n = rule.predict(row)[0], int(same.sum())
    if not n:
        return "No past case has the same answer to each question of the rule."
    right = int((train.y[same] == predicted).sum())
    return (
        f"Of {plural(n, 'past case')} with the same answer to each question of the rule, {right:,} "
        f"{'was' if right == 1 else 'were'} {write_outcome(predicted)}."
    )


def review(number: int, explanation: Explanation) -> None:
    """Show buttons to agree or disagree, and a note; saved with the analysis and its record."""
    notes: Mapping[str, Any] = app_state().case_notes
    mine = notes.get(str(number), {})
    st.markdown("**Do you agree with this prediction?**")
    if mine.get("verdict"):
        st.caption(f"Your review: {mine['verdict']}.")
    st.text_input("Note", value=mine.get("note", ""), key=make_key(f"note_{number}"))
    for column, words in zip(st.columns(3), ("agree", "disagree"), strict=False):
        click = partial(_review, number, words, str(explanation.prediction))
        column.button(f"I {words}", key=f"review_{words}", on_click=click, width="stretch")
    if notes:
        st.caption(f"{plural(len(notes), 'case')} reviewed; the report on Export lists them.")


def _review(number: int, verdict: str, answer: str) -> None:
    note = st.session_state.get(make_key(f"note_{number}"), "")
    entry = {"verdict": verdict, "note": note, "answer": answer}
    change(case_notes={**app_state().case_notes, str(number): entry})


SHOW = {"all": "all", "errors": "wrong only", "near": "near the boundary"}
PART, SHOWN = "explain_part", "explain_show"
ANY = "any"
MAX_LISTED = 2000
MAX_COLUMNS = 60  # columns of the list, those of the rule first
N_NAMES = 3  # columns before the features: row, actual, predicted
MAX_VALUES = 20  # columns with more values are searched, not filtered
NEAR = 0.05  # a case is near the boundary if moving a value by this share of its range changes it


def choose_part(container: DeltaGenerator, parts: Sequence[str]) -> None:
    """Show the choice of a part of the table and of its cases; see `which`."""
    parted = {part: f"{part} rows" for part in parts}
    with container.container(horizontal=True):
        for label, key, words in (("Rows", PART, parted), ("Show", SHOWN, SHOW)):
            choice(label, words, None, key, label_visibility="collapsed", width="content")


def which(parts: Sequence[str]) -> tuple[str, str]:
    """Return the part of the table and the kind of cases chosen, also without widgets."""
    part = st.session_state.get(PART)
    return part if part in parts else parts[0], st.session_state.get(SHOWN, "all")


def case_table(
    frame: pd.DataFrame, show: str, rule: RuleSet, rows: Cases, train: Cases, state: AppState
) -> int | None:
    """Show the list of cases; return the chosen position among `rows`, None if none is listed."""
    search, *narrow = st.columns([4, 3, 3, 3], vertical_alignment="bottom")
    words = search.text_input("Search in any column, or a row number", key="explain_words", **KEEP)
    fired = matches(rule, rows)
    verb, title = " matches" if rule.form == "dnf" else " fails", "Clause"
    if scorecard_of(rule):
        verb, title = "", "Points"
    *names, none = [f"{name}{verb}" for name in clause_names(rule)]
    clauses = {name: fired[:, k] for k, name in enumerate(names)} | {none: ~fired.any(axis=1)}
    clause = narrow[0].selectbox(title, [ANY, *clauses], key=f"explain_clause_{rule.n_clauses}")
    keep = clauses.get(clause, np.ones(len(rows.y), dtype=bool))
    few = {column.name for column in state.table.columns if column.n_distinct <= MAX_VALUES}
    groups = {None: ANY} | {name: state.label(name) for name in rows.X.columns if name in few}
    text = f"A column of at most {MAX_VALUES} values, and one of these."
    column = narrow[1].selectbox("Group", list(groups), 0, groups.get, "explain_group", text)
    if column is not None:
        cells = rows.X[column].astype(object)
        values = sorted(cells.dropna().unique(), key=lambda v: (isinstance(v, str), v))
        key = f"explain_group_{column}"
        chosen = narrow[2].selectbox("Value", values, format_func=value_words, key=key)
        keep = keep & (cells == chosen).to_numpy()
    distance = distance_to_boundary(rule, rows.columns, ranges_of(train.columns))
    listed = case_list(frame[keep], show=show, words=words, distance=distance[keep])
    if listed.empty:
        st.info("No case fits. Show all cases, or search for something else.")
        return None
    return choose_listed(listed.head(MAX_LISTED), len(listed))


def choose_listed(listed: pd.DataFrame, total: int) -> int:
    """Show the cases with exactly one selected row, and return its position."""
    positions = [int(k) for k in listed.index]
    index = positions.index(get_selected_case(listed))
    pick_row(
        listed,
        index,
        lambda position: st.session_state.update(explain_case=positions[position]),
        key="explain_table",
        alt=f"{total} cases; choosing one explains it beside the table",
        shown=listed.iloc[:, :MAX_COLUMNS],
        height=540,
        placeholder=MISSING,
    )
    more = f"Listing the first {len(listed):,}; search to find others. " * (total > len(listed))
    if listed.shape[1] > MAX_COLUMNS:
        n_shown, n_features = MAX_COLUMNS - N_NAMES, listed.shape[1] - N_NAMES
        more += f"Showing {n_shown} of {n_features:,} features; the search covers all. "
    wrong = int((listed[TRUTH] != listed[ANSWER]).sum())
    cases = plural(total, "case")
    st.caption(f"{cases}. {more}The prediction is wrong for {wrong:,} of those listed.")
    return positions[index]


def get_selected_case(listed: pd.DataFrame) -> int:
    """Return the position of the case selected before, or in the address, or the first."""
    addressed = listed.index[listed[ROW].astype(str) == st.query_params.get("row", "")]
    wanted = st.session_state.get("explain_case", int(addressed[0]) if len(addressed) else None)
    return int(wanted if wanted in listed.index else listed.index[0])


def case_list(
    frame: pd.DataFrame, *, show: str, words: str, distance: NDArray[np.float64]
) -> pd.DataFrame:
    """Choose the rows to list: "all", "errors", or "near" a boundary, sorted by `distance`."""
    keep = np.ones(len(frame), dtype=bool)
    if show == "errors":
        keep = (frame[TRUTH] != frame[ANSWER]).to_numpy(copy=True)
    elif show == "near":
        keep = distance <= NEAR
    for word in words.lower().split():
        cells = frame.loc[keep].astype(str).mask(frame.isna(), MISSING)
        hit = (cells[ROW] == word).to_numpy()
        for _, column in cells.drop(columns=ROW).items():
            hit = hit | column.str.lower().str.contains(word, regex=False).to_numpy()
        keep[np.flatnonzero(keep)] = hit
    if show == "near":
        return frame[keep].iloc[np.argsort(distance[keep], kind="stable")]
    return frame[keep]


FEW_CLAUSES = 3  # more clauses are a list, of which one is shown


def explain_case(
    model: ClassifierMixin, X: pd.DataFrame, train: Cases, words: Wording
) -> Explanation:
    """Explain the prediction of one row; columns left alone stay as they are."""
    default = find_fixed_columns(model.rule_set_)  # people cannot change them
    fixed = st.session_state.get("explain_fixed", default)
    explanation = explain(model, X, training=(train.X, train.y), immutable=fixed, wording=words)[0]
    return replace(explanation, sentence=explanation.sentence + chance_sentence(model, X))


def verdict(explanation: Explanation, words: Wording, truth: Any = None) -> None:
    """Show the prediction, its reason and at most three supporting lines."""
    predicted = outcome_text(explanation.prediction)
    reason = explanation.sentence.removeprefix(f"Predicted {predicted}: ")
    names = tuple(map(words.name, explanation.values))
    if not (explanation.fired and reason.startswith(names)):  # a name keeps its case
        reason = capital(reason)
    text = f"### Predicted {md(predicted)}\n\n{md(reason, 600)}"
    with st.container(border=True):
        st.markdown(f"### {md(explanation.sentence, 600)}" if words.spoken else text)
        st.markdown("\n".join(f"- {md(line, 500)}" for line in explanation.supporting))
        if not words.spoken:
            result = "correct" if explanation.prediction == truth else "wrong"
            st.caption(f"Actual: **{md(truth)}**. The prediction is {result}.")


def conditions(
    explanation: Explanation, rule: RuleSet, row: Columns, train: Cases, words: Wording
) -> None:
    """Show each clause with its met and unmet conditions; the first one is open."""
    if scorecard_of(rule):
        return
    misses = {miss.index: miss.sentence for miss in explanation.near_misses}
    order = list(dict.fromkeys(c.index for c in (*explanation.fired, *explanation.near_misses)))

    def title(k: int) -> str:
        clause, n_met = rule.clauses[k], int(rule.clauses[k].condition_masks(row)[0].sum())
        verb = "matches" if bool(clause.mask(row)[0]) else "does not match"
        size = plural(len(clause.conditions), "condition")
        return f"Clause {k + 1} {verb}, {n_met} of {size} met"

    def show(k: int) -> None:
        clause, met = rule.clauses[k], rule.clauses[k].condition_masks(row)[0]
        if k in misses and k != order[0]:
            st.markdown(md(misses[k], 500))
        rule_text(clause_words(clause, words))
        sentence = case_sentence(clause, row)
        looks = {"classes": app_state().classes, "wording": words}
        figure = case_figure(clause, row, train.columns, train.y, **looks)
        if figure.data:
            chart(figure, f"case_{k}", sentence)
        lines = [
            (
                "✓ met" if is_met else "✗ not met",
                ", ".join(value_words(row[f][0], find_limits(rule, f)) for f in condition.features),
                clause_words(Clause((condition,), clause.op), words),
            )
            for condition, is_met in zip(clause.conditions, met, strict=True)
        ]
        table = pd.DataFrame(lines, columns=["", "this case", "condition"])
        st.dataframe(table, hide_index=True, alt=sentence)

    if len(order) > FEW_CLAUSES:
        label = f"{plural(len(order), 'clause')}, the closest first"
        show(st.selectbox(label, order, format_func=title, key=f"why_{hash(tuple(order))}"))
        return
    for k in order:
        with st.expander(title(k), expanded=k == order[0]):
            show(k)


def what_if(
    model: ClassifierMixin, X: pd.DataFrame, explanation: Explanation, train: Cases, words: Wording
) -> None:
    """Show fields for the values the rule reads, and the resulting prediction."""
    rule, generation = model.rule_set_, st.session_state.setdefault("_whatif_turn", 0)
    if rule.is_constant:
        st.caption("The rule looks at no value, so no change makes a difference.")
        return
    row = model.read_columns(X)
    edited = dict(row)
    places = st.columns(min(3, len(rule.features)))
    for k, feature in enumerate(rule.features):
        with places[k % len(places)]:
            key = f"whatif_{X.index[0]}_{generation}_{feature}"
            cell = _input(feature, row, train.columns, key, words)
        edited[feature] = np.array([cell], dtype=row[feature].dtype)
    turn = partial(st.session_state.update, {"_whatif_turn": generation + 1})
    st.button("Reset all values", key="whatif_reset", on_click=turn)
    again, before = explain(rule, edited, wording=words)[0], explanation.prediction
    if again.prediction == before:
        st.info(md(f"The prediction stays {before}."))
    else:
        st.success(md(f"The prediction changes from {before}. {again.sentence}", 600))
    label, fixed = "Columns the smallest change must leave alone", find_fixed_columns(rule)
    st.multiselect(label, list(rule.features), fixed, words.name, "explain_fixed", **KEEP)


def _input(feature: str, row: Columns, reference: Columns, key: str, words: Wording) -> Any:
    """Show one value's input: a number (empty for missing), or a choice among seen levels."""
    value, column = row[feature][0], reference[feature]
    label = md(words.amount(feature, words.name(feature)), 60)
    if column.dtype != object:
        now = None if value != value else float(value)
        new = st.number_input(label, value=now, key=key, placeholder="missing", format="%.6g")
        present = column[~missing_in(column)]
        moved = new is not None and new != now
        if moved and len(present) and not present.min() <= new <= present.max():
            span = f"{present.min():,.6g} to {present.max():,.6g}"
            st.warning(f"No training case has such a value; they range from {span}.")
        return float("nan") if new is None else new
    options = [*sorted({*column, value} - {None}, key=str), None]
    words_of = {None: "(missing)"} | {v: value_words(v) for v in options[:-1]}
    return st.selectbox(label, options, options.index(value), words_of.__getitem__, key)


PRESENTER = "presenter"  # session key: whether Explain is in presenter mode


def presenter(model: ClassifierMixin, X: pd.DataFrame, train: Cases, words: Wording) -> None:
    """Show one case: its prediction, the values read with their limits, what would change it."""
    with st.container(key="presenter"):
        explanation = explain_case(model, X, train, words)
        verdict(explanation, words)
        row = model.read_columns(X)
        if not scorecard_of(model.rule_set_):  # its points are shown beside the values
            st.markdown(md(count_alike(model.rule_set_, row, train), 300))
            rows = {}  # the values that the rule reads, each beside its limits
            for feature, value in explanation.values.items():
                text = value_words(value, find_limits(model.rule_set_, feature))
                text = words.amount(feature, text) if value is not None else text
                texts = [text, *limits(model.rule_set_, feature, words)]
                rows[words.name(feature)] = md("; ".join(texts), 300)
            if rows:
                st.markdown("**What the rule looks at**")
                st.table({"this case": rows})
        if not model.rule_set_.is_constant:
            flow_chart(model, train.columns, train.y, "flow_case", case=row, wording=words)
        for cards in CARDS:
            cards.explain(model, X, train, words, plain=True)
        leave = partial(st.session_state.update, {PRESENTER: False})
        st.button("Back to Explain", key="presenter_off", on_click=leave)


def limits(rule: RuleSet, feature: str, words: Wording) -> list[str]:
    """Return the limits of a column ("the limit is 11 years") and the levels that a rule tests."""
    read = [x for x in rule.tests if x.feature == feature and x.part in (None, "date")]
    ordered = {x.value: x for x in read if x.op in ORDERED}
    cuts = [phrases.value_words(x, value, words) for value, x in sorted(ordered.items())]
    tested = sorted({str(v) for x in read if x.op in EQUALITIES for v in x.values})
    texts = [f"the limit{'s are' if len(cuts) > 1 else ' is'} {join_list(cuts)}"] if cuts else []
    return [*texts, f"the rule checks for {cap_list(tested)}"] if tested else texts
