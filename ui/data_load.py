"""The Data page's first card: a file or a sample becomes the table; a bad file changes nothing."""

import hashlib
from dataclasses import dataclass
from pathlib import PurePath

import streamlit as st

from rulekit.data import Limits, list_samples, load_sample
from rulekit.exceptions import RulekitError
from ui import workspace
from ui.escape import md
from ui.state import app_state

FIRST_SAMPLE = "credit"


@dataclass(frozen=True)
class Upload:
    """A file as it was sent: kept in memory for this session, to be read again otherwise."""

    name: str
    content: bytes
    file_id: str

    @property
    def stem(self) -> str:
        """The file's name without folders and ending."""
        return PurePath(self.name).stem[:80] or "table"

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.content).hexdigest()


def upload_card() -> None:
    """Take a file; read it once; on a refusal keep the earlier table and say why."""
    file = st.file_uploader(
        "Upload a file",
        type=["csv", "tsv", "txt", "xlsx", "parquet"],
        key="upload_file",
    )
    st.caption(f"{Limits().sentence()} The file stays on this machine.")
    if file is not None:
        seen = st.session_state.get("upload")
        if seen is None or seen.file_id != file.file_id:
            upload = Upload(file.name, file.getvalue(), file.file_id)
            st.session_state["upload"] = upload
            read(upload, None)
            st.rerun()
    if error := st.session_state.get("upload_error"):
        st.error(md(error, 1500))
        if app_state().table is not None:
            st.caption(f"The table {md(app_state().table.name, 40)} is still here, unchanged.")


def read(upload: Upload, options: dict[str, object] | None) -> None:
    """Read a file and begin an analysis of it, or leave a sentence that says what is wrong."""
    from rulekit.data import ParseOptions, read_table

    st.session_state["upload_error"] = None
    try:
        with st.spinner("Reading the file", show_time=True):
            chosen = ParseOptions(**options) if options else None
            table = read_table(upload.content, name=upload.stem, options=chosen)
    except (RulekitError, ValueError) as error:
        st.session_state["upload_error"] = str(error)
        return
    workspace.begin(table, dict(options or {}))


def sample_buttons() -> None:
    """Offer each bundled table in one click."""
    for info in sorted(list_samples(), key=lambda s: s.name != FIRST_SAMPLE):
        st.button(
            f"Try {info.title}",
            key=f"sample_{info.name}",
            on_click=begin_sample,
            args=(info.name,),
            help=f"{info.description} Source: {info.source}. Licence: {info.licence}.",
            type="primary" if info.name == FIRST_SAMPLE else "secondary",
            width="stretch",
        )


def begin_sample(name: str) -> None:
    """Begin an analysis of a bundled table, its target and positive class chosen."""
    st.session_state["upload_error"] = None
    workspace.begin(load_sample(name))
