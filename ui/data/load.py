"""The Data page's first card (a file or a sample), and the current and saved analyses."""

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import streamlit as st

from rulekit.data import Limits, ParseOptions, list_samples, load_sample
from rulekit.data.headers import quote
from rulekit.data.matching import missing_words
from rulekit.data.reading.loading import decompress
from rulekit.data.samples.bundled import SampleInfo
from rulekit.data.target import likely_target
from rulekit.exceptions import DataError, RuleError
from rulekit.export import from_json
from rulekit.style.phrases import cap_list
from ui import analyses, login, workspace
from ui.data.choices import with_target
from ui.data.sources import Answer, is_large, read_file
from ui.data.split import take_test_rows
from ui.escape import file_name, md
from ui.runs import jobs
from ui.runs.background import watch
from ui.shell import once, problem
from ui.state import SERVER, UNITS, WORDS, app_state, to_plain
from ui.streamlit_private import rerun
from ui.workspace import change, change_upload, current_upload, forget_upload, pick_rule

FIRST_SAMPLE = "credit"
HERE = Path(__file__).parents[1] / "pictures"  # drawn by `scripts.screenshot`
PICTURES = {
    "flow": "Where the rows go: each clause of the rule takes its rows, coloured by outcome.",
    "curve": "The error falls with each condition that the rule may have, then stays.",
}
SHOWN_NAMES = 12  # number of columns read from a wide file
MOST_PASTED = 2_000_000  # characters


def upload_card() -> None:
    """Show the upload and read a new file once; on an error, keep the table and show why."""
    file = st.file_uploader("Drop a file, or paste a table", key="upload_file")
    st.caption(f"{Limits().sentence()} The file stays on this machine.")
    with st.expander("Paste a table"):
        label = "Cells from a spreadsheet, a web page or Markdown, with the names"
        text = st.text_area(label, "", 120, MOST_PASTED, "upload_pasted")
        pasted = text.encode()
        take = once(lambda: _read_new("pasted table", pasted, f"pasted {crc32(pasted)}"))
        st.button("Read it", "read_pasted", disabled=not text.strip(), on_click=take)
    if file is not None and file.file_id != current_upload().in_field:
        with st.spinner("Reading the file", show_time=True):
            try:
                _read_new(file.name[:80], file.getvalue(), file.file_id)
            except Exception:  # not read again in every run; a rerun is no Exception
                change_upload(in_field=file.file_id)
                raise
        change_upload(in_field=file.file_id)  # last: a rerun may end this at any line
        rerun()
    if (reading := jobs.registry().get(_owner())) is not None and reading.active:
        line = "{0.title}: {1}, {0.elapsed:.0f} s"
        watch(reading, lambda job: line.format(job, job.message or "waiting"), "reading")
    elif reading is not None:
        stopped = Answer(error=reading.error or "Reading was stopped.")
        _take(reading.answer if reading.state == "done" else stopped)
        jobs.registry().forget(reading.owner)
        rerun()


def _read_new(name: str, content: bytes, file_id: str) -> None:
    """Read another file as detected."""
    with suppress(DataError):  # reading it reports the error
        content = decompress(content, Limits())
    change_upload(name=name, content=content, file_id=file_id, target=None, layout=None, test=None)
    jobs.registry().forget(_owner())  # the reading of an earlier file
    read(ParseOptions())


def refusal() -> None:
    """Show why a file was not read, and offer the columns of one that is too wide."""
    upload = current_upload()
    if names := upload.names:
        key, most = upload.file_id, Limits().max_columns
        st.warning(
            f"The file has {len(names):,} columns, and up to {most:,} can be read. Choose the "
            "ones that may matter."
        )
        left, right = st.columns(2)
        likely = names.index(likely_target(names))
        target = left.selectbox("Column to predict", names, likely, key=f"upload_wide_target_{key}")
        words = right.text_input(
            "Columns whose name contains",
            key=f"upload_wide_words_{key}",
            placeholder="age, glucose, gene_1",
            help="Any of these words, commas between them; empty: every column, the first ones "
            "kept.",
        )
        options = {"placeholder": "Search for a name", "help": "These columns are always read."}
        more = st.multiselect("And these", names, key=f"upload_wide_more_{key}", **options)
        columns = propose_columns(names, target, words, more)
        st.caption(f"{len(columns):,} columns: {md(cap_list(columns, SHOWN_NAMES), 900)}.")

        def read_columns() -> None:
            change_upload(target=target)
            read(ParseOptions(columns=columns))

        words = f"Read these {len(columns):,} columns"
        st.button(words, "read_wide", type="primary", on_click=read_columns)
    elif upload.error:
        problem(upload.error)
    if upload.error and app_state().table is not None:
        st.caption(f"Your table {md(app_state().table.name, 40)} is still here, unchanged.")


def propose_columns(
    names: Sequence[str], target: str, words: str = "", more: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the columns to read, in the file's order: target, named ones, then matching ones."""
    wanted = [word.strip().lower() for word in words.split(",") if word.strip()]
    taken = {target, *more}
    for name in names:
        if len(taken) >= Limits().max_columns:
            break
        if not wanted or any(word in name.lower() for word in wanted):
            taken.add(name)
    return tuple(name for name in names if name in taken)


def read(options: ParseOptions) -> None:
    """Read the file (a large one in a worker) and start an analysis, or store an error message."""
    upload = change_upload(options=options)
    task = partial(read_file, upload.name, upload.content, options)
    if is_large(upload.content):
        title = f"Reading {upload.name} ({len(upload.content) / 1e6:.0f} MB)"
        jobs.registry().start(_owner(), title, task, urgent=True)
    else:
        _take(task())


def _take(answer: Answer) -> None:
    """Start an analysis of a table, or store the error message of reading it."""
    upload = change_upload(error=answer.error or "", names=answer.names)
    if (table := answer.table) is None:
        return
    if answer.source is not None:
        forget_upload()
        sampled = answer.source["rows"] > table.n_rows
        workspace.begin(table, {SERVER: answer.source} if sampled else {})
        return
    change_upload(layout=answer.layout)
    read_as = {}
    if answer.options is not None:
        words = {name: tuple(of) for name, of in missing_words(table, table.cells).items()}
        read_as = asdict(answer.options) | {UNITS: dict(table.units), WORDS: words}
    again = workspace.file_of_analysis() == upload.file_id
    target = app_state().target if again else upload.target
    if target in table.frame.columns:
        table = with_target(table, target)
    analysis = workspace.analysis_id() if again and workspace.is_as_begun() else None
    workspace.begin(table, read_as, analysis=analysis, file_id=upload.file_id)
    if again and upload.test is not None:
        once(partial(take_test_rows, *upload.test))()


def tabs_key() -> str:
    """Return a key of the tabs of Data: a new table opens the first, a file read again does not."""
    if file_id := workspace.file_of_analysis():
        return f"upload_tabs_{file_id}"  # kept by `workspace.begin`
    return f"data_tabs_{app_state().table.digest[:12]}"


def _owner() -> str:
    """Return the key of the reading job; the current analysis has another job."""
    return f"{workspace.analysis_id()}/upload"


def example_card() -> None:
    """Show what comes out of a table, in pictures of the first sample, and begin with it."""
    st.markdown("**What comes out: a short rule, and what each condition buys**")
    dark = st.context.theme.type == "dark"
    for part, alt in PICTURES.items():
        png = b64encode((HERE / f"{part}-{'dark' if dark else 'light'}.png").read_bytes()).decode()
        # in the page: Streamlit drops files of its own once a visitor has gone on
        st.image(f"data:image/png;base64,{png}", alt=alt, width="stretch")
    first = next(info for info in list_samples() if info.name == FIRST_SAMPLE)
    _sample_button(first, "Try it on this table", type="primary")
    st.caption(f"{first.title}: {first.description}")


def sample_buttons(*left_out: str) -> None:
    """Show a button for each bundled table."""
    with st.container(horizontal=True, gap="small"):
        for info in sorted(list_samples(), key=lambda s: s.name != FIRST_SAMPLE):
            if info.name not in left_out:
                _sample_button(info, f"Try {info.title}")


def _sample_button(info: SampleInfo, label: str, **options: Any) -> None:
    """Show a button that begins an analysis of a bundled table."""

    def begin() -> None:
        forget_upload()
        workspace.begin(load_sample(info.name))

    words = f"{info.description} Source: {info.source}. Licence: {info.licence}."
    st.button(label, f"sample_{info.name}", words, begin, **options)


SHOWN = 6  # number of saved analyses shown; earlier ones are a click away


def _json_file(name: str, take: Callable[[bytes, str], None], words: str, **options: Any) -> None:
    """Show an upload of a JSON file, which is empty again after `take` got content and name."""
    generation = st.session_state.setdefault(f"upload_{name}_turn", 0)
    key = f"upload_{name}_{generation}"

    def read_upload() -> None:
        if (file := st.session_state[key]) is not None:
            st.session_state[f"upload_{name}_turn"] = generation + 1
            take(file.getvalue(), file.name[:80])

    label = f"Load {name if name == 'settings' else f'a {name}'} (JSON) for this table"
    options |= {"type": ["json"], "help": words, "on_change": once(read_upload)}
    st.file_uploader(label, key=key, **options)


def take_rule(content: bytes, name: str) -> None:
    """Select a rule from a file; raise an error if it does not fit the table."""
    rule, state = from_json(content), app_state()
    strange = [label for label in rule.classes if label not in state.labels]
    if strange:
        outcomes = " or ".join(quote(label) for label in state.labels)
        raise RuleError(
            f"The rule predicts {quote(strange[0])}, but the outcomes here are {outcomes}. Select "
            "the class it describes as the positive one, or rename the classes on Data."
        )
    rule.predict(state.training[0])  # says which column holds something else
    pick_rule(rule, source=f"the file {name}")
    change(rule_selected=True)


def session_card() -> None:
    """Show the notes, the effect of a reload, and buttons to save settings and to delete all."""
    state = app_state()
    notes = st.text_area(
        "Notes",
        state.notes,
        key=workspace.make_key(f"notes_{workspace.analysis_id()}"),
        placeholder="The question, who needs the answer, what was decided and why. Kept here.",
        max_chars=max(20_000, len(state.notes)),  # two people's notes may be longer
    )
    if notes != state.notes:
        change(notes=notes)
    if workspace.folder() is None:
        st.caption(
            "Nothing is written to disk (`RULEKIT_WORKSPACE=off`): a reload starts a new analysis."
        )
    else:
        st.caption(
            "Kept in a folder on this machine that only its owner can read. The page's address "
            "brings it back after a reload or a restart"
            + (", for you alone." if login.is_on() else ": keep it like a password.")
        )
        if analyses.OWNER in st.session_state and not analyses.is_listed():
            st.button("Add it to your saved analyses", key="add_saved", on_click=analyses.add)
    left, right = st.columns([1, 1])
    words = (
        "Roles, target, split, cut points, chosen rule and notes, with the fingerprint of the "
        "data; not the data."
    )
    content = {"data": lambda: json.dumps(to_plain(app_state()), indent=1), "help": words}
    name = file_name("analysis", "json", app_state().table.name)
    content |= {"file_name": name, "mime": "application/json"}
    left.download_button("Save settings (JSON)", on_click="ignore", **content)
    words = (
        "The file that “Save settings” gave. It begins a new analysis of the current table; this "
        "one stays under its own address."
    )
    _json_file("settings", lambda content, _: workspace.load_settings(content), words)
    words = "A file from Export or the command line. It becomes the current rule."
    _json_file("rule", take_rule, words, disabled=not app_state().ready)
    with right.popover("Forget this analysis"):
        st.write("Deletes the table, the settings, the results and the notes from this machine.")
        st.button("Yes, delete it all", key="forget", on_click=workspace.forget)


@st.fragment
def show_saved() -> None:
    """Identify the browser and list its analyses, the latest first; nothing without any."""
    analyses.identify_browser()
    if not (saved_analyses := analyses.list_analyses()):
        return
    st.markdown("**Your saved analyses**")
    for saved in saved_analyses[:SHOWN]:
        _line(saved)
    if len(saved_analyses) > SHOWN:
        with st.expander(f"{len(saved_analyses) - SHOWN} earlier ones"):
            for saved in saved_analyses[SHOWN:]:
                _line(saved)


def _then_rerun(action: Callable[..., Any], *args: Any) -> Callable[[], None]:
    """Wrap a callback of the list so that it runs the whole page again."""

    def run_action() -> None:
        once(partial(action, *args))()
        st.rerun()

    return run_action


def _line(saved: analyses.Saved) -> None:
    here = saved.id == workspace.analysis_id()
    words = [saved.table] if saved.name != saved.table else []
    words += [f"{saved.rows:,} rows", saved.rule or "no rule yet", f"{saved.when:%d %b %Y, %H:%M}"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        look = {"type": "tertiary", "icon": ":material/folder_open:", "disabled": here}
        hint = "This one is open." if here else "Open it."
        reopen = _then_rerun(workspace.reopen, saved.id)
        st.button(md(saved.name, 50), f"open_{saved.id}", hint, reopen, **look)
        st.caption(md(" · ".join(words), 160))
        with st.popover("", icon=":material/more_horiz:", help="Rename, duplicate, forget"):
            key = f"rename_{saved.id}"
            rename = _then_rerun(lambda: analyses.rename(saved, st.session_state[key]))
            copy, delete = (_then_rerun(f, saved) for f in (analyses.duplicate, analyses.forget))
            st.text_input("Name", saved.name, max_chars=80, key=key, on_change=rename)
            st.button("Duplicate", f"copy_{saved.id}", on_click=copy)
            if st.toggle("Forget: delete it from this machine", key=f"ask_forget_{saved.id}"):
                words = "Yes, delete table, settings and results"
                st.button(words, f"forget_{saved.id}", on_click=delete)
