"""The uploaded file of this session, kept in memory so that it can be read in another way."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from rulekit.data import ParseOptions
from rulekit.data.reading.layout import TableLayout

AUTOMATIC = ParseOptions()
KEY = "upload"  # keys that begin so are kept when another analysis begins


@dataclass(frozen=True)
class Upload:
    """A file, how it shall be read, and what came of it; empty without one."""

    name: str = ""
    content: bytes = b""
    file_id: str = ""
    in_field: str = ""  # the id of the last file of the upload field that was read
    options: ParseOptions = AUTOMATIC  # as requested
    error: str = ""
    names: tuple[str, ...] = ()  # the columns of a file with too many
    target: str | None = None
    layout: TableLayout | None = None


def current_upload() -> Upload:
    """Return the uploaded file of this session."""
    upload: Upload = st.session_state.get(KEY, Upload())
    return upload


def change_upload(**values: Any) -> Upload:
    """Assign fields of the uploaded file."""
    upload = st.session_state[KEY] = replace(current_upload(), **values)
    return upload


def forget_upload() -> None:
    """Forget the uploaded file and its errors; the file in the field is not read again."""
    st.session_state[KEY] = Upload(in_field=current_upload().in_field)
