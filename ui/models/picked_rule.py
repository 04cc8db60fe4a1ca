"""The picked rule beside the curve: its words, sliders to others by look-up, comparison."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from sklearn.base import ClassifierMixin
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rulekit.plots.wording import percent, plural
from ui.escape import md
from ui.learners.offered import CARDS, learner_of, same_search
from ui.models.difference import difference
from ui.models.front import choose, error_words
from ui.models.points import RunResult
from ui.picked import fitted, looked_at_test_rows, picked_model, setting_words
from ui.shell import ONWARD
from ui.state import AppState, app_state
from ui.words import rule_words, size_words, wording

MAX_COMPARED = 3
SIDES = {"for": "for", "other": "against"}


@dataclass(frozen=True)
class Kind:
    """What rules of a run may differ in besides their size and the class they describe."""

    label: str
    named: Callable[[float], str]
    sentence: str


KINDS = {
    "robustness": Kind(
        "Robustness",
        lambda value: f"{value:g}",
        "How much a row of the other class counts that a single condition keeps out of the rule: "
        "0 counts wrong rows only.",
    ),
    "doubt": Kind(
        "Doubtful rows",
        lambda value: "count less" if value else "count in full",
        "Whether the search heeds rows less that look like the other class to trees grown without "
        "them. Errors shown count every row in full.",
    ),
}


def picked_card(found: RunResult) -> None:
    """Show the picked rule with its sliders, what its learner tells of it, and the way on."""
    model = picked_model()
    if model is None:
        return
    state = app_state()
    with st.container(border=True):
        st.subheader("The picked rule", anchor=False)
        st.caption(md(setting_words(state.setting), 200))
        sliders(found)
        st.code(rule_words(model.rule_set_, wording(state)), None, wrap_lines=True)
        st.caption(f"Size of this rule: {size_words(model.rule_set_)}.")
        for cards in CARDS:
            cards.models(model, state)
        held_out(model)
        st.page_link("pages/rules.py", label="Read it in full on Rules", icon=ONWARD)


def held_out(model: ClassifierMixin) -> None:
    """Show a picked rule's error on the test rows when asked for it, and count the looks."""
    state = app_state()
    if "whole_file" in (state.setting or {}):
        st.caption("Learned from all rows of the file: no row of the sample is held out.")
        return
    X, y = state.testing
    if not len(X):
        st.caption("No test rows were set aside on Data, so there is no held-out figure.")
        return
    key = f"held_out_{hash((state.fit_key, state.rule_json))}"
    if st.session_state.get(key) or st.button("Show the held-out error", key="held_out"):
        st.session_state[key] = True
        looks = looked_at_test_rows()
        wrong = float((model.predict(X) != y.to_numpy()).mean())
        st.markdown(
            f"**{percent(wrong)}** of {len(X)} test rows, which took no part in the sweep, are "
            f"decided wrongly. Test rows looked at for {plural(looks, 'rule')}."
        )


def sliders(found: RunResult) -> None:
    """Let the reader move along what the run computed; nothing is learned or swept again."""
    setting = app_state().setting
    number = found.number_of(setting)
    if number is None:
        return
    measured = [found.settings[k] for k in found.points.index]
    mine = [s for s in measured if learner_of(s) is learner_of(setting)]
    alike = [s for s in mine if same_search(s, setting)]
    _sides(found, mine, setting)
    dials = learner_of(setting).dials(setting, len(app_state().training[0]))
    places = st.columns(max(2, len(dials)))
    for place, dial in zip(places, dials, strict=False):
        with place:
            _slider(found, dial, sorted({s[dial.entry] for s in alike if dial.entry in s}))
    with places[-1]:
        st.caption(_measured_words(found, number))


def _measured_words(found: RunResult, number: int) -> str:
    """Say what a setting was measured at, for a caption."""
    row = found.points.loc[number]
    return md(
        f"Cross-validated: {error_words(row)} error (± one standard error over "
        f"{plural(row['folds'], 'fold')}), {plural(row['n_conditions'], 'condition')} on average."
    )


def _slider(found: RunResult, dial: Any, options: list[Any]) -> None:
    name = dial.entry
    if len(options) > 1:
        # a browser told of other options under one key reports a move that nobody made
        key = f"slider_{name}_{options}"
        st.session_state[key] = app_state().setting[name]
        st.select_slider(
            dial.label,
            options,
            format_func=lambda value: f"{value:g}",
            key=key,
            on_change=lambda: _slid(found, name, key),
            help="Looks up what the run found; nothing is learned again.",
        )
    if dial.caption:
        st.caption(dial.caption)


def _sides(found: RunResult, mine: list[dict[str, Any]], setting: Mapping[str, Any]) -> None:
    """Offer the class that is described, and kinds of rule, where the run has more than one."""
    state = app_state()
    left, middle, right = st.columns(3)
    sides = [s for s in SIDES if s in {m.get("describes", "for") for m in mine}]
    if len(sides) > 1:
        st.session_state["slider_describes"] = setting.get("describes", "for")
        left.segmented_control(
            "The rule says",
            sides,
            format_func=lambda s: (
                f"when it is {md(state.positive)}"
                if s == "for"
                else f"when it is not {md(state.positive)}"
            ),
            wrap=True,
            required=True,
            key="slider_describes",
            on_change=_slid,
            args=(found, "describes", "slider_describes"),
            help="One of the two is often much shorter. All other rows get the other answer.",
        )
    for place, (name, kind) in zip((middle, right), KINDS.items(), strict=True):
        values = sorted({m.get(name, 0.0) for m in mine})
        if len(values) > 1:
            key = f"slider_{name}"
            st.session_state[key] = setting.get(name, 0.0)
            place.segmented_control(
                kind.label,
                values,
                format_func=kind.named,
                wrap=True,
                required=True,
                key=key,
                on_change=_slid,
                args=(found, name, key),
                help=kind.sentence,
            )


def compare(found: RunResult) -> None:
    """Show up to three settings side by side, their rules and figures, and what differs."""
    front = found.on_axes("n_conditions", "test_error")
    ordered = [int(k) for k in front.sort_values(["n_conditions", "test_error"]).index]
    best_first = [k for k in ordered if front.loc[k, "on_front"]] + [
        k for k in ordered if not front.loc[k, "on_front"]
    ]
    chosen = st.multiselect(
        f"Compare up to {MAX_COMPARED} settings (those of the front are listed first)",
        best_first,
        format_func=lambda k: md(found.points.loc[k, "label"]),
        max_selections=MAX_COMPARED,
        key="compare",
    )
    if not chosen:
        return
    state = app_state()
    for place, number in zip(st.columns(len(chosen)), chosen, strict=True):
        with place.container(border=True):
            _compared(found, number, state)
    for number in chosen[1:]:
        _told_apart(found, chosen[0], number, state)


def _slid(found: RunResult, name: str, key: str) -> None:
    if _late():
        return
    wanted = {**app_state().setting, name: st.session_state[key]}
    if wanted.get("describes") == "for":
        del wanted["describes"]
    wanted = {k: v for k, v in wanted.items() if k not in KINDS or v != 0}
    measured = [found.settings[k] for k in found.points.index]
    if not any(same_search(one, wanted) for one in measured):  # not every two kinds are joined
        wanted = {k: v for k, v in wanted.items() if k not in KINDS or k == name}
    number = found.number_of(wanted)
    if number is None:  # that variant has no point there yet: its nearest price
        near = [k for k in found.points.index if same_search(found.settings[k], wanted)]
        if not near:
            return
        number = min(near, key=lambda k: abs(found.settings[k]["theta"] - wanted["theta"]))
    choose(found, int(number))


def _late() -> bool:
    """Whether a slider's report is of a position it had before the page set it anew.

    A browser that asks for a fragment by its timer tells all positions it shows, also those of
    sliders that have been set meanwhile. A person's move asks for the whole page.
    """
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)


def _compared(found: RunResult, number: int, state: AppState) -> None:
    row, setting = found.points.loc[number], found.settings[number]
    st.markdown(f"**{md(setting_words(setting))}**")
    st.caption(
        md(
            f"cross-validated error {error_words(row)}, "
            f"{plural(row['n_conditions'], 'condition')} on average"
        )
    )
    model = fitted(state, setting, found.spec)
    st.code(rule_words(model.rule_set_, wording(state)), None, wrap_lines=True)


def _told_apart(found: RunResult, first: int, second: int, state: AppState) -> None:
    """Say what differs between the rules of two settings, and whose answers are right."""
    names = [md(setting_words(found.settings[k])) for k in (first, second)]
    rules = [fitted(state, found.settings[k], found.spec).rule_set_ for k in (first, second)]
    told = difference(*rules, *state.training, wording(state))
    st.markdown(f"**From {names[0]} to {names[1]}**")
    st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in told.sentences))
    if told.clauses:
        st.code(told.clauses, "diff", wrap_lines=True)
        st.caption("Marked “-”: in the first only. Marked “+”: in the second only.")
