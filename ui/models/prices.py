"""The tabs that compare learners and sweep prices and clauses."""

import streamlit as st

from rulekit.plots import front_figure, front_sentence
from ui.learners.offered import learner_of, same_search
from ui.learners.spec import RunSpec
from ui.models.compared import compared_table
from ui.models.curve import cheapest_line, choose, draw, points_table
from ui.models.form import comparison, price_sweep
from ui.models.points import RunResult, reference_lines
from ui.models.run import COMPARISON, PRICES, latest, start
from ui.shell import once
from ui.state import KEEP, app_state

SIZES = {"n_conditions": "conditions", "n_clauses_used": "clauses"}


def learners_tab(result: RunResult | None, spec: RunSpec) -> None:
    """Show the form that compares learners on the folds of the curve, and their table."""
    run = comparison(app_state(), spec)
    if run is not None:
        _button(run, COMPARISON, "Compare learners", "compare_learners")
        st.caption(
            "Every learner has an equal part of the time, on the same folds. Its points join the "
            "curve when all their folds are in; what is there stays."
        )
    compared_table(result, spec)


def prices_tab(result: RunResult | None, spec: RunSpec, y: str) -> None:
    """Show the sweep of prices and numbers of clauses, and its results."""
    run = price_sweep(app_state(), spec)
    if run is not None:
        _button(run, PRICES, "Sweep prices", "sweep_prices")
    if result is None or not any("theta" in s for s in result.settings):
        st.caption("No sweep of prices yet. Its points are shown here and on the curve above.")
        return
    x = st.segmented_control(
        "Measure size in",
        list(SIZES),
        format_func=SIZES.get,
        default="n_conditions",
        required=True,
        key="front_x",
        **KEEP,
    )
    shown = result.by_price(x, y)
    if not len(shown):
        st.caption("No point of the sweep has this measure.")
        return
    number = result.number_of_rule(app_state())
    _dials(result)
    lines = reference_lines(result.references, x, y) + cheapest_line(result, y)
    options = {"series": "series", "baselines": lines}
    figure = front_figure(shown, x=x, y=y, **options, selected=number)
    draw(result, figure, "prices", front_sentence(shown, x=x, y=y, unit=result.unit))
    rows = shown[shown["on_front"] | (shown.index == number)]
    alike = ["series", x, y, "n_conditions", "n_clauses_used", "train_error"]
    rows = rows.assign(other=rows.index != number).sort_values("other", kind="stable")
    rows = rows.drop_duplicates(alike)  # prices with the same rules are one line
    points_table(result, rows, x, y, "price_table")


def _button(spec: RunSpec, title: str, label: str, key: str) -> None:
    job = latest(title)
    st.button(
        label,
        type="primary",
        key=key,
        disabled=job is not None and job.active,
        on_click=once(lambda: start(spec, title)),
    )


def _dials(result: RunResult) -> None:
    """Show sliders over prices and clauses; nothing is fitted."""
    setting = app_state().setting or {}
    if "theta" not in setting or result.number_of(setting) is None:
        return
    alike = [s for s in result.settings if same_search(s, setting)]
    dials = learner_of(setting).dials(setting, len(app_state().training[0]))
    generation = st.session_state.get("_picks", 0)
    for column, dial in zip(st.columns(len(dials)), dials, strict=True):
        options = sorted({s[dial.entry] for s in alike if dial.entry in s})
        with column:
            if len(options) > 1:
                key = f"slider_{dial.entry}_{generation}"
                st.select_slider(
                    dial.label,
                    options,
                    value=setting[dial.entry],
                    format_func=lambda value: f"{value:g}",
                    key=key,
                    on_change=_dialled,
                    args=(result, dial.entry, key),
                    help="Looks up what the sweep found; nothing is learned again.",
                )
            if dial.caption:
                st.caption(dial.caption)


def _dialled(result: RunResult, entry: str, key: str) -> None:
    number = result.number_of({**app_state().setting, entry: st.session_state[key]})
    if number is not None:
        choose(result, number)
