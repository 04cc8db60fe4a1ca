"""Presenter mode of Explain: one case in plain words, to show or print, without navigation."""

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.explain import Explanation
from rulekit.rules import Literal, RuleSet, scorecard_of
from rulekit.rules.literal import EQUALITIES
from rulekit.rules.scales import ORDERED
from rulekit.style.phrases import Wording, capped, listed, value_words
from ui.escape import md
from ui.explain.cards import explained, verdict
from ui.learners.offered import CARDS
from ui.rule_numbers import Rows
from ui.words import value_words as cell_words

PRESENTER = "presenter"  # session key: whether Explain is in presenter mode


def is_on() -> bool:
    """Whether Explain is in presenter mode."""
    return bool(st.session_state.get(PRESENTER))


def switch(on: bool) -> None:
    """Turn presenter mode on or off."""
    st.session_state[PRESENTER] = on


def screen(model: ClassifierMixin, X: pd.DataFrame, train: Rows, words: Wording) -> None:
    """Show one case: its prediction, the values read with their limits, what would change it."""
    with st.container(key="presenter"):
        explanation = explained(model, X, train, words)
        verdict(explanation, words)
        if not scorecard_of(model.rule_set_):  # its points are shown beside the values
            facts(explanation, model.rule_set_, words)
        for cards in CARDS:
            cards.explain(model, X, train, words, plain=True)
        st.button("Back to Explain", key="presenter_off", on_click=switch, args=(False,))


def facts(explanation: Explanation, rule: RuleSet, words: Wording) -> None:
    """List the values of the case that the rule reads, each beside its limits in the rule."""
    if not explanation.values:
        return
    st.markdown("**What the rule looks at**")
    rows = {}
    for feature, value in explanation.values.items():
        text = words.amount(feature, cell_words(value)) if value is not None else "missing"
        rows[words.name(feature)] = md("; ".join([text, *limits(rule, feature, words)]), 300)
    st.table({"this case": rows})


def limits(rule: RuleSet, feature: str, words: Wording) -> list[str]:
    """Return the limits of a column ("the limit is 11 years") and the levels that a rule tests."""
    read = [
        literal
        for clause in rule.clauses
        for condition in clause.conditions
        for literal in condition.tests
        if literal.feature == feature and literal.part in (None, "date")
    ]
    ordered = sorted({x.value for x in read if x.op in ORDERED})
    cuts = [value_words(_at(read, value), value, words) for value in ordered]
    tested = sorted({str(v) for x in read if x.op in EQUALITIES for v in x.values})
    texts = [f"the limit{'s are' if len(cuts) > 1 else ' is'} {listed(cuts)}"] if cuts else []
    return [*texts, f"the rule checks for {capped(tested)}"] if tested else texts


def _at(read: list[Literal], value: object) -> Literal:
    return next(x for x in read if x.op in ORDERED and x.value == value)
