"""Widgets with exactly one selected option, whose value is kept when the page is left."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ui.state import KEEP


def choice(
    label: str, words: Mapping[Any, str], usual: Any, key: str, *, place: Any = st, **options: Any
) -> Any:
    """Show options, given with their words, as buttons; return the selected one."""
    return place.segmented_control(
        label,
        list(words),
        format_func=lambda option: words.get(option, str(option)),
        default=usual if usual in words else next(iter(words)),
        required=True,
        key=key,
        **{**KEEP, **options},
    )


def menu(
    label: str, words: Mapping[Any, str], usual: Any, key: str, *, place: Any = st, **options: Any
) -> Any:
    """Show options, given with their words, as a list to open; return the selected one."""
    names = list(words)
    index = names.index(usual) if usual in words else 0
    options = {**KEEP, **options}
    return place.selectbox(label, names, index, format_func=words.get, key=key, **options)
