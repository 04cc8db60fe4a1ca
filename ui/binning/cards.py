"""The Binning page's parts: the method, cut points, the resulting bins, and the screening card."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from rulekit.binning import Binarizer, candidate_summary
from rulekit.binning.encodings import LevelColumn, literals_of
from rulekit.data import columns_of
from rulekit.learners import ConditionScreening, screen_conditions
from rulekit.plots import outcomes, screening_figure, screening_sentence, screening_table
from rulekit.rules import Literal
from rulekit.style.phrases import cap_list, write_outcome
from ui.cache import compute_once
from ui.escape import md
from ui.runs.background import answer_of
from ui.runs.worker import Report
from ui.state import KEEP, AppState, app_state
from ui.widgets import COUNT, chart, pick_row
from ui.workspace import change, make_key

METHODS = {
    "quantile": ("Equal shares of rows", "between the cut points: the usual choice"),
    "uniform": ("Equal widths", "between the cut points"),
    "median": ("The median", "a single cut point"),
    "entropy": ("Where the outcomes differ most", "as many as the data support (MDLP)"),
    "tree": ("As a small decision tree", "on the one column would cut"),
    "manual": ("As typed in", "begins with the cut points shown now"),
}
COUNTED = ("quantile", "uniform", "entropy", "tree")
MAX_THRESHOLDS = 100
MAX_TYPED = 10 * MAX_THRESHOLDS  # maximal number of cut points of a column to draw, list and edit
LISTED = 1000  # maximal number of conditions, or certificates, to list
TALL, ROWS = 570, 16  # height of the list of columns in pixels, and how many fit
SHORT, HALF = 8, 285  # longest table shown as a whole, and the height in pixels of a scrolling one


def get_binarizer(state: AppState) -> Binarizer:
    """Return the binarizer of the page's settings, fitted on the training rows."""
    fit = partial(state.binning.binarizer().fit, *state.training)
    return compute_once("binarizer", state.fit_key, fit, copy=False)


def method_card() -> None:
    """Show the form for cut points: method, number, and levels of a category."""
    spec = app_state().binning
    names = list(METHODS)
    label, index = "How cut points are chosen", names.index(spec.method)
    captions = [text for _, text in METHODS.values()]
    options = {"key": make_key("binning_method"), "captions": captions, **KEEP}
    method = st.radio(label, names, index, lambda name: METHODS[name][0], **options)
    every, off = spec.n_thresholds is None, method not in COUNTED
    words = "At most; a column of fewer distinct values gets fewer."
    options = {"key": make_key("binning_count"), "disabled": off or every, "help": words, **KEEP}
    count = 10 if every else spec.n_thresholds
    count = st.number_input("Cut points a column", 1, MAX_THRESHOLDS, count, **options)
    label, options = "A cut point at every distinct value (slower, finest)", {"disabled": off}
    every = st.checkbox(label, every, make_key("binning_every"), **options, **KEEP)
    words = "At most; if there are more, the rarest are merged."
    options = {"key": make_key("binning_levels"), "help": words, **KEEP}
    levels = st.number_input("Levels a category", 2, 200, spec.max_levels, **options)
    wanted = replace(
        spec,
        method=method if method in METHODS else spec.method,
        n_thresholds=None if every else int(count),
        max_levels=int(levels),
    )
    if wanted.method == "manual":
        state = app_state()
        by_hand = state.binning.method == "manual"
        before = replace(wanted, method="quantile") if by_hand else state.binning
        key = repr((state.fit_key, before))
        # every numeric column needs cut points
        automatic = compute_once("cuts", key, lambda: before.binarizer().fit(*state.training).cuts_)
        cuts = {name: tuple(map(float, values)) for name, values in automatic.items()}
        wanted = replace(wanted, cuts=tuple(sorted((cuts | dict(wanted.cuts)).items())))
    if wanted != spec:
        spec = change(binning=wanted).binning
    if spec.cuts:
        edited = cap_list([md(name, 30) for name, _ in spec.cuts])
        st.caption(f"Your own cut points are used for {edited}.")
        st.button("Drop them all", key="drop_cuts", on_click=drop_cuts)


def drop_cuts(name: str | None = None) -> None:
    """Restore automatic cut points for one column, or for all (by quantiles)."""
    spec = app_state().binning
    if name is None and spec.method == "manual":
        spec = replace(spec, method="quantile")
        st.session_state[make_key("binning_method")] = "quantile"
    cuts = tuple(pair for pair in spec.cuts if name is not None and pair[0] != name)
    change(binning=replace(spec, cuts=cuts))
    st.session_state["binning_round"] = st.session_state.get("binning_round", 0) + 1


def parse_cuts(text: str) -> tuple[float, ...]:
    """Parse numbers between spaces or semicolons; return them sorted, without repeats."""
    cuts = set()
    for part in re.findall(r"[^;\s]+", text):
        try:
            value = float(part)
        except ValueError:
            raise ValueError(
                f"Cut points must be numbers with a decimal point, separated by spaces or "
                f"semicolons; got {part[:30]!r}."
            ) from None
        if not math.isfinite(value):
            raise ValueError(f"A cut point must be a finite number; {part[:30]!r} is not.")
        cuts.add(value)
    if len(cuts) > MAX_TYPED:
        raise ValueError(f"At most {MAX_TYPED:,} cut points; {len(cuts):,} were given.")
    return tuple(sorted(cuts))


def overview(state: AppState, fitted_one: Binarizer) -> pd.DataFrame:
    """Return one row per column: its values, its cut points, and its number of conditions."""
    conditions: Counter[str] = Counter()
    for e in fitted_one.encodings_:
        conditions[e.name] += len(e.conditions())
    edited, cuts, names = dict(state.binning.cuts), fitted_one.cuts_, state.features
    table = pd.DataFrame({"column": names})
    table["holds"] = table["column"].map({c.name: c.kind for c in state.table.columns})
    table["cut points"] = [len(cuts.get(name, ())) for name in names]
    table["conditions"] = [conditions[name] for name in names]
    return table.assign(**{"by hand": [name in edited for name in names]}) if edited else table


def choose_column(state: AppState, table: pd.DataFrame) -> str:
    """List the columns and return the name of the selected one."""
    names = table["column"].tolist()
    chosen = st.session_state.get("binning_column")
    index = names.index(chosen) if chosen in names else 0
    config = {"column": st.column_config.TextColumn("column", pinned=True, width=200)}
    pick_row(
        table.assign(column=[state.label(name) for name in names]),
        index,
        lambda row: st.session_state.update(binning_column=names[row]),
        key="binning_columns",
        alt="Cut points and conditions of every column; the chosen one is drawn beside it.",
        height="content" if len(table) <= ROWS else TALL,
        column_config=config | dict.fromkeys(("cut points", "conditions"), COUNT),
    )
    return names[index]


def column_card(state: AppState, fitted_one: Binarizer, name: str) -> None:
    """Show one column's values by outcome and its editable cut points."""
    values = columns_of(state.training[0][[name]])[name]
    read = [e for e in fitted_one.encodings_ if e.name == name]
    title, codes, labels = format_name(state, name), state.outcome_codes, state.labels
    st.header(md(title, 80), anchor=False)
    if name in fitted_one.cuts_:
        numbers, cuts = values.astype(float), fitted_one.cuts_[name]
        few = cuts
        if len(cuts) > MAX_TYPED:
            few = cuts[np.linspace(0, len(cuts) - 1, MAX_THRESHOLDS).round().astype(int)]
        table = outcomes.outcome_bins(numbers, codes, len(labels), few)
        alt = outcomes.outcome_sentence(table, name=state.label(name), labels=labels)
        figure = outcomes.outcome_bins_figure(numbers, codes, few, name=title, **state.looks)
        chart(figure, "binning_chart", alt)
        _editor(state, name, cuts)
        signs = [outcomes.interval_signs(row) for _, row in table.iterrows()]
        _outcome_table(state, signs, _counts(state, table), "between the cut points")
    elif all(isinstance(e, LevelColumn) and e.part is None for e in read):
        table = outcomes.outcome_levels(list(values), codes, len(labels))
        if len(table):
            alt = outcomes.outcome_sentence(table, name=state.label(name), labels=labels)
            figure = outcomes.outcome_levels_figure(table, name=title, **state.looks)
            chart(figure, "binning_levels_chart", alt)
            if len(table) > (most := outcomes.MAX_LEVELS):
                st.caption(f"The chart shows the {most} most frequent of {len(table):,} levels.")
        head = "values" if state.several else "level"
        _outcome_table(state, table["level"], _counts(state, table), "in each level", head)
    else:
        _readings(state, fitted_one, name)


def conditions_list(fitted_one: Binarizer, name: str) -> None:
    """List the conditions that a column gives."""

    def make_sort_key(x: Literal) -> tuple[Any, ...]:
        # conditions of one scale and operator by the values compared with
        return (x.part or "", x.order or (), x.op, x.positions, x.missing)

    read = [e for e in fitted_one.encodings_ if e.name == name]
    literals = [x for encoding in read for x in sorted(literals_of(encoding), key=make_sort_key)]
    if not literals:
        st.caption("None: the column has a single value.")
        return
    texts = [str(literal) for literal in literals[:LISTED]]
    if len(literals) > LISTED:
        st.caption(f"The first {LISTED:,} of {len(literals):,}.")
    height = "content" if len(texts) <= SHORT else HALF
    frame = pd.DataFrame({"condition": texts})
    st.dataframe(frame, hide_index=True, height=height, alt=f"{len(texts):,} conditions.")


def format_name(state: AppState, name: str) -> str:
    """Return a column's display name with its unit."""
    unit = state.unit(name)
    return f"{state.label(name)} ({unit})" if unit else state.label(name)


def _editor(state: AppState, name: str, cuts: NDArray[np.float64]) -> None:
    """Show a text input for the cut points of one column, unless there are too many."""
    if len(cuts) > MAX_TYPED:
        st.caption(
            f"{len(cuts):,} cut points, too many to edit. The chart and the table show "
            f"{MAX_THRESHOLDS} evenly spaced ones."
        )
        return
    text = "; ".join(f"{cut:.12g}" for cut in cuts)
    key = f"cuts_{state.fit_key.__hash__()}_{st.session_state.get('binning_round', 0)}_{name[:40]}"

    def store_cuts() -> None:
        spec = app_state().binning
        try:
            cuts = dict(spec.cuts) | {name: parse_cuts(st.session_state[key])}
            change(binning=replace(spec, cuts=tuple(sorted(cuts.items()))))
        except ValueError as error:
            st.session_state["_message"] = str(error)
            st.session_state["binning_round"] = st.session_state.get("binning_round", 0) + 1

    words = (
        "Numbers separated by semicolons or spaces. A value equal to a cut point counts as 'at "
        "most'. Empty: no condition on this column's size."
    )
    st.text_input("Cut points (edit them here)", text, key=key, on_change=store_cuts, help=words)
    if name in dict(state.binning.cuts) and state.binning.method != "manual":
        st.button("Back to automatic cut points", key="drop_one", on_click=drop_cuts, args=(name,))


def _readings(state: AppState, fitted_one: Binarizer, name: str) -> None:
    """Show the levels, dates or words of a column by outcome."""
    X, y = state.training
    read = [s for s in candidate_summary(fitted_one, X, y) if s.name == name]
    words = [s for s in read if s.kind == "words"]
    names = [s.reads for s in read if s.kind not in ("words", "nothing")]
    if not (names := list(dict.fromkeys([*names, *["words"] * bool(words)]))):
        st.caption("No conditions: the column has the same value in every row.")
        return
    chosen, key = names[0], f"read_{name[:40]}"
    if len(names) > 1:
        chosen = st.segmented_control("Read of it", names, default=chosen, key=key) or chosen
    cells = [c for s in words for c in s.cells[1:2]]
    if chosen != "words":
        cells = next(s for s in read if s.reads == chosen).cells
    labels = state.labels if state.several else [state.positive]
    shares = np.array([[c.share(label) for label in labels] for c in cells])
    counts = [c.counts.get(labels[0], 0) for c in cells]
    names, figures = [c.name for c in cells], ([c.n for c in cells], counts, shares)
    _outcome_table(state, names, figures, f"by what is read of {state.label(name)}")


def _counts(state: AppState, table: pd.DataFrame) -> tuple[Any, Any, Any]:
    """Return rows, counts of the first outcome and shares (of two, of the first) of a table."""
    shares = outcomes.outcome_shares(table)
    return table["rows"], table[0].tolist(), shares if state.several else shares[:, 0]


def _outcome_table(
    state: AppState, values: Sequence[Any], figures: Any, where: str, title: str = "values"
) -> None:
    """Show rows and shares of several outcomes, or rows, count and share of the described one."""
    rows, counts, shares = figures
    table = pd.DataFrame({title: list(values), "rows": list(rows)})
    percent = 100 * np.asarray(shares, dtype=float)
    number = st.column_config.NumberColumn
    if state.several:  # an outcome may be called "rows" or "share"
        names = [f"{write_outcome(label)}, %" for label in state.labels]
        percent = np.reshape(percent, (len(table), len(names)))
        table = pd.concat([table, pd.DataFrame(percent, columns=names)], axis=1)
        config = {name: number(name, format="%.0f") for name in names} | {"rows": COUNT}
        alt = f"Rows and the share of each outcome {where}."
    else:
        outcome = write_outcome(state.positive)
        table[f"{outcome}, rows"], table["share"] = counts, np.ravel(percent)
        config = dict.fromkeys(table.columns[1:3], COUNT)
        config["share"] = number("share", format="%.0f %%")
        alt = f"Rows and share of {outcome} {where}."
    height = "content" if len(table) <= SHORT else HALF
    st.dataframe(table, hide_index=True, height=height, column_config=config, alt=alt)


AT_ONCE = 400_000  # largest table in values that is screened without a button
LAST = "duality"  # the slowest test
TESTS = {
    "simple": (
        "costs as much as it saves",
        "it and the rows it decides wrongly weigh as much as all rows it decides rightly.",
    ),
    "pairs": (
        "another does the same for no more",
        "another cut point of the column can stand in its place in every rule.",
    ),
    "duality": (
        "every rule with it is worse",
        "the linear program proves that each rule holding it costs more than a known rule.",
    ),
}


def screening_card(state: AppState, n_conditions: int) -> None:
    """Show how many conditions are not needed by some best rule of one clause, by test."""
    if state.several:
        st.caption("How many conditions can matter is proved for rules of one class only.")
        return
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    words = "A condition must save this many training rows to be worth having."
    label, key = "Price θ of a condition, in rows", "screening_theta"
    theta = left.number_input(label, 0.0, None, 1.0, 0.5, "%g", key, words, **KEEP)
    right.caption(
        "For a rule of one clause (one AND), many conditions can be ruled out before anything is "
        "learned: a best rule is proved to do without them. Each removal has a certificate that "
        "can be checked by plain counting. In rules of several clauses they may still matter."
    )
    key = repr((state.fit_key, theta))
    large = state.training[0].size > AT_ONCE
    task = partial(screen, replace(state, result=None, model=None), float(theta))
    words = f"Screen the {n_conditions:,} conditions" if large else None
    screening = answer_of("screening", "Screening", key, task, offer=words)
    if screening is None:
        return
    if not len(screening.counts[screening.counts["test"] == LAST]):
        st.caption("Removed by counting so far. The linear program may remove more.")
    _numbers(screening)
    columns = screening.count_by_column()
    columns["column"] = [state.label(name) for name in columns["column"]]
    table, sentence = screening_table(columns), screening_sentence(columns)
    chart(screening_figure(table), "screening_chart", sentence)
    st.caption(md(sentence, 500))
    if (more := int((columns["conditions"] > 0).sum()) - len(table)) > 0:
        st.caption(f"{more} more columns with fewer remaining conditions are not shown.")
    with st.expander("Why each condition was removed"):
        listed: pd.DataFrame = screening.certificates(limit=LISTED)
        if not len(listed):
            st.caption("No condition was removed.")
            return
        if screening.n_removed > LISTED:
            st.caption(f"The first {LISTED:,} of {screening.n_removed:,}.")
        st.dataframe(
            listed[["condition", "sentence"]],
            hide_index=True,
            column_config={"sentence": st.column_config.TextColumn("why", width="large")},
            alt="Each condition removed, and the numbers that prove it.",
        )
        offer, checked = "Check every certificate on the table", f"{key}{screening.n_removed}"
        recheck = partial(check, screening)
        wrong = answer_of("certificates", "Checking", checked, recheck, offer=offer)
        if wrong:
            st.error(f"{len(wrong):,} certificates do not hold; please report this table.")
        elif wrong is not None:
            st.success(f"All {screening.n_removed:,} certificates hold.")


def screen(state: AppState, theta: float, report: Report) -> ConditionScreening:
    """Screen by counting (fast), then by the linear program (minutes on large tables), as a job."""
    X, y = state.training
    options = {
        "theta": theta,
        "positive_label": state.positive,
        "binarizer": state.binning.binarizer(),
        "sample_weight": state.training_weight,
    }
    report(interim=screen_conditions(X, y, how="counting", **options))
    return screen_conditions(X, y, how="duality", **options)


def check(found: ConditionScreening, report: Report) -> list[Any]:
    """Return the certificates that do not hold on the table, as a job."""
    return found.list_unproved()


def _numbers(screening: ConditionScreening) -> None:
    left = screening.n_conditions - screening.n_removed
    container = st.container(horizontal=True, gap="large")
    share = screening.n_removed / max(1, screening.n_conditions)
    removed = f"{screening.n_removed:,} ({share:.1%})"
    container.metric("Removed with proof", removed, width="content")
    container.metric("May matter", f"{left:,}", width="content")
    number = partial(st.column_config.NumberColumn, format="localized")
    shown = screening.counts.assign(test=[TESTS[name][0] for name in screening.counts["test"]])
    st.dataframe(
        shown[["test", "first", "alone"]],
        hide_index=True,
        column_config={
            "test": st.column_config.TextColumn("removed because", width="large"),
            "first": number("removed first", help="by this test and by none above it"),
            "alone": number("by itself", help="whatever the other tests remove"),
        },
        alt="How many conditions each test removes.",
    )
    for name in screening.counts["test"]:
        short, long = TESTS[name]
        st.caption(f"**{short[0].upper()}{short[1:]}:** {long}")
