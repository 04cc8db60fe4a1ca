"""A Parquet file on the server's disk: opened as a sample, learned from as a whole."""

from dataclasses import replace

import streamlit as st

from rulekit.data import count_rows, sample_parquet
from rulekit.export import to_json
from rulekit.learners import IdealDNFClassifier
from ui import workspace
from ui.data import server_files
from ui.data.outcomes import relabelled
from ui.data.tasks import STEPS, LearnWholeFile
from ui.escape import md
from ui.runs import jobs
from ui.shell import ONWARD, once, problem
from ui.state import SERVER, AppState, app_state
from ui.workspace import change

WHOLE = "whole_file"  # in a setting: what was learned from all rows of a file, in words
TITLE = "Whole file"
SAMPLE_ROWS = 50_000
POLL_SECONDS = 0.5


def server_card() -> None:
    """Offer the files of the folder that the operator allows; nothing where there is none."""
    if server_files.root() is None:
        return
    names = server_files.listed()
    st.markdown("**Or open a file on this server**")
    if not names:
        st.caption("The folder that this server opens to the dashboard holds no Parquet file.")
        return
    name = st.selectbox("Parquet file", names, format_func=lambda n: md(n, 80), key="server_file")
    st.caption(
        f"Of any size: the pages show about {SAMPLE_ROWS:,} of its rows, drawn at random; the "
        "ideal DNF can learn from all of them, on Models."
    )
    st.button("Open", key="server_open", on_click=once(lambda: _open(name)))


def _open(name: str) -> None:
    """Begin an analysis of a sample of a file."""
    path = server_files.resolved(name)
    n_rows = count_rows(path)
    several = n_rows > SAMPLE_ROWS
    table = sample_parquet(path, SAMPLE_ROWS, name=f"{path.name} (sample)" if several else None)
    st.session_state["upload_error"] = None
    options = {SERVER: {"path": name, "rows": n_rows}} if several else {}
    workspace.begin(table, options)


def whole_file_card(state: AppState) -> None:
    """Offer to learn from all rows of the file that the table is a sample of."""
    source = state.options.get(SERVER)
    if source is None or state.several:  # its rule describes one class
        return
    job = jobs.registry().get(workspace.analysis_id())
    job = job if job is not None and job.title == TITLE else None
    with st.container(border=True):
        st.markdown(f"**The whole file: {md(source['path'], 80)}**")
        st.caption(
            f"This table is a sample of {state.table.n_rows:,} of {source['rows']:,} rows. The "
            "ideal DNF learns from all of them without loading them; the other learners see the "
            "sample."
        )
        if job is not None and job.active:
            st.fragment(_progress, run_every=POLL_SECONDS)(job)
            return
        st.button(
            f"Learn from all {source['rows']:,} rows",
            key="whole_file",
            on_click=once(lambda: _start(app_state())),
        )
        _ended(job)
        if WHOLE in (app_state().setting or {}):
            st.success(md(app_state().setting[WHOLE], 200))
            st.page_link("pages/rules.py", label="Read the rule on Rules", icon=ONWARD)


def _start(state: AppState) -> None:
    """Begin to learn in the background."""
    source = state.options[SERVER]
    path = server_files.resolved(source["path"])
    task = LearnWholeFile(path, state.target, tuple(state.features), state.table.positive_label)
    jobs.registry().start(workspace.analysis_id(), TITLE, task, total=STEPS)


def _progress(job: jobs.Job) -> None:
    if not job.active:
        st.rerun()
    if job.state == "queued":
        st.info(f"Waiting for a free place: number {jobs.registry().position(job)} in the queue.")
    bar, stop = st.columns([5, 1], vertical_alignment="bottom")
    words = f"{job.message or 'Starting'}, {job.elapsed:.0f} s"
    bar.progress(job.share, text=md(words, 120))
    stop.button("Stop", on_click=job.cancel, key="stop_whole_file", width="stretch")


def _ended(job: jobs.Job | None) -> None:
    """Take the model of a finished job, once, or say how it ended."""
    if job is None:
        return
    if job.state == "cancelled":
        st.warning("Learning from the whole file was stopped; nothing of it is kept.")
    elif job.state == "failed":
        problem(job.error)
        if job.error_id:
            st.caption(f"Its number in the server's log is {job.error_id}.")
    elif job.answer is not None and st.session_state.get("_whole_file") != job.id:
        st.session_state["_whole_file"] = job.id
        _take(job.answer)


def _take(model: IdealDNFClassifier) -> None:
    """Make a model learned from a whole file the chosen one."""
    source = app_state().options[SERVER]
    words = f"Ideal DNF, learned from all {model.n_rows_:,} rows of {source['path']}"
    setting, state = {"edited": words, WHOLE: words}, app_state()
    if not state.outcomes:
        change(setting=setting, model=model, rule_json=to_json(model))
        return
    rule = relabelled(model.rule_set_, replace(state, outcomes={}), state)  # the file has values
    change(setting=setting, model=None, rule_json=to_json(rule))
