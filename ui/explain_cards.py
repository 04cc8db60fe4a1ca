"""The Explain page's cards: the cases, the verdict, what if, similar cases, the review."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.explain import Explanation, Wording, explain
from rulekit.plots import case_figure, case_sentence
from rulekit.plots.wording import percent, plural
from rulekit.rules import Clause, Columns, RuleSet
from rulekit.rules.literal import missing_in
from ui.cases import case_list, distance_to_boundary, ranges_of, row_number
from ui.escape import md
from ui.row_picker import pick_row
from ui.rule_numbers import Rows
from ui.rule_view import clause_words
from ui.state import KEEP, AppState, app_state, change
from ui.theme import chart

SHOW = {"all": "all cases", "errors": "errors only", "near": "near the boundary"}
MAX_LISTED = 2000
ABSENT = "(missing)"


def case_table(rule: RuleSet, rows: Rows, train: Rows, state: AppState) -> int | None:
    """Let the reader choose a case; return its position among `rows`, None if none is listed."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    show = left.segmented_control(
        "Show",
        list(SHOW),
        format_func=SHOW.get,
        default="all",
        required=True,
        key="explain_show",
        **KEEP,
    )
    words = right.text_input("Search in any column, or a row number", key="explain_words", **KEEP)
    numbers = row_number(np.asarray(rows.X.index))
    frame = rows.X.reset_index(drop=True)
    frame.insert(0, "decided", rows.answers(rule).astype(str))
    frame.insert(0, "truly", rows.y.astype(str))
    frame.insert(0, "row", numbers)
    distance = distance_to_boundary(rule, rows.columns, ranges_of(train.columns))
    listed = case_list(frame, rule, show=show, words=words, distance=distance)
    if listed.empty:
        st.info("No case fits. Show all cases, or search for something else.")
        return None
    return _choose(listed.head(MAX_LISTED), len(listed), state)


def _choose(listed: pd.DataFrame, total: int, state: AppState) -> int:
    """Show the cases, one row always chosen, and return the chosen position."""
    positions = [int(k) for k in listed.index]
    wanted = st.session_state.get("explain_case", _asked(listed))
    place = positions.index(wanted) if wanted in positions else 0

    def remember(position: int) -> None:
        st.session_state["explain_case"] = positions[position]

    pick_row(
        listed.rename(columns=state.label),
        place,
        remember,
        key="explain_table",
        alt=f"{total} cases; choosing one explains it below",
        height=260,
    )
    if total > len(listed):
        st.caption(f"Listing the first {len(listed)} of {total} cases; search to find others.")
    return positions[place]


def _asked(listed: pd.DataFrame) -> int | None:
    """Return the position of the row named in the address (``?row=``), if it is listed."""
    asked = st.query_params.get("row", "")
    found = listed.index[listed["row"].astype(str) == asked]
    return int(found[0]) if len(found) else None


def verdict(
    model: ClassifierMixin, X: pd.DataFrame, truth: Any, train: Rows, words: Wording, *, plain: bool
) -> Explanation:
    """Say why one case was decided as it was: a sentence and at most three supporting lines."""
    fixed = st.session_state.get("explain_fixed", [])
    found = explain(model, X, [truth], training=(train.X, train.y), immutable=fixed, wording=words)[
        0
    ]
    right = found.prediction == truth
    with st.container(border=True):
        st.markdown(f"### {md(found.sentence, 600)}")
        for line in found.supporting:
            st.markdown(f"- {md(line, 500)}")
        if not plain:
            text = f"Truly {truth}, so the answer is {'right' if right else 'wrong'}."
            if not right:
                steps = plural(found.hamming_distance, "condition")
                text += f" With {steps} added or removed the rule would be right about it."
            st.caption(md(text, 300))
    return found


def conditions(
    found: Explanation, rule: RuleSet, row: Columns, train: Rows, words: Wording, *, plain: bool
) -> None:
    """Show each clause condition by condition, met or not met, the nearest ones drawn."""
    met, missed = list(found.fired), list(found.near_misses)
    if missed:
        turning = (found.prediction == rule.default) == (rule.form == "dnf")
        others = f"Other {words.clause}s, the nearest first"
        st.markdown(f"**{'What is nearest to another answer' if turning else others}**")
        for miss in missed[:3]:
            st.markdown(f"- {md(miss.sentence, 500)}")
    order = [c.index for c in (*met, *missed)]
    for k in dict.fromkeys(order):
        clause = rule.clauses[k]
        holds = bool(clause.mask(row)[0])
        state_words = "holds" if holds else "does not hold"
        title = f"{words.clause.capitalize()} {k + 1} {state_words}"
        with st.expander(md(title), expanded=k == order[0]):
            st.code(clause_words(clause, words), None, wrap_lines=True)
            table = _conditions_table(clause, row, words)
            sentence = case_sentence(clause, row)
            figure = case_figure(clause, row, train.columns)
            if figure.data and not plain:
                chart(figure, f"case_{k}", sentence)
            st.dataframe(table, hide_index=True, alt=sentence)


def _conditions_table(clause: Clause, row: Columns, words: Wording) -> pd.DataFrame:
    """List a clause's conditions beside the case's values, met or not in words."""
    return pd.DataFrame(
        {
            "condition": [clause_words(Clause((c,), clause.op), words) for c in clause.conditions],
            "this case": [_cell(c.features, row) for c in clause.conditions],
            "": ["✓ met" if m else "✗ not met" for m in clause.condition_masks(row)[0]],
        }
    )


def _cell(features: tuple[str, ...], row: Columns) -> str:
    return ", ".join(_shown(row[f][0]) for f in features)


def _shown(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def what_if(
    model: ClassifierMixin, X: pd.DataFrame, found: Explanation, train: Rows, words: Wording
) -> None:
    """Let the reader change the values the rule reads, and say what it would answer."""
    rule, turn = model.rule_set_, st.session_state.setdefault("_whatif_turn", 0)
    if rule.is_constant:
        st.caption("The rule reads no column; no change makes a difference.")
        return
    number = X.index[0]
    row = model.columns_(X)
    edited: dict[str, Any] = {}
    places = st.columns(min(3, len(rule.features)))
    for k, feature in enumerate(rule.features):
        with places[k % len(places)]:
            key = f"whatif_{number}_{turn}_{feature}"
            edited[feature] = _input(feature, row, train.columns, key, words)
    st.button("Reset all values", key="whatif_reset", on_click=_next_turn)
    changed = {f: np.array([edited[f]], dtype=row[f].dtype) for f in rule.features}
    again = explain(rule, {**row, **changed}, wording=words)[0]
    stays = again.prediction == found.prediction
    lead = "The answer stays" if stays else f"The answer changes from {found.prediction} to"
    (st.info if stays else st.success)(md(f"{lead} {again.prediction}. {again.sentence}", 600))


def _next_turn() -> None:
    st.session_state["_whatif_turn"] += 1


def _input(feature: str, row: Columns, reference: Columns, key: str, words: Wording) -> Any:
    """Show one value's input: a number (empty for missing), or a choice among seen levels."""
    value, column = row[feature][0], reference[feature]
    label = md(words.amount(feature, words.name(feature)), 60)
    if column.dtype != object:
        now = None if value != value else float(value)
        new = st.number_input(label, value=now, key=key, placeholder="missing", format="%.6g")
        known = column[~missing_in(column)]
        if new is not None and len(known) and not known.min() <= new <= known.max():
            st.warning(f"Outside the training range, {known.min():.4g} to {known.max():.4g}.")
        return float("nan") if new is None else new
    levels = sorted({v for v in column if v is not None} | ({value} - {None}), key=str)
    options = [*levels, None]
    return st.selectbox(
        label,
        options,
        index=options.index(value),
        format_func=lambda v: ABSENT if v is None else md(v),
        key=key,
    )


def similar(found: Explanation, train: Rows, state: AppState) -> None:
    """List the training rows most like the case, as the rule sees them."""
    cases = found.similar(5)
    if not cases:
        st.caption("The rule reads no column, so no case is more alike than another.")
        return
    table = pd.DataFrame(
        [
            {
                "row": row_number(train.X.index[c.row]),
                "truly": str(c.label),
                "conditions alike": percent(c.agreement),
                **{state.label(f): _shown(v) for f, v in c.values.items()},
            }
            for c in cases
        ]
    )
    st.dataframe(table, hide_index=True, alt="The five training rows most like this case")


def review(number: int, found: Explanation) -> None:
    """Let the reader agree or disagree, with a note; kept with the analysis and its record."""
    notes: Mapping[str, Any] = app_state().case_notes
    mine = notes.get(str(number), {})
    st.markdown("**Do you agree with this answer?**")
    if mine.get("verdict"):
        st.caption(f"You said: {mine['verdict']}.")
    st.text_input("Note", value=mine.get("note", ""), key=f"note_{number}")
    left, right, _ = st.columns([1, 1, 3])
    for place, words in ((left, "agree"), (right, "disagree")):
        place.button(
            f"I {words}",
            key=f"review_{words}",
            on_click=_review,
            args=(number, words, f"note_{number}", str(found.prediction)),
            width="stretch",
        )
    if len(notes):
        st.caption(f"{plural(len(notes), 'case')} reviewed; the report on Export lists them.")


def _review(number: int, verdict: str, note_key: str, answer: str) -> None:
    entry = {"verdict": verdict, "note": st.session_state.get(note_key, ""), "answer": answer}
    change(case_notes={**app_state().case_notes, str(number): entry})
