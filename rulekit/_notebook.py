"""What a notebook shows of an object: the writer belongs to the exports, a higher layer."""

from collections.abc import Callable
from typing import Any

#: Set by the package itself, which alone may import every layer.
WRITERS: list[Callable[[Any], str]] = []


def notebook_html(subject: Any) -> str:
    """Return what notebooks show of a rule, a fitted model or an explanation."""
    return WRITERS[0](subject)
