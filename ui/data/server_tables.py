"""A table that is not loaded: opened as a sample, learned from and counted as a whole."""

import hashlib
import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.exceptions import DataError
from rulekit.export import to_json
from rulekit.families import IdealDNFClassifier, RuleClassifier
from rulekit.style.wording import percent
from ui import workspace
from ui.data import sources
from ui.escape import md
from ui.runs import jobs
from ui.runs.background import failure, watch
from ui.shell import ONWARD, once, problem
from ui.state import CATEGORIES, CUT, DATES, DURATIONS, NUMERIC, SERVER, AppState, app_state
from ui.streamlit_private import rerun
from ui.widgets import COUNT
from ui.workspace import change

WHOLE = "whole_file"  # in a setting: whole-table learning in words
TITLE = "All rows"
LEARNERS = {"Short rule": RuleClassifier, "Every combination": IdealDNFClassifier}
STEPS = 100
AT_ONCE_ROWS = 2_000_000  # tables up to this size are counted without a click
AT_ONCE_SECONDS = 20.0  # then cancelled until the button is clicked
OTHERWISE = {
    NUMERIC: "numbers",
    CATEGORIES: "categories",
    DATES: "dates",
    DURATIONS: "durations",
    CUT: "two outcomes",
}


def server_card() -> None:
    """List the tables that the operator allows; nothing without any."""
    configured = {}
    try:
        configured = sources.connections()
    except DataError as error:
        problem(error)
    if sources.data_root() is None and not configured:
        return
    offered: dict[str, dict[str, Any]] = {name: {"path": name} for name in sources.list_tables()}
    for connection in configured.values():
        for table in connection.tables:
            source = {"connection": connection.name, "table": table}
            offered[sources.source_words(source)] = source
    st.markdown("**Or open a table on this server**")
    if not offered:
        st.caption("The folder that this server opens to the dashboard holds no table.")
        return
    name = st.selectbox(
        "Table on this server", list(offered), format_func=lambda n: n[:80], key="server_file"
    )
    st.caption(
        f"Of any size: the pages show about {sources.SAMPLE_ROWS:,} of its rows, drawn at random. "
        "Rules can be learned from all of them on Models, and counted on all of them on Rules."
    )
    st.button("Open", key="server_open", on_click=once(lambda: open_source(offered[name])))


def open_source(source: Mapping[str, Any]) -> None:
    """Start drawing a sample in the background; `load.upload_card` uses the result."""
    owner, title = f"{workspace.analysis_id()}/upload", f"Opening {sources.source_words(source)}"
    location = sources.find_table(source)
    task = partial(sources.open_sample, dict(source), location, sources.SAMPLE_ROWS)
    jobs.registry().start(owner, title, task, urgent=True)


def all_rows(state: AppState) -> sources.AllRows:
    """Apply the choices made on the sample to the whole table."""
    for option, kind in OTHERWISE.items():
        if names := list(state.options.get(option) or ()):
            raise DataError(
                f"Column {names[0]!r} of the sample is read as {kind} here, but not in the "
                "table itself. Undo that reading, or create a view of the table with this type."
            )
    named = {value: state.get_display_name(value) for value in state.class_counts}
    classes = tuple(pair for pair in named.items() if pair[1] is not None)
    other = None
    if len(classes) > 2 and not state.several:
        positive, other = state.positive, state.other_label
        classes = tuple(pair for pair in classes if pair[1] == positive)
    names = tuple(c.name for c in state.table.columns)
    location = sources.find_table(state.options[SERVER])
    return sources.AllRows(location, names, state.target, classes, other)


def whole_file_card(state: AppState) -> None:
    """Show the form that learns from all rows of the sampled table."""
    if (source := state.options.get(SERVER)) is None:
        return
    job = jobs.registry().get(workspace.analysis_id())
    job = job if job is not None and job.title == TITLE else None
    with st.container(border=True):
        if job is not None and job.active:
            watch(
                job,
                lambda job: (
                    jobs.registry().waiting(job)
                    or f"{job.message or 'Starting'}, {job.elapsed:.0f} s"
                ),
                "whole_file",
            )
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            kind = st.selectbox(
                f"Learn from all {source['rows']:,} rows of {md(sources.source_words(source), 60)}",
                list(LEARNERS)[: 1 if state.several else None],
                key="whole_kind",
                help="Learned from samples that the database draws, and counted on every row "
                "there; test rows are held back by a hash of the row.",
            )
            st.button("Learn", key="whole_file", on_click=once(lambda: _start(app_state(), kind)))
        _finish_job(job)
        if WHOLE in (app_state().setting or {}):
            st.success(md(app_state().setting[WHOLE], 300))
            st.page_link("pages/rules.py", label="Read the rule on Rules", icon=ONWARD)


def _start(state: AppState, kind: str) -> None:
    """Start learning in the background."""
    positive = None if state.several else state.positive
    learner = LEARNERS[kind](positive_label=positive, random_state=0)
    options: dict[str, Any] = {"features": state.features}
    if isinstance(learner, RuleClassifier):
        options["test_share"] = state.split.test_share
    task = partial(sources.learn_whole, all_rows(state), learner, options, STEPS)
    jobs.registry().start(workspace.analysis_id(), TITLE, task, total=STEPS)


def _finish_job(job: jobs.Job | None) -> None:
    """Select the model of a finished job, once, or show how it ended."""
    if job is None:
        return
    if job.state == "cancelled":
        st.warning("Learning from all rows was stopped. Nothing was changed.")
    elif job.state == "failed":
        failure(job)
    elif job.answer is not None and st.session_state.get("_whole_file") != job.id:
        st.session_state["_whole_file"] = job.id
        _take(job.answer)


def _take(model: Any) -> None:
    """Select a model learned from a whole table."""
    source = app_state().options[SERVER]
    counted = getattr(model, "table_certificate_", None)
    kind = "Every combination" if counted is None else "Short rule"
    n_rows = model.n_rows_ if counted is None else counted.n_rows
    words = f"{kind}, learned from all {n_rows:,} rows of {sources.source_words(source)}"
    if counted is not None and counted.test.n:
        wrong = percent(counted.test.error)
        words += f"; of the {counted.test.n:,} rows held back there {wrong} are wrong"
    change(setting={"edited": words, WHOLE: words}, model=model, rule_json=to_json(model))


def all_rows_card(model: ClassifierMixin, state: AppState) -> None:
    """Show the current rule counted on all rows, or offer to count it; at once for small tables."""
    if (source := state.options.get(SERVER)) is None:
        return
    rule, owner = model.rule_set_, f"{workspace.analysis_id()}/count"
    key = hashlib.sha256(repr((to_json(rule), state.fit_key)).encode()).hexdigest()
    counts: dict[str, Any] = st.session_state.setdefault("_all_rows", {})
    job = jobs.registry().get(owner)
    job = job if job is not None and job.key == key else None

    def count(*, at_once: bool) -> None:
        task = partial(sources.count_rule, all_rows(app_state()), rule)
        jobs.registry().start(owner, "Count on all rows", task, key=key, urgent=at_once)

    with st.container(border=True):
        if job is not None and job.state == "done":
            counts[key] = job.answer
        if key in counts:
            whole, clauses = counts[key]
            share = percent(whole.errors / whole.n) if whole.n else "—"
            words = f"Wrong on all {whole.n:,} rows of {sources.source_words(source)}: "
            st.markdown(f"{md(words, 200)}**{share}** ({whole.errors:,} rows)")
            if not rule.is_constant:
                numbers = [[k, c.positives, c.n] for k, c in enumerate(clauses, start=1)]
                names = ["Clause", "Right, of all rows", "Matched, of all rows"]
                st.dataframe(
                    pd.DataFrame(numbers, columns=names),
                    hide_index=True,
                    column_config=dict.fromkeys(names[1:], COUNT),
                    alt="What each clause of the rule matches among all rows.",
                )
            return
        if job is not None and job.active:
            most = AT_ONCE_SECONDS if job.urgent else math.inf
            words = f"Counting on all {source['rows']:,} rows of {sources.source_words(source)}"
            watch(job, lambda job: f"{words}, {job.elapsed:.0f} s", "count", most=most)
            return
        if job is not None and job.error:
            problem(job.error)
        at_once = source["rows"] <= AT_ONCE_ROWS and job is None
        st.button(
            f"Count on all {source['rows']:,} rows",
            key="count_all_rows",
            on_click=once(lambda: count(at_once=False)),
        )
        if at_once:
            try:
                count(at_once=True)
            except DataError as error:
                problem(error)
                return
            rerun()
