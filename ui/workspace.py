"""Saved analyses: an unguessable id in the address restores table, settings and rule."""

# Folder: the environment variable ``RULEKIT_WORKSPACE`` (default ``.rulekit`` in the current
# folder, readable by its owner only); ``off`` keeps everything in memory, and a reload starts an
# empty analysis. An analysis is a folder named by its id with ``table.parquet``, ``analysis.json``,
# ``about.json`` (its line in the list, see `ui.analyses`) and the sweep's ``sweep.sqlite``: plain
# data in open formats, nothing that runs code when it is loaded (`ui.saved`). Several windows may
# have one analysis open: each merges the others' changes into its own (`ui.saved.Merger`).

import errno
import hashlib
import json
import logging
import os
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from rulekit.data import ParseOptions, Table
from rulekit.data.reading.layout import TableLayout
from rulekit.export import from_json, to_json
from rulekit.learners import FixedRuleClassifier
from rulekit.rules import RuleSet, Schema
from rulekit.style.wording import percent, plural
from ui import cache, login, saved
from ui.escape import md
from ui.runs import jobs
from ui.saved import OPTIONS, Merger, fits, same
from ui.state import (
    CUT,
    RULE,
    VERSION,
    AppState,
    ColumnName,
    app_state,
    from_file,
    from_plain,
    saved_notes,
    to_plain,
    update,
)

PARAMETER = "analysis"
NEXT = "_next"  # session key of an analysis, with its id, that is about to be shown
BEGUN = "upload_began"  # session key of the last analysis begun: its file, its id, its first state
SEEN = "_seen"  # session key of the version on disk that this window's state comes from
CONFLICTS = "_conflicts"  # session key: what both this window and another one changed, in words
TURN = "_turn"  # session key that counts other windows' changes: widgets of another one are new
NO_SETTINGS = (
    "This is not a settings file of this dashboard. Choose the JSON file that “Save settings” gave."
)
SHAPE = re.compile(r"[A-Za-z0-9_-]{24}")
log = logging.getLogger("rulekit.dashboard")


def root() -> Path | None:
    """Return the folder of all saved analyses (created if needed), or None if nothing is saved."""
    if (setting := os.environ.get("RULEKIT_WORKSPACE", ".rulekit")) == "off":
        return None
    folder = make_folder(Path(setting))
    if folder is not None and not os.access(folder, os.W_OK):
        not_saved(OSError(errno.EROFS, os.strerror(errno.EROFS)))
        return None
    if folder is not None and os.name == "posix" and folder.stat().st_mode & 0o077:
        try:  # an existing folder
            folder.chmod(0o700)
        except OSError:
            message = (
                "Other users of this machine can read the folder of saved analyses, and this "
                "program may not change that. Set RULEKIT_WORKSPACE to a folder of your own."
            )
            if st.session_state.get("_open_folder") != message:  # once per session
                st.session_state["_open_folder"] = st.session_state["_message"] = message
        else:
            message = "Other users could read the folder of saved analyses; now only its owner can."
            st.session_state["_message"] = message
        log.warning("%s", message)
    return folder


def make_folder(folder: Path) -> Path | None:
    """Create a folder that only its owner can read; None, after a message, if that fails."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        not_saved(error)
        return None
    return folder


def analysis_id() -> str:
    """Return the id of this session's analysis; the owner of its jobs."""
    return st.session_state.setdefault("analysis_id", secrets.token_urlsafe(18))


def folder() -> Path | None:
    """Return this analysis' folder (it may not exist yet), or None when saving is off."""
    base = root()
    return base / analysis_id() if base is not None else None


def store_path() -> Path | None:
    """Return the path of this analysis' finished folds, or None if it is not saved."""
    path = folder()
    if path is None or saved.is_deleted(path) or make_folder(path) is None:
        return None
    return path / "sweep.sqlite"


def attach() -> None:
    """Tie the session to the analysis named in the address; call once at the top of the router."""
    if NEXT in st.session_state:
        _complete()
    if "analysis_id" not in st.session_state:
        _open(st.query_params.get(PARAMETER, ""))
    jobs.watch(analysis_id())
    if (path := folder()) is not None and (path / saved.SETTINGS).exists():
        if st.query_params.get(PARAMETER) != analysis_id():
            st.query_params[PARAMETER] = analysis_id()
    elif PARAMETER in st.query_params:
        del st.query_params[PARAMETER]


def _open(wanted: str) -> None:
    """Load a saved analysis into the session, or start a new one."""
    base = root()
    found = base is not None and SHAPE.fullmatch(wanted) and (base / wanted).is_dir()
    if found and login.is_on():  # only its owner may open it
        found = (base / "owners" / st.session_state[login.OWNER] / wanted).exists()
    if not found:
        if wanted:
            st.session_state["_message"] = (
                "The analysis in the address is not on this machine (it was forgotten, or the "
                "address is incomplete)"
                + (", or it is another person's" if login.is_on() else "")
                + ". This is a new one."
            )
        analysis_id()
        return
    st.session_state["analysis_id"] = wanted
    try:
        version, table = saved.read(base / wanted)
        st.session_state["app"] = restore(version, table)
        st.session_state[SEEN] = version
    except saved.UNREADABLE:
        log.exception("a saved analysis could not be read")
        st.session_state["_message"] = (
            "The saved analysis could not be read; its files stay in the workspace folder. "
            "This is a new one."
        )
        st.session_state["analysis_id"] = secrets.token_urlsafe(18)
        st.session_state["app"] = AppState()


def save() -> None:
    """Write what has changed to the folder of this analysis; nothing without a table."""
    state, path = app_state(), folder()
    if path is None or state.table is None or saved.is_deleted(path):
        return
    try:
        _save(state, path)
    except OSError as error:
        not_saved(error)
    else:
        st.session_state.pop("_unsaved", None)


def not_saved(error: OSError) -> None:
    """Record, for `ui.shell.messages`, that this analysis is not saved."""
    message = (
        f"This analysis is not saved ({_reason(error)}): what you see stays until the page is "
        "closed. Make room, or start the program with RULEKIT_WORKSPACE set to a folder that may "
        "be written."
    )
    if st.session_state.get("_unsaved") != message:
        log.warning("%s", message, exc_info=error)
        st.session_state["_unsaved"] = message
        st.toast(md(message, 400), duration="infinite")


def _reason(error: OSError) -> str:
    """Return the operating system's words for an error."""
    named = re.search(r"\[errno (\d+)\]", str(error), re.IGNORECASE)  # from Arrow
    number = error.errno or (int(named[1]) if named else 0)
    return os.strerror(number) if number else str(error)


def attempt(change: Callable[[], Any], failure: str) -> bool:
    """Change the saved analyses; return False and show a message if the disk refuses it."""
    try:
        change()
    except OSError as error:
        log.warning("%s", failure, exc_info=error)
        st.session_state["_message"] = (
            f"{failure} ({_reason(error)}). Check that the folder RULEKIT_WORKSPACE can be written."
        )
        return False
    return True


def _save(state: AppState, path: Path) -> None:
    """Write what has changed, together with what other windows have changed since."""
    seen: saved.Version | None = st.session_state.get(SEEN)
    mine = json.loads(json.dumps(to_plain(state)))  # as it is read back
    if seen is not None and same(seen.plain, mine) and (path / saved.SETTINGS).exists():
        return
    with saved.lock_folder(path):
        if saved.is_deleted(path):
            return
        theirs = None
        if seen is not None:
            with suppress(*saved.UNREADABLE):  # no longer there, or damaged: it is written again
                theirs = saved.read_settings(path)
        plain, is_next = mine, seen is None or theirs is None or theirs.name == seen.name
        if not is_next:
            plain = Merger(seen.plain, mine, theirs.plain).merge()
        new_table = theirs is None or theirs.plain["digest"] != plain["digest"]
        version = saved.write(path, saved.Version(plain), state.table if new_table else None)
        if plain["rule_json"] == mine["rule_json"]:
            _save_about(state, path / saved.ABOUT)
        if is_next:
            st.session_state[SEEN] = version
    if st.query_params.get(PARAMETER) != analysis_id():
        st.query_params[PARAMETER] = analysis_id()


def take_changes(*, prefer_mine: bool | None = None) -> bool:
    """Take over what other windows changed; return whether the page has to be drawn again."""
    # Where both changed the same, `prefer_mine` decides; without it, see `conflicts`. Call it after
    # a page, whose widgets still have this window's values.
    path, seen, state = folder(), st.session_state.get(SEEN), app_state()
    if path is None or seen is None or saved.stamp(path) in (None, seen.stamp):
        return False
    try:
        version, table = saved.read_settings(path), state.table
        if version.plain["digest"] != table.digest:
            version, table = saved.read(path)
        mine = json.loads(json.dumps(to_plain(state)))
        merger = Merger(seen.plain, mine, version.plain, bool(prefer_mine))
        plain, before = merger.merge(), conflicts()
        st.session_state[CONFLICTS] = merger.conflicts if prefer_mine is None else []
        if conflicts():
            return conflicts() != before
        table = replace(table, notes=saved_notes(plain))
        new = from_plain(plain, state.table if plain["digest"] == mine["digest"] else table)
    except saved.UNREADABLE:  # damaged: the next save writes it again
        log.exception("what another window saved could not be read")
        return False
    model = state.model if new.rule_json is not None and new.rule_key == state.rule_key else None
    st.session_state["app"] = replace(new, result=state.result, model=model)
    st.session_state[SEEN] = version
    if same(plain, mine):
        return False
    for name in (TURN, "_picks", "_slides"):
        st.session_state[name] = st.session_state.get(name, 0) + 1
    return True


def conflicts() -> list[str]:
    """Return in words what both this window and another one have changed."""
    return st.session_state.get(CONFLICTS, [])


def settle(*, mine: bool) -> None:
    """Keep this window's side of what another one changed as well, or take the other's; save."""
    take_changes(prefer_mine=mine)
    save()


def is_deleted() -> bool:
    """Whether another window deleted the analysis that is open here."""
    path = folder()
    return path is not None and app_state().table is not None and saved.is_deleted(path)


def save_as_new() -> None:
    """Save this window's state under a new id."""
    st.session_state.pop(SEEN, None)
    st.session_state["analysis_id"] = st.session_state["_begun"] = secrets.token_urlsafe(18)
    save()


AUTOMATIC = ParseOptions()
UPLOAD = "upload"  # session keys that begin so are kept when another analysis begins


@dataclass(frozen=True)
class Upload:
    """The uploaded file, kept to be read in another way, and what came of it; empty without one."""

    name: str = ""
    content: bytes = b""
    file_id: str = ""
    in_field: str = ""  # the id of the last file of the upload field that was read
    options: ParseOptions = AUTOMATIC  # as requested
    error: str = ""
    names: tuple[str, ...] = ()  # the columns of a file with too many
    target: str | None = None
    layout: TableLayout | None = None
    test: tuple[bytes, str] | None = None  # a file of test rows for it, and the file's name


def current_upload() -> Upload:
    """Return the uploaded file of this session."""
    return st.session_state.get(UPLOAD, Upload())


def change_upload(**values: Any) -> Upload:
    """Assign fields of the uploaded file."""
    upload = st.session_state[UPLOAD] = replace(current_upload(), **values)
    return upload


def forget_upload() -> None:
    """Forget the uploaded file and its errors; the file in the field is not read again."""
    st.session_state[UPLOAD] = Upload(in_field=current_upload().in_field)


def make_key(key: str) -> str:
    """Return the key of a widget whose value another window may change: it is then a new one."""
    turn = st.session_state.get(TURN, 0)
    return f"{key}_{turn}" if turn else key


def _save_about(state: AppState, path: Path) -> None:
    """Write this analysis' line in the list; for the same rule, a known error is kept."""
    rule, words = state.rule_json or "", rule_words(state)
    about = {"table": state.table.name, "rows": state.table.n_rows, "rule": words}
    about["digest"] = hashlib.sha256(rule.encode()).hexdigest() if rule else ""
    try:
        before = json.loads(path.read_text("utf-8"))
        if before["digest"] == about["digest"] and before["rule"].startswith(words):
            about["rule"] = before["rule"]
    except saved.UNREADABLE:
        pass  # the first time, or damaged: write it again
    saved.replace_file(path, lambda temporary: temporary.write_text(json.dumps(about), "utf-8"))


def rule_words(state: AppState) -> str:
    """Return the size of the selected rule and its error, if known."""
    if state.model is None and state.rule_json is None:
        return ""
    rule = from_json(state.rule_json) if state.model is None else state.model.rule_set_
    size = plural(rule.n_conditions, "condition")
    return size if state.error is None else f"{size}, {percent(state.error)} wrong in folds"


def change(**values: Any) -> AppState:
    """Assign fields of this session's analysis, as `update` does, and save it at once."""
    state = update(app_state(), **values)
    st.session_state["app"] = state
    save()
    return state


def pick_rule(rule_set: RuleSet, *, source: str) -> None:
    """Select a rule that the user wrote or edited."""
    X, y = app_state().training
    model = FixedRuleClassifier(rule_set).fit(X, y)
    kept, read = rule_set.schema or Schema(), model.training_schema_
    columns = tuple(kept.column(column.name) or column for column in read.columns)
    schema = replace(kept, columns=columns, classes=kept.classes or read.classes)
    model.rule_set = replace(rule_set, schema=schema)
    change(setting={"edited": source}, model=model, rule_json=to_json(model))


def begin(
    table: Table,
    options: dict[str, Any] | None = None,
    *,
    analysis: str | None = None,
    file_id: str = "",
) -> None:
    """Start an analysis of a table under an id, by default a new one; end the former one's job."""
    # What is saved under the id is overwritten. `file_id` is the uploaded file of the table; its
    # names and units of columns become those for people.
    base = root()
    if base is not None and analysis is not None and saved.is_deleted(base / analysis):
        analysis = None
    names = {*table.labels, *table.units}
    wording = {n: ColumnName(table.labels.get(n, ""), table.units.get(n, "")) for n in names}
    state = AppState(table=table, every_class=True, options=options or {}, wording=wording)
    _replace(state, analysis)
    st.session_state[BEGUN] = file_id, analysis_id(), to_plain(app_state())


def is_as_begun() -> bool:
    """Whether nothing was chosen, run or noted since this analysis began, in any tab."""
    begun_as, path = st.session_state.get(BEGUN, ("", "", None))[2], folder()
    if begun_as != to_plain(app_state()) or jobs.registry().is_busy(analysis_id()):
        return False
    seen = st.session_state.get(SEEN)
    stamp = None if path is None else saved.stamp(path)
    return stamp is None or (seen is not None and seen.stamp == stamp)


def file_of_analysis() -> str:
    """Return the id of the uploaded file that the open analysis began with; empty without one."""
    file_id, analysis, _ = st.session_state.get(BEGUN, ("", "", None))
    return file_id if analysis == analysis_id() else ""


def _replace(state: AppState, analysis: str | None = None) -> None:
    """Replace this session's analysis, by default under a new id; `attach` repeats it if needed."""
    st.session_state[NEXT] = analysis or secrets.token_urlsafe(18), state
    _complete()


def _complete() -> None:
    """Finish the replacement that `_replace` began."""
    analysis, state = st.session_state[NEXT]
    jobs.registry().forget(analysis_id())
    _clear()
    st.session_state["analysis_id"] = st.session_state["_begun"] = analysis
    st.session_state["app"] = state
    del st.session_state[NEXT]
    save()


def reopen(analysis: str) -> None:
    """Open a saved analysis in place of this one, which stays under its own address."""
    jobs.registry().forget(analysis_id())
    _clear()
    forget_upload()
    _open(analysis)


def forget() -> None:
    """Delete this analysis from disk and memory, stop its job, and begin an empty one."""
    jobs.registry().forget(analysis_id())
    if (path := folder()) is not None and not delete(path):
        return
    _clear()
    cache.forget()
    forget_upload()
    if PARAMETER in st.query_params:
        del st.query_params[PARAMETER]


def delete(path: Path) -> bool:
    """Delete an analysis for good; return False and show a message if that fails."""
    return not path.exists() or attempt(lambda: saved.delete(path), "The analysis was not deleted")


def _clear() -> None:
    """Remove this session's analysis and all widget values except the upload."""
    kept = ("_shell", "_wanted", "_message", "_unsaved", "_owner", UPLOAD, NEXT)
    for key in list(st.session_state):
        if not str(key).startswith(kept):
            del st.session_state[key]


def restore(version: saved.Version, table: Table) -> AppState:
    """Build the state from what was read of an analysis; ValueError for another version of it."""
    plain = version.plain
    if plain["version"] != VERSION:
        raise ValueError(f"Saved by version {plain['version']}, this is version {VERSION}.")
    state, unread = from_file(plain, replace(table, notes=saved_notes(plain)))
    if unread:
        st.session_state["_message"] = not_read(unread)
    return state


def load_settings(content: bytes) -> None:
    """Start an analysis with saved settings; show a message if not all of them are taken over."""
    # ValueError if the settings do not fit the table.
    state = app_state()
    try:
        plain = json.loads(content.decode("utf-8"))
        version, columns, digest = plain["version"], plain["roles"], plain["digest"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(NO_SETTINGS) from error
    if version != VERSION:
        raise ValueError(f"The settings are of version {version!r}; this is version {VERSION}.")
    table = state.table
    if fits(plain.get("options"), OPTIONS):
        table, plain["options"] = _cut_as(plain["options"], state)
    columns = columns if isinstance(columns, dict) else {}
    missing = [name for name in columns if name not in table.frame.columns]
    if missing:
        raise ValueError(
            f"The settings are for a table with the column {missing[0]!r}, which this one does not "
            "have. Load the table they were made for first."
        )
    if not set(RULE) <= plain.keys():
        raise ValueError(NO_SETTINGS)
    same = digest == table.digest
    new = {"case_notes": {}, "test_looks": 0, "looked_at": [], "edits": [], "edit": 0}
    if isinstance(plain.get("split"), dict):  # the last rows of this table are no test file
        new["split"] = plain["split"] | {"own_rows": 0, "own_name": ""}
    restored, unread = from_file(plain if same else plain | new, table)
    _replace(restored)
    sentences = [not_read(unread)] if unread else []
    if not same:
        sentences.append(
            "These settings were made for a table with other cells. Roles, cut points, names and "
            "notes are taken over; the picked setting is learned again from this table."
        )
    if sentences:
        st.session_state["_message"] = " ".join(sentences)


def not_read(names: list[str]) -> str:
    """Return a sentence about settings that are not as they were saved."""
    rule = ["the rule"] if set(names) & set(RULE) else []
    words = [name.replace("_", " ") for name in names if name not in RULE] + rule
    return (
        f"Some settings could not be read and are as in a new analysis: {', '.join(words)}. "
        "Everything else is taken over."
    )


def _cut_as(options: dict[str, Any], state: AppState) -> tuple[Table, dict[str, Any]]:
    """Return this table with its target cut as saved options have it, and its options."""
    table, cuts = state.table, options.get(CUT, {})
    for name in state.options.get(CUT, {}):
        table = table.with_cut(name, None)
    for name, cut in cuts.items():
        table = table.with_cut(name, cut) if name in table.frame.columns else table
    options = {name: value for name, value in state.options.items() if name != CUT}
    return table, options | ({CUT: cuts} if cuts else {})
