"""Cache of results between reruns, with keys computed from content."""

# Streamlit hashes a large data frame from a sample of its rows, so an edited cell could go
# unnoticed. To avoid this, a frame is passed under a name with a leading underscore (not hashed)
# with a key of everything that the result depends on. Everything derived from an upload is kept per
# session.

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from ui import escape, streamlit_private

Result = TypeVar("Result")


@st.cache_data(scope="session", max_entries=32, show_spinner=False)
def _compute_cached(name: str, key: str, _make: Callable[[], Any]) -> Any:
    return _make()


@st.cache_resource(scope="session", max_entries=16, show_spinner=False)
def _compute_object(name: str, key: str, _make: Callable[[], Any]) -> Any:
    return _make()


def compute_once(name: str, key: str, make: Callable[[], Result], *, copy: bool = True) -> Result:
    """Return ``make()``, computed once a session per `name` and `key`; a copy by default."""
    if not streamlit_private.is_in_page():
        return make()
    return _compute_cached(name, key, make) if copy else _compute_object(name, key, make)


def forget() -> None:
    """Drop all results of this session, and all escaped texts."""
    escape.forget()
    _compute_cached.clear()
    _compute_object.clear()
