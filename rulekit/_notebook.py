"""What a notebook shows of an object: the writer belongs to the exports, a higher layer."""

from collections.abc import Callable  # without `typing`, a tenth of the time of the import

#: Set by the package itself, which alone may import every layer.
WRITERS: list[Callable[[object], str]] = []


def notebook_html(subject: object) -> str:
    """Return what notebooks show of a rule, a fitted model or an explanation."""
    return WRITERS[0](subject)
