"""Cache of results between reruns, with keys computed from content.

Streamlit hashes a large data frame from a sample of its rows, so that one edited cell can go
unnoticed. Nothing here lets it: a frame is passed under a name with a leading underscore (not
hashed) beside a key that says everything the result depends on. Everything derived from an upload
is kept per session.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

Result = TypeVar("Result")


@st.cache_data(scope="session", max_entries=32, show_spinner=False)
def _kept(name: str, key: str, _make: Callable[[], Any]) -> Any:
    return _make()


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def _kept_object(name: str, key: str, _make: Callable[[], Any]) -> Any:
    return _make()


def kept(name: str, key: str, make: Callable[[], Result], *, copy: bool = True) -> Result:
    """Return ``make()``, computed once a session for each `name` and `key`.

    Parameters
    ----------
    name : str
        What is computed.
    key : str
        Everything it depends on: `AppState.fit_key`, a digest, settings by ``repr``.
    make : callable
    copy : bool, default=True
        Give each caller a copy. False gives the object itself: fitted models, and frames that
        are never changed.
    """
    if get_script_run_ctx(suppress_warning=True) is None:  # a job's thread, or a test
        return make()
    return _kept(name, key, make) if copy else _kept_object(name, key, make)


def forget() -> None:
    """Drop everything this session has kept."""
    _kept.clear()
    _kept_object.clear()
