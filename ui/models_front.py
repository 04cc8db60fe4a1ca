"""The trade-off on screen: the curve, its table, the sliders, the suggestions, the comparison."""

import pandas as pd
import streamlit as st

from rulekit.exceptions import RulekitError
from rulekit.plots import front_figure, front_sentence
from rulekit.plots.wording import percent
from ui.escape import md
from ui.models_points import ERRORS, SIZES, Outcome, reference_lines
from ui.picked import LEARNER_KEY, fitted, pick, setting_words, wording
from ui.row_picker import pick_row
from ui.rule_difference import difference
from ui.rule_view import rule_words
from ui.shell import noted
from ui.state import AppState, app_state
from ui.theme import chart, selected_id

KEEP = {"persist_state": "session"}
SUGGESTED = {"simplest_within_1se": "Simplest within one standard error", "best": "Best"}
MAX_COMPARED = 3


def axes() -> tuple[str, str]:
    """Let the reader choose what the two axes measure; return the columns' names."""
    left, right = st.columns(2)
    y = left.selectbox(
        "Judge by",
        list(ERRORS),
        format_func=lambda k: ERRORS[k].capitalize(),
        key="front_y",
        **KEEP,
    )
    x = right.segmented_control(
        "Measure size in",
        list(SIZES),
        format_func=SIZES.get,
        default="n_literals",
        required=True,
        key="front_x",
        **KEEP,
    )
    return x, y


def live_curve(found: Outcome) -> None:
    """Draw the points that have landed so far; nothing to click yet."""
    if found.finished:
        shown = found.on_axes("n_literals", "test_error")
        figure = front_figure(shown, series="learner_name")
        chart(figure, "front_live", front_sentence(shown))


def curve(found: Outcome, x: str, y: str) -> None:
    """Draw the curve with its table below; a click or a chosen row picks a setting."""
    shown = found.on_axes(x, y)
    if not len(shown):
        st.info("No setting has this measure.")
        return
    picked = found.number_of(app_state().setting)
    figure = front_figure(
        shown,
        x=x,
        y=y,
        series="learner_name",
        baselines=reference_lines(found.baselines, x, y),
        notes=_notes(found) if y == "test_error" else None,
        selected=picked,
    )
    turn = st.session_state.setdefault("_front_turn", 0)
    key = f"front_{turn}"
    sentence = front_sentence(shown, x=x, y=y)
    chart(figure, key, sentence, on_select=lambda: _clicked(found, key))
    st.caption(md(sentence, 300))
    _table(found, shown, x, y, picked)


def suggestions(found: Outcome) -> None:
    """Offer the two settings to look at first, with the reason."""
    if not found.suggestion:
        return
    shown = SUGGESTED
    if found.suggestion["default"] == found.suggestion["best"]:
        shown = {"best": "Best, and simplest within one standard error"}
    for place, (name, words) in zip(st.columns(len(shown)), shown.items(), strict=True):
        number = found.suggestion[name if name == "best" else "default"]
        row = found.points.loc[number]
        with place.container(border=True):
            size = f"{row['n_literals']:.1f} conditions, {percent(row['test_error'])} error"
            st.markdown(f"**{words}**  \n{md(row['label'])}  \n{md(size)}")
            st.button(
                "Pick this one",
                key=f"suggest_{name}",
                on_click=choose,
                args=(found, number),
            )
    st.caption(md(reason_words(found.suggestion["reason"]), 600))


def reason_words(reason: str) -> str:
    """Put the library's reason for a suggestion into the words of this page."""
    words = {
        "setting = ": "",
        "mean test error": "cross-validated error",
        " literals": " conditions",
    }
    for theirs, ours in words.items():
        reason = reason.replace(theirs, ours)
    return reason


def sliders(found: Outcome) -> None:
    """Let the reader move along the computed prices and clause counts; nothing is swept again."""
    setting = app_state().setting
    if found.number_of(setting) is None:
        return
    measured = [found.settings[number] for number in found.points.index]
    mine = [s for s in measured if s[LEARNER_KEY] == setting[LEARNER_KEY]]
    options = {
        "theta": sorted({s["theta"] for s in mine}),
        "n_clauses": sorted({s["n_clauses"] for s in mine if "n_clauses" in s}),
    }
    left, right = st.columns(2)
    for place, (name, words) in zip(
        (left, right),
        {"theta": "Price θ of a condition", "n_clauses": "Clauses allowed"}.items(),
        strict=True,
    ):
        if len(options[name]) > 1:
            st.session_state[f"slider_{name}"] = setting[name]
            place.select_slider(
                words,
                options[name],
                format_func=lambda value: f"{value:g}",
                key=f"slider_{name}",
                on_change=_slid,
                args=(found, name),
                help="Moves along what the run computed; nothing is learned again but this rule.",
            )


def compare(found: Outcome) -> None:
    """Show up to three settings side by side, their rules and figures, and what differs."""
    front = found.on_axes("n_literals", "test_error")
    ordered = [int(k) for k in front.sort_values(["n_literals", "test_error"]).index]
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


def choose(found: Outcome, number: int) -> None:
    """Pick a setting by its number in the run: what a click on a point or on a row does.

    For callbacks: the library's errors reach the page as a sentence.
    """
    try:
        pick(found.settings[number], found.spec)
    except (RulekitError, ValueError) as error:
        st.session_state["_said"] = str(noted(error))
    st.session_state["_front_turn"] = st.session_state.get("_front_turn", 0) + 1


def _clicked(found: Outcome, key: str) -> None:
    number = selected_id(st.session_state.get(key))
    if number is not None and int(number) in found.points.index:
        choose(found, int(number))


def _slid(found: Outcome, name: str) -> None:
    wanted = {**app_state().setting, name: st.session_state[f"slider_{name}"]}
    if (number := found.number_of(wanted)) is not None:
        choose(found, number)


def _notes(found: Outcome) -> dict[int, str]:
    if not found.suggestion:
        return {}
    default, best = found.suggestion["default"], found.suggestion["best"]
    if default == best:
        return {best: "best, and simplest within one standard error"}
    return {default: "simplest within one standard error", best: "best"}


def _table(found: Outcome, shown: pd.DataFrame, x: str, y: str, picked: int | None) -> None:
    """List the front (and the picked setting), one row always chosen; the keyboard's way."""
    rows = shown[shown["on_front"] | (shown.index == picked)]
    rows = rows.assign(_other=rows.index != picked).sort_values([x, y, "_other", "theta"])
    alike = ["learner_name", x, y, "n_literals", "n_clauses_used", "train_error"]
    rows = rows.drop_duplicates(alike)  # prices that give the same rules are one line
    numbers = [int(k) for k in rows.index]
    table = pd.DataFrame(
        {
            "setting": rows["label"],
            "conditions": rows["n_literals"],
            "clauses": rows["n_clauses_used"],
            "error": 100 * rows[y],
            "± 1 SE": 100 * rows.get(f"{y}_se", pd.Series(float("nan"), rows.index)),
            "training error": 100 * rows["train_error"],
            "folds": rows["folds"],
        }
    ).reset_index(drop=True)
    pick_row(
        table,
        numbers.index(picked) if picked in numbers else None,
        lambda place: choose(found, numbers[place]),
        key="front_table",
        alt="The settings on the front; choosing a row picks it",
        column_config={
            "conditions": st.column_config.NumberColumn(format="%.1f"),
            "clauses": st.column_config.NumberColumn(format="%.1f"),
            "error": st.column_config.NumberColumn(format="%.1f %%"),
            "± 1 SE": st.column_config.NumberColumn(format="%.1f"),
            "training error": st.column_config.NumberColumn(format="%.1f %%"),
        },
    )


def _compared(found: Outcome, number: int, state: AppState) -> None:
    row, setting = found.points.loc[number], found.settings[number]
    st.markdown(f"**{md(setting_words(setting))}**")
    st.caption(
        md(
            f"cross-validated error {percent(row['test_error'])}, "
            f"{row['n_literals']:.1f} conditions on average"
        )
    )
    model = fitted(state, setting, found.spec)
    st.code(rule_words(model.rule_set_, wording(state)), None, wrap_lines=True)


def _told_apart(found: Outcome, first: int, second: int, state: AppState) -> None:
    """Say what differs between the rules of two settings, and whose answers are right."""
    names = [md(setting_words(found.settings[k])) for k in (first, second)]
    rules = [fitted(state, found.settings[k], found.spec).rule_set_ for k in (first, second)]
    told = difference(*rules, *state.training, wording(state))
    st.markdown(f"**From {names[0]} to {names[1]}**")
    st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in told.sentences))
    if told.clauses:
        st.code(told.clauses, "diff", wrap_lines=True)
        st.caption("Marked “-”: in the first only. Marked “+”: in the second only.")
