"""The Rules page's cards: figures, clauses, outcomes, covered rows."""

from typing import Any

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.plots import clause_figure, clause_sentence, outcome_figure, outcome_sentence
from rulekit.plots.wording import percent, plural
from rulekit.rules import RuleSet
from ui.cases import row_number
from ui.escape import md
from ui.picked import looked_at_test_rows, repick
from ui.rule_numbers import Rows, clause_table, confusion, error, matches
from ui.state import AppState, app_state
from ui.theme import chart
from ui.words import clause_words, constant_answer, wording

SHOWN_ROWS = 500
INTERVAL = "The precision on all rows like these lies between the two, at 95 % confidence."


def headline(rule: RuleSet, train: Rows, test: Rows | None) -> None:
    """Show the rule's size and errors, test rows with the number of looks at them."""
    place = st.columns(4)
    place[0].metric("Clauses", rule.n_clauses)
    place[1].metric("Conditions", rule.n_conditions)
    place[2].metric("Wrong, training rows", percent(error(rule, train)))
    if test is None:
        place[3].metric("Wrong, test rows", "—", help="No test rows were set aside on Data.")
        return
    place[3].metric("Wrong, test rows", percent(error(rule, test)))
    looks = looked_at_test_rows()
    st.caption(
        f"{len(test.y):,} test rows took no part in learning. They were looked at for "
        f"{plural(looks, 'rule')} so far; the more often, the less they prove."
    )


def alarms(model: ClassifierMixin, rule: RuleSet, train: Rows) -> None:
    """Say what is wrong with an empty rule or a perfect one, and what to do."""
    if rule.is_constant:
        _empty_rule(model, rule)
    elif error(rule, train) == 0:
        names = ", ".join(md(app_state().label(f)) for f in rule.features)
        st.warning(
            f"The rule is right for all {len(train.y)} training rows. That is rare in honest data: "
            f"check whether {names} would be known before the decision is made, "
            "or tells the target itself."
        )


def _empty_rule(model: ClassifierMixin, rule: RuleSet) -> None:
    hint = getattr(model, "empty_rule_hint_", None)
    plain = f"The rule has no condition: every row gets the answer {constant_answer(rule)}."
    st.warning(md(hint or plain, 600))
    setting = app_state().setting or {}
    theta = getattr(model, "theta_pays_", 0) or getattr(model, "theta_max_", 0)
    if theta and "theta" in setting:
        lower = float(f"{min(0.9 * theta, setting['theta'] / 2):.2g}")
        st.button(
            f"Try θ = {lower:g}",
            key="lower_theta",
            on_click=repick,
            args=({**setting, "theta": lower},),
        )


def clause_cards(rule: RuleSet, train: Rows, test: Rows | None, state: AppState) -> frozenset[int]:
    """Show a card a clause with its figures and a switch; return the clauses switched off."""
    parts = [clause_table(rule, rows) for rows in (train, test) if rows is not None]
    verb = "matches" if rule.form == "dnf" else "turns away"
    off = set()
    for k, clause in enumerate(rule.clauses):
        with st.container(border=True):
            words, switch = st.columns([6, 1], vertical_alignment="center")
            words.code(clause_words(clause, wording(state)), None, wrap_lines=True)
            if not switch.toggle(
                "Use", True, key=f"use_{k}_{state.rule_json}", help="What if not?"
            ):
                off.add(k)
            for rows, table in zip((train, test), parts, strict=False):
                st.caption(md(f"Clause {k + 1} {verb} {_figures(table.loc[k], rows)}", 400))
    return frozenset(off)


def _figures(row: pd.Series, rows: Rows | None) -> str:
    name = "" if rows is None else rows.name
    if not row["matched"]:
        return f"no {name} row."
    return (
        f"{int(row['matched']):,} {name} rows, {int(row['right']):,} of them rightly "
        f"({percent(row['precision'])}, 95 % interval {100 * row['low']:.0f} to "
        f"{100 * row['high']:.0f} %); {int(row['unique']):,} by it alone."
    )


def clause_overview(rule: RuleSet, rows: Rows, state: AppState) -> None:
    """Show all clauses in one figure, with the same figures as a table."""
    table = clause_table(rule, rows)
    names = [f"Clause {k + 1}" for k in range(rule.n_clauses)]
    counts = pd.DataFrame(
        {"name": names, "of_class": table["right"], "other": table["matched"] - table["right"]}
    )
    label, other = rule.labels[0], rule.default
    if rule.form == "cnf":
        label, other = other, label
    if state.several:
        other = "another class"
    if len(set(rule.labels)) > 1:  # each clause gives a class of its own
        label, other = "the class its clause gives", "another class"
        counts["gives"] = rule.labels
    sentence = clause_sentence(counts, str(label))
    figure = clause_figure(counts, str(label), str(other), classes=state.classes)
    chart(figure, f"clauses_{rows.name}", sentence)
    shown = table.assign(clause=[clause_words(c, wording(state)) for c in rule.clauses])
    for name in ("precision", "low", "high", "coverage"):
        shown[name] = 100 * shown[name]
    share = st.column_config.NumberColumn(format="%.1f %%")
    st.dataframe(
        shown[["clause", *[c for c in shown.columns if c != "clause"]]],
        hide_index=True,
        column_config={
            "clause": st.column_config.TextColumn(width="medium"),
            **dict.fromkeys(("precision", "coverage"), share),
            "low": st.column_config.NumberColumn("95 % from", format="%.1f %%", help=INTERVAL),
            "high": st.column_config.NumberColumn("to", format="%.1f %%", help=INTERVAL),
            "lift": st.column_config.NumberColumn(format="%.2f"),
        },
        alt=sentence,
    )


def outcomes(rule: RuleSet, rows: Rows, labels: list[Any]) -> None:
    """Show where the rule is right and wrong, in a figure, in words and as a table."""
    table = confusion(rule, rows, labels)
    sentence = outcome_sentence(table)
    chart(outcome_figure(table, classes=app_state().classes), f"outcomes_{rows.name}", sentence)
    st.caption(md(sentence, 400))
    shown = table.rename(index=lambda v: f"truly {v}", columns=lambda v: f"decided {v}")
    st.dataframe(shown, alt=sentence)


def covered_rows(rule: RuleSet, rows: Rows, state: AppState) -> None:
    """List the rows a clause matches, or that the rule decides wrongly."""
    fired = matches(rule, rows)
    wrong = rows.answers(rule) != rows.y
    choices = {f"decided by clause {k + 1}": fired[:, k] for k in range(rule.n_clauses)}
    choices["decided by no clause"] = ~fired.any(axis=1)
    choices["decided wrongly"] = wrong
    which = st.selectbox("Rows", list(choices), key="covered_which")
    only = st.toggle("Only wrong decisions", key="covered_wrong")
    chosen = choices[which] & wrong if only else choices[which]
    st.caption(f"{int(chosen.sum())} of {len(chosen)} {rows.name} rows")
    if not chosen.any():
        return
    frame = rows.X[chosen]
    first = [c for c in rule.features if c in frame.columns]
    frame = frame[[*first, *[c for c in frame.columns if c not in first]]]
    frame = frame.rename(columns=state.label)
    frame.insert(0, "decided", rows.answers(rule)[chosen].astype(str))
    frame.insert(0, "truly", rows.y[chosen].astype(str))
    frame.insert(0, "row", row_number(frame.index))
    st.dataframe(frame.head(SHOWN_ROWS), hide_index=True, alt=f"{int(chosen.sum())} rows {which}")
    if len(frame) > SHOWN_ROWS:
        st.caption(f"Showing the first {SHOWN_ROWS}.")
