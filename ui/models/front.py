"""The trade-off on screen: the curve, its table, what is suggested, and the picking of a point."""

from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rulekit.plots import front_figure, front_sentence
from rulekit.plots.wording import capital, percent, plural
from ui.escape import md
from ui.models.points import ERRORS, SIZES, RunResult, reference_lines
from ui.picked import pick
from ui.row_picker import pick_row
from ui.shell import once
from ui.state import KEEP, app_state
from ui.theme import chart, selected_id

LOWEST = "lowest mean error"
SUGGESTED = {
    "default": "suggested",
    "simplest_within_1se": "simplest within one standard error",
    "best": LOWEST,
}
SAME = ["series", "n_conditions", "n_clauses_used", "train_error", "test_error"]
SPREAD = "Errors are means over the folds; “±” is one standard error of that mean."


def axes(found: RunResult) -> tuple[str, str]:
    """Let the reader choose what the two axes measure; return the columns' names."""
    left, right = st.columns(2)
    y = left.selectbox(
        "Judge by",
        [name for name in ERRORS if found.measures(name)],  # several classes have no F1
        format_func=lambda k: capital(ERRORS[k]),
        key="front_y",
        **KEEP,
    )
    x = right.segmented_control(
        "Measure size in",
        list(SIZES),
        format_func=SIZES.get,
        default="n_conditions",
        wrap=True,
        required=True,
        key="front_x",
        **KEEP,
    )
    return x, y


def live_curve(found: RunResult) -> None:
    """Draw the points that have landed so far; nothing to click yet."""
    if len(found.rows):
        shown = found.on_axes("n_conditions", "test_error")
        figure = front_figure(shown, series="series")
        chart(figure, "front_live", front_sentence(shown))


def curve(found: RunResult, x: str, y: str, place: DeltaGenerator) -> None:
    """Draw the curve in its place and its table below; a click or a chosen row picks a setting."""
    shown = found.on_axes(x, y)
    if not len(shown):
        st.info("No setting has this measure.")
        return
    picked = found.number_of(app_state().setting)
    figure = front_figure(
        shown,
        x=x,
        y=y,
        series="series",
        baselines=reference_lines(found.baselines, x, y),
        notes=_notes(found) if y == "test_error" else None,
        selected=picked,
    )
    turn = st.session_state.setdefault("_front_turn", 0)
    key = f"front_{turn}"
    sentence = front_sentence(shown, x=x, y=y)
    with place:
        chart(figure, key, sentence, on_select=lambda: _clicked(found, key))
    st.caption(md(sentence, 300))
    _table(found, shown, x, y, picked)


def suggestions(found: RunResult) -> None:
    """Offer the settings to look at first, with the reason."""
    if not found.suggestion:
        return
    named = _named(found)
    for place, (number, words) in zip(st.columns(len(named)), named.items(), strict=True):
        row = found.points.loc[number]
        with place.container(border=True):
            size = f"{plural(row['n_conditions'], 'condition')}, {error_words(row)} error"
            st.markdown(f"**{md(words)}**  \n{md(row['label'])}  \n{md(size)}")
            st.button(
                "Pick this one",
                key=f"suggest_{number}",
                on_click=choose,
                args=(found, number),
            )
    st.caption(md(found.suggestion["reason"], 900), help=SPREAD)


def _named(found: RunResult) -> dict[int, str]:
    """Name the suggested settings; those that come to the same rules are named once, together."""
    names: dict[int, list[str]] = {}
    for key, words in SUGGESTED.items():
        number = int(found.suggestion[key])
        alike = [k for k in names if _same_rules(found, k, number)]
        names.setdefault(alike[0] if alike else number, []).append(words)
    return {number: ", ".join(words).capitalize() for number, words in names.items()}


def _same_rules(found: RunResult, one: int, other: int) -> bool:
    """Whether two settings have the same figures in every fold's mean."""
    return found.points.loc[one, SAME].equals(found.points.loc[other, SAME])


def error_words(row: pd.Series) -> str:
    """Return a setting's mean error with its standard error over the folds, if that is known."""
    spread = row.get("test_error_se", float("nan"))
    beside = f" ± {100 * spread:.1f}" if spread == spread else ""
    return f"{percent(row['test_error'])}{beside}"


def choose(found: RunResult, number: int, *, own: bool = True) -> None:
    """Pick a setting by its number in the run: what a click on a point or on a row does.

    For callbacks: the library's errors reach the page as a sentence. `own` says that a person has
    picked it, so that no better suggestion takes its place; see `own_pick`.
    """
    st.session_state["_own_pick"] = own
    once(lambda: pick(found.settings[number], found.spec))()
    st.session_state["_front_turn"] = st.session_state.get("_front_turn", 0) + 1


def own_pick() -> bool:
    """Whether what is picked was picked by a person, here or by changing a rule by hand."""
    setting = app_state().setting or {}
    return bool(st.session_state.get("_own_pick")) or "edited" in setting


def _clicked(found: RunResult, key: str) -> None:
    number = selected_id(st.session_state.get(key))
    if number is not None and int(number) in found.points.index:
        choose(found, int(number))


def _notes(found: RunResult) -> dict[int, str]:
    """Return what is written at the suggested points; of the lowest mean the table tells."""
    named = _named(found) if found.suggestion else {}
    return {number: words for number, words in named.items() if words != LOWEST.capitalize()}


def _table(found: RunResult, shown: pd.DataFrame, x: str, y: str, picked: int | None) -> None:
    """List the front (and the picked setting), one row always chosen; the keyboard's way."""
    rows = shown[shown["on_front"] | (shown.index == picked)]
    rows = rows.assign(_other=rows.index != picked).sort_values([x, y, "_other", "theta"])
    alike = ["learner_name", x, y, "n_conditions", "n_clauses_used", "train_error"]
    rows = rows.drop_duplicates(alike)  # prices that give the same rules are one line
    numbers = [int(k) for k in rows.index]
    settings = [found.settings[number] for number in numbers]
    table = pd.DataFrame(
        {
            "setting": rows["label"],
            "conditions": rows["n_conditions"].round(1),
            "clauses": rows["n_clauses_used"].round(1),
            "error": 100 * rows[y],
            "± 1 SE": 100 * rows.get(f"{y}_se", pd.Series(float("nan"), rows.index)),
            "training error": 100 * rows["train_error"],
            "folds": rows["folds"],
            "rule": ["against" if "describes" in s else "for" for s in settings],
            "robustness": [s.get("robustness", 0.0) for s in settings],
            "doubtful rows": ["less" if "doubt" in s else "in full" for s in settings],
        }
    ).reset_index(drop=True)
    table = table.dropna(axis="columns", how="all")  # one fold alone has no standard error
    for name in {"rule", "robustness", "doubtful rows"} & set(table):
        if len(set(table[name])) == 1 and table[name].iloc[0] in ("for", 0, "in full"):
            table = table.drop(columns=name)
    pick_row(
        table,
        numbers.index(picked) if picked in numbers else None,
        lambda place: choose(found, numbers[place]),
        key="front_table",
        alt="The settings on the front; choosing a row picks it",
        column_config={k: v for k, v in _columns().items() if k in table},
    )


def _columns() -> dict[str, Any]:
    """Return how the columns of the front's table are shown and explained."""
    number, state = st.column_config.NumberColumn, app_state()
    return {
        "setting": st.column_config.TextColumn(width=340),
        "rule": st.column_config.TextColumn(
            help=f"“for”: the rule says when a row is {md(state.positive)}. “against”: it says "
            f"when a row is {md(state.other_label)}, and all others are {md(state.positive)}."
        ),
        "robustness": number(
            format="%g",
            help="How much a row of the other class counts that a single condition keeps out. "
            "0 counts wrong rows only; more gives rules that small errors of measurement upset "
            "less.",
        ),
        "doubtful rows": st.column_config.TextColumn(
            help="“less”: rows that look like the other class counted less in the search."
        ),
        "conditions": number(format="%g", help="Mean over the folds."),
        "clauses": number(format="%g", help="Mean over the folds."),
        "error": number(format="%.1f %%", help="Mean over the folds, on rows not learned from."),
        "± 1 SE": number(
            format="%.1f",
            help="One standard error of that mean, in percentage points: how far it may be off "
            "by the luck of the folds.",
        ),
        "training error": number(format="%.1f %%", help="On the rows learned from: optimistic."),
    }
