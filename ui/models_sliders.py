"""The picked rule's sliders: along prices, clauses and kinds of rule, by look-up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rulekit.plots.wording import plural
from ui.escape import md
from ui.learner import Dial
from ui.learners import LEARNERS, same_search
from ui.models_front import choose, error_words
from ui.models_points import Outcome
from ui.run_spec import LEARNER_KEY
from ui.state import app_state

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


def sliders(found: Outcome) -> None:
    """Let the reader move along what the run computed; nothing is learned or swept again."""
    setting = app_state().setting
    number = found.number_of(setting)
    if number is None:
        return
    measured = [found.settings[k] for k in found.points.index]
    mine = [s for s in measured if s[LEARNER_KEY] == setting[LEARNER_KEY]]
    alike = [s for s in mine if same_search(s, setting)]
    _sides(found, mine, setting)
    dials = LEARNERS[setting[LEARNER_KEY]].dials(setting, len(app_state().training[0]))
    places = st.columns(max(2, len(dials)))
    for place, dial in zip(places, dials, strict=False):
        with place:
            _slider(found, dial, sorted({s[dial.entry] for s in alike if dial.entry in s}))
    with places[-1]:
        st.caption(_measured_words(found, number))


def _measured_words(found: Outcome, number: int) -> str:
    """Say what a setting was measured at, for a caption."""
    row = found.points.loc[number]
    return md(
        f"Cross-validated: {error_words(row)} error (± one standard error over "
        f"{plural(row['folds'], 'fold')}), {plural(row['n_literals'], 'condition')} on average."
    )


def _slider(found: Outcome, dial: Dial, options: list[Any]) -> None:
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


def _sides(found: Outcome, mine: list[dict[str, Any]], setting: Mapping[str, Any]) -> None:
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


def _slid(found: Outcome, name: str, key: str) -> None:
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
