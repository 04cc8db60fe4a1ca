"""The Data page's settings: outcome and names of its classes, roles and overview of columns."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, replace
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import streamlit as st

from rulekit.binning.views import is_dates
from rulekit.data import Table, columns_of, suggest_positive, suggest_target
from rulekit.data.association import cramers_v
from rulekit.data.column import ROLES, looks_like_id
from rulekit.data.schema import numbers_of_cut, outcomes_of_cut
from rulekit.data.target import MAX_CLASSES, check_target, note_rare
from rulekit.exceptions import DataError
from rulekit.rules.condition import positions_in
from rulekit.style.phrases import cap_list, whole_percent
from rulekit.style.wording import percent, plural
from ui.cache import compute_once
from ui.data.outcomes import FEWEST_ROWS, describe_class, outcome_fields, rare_classes_line
from ui.escape import md, page_words
from ui.shell import once
from ui.state import CUT, DATES, IGNORED, KEEP, AppState, ColumnName, app_state
from ui.words import looks_protected
from ui.workspace import change, make_key

TYPED = "Another number"
ROLES_HELP = (
    "A *feature* may appear in rules; *id* and *ignore* never do; *weight* counts a row more than "
    "once; rows of one *group* stay on one side of every split."
)
BARS = 10  # bins of a histogram: equal intervals of numbers and dates, the most frequent levels
MOST_ROWS = 10_000  # in a longer table every k-th row is counted
MOST_SHOWN = 12  # columns of a table that are shown without scrolling
MOST_COLUMNS = 300  # wider tables have neither, so that the page loads fast


def describe_sample(table: Table) -> str:
    """Return a sentence on the rows that are counted; empty if all are."""
    step = _count_step(table)
    return f"Values and association are counted in one of {step} rows." if step > 1 else ""


def _count_step(table: Table) -> int:
    return -(-table.n_rows // MOST_ROWS)


def column_figures(table: Table) -> pd.DataFrame | None:
    """Return a histogram and the association of each column, in order; None for wide tables."""
    if table.n_columns > MOST_COLUMNS:
        return None

    def compute() -> pd.DataFrame:
        frame, columns = table.frame.iloc[:: _count_step(table)], table.columns
        figures = pd.DataFrame({"spread": [_histogram(frame[c.name], c.kind) for c in columns]})
        figures["association"] = np.nan
        if table.target is not None and table.column(table.target).n_distinct <= MAX_CLASSES:
            others = [k for k, c in enumerate(columns) if c.name != table.target]
            rows = frame[frame[table.target].notna()]
            strength = cramers_v(rows.iloc[:, others], rows[table.target].astype(str).to_numpy())
            figures.loc[others, "association"] = strength
        return figures

    return compute_once("column figures", f"{table.digest} {table.target}", compute)


def _histogram(column: pd.Series, kind: str) -> list[int]:
    """Count values in equal intervals, or those of the most frequent levels."""
    (values,) = columns_of(column.to_frame()).values()
    if kind == "date" and is_dates(values):
        values = positions_in(str(column.name), values, "date", None)
    if kind == "boolean" or values.dtype == object:
        return column.dropna().astype(str).value_counts().iloc[:BARS].tolist()
    values = values[np.isfinite(values)]
    levels, counts = np.unique(values, return_counts=True)
    if kind != "date" and 0 < len(levels) <= BARS:
        return counts.tolist()
    return np.histogram(values, BARS)[0].tolist() if len(values) else []


def positive_for(table: Table, target: str) -> Any:
    """Return the class suggested as positive; None unless there are 2 to 20 classes."""
    fits = 2 <= table.column(target).n_distinct <= MAX_CLASSES
    return suggest_positive(table, target) if fits else None


def with_target(table: Table, name: str) -> Table:
    """Return the table with this target, its described outcome the one of most interest."""
    table = table.with_roles({name: "target"})
    if table.positive_label is None:
        table = table.with_roles({}, positive_label=positive_for(table, name))
    return table


def choose_target(name: str | None) -> None:
    """Set the target column, with all its classes described; None removes it."""
    state = app_state()
    table, options = state.table, state.options
    if name is None:
        table = table.with_roles({table.target: "feature"}) if table.target else table
    else:
        table = with_target(table, name)
    table, options = _restore_stale_cut(table, options)
    change(table=table, options=options, every_class=True)
    refresh_editor()


def _restore_stale_cut(table: Table, options: dict[str, Any]) -> tuple[Table, dict[str, Any]]:
    """Restore the numbers of a column that is no longer the target, in table and options."""
    cuts = options.get(CUT, {})
    if all(name == table.target for name in cuts):
        return table, options
    for name in cuts:
        table = table.with_cut(name, None)
    return table, {option: value for option, value in options.items() if option != CUT}


def cut_target(cut: float) -> None:
    """Split a numeric target into two outcomes: above the cut (the described one), and up to it."""
    state = app_state()
    name = state.target
    above = outcomes_of_cut(name, cut)[0]
    table = state.table.with_cut(name, cut).with_roles({}, positive_label=above)
    change(table=table, options=state.options | {CUT: {name: float(cut)}}, outcomes={})


def set_roles(names: Iterable[str], role: str) -> None:
    """Set the role of columns from outside the editor."""
    change(table=app_state().table.with_roles(dict.fromkeys(names, role)))
    refresh_editor()


def target_card() -> None:
    """Show the fields for target, described class and class names, and any error in them."""
    state = app_state()
    number_columns = [numbers_of_cut(name) for name in state.options.get(CUT, {})]
    names = [c.name for c in state.table.columns if c.name not in number_columns]
    key = f"target_{this_round()}"
    st.selectbox(
        "Target column",
        names,
        index=names.index(state.target) if state.target else None,
        placeholder="Choose the column the rule should predict",
        key=key,
        on_change=lambda: choose_target(st.session_state[key]),
        **KEEP,
    )
    if state.target is None:
        _suggestion(state.table)
        return
    column = state.table.column(state.target)
    numbers = state.table.frame[column.name]
    is_id = looks_like_id(numbers, column.name, column.n_distinct)
    if column.is_number and column.n_distinct > MAX_CLASSES and not is_id:
        st.markdown(
            f"{md(column.name, 40)} holds {column.n_distinct:,} different numbers. Choose a cut: "
            "rules predict whether a number is above it."
        )
        _cut_card(numbers, column.name, key)
        return
    for sentence in check_target(state.table, state.target):
        st.error(md(page_words(sentence), 400))
    counts = state.class_counts
    if not 2 <= len(counts) <= MAX_CLASSES:
        return
    if len(counts) > 2:
        one = f"{key}_one"
        st.toggle(
            "One class against the rest",
            not state.every_class,
            key=one,
            on_change=lambda: change(every_class=not st.session_state[one], setting=None),
            help=f"If off, an ordered list describes all {len(counts)} classes: if … then this "
            "one, else if … then that one, otherwise another. If on, the rule describes one class.",
        )
    if not state.several:
        _choose_class(state, counts, key)
    outcome_fields(key)
    rare_classes_line()
    if state.target in state.options.get(CUT, {}):
        with st.expander("Another cut"):
            numbers = state.table.frame[numbers_of_cut(state.target)]
            _cut_card(numbers, state.target, key)
    table = state.table
    n_missing, counts = table.column(table.target).n_missing, state.class_counts
    words = [f"Left out: {plural(n_missing, 'row')} without an outcome."] * (n_missing > 0)
    words += note_rare({c: n for c, n in counts.items() if n >= FEWEST_ROWS})
    for sentence in filter(None, [*words, set_aside(table)]):
        st.caption(md(sentence, 400))


def quantile_cuts(numbers: pd.Series) -> dict[str, float]:
    """Return those of median and quartiles of a column that leave rows on both sides."""
    parts = {"Median": 0.5, "Lower quartile": 0.25, "Upper quartile": 0.75}
    cuts = {way: float(numbers.quantile(part)) for way, part in parts.items()}
    return {way: cut for way, cut in cuts.items() if cut < numbers.max()}


def _cut_card(numbers: pd.Series, name: str, key: str) -> None:
    """Show the choice of a cut of a numeric target, with the rows on each side."""
    cuts = quantile_cuts(numbers)
    # written as in the names of the outcomes
    words = {way: f"{way} ({cut:,.6g})".replace(",", " ") for way, cut in cuts.items()}
    way = st.radio(
        "Cut", [*cuts, TYPED], 0, lambda way: words.get(way, way), f"{key}_cut_way", horizontal=True
    )
    if (cut := cuts.get(way)) is None:
        middle = float(numbers.median())
        cut = st.number_input("Cut at", value=middle, format="%.6g", key=f"{key}_cut")
    n_present, above = int(numbers.notna().sum()), int((numbers > cut).sum())
    sides = [
        f"{md(side, 60)}: {plural(n, 'row')} ({percent(n / n_present)})"
        for side, n in zip(outcomes_of_cut(name, cut), (above, n_present - above), strict=True)
    ]
    st.caption(" · ".join(sides))
    if one_sided := (above in (0, n_present)):
        st.caption("A cut needs rows on both sides. Choose another one.")
    kind = "secondary" if name in app_state().options.get(CUT, {}) else "primary"
    use = once(partial(cut_target, cut))
    st.button("Use this cut", "use_cut", type=kind, disabled=one_sided, on_click=use)


def _choose_class(state: AppState, counts: dict[Any, int], key: str) -> None:
    """Show the choice of the class that the rule describes."""
    classes = [label for label in counts if state.get_display_name(label) is not None]
    positive = state.table.positive_label
    total = sum(counts.values())
    radio = f"{key}_class_{crc32(repr(state.outcomes).encode())}"  # its options contain the names
    st.radio(
        "The rule describes the class",
        classes,
        index=classes.index(positive) if positive in classes else None,
        format_func=lambda c: (
            f"{describe_class(c, state)} ({counts[c]:,} rows, {whole_percent(counts[c], total)})"
        ),
        horizontal=len(classes) <= 4,
        key=radio,
        on_change=lambda: change(
            table=app_state().table.with_roles({}, positive_label=st.session_state[radio])
        ),
        help="The rule describes this class; all other rows get the other label. "
        "Suggested: the class named yes, fraud or the like; else the rarest of 30 rows or more.",
    )


def set_aside(table: Table) -> str:
    """Return a sentence on the columns that no rule may use, and why; empty if there are none."""
    reasons = {"id": "identifier", "date": "dates", "text": "free text"}
    columns = []
    for column in table.columns:
        if column.role in ("id", "ignore"):
            usual = "audit only" if looks_protected(column.name) else "set aside"
            reason = reasons.get("id" if column.role == "id" else column.kind, usual)
            if (name := column.name) == numbers_of_cut(table.target or ""):
                name, reason = f"numbers of {table.target}", "cut into the two outcomes"
            columns.append(f"{name} ({reason})")
    return f"Not used: {cap_list(columns, 6)}." if columns else ""


def describe_task(target: str, label: Any, n_classes: int = 0) -> str:
    """Return what is predicted and which class is described, or of how many classes all."""
    described = f"all {n_classes} classes" if n_classes else md(label, 30)
    return f"Predict {md(target, 40)}: describe {described}"


def _suggestion(table: Table) -> None:
    """Suggest a target column with few classes for the user to confirm."""
    if (name := suggest_target(table)) is None:
        st.caption(
            "No column of few classes was found. Choose one of classes, or of numbers and a cut."
        )
        return
    n_classes, label = table.column(name).n_distinct, suggest_positive(table, name)
    words = describe_task(name, label, n_classes if n_classes > 2 else 0)
    st.button(words, "use_suggestion", type="primary", on_click=partial(choose_target, name))


def columns_card() -> None:
    """Show every column with its editable role, display name and unit."""
    state = app_state()
    if words := describe_sample(state.table):
        st.caption(words)
    features = state.table.features
    protected = [name for name in features if looks_protected(name)]
    if protected and len(protected) < len(features):
        with st.container(horizontal=True, vertical_alignment="center"):
            words = f"Protected attributes: {cap_list(protected, 4)}."
            st.caption(md(words, 400), width="content")
            words = (
                "No rule reads these columns then. Groups, on Rules, still shows the errors in "
                "each of their groups."
            )
            ignore = partial(set_roles, protected, "ignore")
            st.button("Use for audit only", "audit_only", words, ignore, type="tertiary")
    key = f"columns_{this_round()}"
    of_key, base = st.session_state.get("columns_base", (None, None))
    if of_key != key:
        base = editor_frame(state.table, state.wording)
        st.session_state["columns_base"] = key, base
    config, used = st.column_config, "Used in sentences and figures."
    associated = (
        "With the outcome: 0 for none beyond chance, 1 where the column determines it (Cramér's V "
        "of at most six groups)."
    )
    st.data_editor(
        base,
        key=key,
        hide_index=True,
        # a row cut in half indicates scrolling
        height="content" if state.table.n_columns <= MOST_SHOWN else 460,
        disabled=["column", "spread", "association", "holds", "distinct", "missing"],
        column_config={
            "column": config.TextColumn("Column", pinned=True, width="medium"),
            "role": config.SelectboxColumn(
                "Role", options=list(ROLES), required=True, help=ROLES_HELP
            ),
            "spread": config.BarChartColumn("Values", width="small", y_min=0),
            "association": config.ProgressColumn(
                "Association",
                width="small",
                help=associated,
                format="%.2f",
                min_value=0,
                max_value=1,
            ),
            "holds": "Holds",
            "distinct": config.NumberColumn("Distinct", format="localized"),
            "missing": config.NumberColumn("Missing", format="%.1f %%"),
            "label": config.TextColumn("Name for people", max_chars=60, help=used),
            "unit": config.TextColumn("Unit", max_chars=20, help=used),
        },
        on_change=partial(_note_edit, key),
        alt="Columns of the table with their roles, names for people and units.",
    )
    if names := columns_with_gaps(state.table):
        tested = f"tested_{this_round()}"
        st.multiselect(
            "Test for missing values",
            names,
            default=[name for name in state.binning.missing if name in names],
            key=tested,
            on_change=lambda: allow_missing(st.session_state[tested]),
            placeholder="In no column",
            help="Columns with missing values. In those chosen, “is missing” and “is known” may "
            "be conditions of a rule.",
        )


def columns_with_gaps(table: Table) -> list[str]:
    """Return the features with missing values."""
    return [c.name for c in table.columns if c.role == "feature" and c.n_missing]


def allow_missing(names: Collection[str]) -> None:
    """Set the columns whose missing values rules may test."""
    change(binning=replace(app_state().binning, missing=tuple(sorted(names))))


def editor_frame(table: Table, wording: dict[str, ColumnName]) -> pd.DataFrame:
    """Return the initial content of the column editor: one row per column, in the table's order."""
    columns = table.columns
    words = [wording.get(c.name, ColumnName()) for c in columns]
    frame = pd.DataFrame({"column": [c.name for c in columns], "role": [c.role for c in columns]})
    if (figures := column_figures(table)) is not None:
        frame = frame.join(figures)
    return frame.assign(
        holds=[f"{c.kind}, ordered" if c.order else c.kind for c in columns],
        distinct=[c.n_distinct for c in columns],
        missing=[100 * c.n_missing / max(1, table.n_rows) for c in columns],
        label=[w.label for w in words],
        unit=[w.unit for w in words],
    )


def read_dates(name: str, day_first: bool | None) -> None:
    """Convert a text column to dates; the order of day and month is kept for later files."""
    state = app_state()
    table = state.table.as_date(name, day_first=day_first)
    if day_first is None:
        read = {g: state.table.as_date(name, day_first=g).digest for g in (True, False)}
        same = [g for g, digest in read.items() if digest == table.digest]
        day_first = same[0] if len(same) == 1 else None
    dates = {**state.options.get(DATES, {}), name: day_first}
    change(table=table, options=state.options | {DATES: dates})


def use_columns(names: Collection[str]) -> None:
    """Make columns features; raise DataError at the end for the first with unreadable dates."""
    unread = _read_dates_of(names)
    set_roles([name for name in names if name not in unread], "feature")
    for error in unread.values():
        raise error


def _read_dates_of(names: Iterable[str]) -> dict[str, DataError]:
    """Convert the dates of columns in other formats than ISO; return errors by column."""
    errors = {}
    for name in names:
        table = app_state().table
        cells = table.frame[name]
        is_text = cells.dtype.kind != "M"
        if table.column(name).kind == "date" and is_text and not is_dates(cells.to_numpy(object)):
            try:
                read_dates(name, None)
            except DataError as error:
                where = "It is converted on Data, under “Orders of levels, dates and durations”."
                errors[name] = DataError(f"{error} {where}")
    return errors


def apply_edits(edits: dict[int, dict[str, Any]]) -> None:
    """Apply edited cells (row number to new values); raise DataError for unreadable dates last."""
    state = app_state()
    names = [c.name for c in state.table.columns]
    now = [c.role for c in state.table.columns]
    roles = {names[row]: cells.get("role", now[row]) for row, cells in edits.items()}
    roles = {name: role for name, role in roles.items() if now[names.index(name)] != role}
    wording = dict(state.wording)
    for row, cells in edits.items():
        words = asdict(wording.get(names[row], ColumnName()))
        words |= {k: str(cells[k] or "").strip() for k in words if k in cells}
        wording[names[row]] = ColumnName(**words)
    for name in state.options.get(CUT, {}):
        if roles.get(numbers_of_cut(name), "ignore") not in ("ignore", "id"):
            raise DataError(f"{numbers_of_cut(name)!r} holds the outcome. It must be ignored.")
    unread = _read_dates_of(name for name, role in roles.items() if role == "feature")
    roles = {name: role for name, role in roles.items() if name not in unread}
    state = app_state()
    table = state.table.with_roles(roles) if roles else state.table
    table, options = _restore_stale_cut(table, state.options)
    ignored = [name for name, role in roles.items() if role == "ignore"]
    if ignored:
        options = options | {IGNORED: [*options.get(IGNORED, ()), *ignored]}
    wording = {name: words for name, words in wording.items() if name in table.frame.columns}
    if table.target is not None and table.positive_label is None:
        table = table.with_roles({}, positive_label=positive_for(table, table.target))
    change(table=table, options=options, wording=wording)
    if {"target", "weight", "group"} & set(roles.values()) or state.target != table.target:
        refresh_editor()  # another column has lost its role
    for error in unread.values():
        raise error


def _note_edit(key: str) -> None:
    edits = st.session_state[key]["edited_rows"]
    try:
        apply_edits({int(row): cells for row, cells in edits.items()})
    except DataError as error:
        st.session_state["_message"] = str(error)
        refresh_editor()


def this_round() -> str:
    """Return a key of this table and state of the editor; widgets of another one are new."""
    editor = st.session_state.get("columns_round", 0)
    return make_key(f"{app_state().table.digest[:12]}_{editor}")


def refresh_editor() -> None:
    """Reset the column editor to the current table."""
    st.session_state["columns_round"] = st.session_state.get("columns_round", 0) + 1
