"""The Explain page's cards on the prediction: reason, evidence, what-if."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.explain import Explanation, explain
from rulekit.plots import case_figure, case_sentence
from rulekit.rules import Clause, Columns, RuleSet
from rulekit.rules.condition import missing_in
from rulekit.style.phrases import Wording, outcome_text
from rulekit.style.wording import capital, plural
from ui.escape import md
from ui.rule_numbers import Rows
from ui.state import KEEP
from ui.theme import chart
from ui.words import clause_words, value_words

ABSENT = "(missing)"
MAX_CLAUSES = 8


def verdict(
    model: ClassifierMixin, X: pd.DataFrame, truth: Any, train: Rows, words: Wording
) -> Explanation:
    """Show the prediction, its reason and at most three supporting lines."""
    fixed = st.session_state.get("explain_fixed", [])
    found = explain(model, X, [truth], training=(train.X, train.y), immutable=fixed, wording=words)[
        0
    ]
    right = found.prediction == truth
    with st.container(border=True):
        st.markdown(f"### {md(found.sentence, 600)}" if words.spoken else _bold(found))
        st.markdown("\n".join(f"- {md(line, 500)}" for line in found.supporting))
        if not words.spoken:
            st.caption(
                f"Actual: **{md(truth)}**. The prediction is {'correct' if right else 'wrong'}."
            )
    return found


def _bold(found: Explanation) -> str:
    """Return the prediction as a heading of one line, and the reason below it."""
    predicted = outcome_text(found.prediction)
    reason = capital(found.sentence.removeprefix(f"Predicted {predicted}: "))
    return f"### Predicted {md(predicted)}\n\n{md(reason, 600)}"


def facts(found: Explanation, words: Wording) -> None:
    """List the values of the case that the rule looks at."""
    st.markdown("**What the rule looks at**")
    values = {words.name(f): words.amount(f, value_words(v)) for f, v in found.values.items()}
    st.table({"value": values})


def conditions(
    found: Explanation, rule: RuleSet, row: Columns, train: Rows, words: Wording
) -> None:
    """Show each clause condition by condition, met or not met, one click away but the first."""
    misses = {miss.index: miss.sentence for miss in found.near_misses}
    order = list(dict.fromkeys(c.index for c in (*found.fired, *found.near_misses)))
    for k in order[:MAX_CLAUSES]:
        clause = rule.clauses[k]
        holds = "holds" if bool(clause.mask(row)[0]) else "does not hold"
        met, of = int(clause.condition_masks(row)[0].sum()), len(clause.conditions)
        title = f"Clause {k + 1} {holds}, {met} of {plural(of, 'condition')} met"
        with st.expander(title, expanded=k == order[0]):
            if k in misses and k != order[0]:
                st.markdown(md(misses[k], 500))
            st.code(clause_words(clause, words), None, wrap_lines=True)
            sentence = case_sentence(clause, row)
            figure = case_figure(clause, row, train.columns)
            if figure.data:
                chart(figure, f"case_{k}", sentence)
            st.dataframe(_conditions_table(clause, row, words), hide_index=True, alt=sentence)
    if len(order) > MAX_CLAUSES:
        st.caption(f"{len(order) - MAX_CLAUSES} further clauses are farther from this case.")


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
    return ", ".join(value_words(row[f][0]) for f in features)


def what_if(
    model: ClassifierMixin, X: pd.DataFrame, found: Explanation, train: Rows, words: Wording
) -> None:
    """Show fields for the values the rule reads, and the resulting prediction."""
    rule, generation = model.rule_set_, st.session_state.setdefault("_whatif_turn", 0)
    if rule.is_constant:
        st.caption("The rule looks at no value, so no change makes a difference.")
        return
    number = X.index[0]
    row = model.read_columns(X)
    edited: dict[str, Any] = {}
    places = st.columns(min(3, len(rule.features)))
    for k, feature in enumerate(rule.features):
        with places[k % len(places)]:
            key = f"whatif_{number}_{generation}_{feature}"
            edited[feature] = _input(feature, row, train.columns, key, words)
    st.button("Reset all values", key="whatif_reset", on_click=_next_turn)
    changed = {f: np.array([edited[f]], dtype=row[f].dtype) for f in rule.features}
    again = explain(rule, {**row, **changed}, wording=words)[0]
    if again.prediction == found.prediction:
        st.info(md(f"The prediction stays {found.prediction}."))
    else:
        st.success(md(f"The prediction changes from {found.prediction}. {again.sentence}", 600))
    if not words.spoken:
        st.multiselect(
            "Columns the smallest change must leave alone",
            list(rule.features),
            format_func=words.name,
            key="explain_fixed",
            **KEEP,
        )


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
        moved = new is not None and new != now
        if moved and len(known) and not known.min() <= new <= known.max():
            span = f"{known.min():,.6g} to {known.max():,.6g}"
            st.warning(f"No training case has such a value; they range from {span}.")
        return float("nan") if new is None else new
    levels = sorted({v for v in column if v is not None} | ({value} - {None}), key=str)
    options = [*levels, None]
    return st.selectbox(
        label,
        options,
        index=options.index(value),
        format_func=lambda v: ABSENT if v is None else str(v),
        key=key,
    )
