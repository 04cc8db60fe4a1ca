"""The ideal DNF as a learner of Models: set by a number of conditions, not by prices."""

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.families import IdealDNFClassifier
from rulekit.families.ideal_dnf import validation_figure, validation_sentence
from rulekit.families.ideal_dnf.ideal_dnf import CONDITIONS
from rulekit.rules import Clause
from rulekit.style.phrases import Wording
from rulekit.style.wording import plural
from ui.escape import md
from ui.learners.learner import Cards, Learner, Setting
from ui.learners.spec import RunSpec
from ui.rule_numbers import Cases
from ui.state import AppState
from ui.widgets import chart, menu, rule_text
from ui.words import clause_words, constant_answer, rule_words, wording

SCORE_NAMES = {
    "f": "F test",
    "mutual_info": "mutual information",
    "chi2": "chi-square",
    "forward": "what each adds",
}
MODE_NAMES = {"compact": "compact (shown)", "paper": "as in the paper"}
MOST_CLAUSES = 12  # of a formula as in the paper
NO_PAST_CASE = (
    "No past case meets the same conditions as this one: the prediction follows from the rule, not "
    "from experience."
)


def curve_card(model: ClassifierMixin, state: AppState) -> None:
    """Show the held-out error of each number of conditions; nothing for other learners."""
    if not isinstance(model, IdealDNFClassifier) or model.validation_curve_.empty:
        return
    curve, tolerance = model.validation_curve_, model.tolerance
    sentence = validation_sentence(curve, tolerance)
    if model.rule_set_.is_constant and model.conditions_:
        sentence = (
            f"The formula uses none of the {plural(len(model.conditions_), 'condition')} chosen: "
            f"for all their values, most rows are {constant_answer(model.rule_set_)}."
        )
    st.markdown("**How many conditions it needs**")
    left, right = st.columns(2, gap="medium")
    with left:
        chart(validation_figure(curve, tolerance), "ideal_curve", sentence)
    right.dataframe(curve_table(curve), hide_index=True, alt=sentence)
    rows = f"Of the training rows {model.n_held_out_:,.0f} were"
    if model.selection == "forward":
        rows = "Each fifth of the training rows was in turn"
    counted = "held out to choose; the formula itself is counted on all of them."
    st.caption(md(f"{sentence} {rows} {counted}", 600))


def curve_table(curve: pd.DataFrame) -> pd.DataFrame:
    """Return the curve as a table."""
    return pd.DataFrame(
        {
            "conditions": curve["k"],
            "right, held out": [f"{100 * a:.1f} %" for a in curve["accuracy"]],
            "selected by": [SCORE_NAMES[s] for s in curve["score"]],
            "chosen": ["★" if c else "" for c in curve["chosen"]],
        }
    )


def ideal_card(model: ClassifierMixin, state: AppState) -> None:
    """Show the results of counting: optimality, both modes, the guarantee."""
    if not isinstance(model, IdealDNFClassifier):
        return
    words = "There was no condition to choose."
    if model.conditions_:
        chosen = plural(len(model.conditions_), "condition")
        words = f"No formula over {chosen} chosen here is wrong on fewer training rows."
    short = "A shorter formula with the same predictions may exist; the search ran out of time."
    if model.proved_shortest_:
        short = "No formula with the same predictions is shorter."
    st.success(md(f"{words} {short}", 400))
    curve_card(model, state)
    st.markdown("**What these rows guarantee, and what they do not**")
    for sentence in model.guarantee().sentences():
        st.markdown(f"- {md(sentence, 600)}")
    st.markdown("**Cases that the table does not decide**")
    types, n_types, named = model.types_, 2 ** len(model.conditions_), wording(state)
    ties = int((types["rows_positive"] == types["rows_default"]).sum())
    if len(types) == n_types and not ties:
        st.caption(f"All {n_types} types of cases occur, each with more rows of one class.")
    else:
        text = (
            f"{n_types - len(types)} of {n_types} types of cases do not occur, and {ties} occur "
            "with both classes equally often. The compact formula predicts what makes it shortest "
            f"there; the formula of the paper predicts {model.default_label_}."
        )
        st.caption(md(text, 500))
        rules = {mode: model.rule_in_mode(mode) for mode in MODE_NAMES}
        sizes = [(MODE_NAMES[m], rule.n_clauses, rule.n_conditions) for m, rule in rules.items()]
        table = pd.DataFrame(sizes, columns=["formula", "clauses", "conditions"])
        st.dataframe(table, hide_index=True, alt="Size of the formula in both modes")
        if (paper := rules["paper"]) != rules["compact"]:
            st.caption("The formula as in the paper:")
            further = paper.n_clauses - MOST_CLAUSES
            shown, labels = paper.clauses[:MOST_CLAUSES], paper.labels[:MOST_CLAUSES]
            first = rule_words(replace(paper, clauses=shown, labels=labels), named)
            rule_text(f"{first}\n({further} further clauses)" if further > 0 else first)
    texts = [clause_words(Clause((literal,)), named) for literal in model.conditions_]
    names = dict(zip(types.columns, texts, strict=False)) if len(set(texts)) == len(texts) else {}
    names["rows_positive"] = f"rows of {model.positive_label_}"
    names["rows_default"] = f"rows of {model.default_label_}"
    st.markdown("**The types of cases it counted**")
    alt = f"{len(types)} types of cases with their rows"
    st.dataframe(types.rename(columns=names), hide_index=True, alt=alt)


def warn_if_unseen(
    model: ClassifierMixin, X: pd.DataFrame, train: Cases, words: Wording, *, plain: bool
) -> None:
    """Warn if no training row has the type of a case; nothing for other learners."""
    if isinstance(model, IdealDNFClassifier) and not bool(model.has_seen(X)[0]):
        st.warning(NO_PAST_CASE)


CUTS = {
    "median": "cut at its median, and ranked alone (the paper's way)",
    "binning": "cut as on Binning",
}
MODES = {
    "compact": "whatever makes the formula shortest",
    "paper": "the other class (the paper's way)",
}


def own_parameters(spec: RunSpec, state: AppState, variant: Setting) -> dict[str, Any]:
    """Return the mode, cut points and selection, and no time limit: counting is fast."""
    own: dict[str, Any] = {"mode": spec.ideal_mode, "time_limit": None}
    if spec.ideal_cuts == "binning":
        return own | {"selection": "forward", "binarizer": state.binning.binarizer()}
    # without a binarizer, which cuts at the paper's medians, the learner tests every gap, also of
    # columns that rules must not test
    missing = {c.name for c in state.table.columns if c.n_missing} & set(state.features)
    cuts = replace(state.binning, method="median", cuts=())
    binarizer = None if missing <= set(state.binning.missing) else cuts.binarizer()
    return own | {"selection": "ranking", "binarizer": binarizer}


def form(usual: RunSpec) -> dict[str, Any]:
    """Show the form for cutting numbers and for cases without training rows."""
    left, right = st.columns(2)
    words = "Every combination: a number becomes a condition"
    cuts = menu(words, CUTS, usual.ideal_cuts, "run_ideal_cuts", place=left)
    words = "Every combination: cases the table tells nothing about get"
    types = "Types of cases that do not occur, or occur with both classes equally often."
    mode = menu(words, MODES, usual.ideal_mode, "run_ideal_mode", place=right, help=types)
    return {"ideal_cuts": cuts, "ideal_mode": mode}


IDEAL_DNF = Learner.from_family(
    "ideal",
    grid=lambda spec: {"max_variables": list(CONDITIONS)},
    own_parameters=own_parameters,
    form=form,
    cards=Cards(models=curve_card, rules=ideal_card, explain=warn_if_unseen),
)
