"""The curve of error against conditions, the tabs of learners and prices, selection of a point."""

from functools import partial
from typing import Any
from zlib import crc32

import pandas as pd
import streamlit as st

from rulekit.data.costs import COST
from rulekit.learners.choice import EXACT
from rulekit.plots import Baseline, front_sentence, plot_curve
from rulekit.plots.pareto import AXIS_NAMES
from rulekit.style.palette import GREY, Look, plain
from rulekit.style.wording import format_measure, percent, plural
from ui.escape import md
from ui.learners.offered import LEARNERS, PLACES, learner_of, look_of, same_search
from ui.learners.spec import CHOSEN, LEARNER_KEY, LIMITS, QUICK, RunSpec
from ui.models.form import BUDGETS, comparison, price_sweep
from ui.models.points import AGAINST, TREE, RunResult, Suggestion, reference_lines
from ui.models.run import BETTER, COMPARISON, PRICES, get_offer, latest, note_suggestion, start
from ui.picked import OWN, get_model, get_own, model_key, pick
from ui.rule_numbers import class_shares
from ui.shell import once
from ui.state import AppState, app_state
from ui.widgets import chart, choice, pick_row
from ui.words import constant_answer, count_differing, difference, wording
from ui.workspace import pick_rule

DECIDES = "estimate that decides"
BEATS = "beats one condition by"
FOLD_WORDS = {5: "five", 10: "ten"}


def curve(result: RunResult, y: str) -> None:
    """Draw the curve; a click selects the point."""
    shown = result.curve(y, result.number_of_rule(app_state()))
    suggested, lines, notes = result.suggestion, _lines(result, "limit", y), {}
    if suggested is not None and y == result.measure:
        notes = {suggested.number: "suggested"}
        if (values := suggested.estimates) is not None:
            curve = tuple(zip(values.index.astype(float), values.astype(float), strict=True))
            lines.append(Baseline(DECIDES, float(values.min()), curve, True))
    draw(result, shown, "front", "limit", y, notes=notes, baselines=lines)


def sides_curve(result: RunResult, y: str) -> None:
    """Draw the rules of each outcome as a separate line, if both were searched."""
    if not any("describes" in s for s in result.settings):
        return
    state = app_state()
    points = result.curve(y, result.number_of_rule(state), sides=True)
    against = points["series"].str.endswith(AGAINST)
    names = points["series"].str.removesuffix(AGAINST)
    both = names.isin(names[against])  # lines of each outcome have its name
    named = names.where(~both, names + f" for {state.positive}")
    named = named.where(~against, names + f" for {state.other_label}")
    draw(result, points.assign(series=named), "sides", "limit", y)


def _lines(result: RunResult, x: str, y: str) -> list[Baseline]:
    """Return reference models and, with costs, the cheapest constant on the training rows."""
    lines, state = reference_lines(result.references, x, y), app_state()
    if y == "test_error" and (own := get_own(state)) is not None:
        # it was not learned from any row: all training rows measure it
        size, wrong = float(own.n_conditions_), float(own.training_error_)
        fits = len(result.points) and size <= result.points["limit"].max()
        lines.append(Baseline("yours", wrong, ((size, wrong),) if fits else ()))
    return [*lines, Baseline(*_constant(result))] if y == result.measure == COST else lines


def _constant(result: RunResult) -> tuple[str, float]:
    """Return the best constant prediction on the training rows, and its loss."""
    state = app_state()
    counts = [int((state.training[1] == label).sum()) for label in state.labels]
    costs = result.specs[0].error_costs(state.labels) if result.measure == COST else None
    if costs is not None:
        answer, loss = costs.cheapest(state.labels, counts)
    else:
        answer = state.labels[counts.index(max(counts))]
        loss = 1 - max(counts) / sum(counts)
    return f"always {answer}", loss


def draw(result: RunResult, shown: pd.DataFrame, name: str, x: str, y: str, **options: Any) -> None:
    """Draw points; a click selects one, and only then the figure is drawn anew."""
    picked = result.number_of_rule(app_state())
    figure = plot_curve(shown, x=x, y=y, series="series", selected=picked, **options)
    if result.unit and y == COST:
        figure.update_yaxes(title=f"{AXIS_NAMES[COST]} ({plain(result.unit)})")
    for trace in figure.data:
        if trace.customdata is not None:
            trace.customdata = [[_point_id(result, number)] for (number,) in trace.customdata]
    sentence = front_sentence(shown, x=x, y=y, unit=result.unit)
    chart(figure, name, sentence, on_select=partial(_pick_clicked, result))


def suggestion_line(result: RunResult) -> None:
    """Show the suggestion and its reason in one line; details behind a button."""
    if (suggested := result.suggestion) is None:
        return
    if words := no_rule_words(result, app_state(), suggested.beats, get_model()):
        st.markdown(md(words, 400))
    if not suggested.beats:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        by = " by the quick search" * (QUICK in result.settings[suggested.number])
        chosen = result.number_of_rule(app_state()) == suggested.number
        words = f"**Suggested{by}: {suggested.words}.**"
        if chosen and CHOSEN in app_state().setting:
            words = st.session_state.get(BETTER) or words
        st.markdown(f"{words} {md(suggested.about, 400)}", width="content")
        with st.popover("Why this one?", type="tertiary"):
            _reason(result, suggested)
        if not chosen and get_offer(result) is None:  # an offer has this button
            use = partial(choose, result, suggested.number)
            st.button("Use this rule", "pick_suggested", type="tertiary", on_click=use)


def no_rule_words(result: RunResult, state: AppState, beats: bool, model: Any = None) -> str:
    """Return that no rule of a curve beats one prediction for all rows; empty if one does."""
    shares, rows = class_shares(state)
    wrong = 1 - shares.iloc[0]
    weighs = result.measure == COST or any(spec.class_weight for spec in result.specs)
    errors = result.points.loc[result.points["n_conditions"] > 0, "test_error"]
    if beats and (weighs or errors.min() < wrong):
        return ""
    words = f"No short rule beats always {shares.index[0]} ({percent(wrong)} {rows} wrong). "
    is_beside = model is not None and model.rule_set_.is_constant  # its card has the figure
    return f"{words * (not is_beside)}More rows, other columns or other cut points may help."


def own_line(state: AppState) -> None:
    """Show the error of the person's rule, how it differs from the selected one, and a button."""
    own, model = get_own(state), get_model()
    if own is None or model is None or (own.rule_set_ == model.rule_set_):
        return
    mine, rule, (X, y) = own.rule_set_, model.rule_set_, state.training
    differing = count_differing(rule, mine, "yours", own.read_columns(X), y.to_numpy(object))
    with st.container(horizontal=True, vertical_alignment="center"):
        size = plural(mine.n_conditions, "condition")
        wrong = f"{percent(own.training_error_)} of training rows wrong"
        st.markdown(f"**Yours: {size}, {wrong}.** {differing}", width="content")
        with st.popover("Difference", type="tertiary"):
            sentences, _ = difference(rule, mine, X, y, wording(state))
            st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in sentences))
        use = partial(pick_rule, mine, source=OWN)
        st.button("Use yours", "pick_own", type="tertiary", on_click=use)


def _reason(result: RunResult, suggested: Suggestion) -> None:
    """Show why a point is suggested: one sentence, and what decides at each size."""
    st.markdown(md(suggested.why, 400))
    if suggested.estimates is None:
        return
    line, measure = result.line(result.settings[suggested.number]), result.measure
    measured = pd.Series({limit: result.points.loc[k, measure] for limit, k in line.items()})
    scale, quantity = (1, "cost a 100 cases") if measure == COST else (100, "error in folds")
    values = pd.DataFrame({DECIDES: suggested.estimates, quantity: measured}) * scale
    values = values.dropna(subset=[DECIDES]).rename_axis("conditions").reset_index()
    values["conditions"] = values["conditions"].astype(int)
    own = values["conditions"] == result.points.loc[suggested.number, "limit"]
    number = st.column_config.NumberColumn(format="%.4g" if measure == COST else "%.1f %%")
    st.dataframe(
        values.assign(**{"": own.map({True: "suggested", False: ""})}),
        hide_index=True,
        column_config={quantity: number, DECIDES: number},
        alt="The error in folds and the estimate that decides, by conditions allowed",
    )


def error_words(row: pd.Series) -> str:
    """Return a point's mean error with its standard error over the folds, if known."""
    spread = row.get("test_error_se", float("nan"))
    beside = f" ± {100 * spread:.1f}" if spread == spread else ""
    return f"{percent(row['test_error'])}{beside}"


def cost_words(result: RunResult, row: pd.Series) -> str:
    """Return the cost of a point's errors; empty without costs."""
    if not result.measures(COST):
        return ""
    return f", {format_measure(row[COST], COST, result.unit)} a 100 cases"


def fold_words(row: pd.Series) -> str:
    """Return the number of folds in which a point was measured."""
    n = int(row["folds"])
    return f"{FOLD_WORDS.get(n, n)} folds"


def choose(result: RunResult, number: int | None, *, by_slider: bool = False) -> None:
    """Select a setting after a click on a point or row, or from a widget; None selects nothing."""
    if number is None:
        return
    once(lambda: pick(result.settings[number], result.specs[number], by_slider=by_slider))()
    note_suggestion(result)


def _point_id(result: RunResult, number: int) -> int:
    """Return an id of a point that stays when a run adds points, which numbers them anew."""
    return crc32(model_key(result.settings[number]).encode())


def _pick_clicked(result: RunResult, clicked: int) -> None:
    numbers = range(len(result.settings))
    choose(result, next((k for k in numbers if _point_id(result, k) == clicked), None))


def points_table(result: RunResult, shown: pd.DataFrame, x: str, y: str, key: str) -> None:
    """List points with exactly one selected row; for selection by keyboard."""
    rows = shown.sort_values([x, y])
    numbers = [int(k) for k in rows.index]
    models = [result.models.get(model_key(result.settings[number])) for number in numbers]
    if (selected := result.number_of_rule(app_state())) in numbers:  # not restored with its point
        models[numbers.index(selected)] = get_model()
    scale = 1 if y == COST else 100
    table = pd.DataFrame(
        {
            "conditions at most": rows["limit"],
            "clauses": [None if m is None else m.rule_set_.n_clauses for m in models],
            "cost a 100 cases" if y == COST else "error": scale * rows[y],
            "± 1 SE": scale * rows.get(f"{y}_se", pd.Series(float("nan"), rows.index)),
            "error, training folds": 100 * rows["train_error"],
            "gap": [100 * result.gaps[k] if result.gaps else float("nan") for k in numbers],
            "learner" if x == "limit" else "setting": rows["label"],
        }
    ).reset_index(drop=True)
    table = table.dropna(axis="columns", how="all")
    if rows["label"].nunique() == 1:
        table = table.drop(columns="learner", errors="ignore")
    alt = "The points of the curve; choosing a row picks it"
    _pick_point(result, table, numbers, key, OF_POINTS, alt)


def _pick_point(
    result: RunResult, table: pd.DataFrame, numbers: list[Any], key: str, columns: Any, alt: str
) -> None:
    """Show a table whose rows are points (`numbers`, None for others); choosing one picks it."""
    picked = result.number_of_rule(app_state())
    number = st.column_config.NumberColumn
    config = {name: number(format=form, help=words) for name, (form, words) in columns.items()}
    config["setting"] = st.column_config.TextColumn(width=320)
    config["remark"] = st.column_config.TextColumn(width=220)
    config["mark"] = st.column_config.ImageColumn(width=40, help="Its mark on the curve.")
    pick_row(
        table,
        numbers.index(picked) if picked in numbers else None,
        lambda position: choose(result, numbers[position]),
        key=key,
        alt=alt,
        column_config={name: one for name, one in config.items() if name in table},
    )


# `columns` of the points, and of the compared learners: the format and help of each
OF_POINTS = {
    "conditions at most": (
        None,
        "Limit of the setting; without one, the most conditions of a rule of any fold.",
    ),
    "clauses": ("%d", "Of the rule learned from all training rows."),
    "error": ("%.1f %%", "Mean over the folds, on rows not learned from."),
    "cost a 100 cases": (
        "%.4g",
        "Cost of wrong predictions per hundred cases: mean over the folds, on rows not learned "
        "from.",
    ),
    "± 1 SE": (
        "%.1f",
        "One standard error of that mean (of an error in percentage points): how far it may be off "
        "by the luck of the folds.",
    ),
    "error, training folds": ("%.1f %%", "Mean over the folds, on rows learned from: optimistic."),
    "gap": ("%.1f", "Between the groups at the side, on training rows."),
}
OF_LEARNERS = {
    "error": ("%.1f %%", "Cross-validated: mean over the folds, on rows not learned from."),
    "cost a 100 cases": ("%.4g", "Cross-validated, as the error is."),
    "± 1 SE": ("%.1f", None),
    "conditions": ("%.1f", "Mean over the folds."),
    "seconds": ("%.1f", "All fits of all folds together."),
    BEATS: ("%.1f", "The best rule of one condition on the curve."),
}
SIZES = {"n_conditions": "conditions", "n_clauses_used": "clauses"}


def comparisons(state: AppState, spec: RunSpec) -> list[RunSpec]:
    """Return the comparisons of learners that share the curve's settings."""
    runs = [RunSpec.from_dict(run) for run in state.runs]
    return [run for run in runs if run.budget is not None and run.shared == spec.shared]


def learners_table(
    result: RunResult, runs: list[RunSpec], running: bool, constant: tuple[str, float]
) -> tuple[pd.DataFrame, list[int | None]]:
    """Return one row per compared learner or reference by error, and the number of its point."""
    # Points that do not beat `constant` (a prediction and its loss) or one condition have no
    # figure.
    seconds = max(run.budget or 0.0 for run in runs)
    missing = "not finished yet" if running else f"not finished in {BUDGETS.get(seconds, seconds)}"
    measure, points = result.measure, result.points
    quantity, scale = ("cost a 100 cases", 1.0) if measure == COST else ("error", 100.0)
    rivals = dict([constant])
    if len(points) and (points["limit"] <= 1).any():
        rivals["one condition"] = float(points.loc[points["limit"] <= 1, measure].min())
    rival = min(rivals, key=lambda name: rivals[name])
    rows = []
    for key in [key for key in PLACES if any(key in run.learners for run in runs)]:
        of_learner = [k for k, s in enumerate(result.settings) if s[LEARNER_KEY] == key]
        best = result.suggest([k for k in of_learner if points.loc[k, "limit"] <= max(LIMITS)])
        model = best and result.models.get(model_key(result.settings[best.number]))
        row = {"mark": look_of({LEARNER_KEY: key}).image, "learner": LEARNERS[key].name}
        row |= {"number": best and best.number, quantity: float("nan")}
        if of_learner:
            measured = points.loc[of_learner]
            row["seconds"] = float((measured["seconds"] * measured["folds"]).sum())
        if best is None:
            row["remark"] = f"no rule within {max(LIMITS)} conditions" if of_learner else missing
        elif model is not None and model.rule_set_.is_constant:
            row["remark"] = f"constant: always {constant_answer(model.rule_set_)}"
        elif (loss := points.loc[best.number, measure]) > rivals[rival] - EXACT:
            row["remark"] = f"no better than {rival}"
        else:
            row |= {
                quantity: scale * loss,
                "± 1 SE": scale * points.loc[best.number].get(f"{measure}_se", float("nan")),
                "conditions": points.loc[best.number, "n_conditions"],
                BEATS: scale * (rivals.get("one condition", float("nan")) - loss),
            }
        rows.append(row)
    if (references := result.references) is not None and measure in references:
        # of a tree in several sizes the best one
        best = references.dropna(subset=[measure]).sort_values(measure).drop_duplicates("name")
        rows += [
            {
                "mark": Look(GREY, "", "x" if row["name"] == TREE else "line-ew").image,
                "learner": row["name"],
                quantity: scale * row[measure],
                "± 1 SE": scale * row.get(f"{measure}_se", float("nan")),
                "conditions": row.get("n_conditions", float("nan")),
                "remark": "reference" + ", by splits" * (row["name"] == TREE),
            }
            for _, row in best.iterrows()
        ]
    names = ["mark", "learner", quantity, "± 1 SE", "conditions", "seconds", BEATS, "remark"]
    table = pd.DataFrame(rows).sort_values(quantity, kind="stable", ignore_index=True)
    numbers = [None if pd.isna(k) else int(k) for k in table["number"]]
    return table.reindex(columns=names).dropna(axis="columns", how="all"), numbers


def learners_tab(result: RunResult, spec: RunSpec) -> None:
    """Show the form that compares learners on the folds of the curve, and their table."""
    if (run := comparison(app_state(), spec)) is not None:
        _button(run, COMPARISON, "Compare learners", "compare_learners")
        st.caption(
            "Every learner has an equal part of the time, on the same folds. Its points join the "
            "curve when all their folds are finished; the earlier points stay."
        )
    if not (runs := comparisons(app_state(), spec)):
        return
    job = latest(COMPARISON)
    table, numbers = learners_table(result, runs, job is not None and job.active, _constant(result))
    alt = "The compared learners, each with its best point; choosing a row picks it"
    _pick_point(result, table, numbers, "compared_table", OF_LEARNERS, alt)


def prices_tab(result: RunResult, spec: RunSpec, y: str) -> None:
    """Show the sweep of prices and numbers of clauses, and its results."""
    if (run := price_sweep(app_state(), spec)) is not None:
        _button(run, PRICES, "Sweep prices", "sweep_prices")
    if not any("theta" in s for s in result.settings):
        st.caption("No sweep of prices yet. Its points are shown here and on the curve above.")
        return
    x = choice("Measure size in", SIZES, "n_conditions", "front_x")
    shown = result.get_price_points(x, y)
    if not len(shown):
        st.caption("No point of the sweep has this measure.")
        return
    number = result.number_of_rule(app_state())
    _dials(result)
    draw(result, shown, "prices", x, y, baselines=_lines(result, x, y))
    rows = shown[shown["on_front"] | (shown.index == number)]
    alike = ["series", x, y, "n_conditions", "n_clauses_used", "train_error"]
    rows = rows.assign(other=rows.index != number).sort_values("other", kind="stable")
    rows = rows.drop_duplicates(alike)  # prices with the same rules are one line
    points_table(result, rows, x, y, "price_table")


def _button(spec: RunSpec, title: str, label: str, key: str) -> None:
    job, action = latest(title), once(lambda: start(spec, title))
    st.button(label, key, type="primary", disabled=job is not None and job.active, on_click=action)


def _dials(result: RunResult) -> None:
    """Show sliders over prices and clauses; nothing is fitted."""
    setting = app_state().setting or {}
    if "theta" not in setting or result.number_of(setting) is None:
        return
    alike = [s for s in result.settings if same_search(s, setting)]
    dials = learner_of(setting).dials(setting, len(app_state().training[0]))
    generation = st.session_state.get("_picks", 0)
    columns = st.columns(len(dials))
    for column, (entry, (label, caption)) in zip(columns, dials.items(), strict=True):
        options = sorted({s[entry] for s in alike if entry in s})
        with column:
            if len(options) > 1:
                key, value = f"slider_{entry}_{generation}", setting[entry]
                words = "Looks up what the sweep found; nothing is learned again."
                act = partial(_pick_dialled, result, entry, key)
                st.select_slider(label, options, value, "{:g}".format, key, words, act)
            if caption:
                st.caption(caption)


def _pick_dialled(result: RunResult, entry: str, key: str) -> None:
    choose(result, result.number_of({**app_state().setting, entry: st.session_state[key]}))
