"""What the dashboard uses of Streamlit that is not documented, and so may move in any version."""

from typing import Any, NoReturn

import streamlit as st
from streamlit import net_util
from streamlit.auth_util import validate_auth_credentials
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web import cli

PER_VISITOR, IN_ALL = 110_000_000, 450_000_000  # bytes of uploads: two files of the largest size
_add, _disconnect = MemoryUploadedFileManager.add_file, WebsocketSessionManager.disconnect_session


def prepare() -> None:
    """Change what the dashboard does not use of Streamlit as it is; before a page is drawn."""
    net_util.get_external_ip = lambda: None  # it would ask a service on the internet
    MemoryUploadedFileManager.add_file = add_upload
    WebsocketSessionManager.disconnect_session = free_uploads


def add_upload(
    manager: MemoryUploadedFileManager,
    session_id: str,
    file: Any,
    *,
    per_visitor: int = PER_VISITOR,
    in_all: int = IN_ALL,
) -> None:
    """Add an uploaded file, for which older ones of this or the largest visitor are dropped."""
    # Pages copy what they read, so that an older file is not missed.
    size = len(file.data)
    while True:
        stored = {
            session: sum(len(each.data) for each in files.values())
            for session, files in list(manager.file_storage.items())
            if files
        }
        if stored.get(session_id, 0) + size > per_visitor and session_id in stored:
            largest = session_id
        elif stored and sum(stored.values()) + size > in_all:
            largest = max(stored, key=stored.__getitem__)
        else:
            break
        manager.remove_file(largest, next(iter(manager.file_storage[largest])))
    _add(manager, session_id, file)


def free_uploads(manager: WebsocketSessionManager, session_id: str) -> None:
    """Disconnect a visitor who has left, and free the uploaded files."""
    _disconnect(manager, session_id)
    manager._uploaded_file_mgr.remove_session_files(session_id)


def internal_ip() -> str | None:
    """Return this machine's address in its own network."""
    return net_util.get_internal_ip()


def check_login_settings() -> None:
    """Raise StreamlitAuthError if the settings of the login provider are incomplete."""
    validate_auth_credentials("default")


def rerun() -> NoReturn:
    """Run the page again, or what the visitor has requested meanwhile: ``st.rerun`` would drop it.

    The page of a pending click on another page would be replaced by the page of the rerun.
    """
    st.empty()  # what draws lets a pending request run instead
    st.rerun()


def is_in_page() -> bool:
    """Whether a page is being drawn; not so in a thread of a job, or a test."""
    return get_script_run_ctx(suppress_warning=True) is not None


def run(arguments: list[str]) -> None:
    """Run Streamlit's command."""
    cli.main(arguments, prog_name="streamlit")
