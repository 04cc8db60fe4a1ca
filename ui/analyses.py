"""The analyses of one visitor: owner, names and contents."""

# A key in the browser's storage identifies the owner: created there, 192 random bits, sent over the
# session's connection and never in an address, a cookie or a log. The workspace stores only the
# key's digest, as a folder of marks: ``owners/DIGEST/ID``, each with the name given by its owner.
# So no user sees another's list, and the address of one analysis opens only that one. With a login
# (`ui.login`), the digest is the user's, and the address of another user's analysis opens nothing.

import hashlib
import json
import re
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import streamlit as st

from ui import saved as files
from ui import workspace
from ui.login import OWNER
from ui.runs import jobs

NOT_CHANGED = "The list of saved analyses was not changed"
KEY = re.compile(r"[0-9a-f]{48}")
SCRIPT = Path(__file__).with_name("owner.js").read_text("utf-8")
_browser = st.components.v2.component("rulekit_owner", js=SCRIPT)


@dataclass(frozen=True)
class Saved:
    """One line of the list; `rule` is empty before one is selected."""

    folder: Path
    name: str
    table: str
    rows: int
    rule: str
    when: datetime

    @property
    def id(self) -> str:
        """The id of the analysis."""
        return self.folder.name


def identify_browser() -> None:
    """Identify the browser by its stored key, once a session; call it in a fragment."""
    # The key may arrive while a file is uploaded, which Streamlit drops if the whole page reruns.
    if OWNER not in st.session_state and workspace.root() is not None:
        _browser(key="_owner_key", on_key_change=_set_owner)


def _set_owner() -> None:
    key = str(st.session_state["_owner_key"].get("key") or "")
    if KEY.fullmatch(key):
        st.session_state[OWNER] = hashlib.sha256(key.encode()).hexdigest()
        claim()


def claim() -> None:
    """Add this session's analysis to the list if it was started here and is saved."""
    mine, marks = st.session_state.get("_begun"), _marks()
    if mine is None or marks is None or not (workspace.root() / mine / "analysis.json").exists():
        return
    try:
        (marks / mine).touch()  # a file read again keeps the name given
    except OSError as error:
        workspace.not_saved(error)
    else:
        st.session_state.pop("_begun")


def add() -> None:
    """Add the open analysis to this browser's list, as one opened by its address."""
    _mark(workspace.analysis_id(), "")


def list_analyses() -> list[Saved]:
    """List this browser's analyses, the latest first."""
    marks, analyses = _marks(), []
    for mark in marks.iterdir() if marks is not None else ():
        folder = workspace.root() / mark.name
        if not folder.is_dir():  # deleted meanwhile
            with suppress(OSError):
                mark.unlink()
            continue
        try:
            about = json.loads((folder / "about.json").read_text("utf-8"))
            when = datetime.fromtimestamp((folder / "analysis.json").stat().st_mtime)
            name = mark.read_text("utf-8") or str(about["table"])
            line = (name, str(about["table"]), int(about["rows"]), str(about["rule"]))
        except files.UNREADABLE:
            continue
        analyses.append(Saved(folder, *line, when))
    return sorted(analyses, key=lambda saved: saved.when, reverse=True)


def is_listed() -> bool:
    """Whether the open analysis is on this browser's list."""
    marks = _marks()
    return marks is not None and (marks / workspace.analysis_id()).exists()


def rename(saved: Saved, name: str) -> None:
    """Rename an analysis; an empty name means the table's name."""
    _mark(saved.id, " ".join(name.split()))


def duplicate(saved: Saved) -> str:
    """Copy an analysis without the folds of its runs, and return the copy's id."""
    fresh = secrets.token_urlsafe(18)

    def copy() -> None:
        files.copy(saved.folder, saved.folder.with_name(fresh))

    if not (workspace.attempt(copy, NOT_CHANGED) and _mark(fresh, f"{saved.name} (copy)")):
        shutil.rmtree(saved.folder.with_name(fresh), ignore_errors=True)
    return fresh


def forget(saved: Saved) -> None:
    """Delete an analysis from this machine, and from the list."""
    if saved.id == workspace.analysis_id():
        workspace.forget()
    else:
        jobs.registry().forget(saved.id)
        workspace.delete(saved.folder)


def _mark(name: str, text: str) -> bool:
    """Add an analysis to this browser's list, or rename it there; return whether it worked."""
    if (marks := _marks()) is None:
        return False
    return workspace.attempt(lambda: (marks / name).write_text(text[:80], "utf-8"), NOT_CHANGED)


def _marks() -> Path | None:
    """Return this browser's folder of marks; None while it is unknown, or saving is off."""
    base, owner = workspace.root(), st.session_state.get(OWNER)
    if base is None or owner is None:
        return None
    return workspace.make_folder(base / "owners" / owner)
