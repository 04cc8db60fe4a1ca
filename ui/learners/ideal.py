"""The ideal DNF as a learner of Models: set by a number of conditions, not by prices."""

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.binning import Binarizer
from rulekit.families import IdealDNFClassifier
from rulekit.families.ideal_dnf import validation_figure, validation_sentence
from rulekit.families.ideal_dnf.ideal_dnf import CONDITIONS
from rulekit.rules import Clause, RuleSet
from rulekit.style.phrases import Wording
from rulekit.style.wording import plural
from ui.escape import md
from ui.learners.learner import Cards, Dial, Learner, Setting
from ui.learners.spec import RunSpec
from ui.rule_numbers import Cases
from ui.state import AppState
from ui.theme import chart
from ui.widgets import menu, rule_text
from ui.words import clause_words, constant_answer, rule_words, wording

SCORE_NAMES = {
    "f": "F test",
    "mutual_info": "mutual information",
    "chi2": "chi-square",
    "forward": "what each adds",
}
MODE_NAMES = {"compact": "compact (shown)", "paper": "as in the paper"}
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
    with right:
        st.dataframe(curve_table(curve), hide_index=True, alt=sentence)
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
    n = len(model.conditions_)
    words = "There was no condition to choose."
    if n:
        chosen = plural(n, "condition")
        words = f"No formula over {chosen} chosen here is wrong on fewer training rows."
    short = "A shorter formula with the same predictions may exist; the search ran out of time."
    if model.proved_shortest_:
        short = "No formula with the same predictions is shorter."
    st.success(md(f"{words} {short}", 400))
    curve_card(model, state)
    st.markdown("**What these rows guarantee, and what they do not**")
    for sentence in model.guarantee().sentences():
        st.markdown(f"- {md(sentence, 600)}")
    _modes(model, state)
    _types(model, state)


def _modes(model: IdealDNFClassifier, state: AppState) -> None:
    """Show both ways to predict types of cases without rows."""
    st.markdown("**Cases that the table does not decide**")
    rules = {mode: model.rule_in_mode(mode) for mode in MODE_NAMES}
    types = model.types_
    n_types = 2 ** len(model.conditions_)
    ties = int((types["rows_positive"] == types["rows_default"]).sum())
    if len(types) == n_types and not ties:
        st.caption(f"All {n_types} types of cases occur, each with more rows of one class.")
        return
    st.caption(
        md(
            f"{n_types - len(types)} of {n_types} types of cases do not occur, and "
            f"{ties} occur with both classes equally often. The compact formula predicts what "
            f"makes it shortest there; the formula of the paper predicts {model.default_label_}.",
            500,
        )
    )
    table = pd.DataFrame(
        {
            "formula": list(MODE_NAMES.values()),
            "clauses": [rule.n_clauses for rule in rules.values()],
            "conditions": [rule.n_conditions for rule in rules.values()],
        }
    )
    st.dataframe(table, hide_index=True, alt="Size of the formula in both modes")
    if rules["paper"] != rules["compact"]:
        st.caption("The formula as in the paper:")
        rule_text(_shorten(rules["paper"], wording(state)))


def _shorten(rule: RuleSet, words: Wording, limit: int = 12) -> str:
    """Write a rule, or only the first clauses of a very long one."""
    if rule.n_clauses <= limit:
        return rule_words(rule, words)
    first = RuleSet(rule.clauses[:limit], rule.labels[:limit], rule.form, rule.default)
    return f"{rule_words(first, words)}\n({rule.n_clauses - limit} further clauses)"


def _types(model: IdealDNFClassifier, state: AppState) -> None:
    """List the types of cases that occur."""
    types = model.types_
    words = [clause_words(Clause((literal,)), wording(state)) for literal in model.conditions_]
    names = dict(zip(types.columns, words, strict=False)) if len(set(words)) == len(words) else {}
    names["rows_positive"] = f"rows of {model.positive_label_}"
    names["rows_default"] = f"rows of {model.default_label_}"
    shown = types.rename(columns=names)
    st.markdown("**The types of cases it counted**")
    st.dataframe(shown, hide_index=True, alt=f"{len(shown)} types of cases with their rows")


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


def _binarizer(spec: RunSpec, state: AppState) -> Binarizer | None:
    """Return what cuts numbers; None for the paper's medians."""
    if spec.ideal_cuts == "binning":
        return state.binning.binarizer()
    # without a binarizer the learner tests every gap, also of columns that rules must not test
    untested = [
        c.name
        for c in state.table.columns
        if c.name in state.features and c.n_missing and c.name not in state.binning.missing
    ]
    return replace(state.binning, method="median", cuts=()).binarizer() if untested else None


def own_parameters(spec: RunSpec, state: AppState, variant: Setting) -> dict[str, Any]:
    """Return the mode, cut points and selection, and no time limit: counting is fast."""
    cuts = _binarizer(spec, state)
    selection = "forward" if spec.ideal_cuts == "binning" else "ranking"
    return {"mode": spec.ideal_mode, "selection": selection, "binarizer": cuts, "time_limit": None}


def form(usual: RunSpec) -> dict[str, Any]:
    """Show the form for cutting numbers and for cases without training rows."""
    left, right = st.columns(2)
    words = "Every combination: a number becomes a condition"
    cuts = menu(words, CUTS, usual.ideal_cuts, "run_ideal_cuts", place=left)
    mode = menu(
        "Every combination: cases the table tells nothing about get",
        MODES,
        usual.ideal_mode,
        "run_ideal_mode",
        place=right,
        help="Types of cases that do not occur, or occur with both classes equally often.",
    )
    return {"ideal_cuts": cuts, "ideal_mode": mode}


IDEAL_DNF = Learner.from_family(
    "ideal",
    grid=lambda spec: {"max_variables": list(CONDITIONS)},
    own_parameters=own_parameters,
    form=form,
    dials=lambda setting, n_rows: [Dial("max_variables", "Conditions allowed")],
    cards=Cards(models=curve_card, rules=ideal_card, explain=warn_if_unseen),
)
